// SPDX-License-Identifier: Apache-2.0
/** A write that was refused because a sync failed is whole in the log, and yet must not be there after a kill. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {FaultyDisk, whyNoDisk} from '../disk/faulty-disk.ts';
import {seededRandom} from '../suite/random.ts';
import {openInline} from './inline-store.ts';
import {Child} from './store-child.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'palisade-failed-sync-'));
});
afterEach(() => rmSync(root, {recursive: true}));

const noDisk = whyNoDisk();
test.skipIf(noDisk !== undefined).each([
  ['one sync', 1],
  ['every sync', Infinity],
])('48-1 %s fails, the write is refused, the process is killed: the write is not there', async (_, times) => {
  const dir = join(root, 'data');
  using disk = await FaultyDisk.make(dir);
  const child = new Child(':', disk.env());
  expect(await child.ask(`open ${dir}`)).toBe('ok 0');
  expect(await child.ask('put /kept 100')).toBe('ok 1');
  disk.arm({call: 'sync', errno: 'EIO', after: 0, times});
  expect(await child.ask('put /refused 100')).toMatch(/^disk-failed /);
  await child.kill();
  disk.disarm();
  await using store = await openInline({dir});
  expect((await store.list('', {limit: 10})).entries.map(({key}) => key)).toEqual(['/kept']);
  expect(await store.put('/next', new Uint8Array(1))).toBe(2n);
});

test.skipIf(noDisk !== undefined).each([1, 2, 3])(
  '48-1 %i syncs fail, then the disk is well: later answers survive a loss of power',
  async times => {
    const dir = join(root, 'data');
    using disk = await FaultyDisk.make(dir);
    const child = new Child(':', disk.env());
    await child.ask(`open ${dir}`);
    expect(await child.ask('put /kept 100')).toBe('ok 1');
    disk.arm({call: 'sync', errno: 'EIO', after: 0, times});
    expect(await child.ask('put /refused 100')).toMatch(/^disk-failed /);
    const answered = ['/kept'];
    for (let n = 0; answered.length < 3; n++)
      if ((await child.ask(`put /later${n} 100`)).startsWith('ok')) answered.push(`/later${n}`);
    await child.kill();
    disk.losePower(seededRandom(times));
    await using store = await openInline({dir});
    expect((await store.list('', {limit: 10})).entries.map(({key}) => key)).toEqual(answered);
  },
);
