// SPDX-License-Identifier: Apache-2.0
/** Faults of the store that need a second process: its lock across kill -9, and a disk that refuses a write. */
import {execFileSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openSqliteStore} from '@palisade/store/sqlite';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {Child} from './store-child.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-faults-'));
});
afterEach(() => rm(dir, {recursive: true}));

test('a data folder in use by another process is refused, with its process id; kill -9 frees it without hand work', async () => {
  for (let round = 0; round < 3; round++) {
    await using first = new Child();
    expect(await first.ask(`open ${dir}`)).toBe(`ok ${round}`);
    await using second = new Child();
    expect(await second.ask(`open ${dir}`)).toMatch(
      new RegExp(`^locked .*another server \\(process ${first.pid}\\) is using it; stop`),
    );
    await expect(openSqliteStore({dir})).rejects.toMatchObject({code: 'locked'});
    expect(await first.ask(`put /k${round} 10`)).toBe(`ok ${round + 1}`);
    await first.kill();
    expect(await second.ask(`open ${dir}`)).toBe(`ok ${round + 1}`);
  }
});

test('a database that another program holds is refused, and free when that one ends', async () => {
  await (await openSqliteStore({dir})).close();
  const other = new Child();
  expect(await other.ask(`hold ${join(dir, 'store.db')}`)).toBe('ok held');
  await expect(openSqliteStore({dir})).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining('another program holds the file'),
  });
  await other[Symbol.asyncDispose]();
  await (await openSqliteStore({dir})).close();
});

test('a disk that refuses a write: unavailable, nothing half written; when it takes writes again, so does the store', async () => {
  // The kernel refuses to let the files of this process grow beyond 2 MiB: write(2) fails with EFBIG.
  await using child = new Child("trap '' XFSZ; ulimit -S -f 2048");
  expect(await child.ask(`open ${dir}`)).toBe('ok 0');
  const kept: string[] = [];
  const refused: string[] = [];
  // A refusal makes the store open its file anew, which may make some room; in the end there is none.
  for (let i = 0; i < 60; i++) {
    const answer = await child.ask(`put /k${i} 100000`);
    if (answer === `ok ${kept.length + 1}`) kept.push(`/k${i}`);
    else refused.push(answer);
  }
  expect(kept.length).toBeGreaterThan(5);
  expect(refused.length).toBeGreaterThan(5);
  for (const answer of refused) expect(answer).toMatch(/^disk-full .*store\.db: the file size limit is reached/);
  execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
  expect(await child.ask('put /again 100000')).toBe(`ok ${kept.length + 1}`);
  await child.kill();
  await using store = await openSqliteStore({dir});
  expect(await store.currentRevision()).toBe(BigInt(kept.length + 1));
  expect((await store.list('', {limit: 100})).entries.map(entry => entry.key)).toEqual(['/again', ...kept].sort());
});
