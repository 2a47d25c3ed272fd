// SPDX-License-Identifier: Apache-2.0
/**
 * A process that writes records is killed with -9 again and again, at any moment. Whatever it reported as committed is there, and no record is
 * there twice. PALISADE_SOAK=1: 40 lives instead of four.
 */
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {A, B, readAll, T0} from '../../../packages/ids/src/testing/record-store-contract.ts';
import {parseIdsEndpointName} from '../../../packages/ids-wire/src/index.ts';
import {RECORDS_OF_A_BATCH} from './record-store-say.ts';

const LIVES = process.env['PALISADE_SOAK'] === '1' ? 40 : 4;
const SEED = Number(process.env['PALISADE_SEED'] ?? Date.now() % 1_000_000);
const CHILD = resolve(import.meta.dirname, 'record-store-child.ts');
const ignore = (): void => undefined;

const children = (folder: string) => {
  const child = spawn(process.execPath, [CHILD, folder], {stdio: ['ignore', 'pipe', 'inherit']});
  return {child, gone: once(child, 'exit'), lines: createInterface({input: child.stdout})};
};

/** Kills a child after so many commits; adds what it reported. */
const live = async (folder: string, commits: number, reported: Map<string, number>): Promise<void> => {
  const {child, gone, lines} = children(folder);
  let count = 0;
  for await (const line of lines) {
    const [endpoint = '', batch] = line.split(' ');
    reported.set(endpoint, Number(batch));
    if (++count === commits) child.kill('SIGKILL');
  }
  await gone;
  expect(count).toBeGreaterThanOrEqual(commits);
};

/** Every batch up to the position is there, once. */
const expectWhole = async (folder: string, reported: ReadonlyMap<string, number>): Promise<void> => {
  const store = openSqliteRecordStore({
    folder,
    budgets: RECORD_BUDGETS_DEFAULT,
    clock: {now: () => T0},
    log: {debug: ignore, info: ignore, warn: ignore, error: ignore},
  });
  await store.start();
  for (const endpoint of [A, B]) {
    const batches = (await store.load(endpoint))?.checkpoint?.offset ?? 0;
    expect(batches).toBeGreaterThanOrEqual(reported.get(endpoint) ?? 0);
    const name = parseIdsEndpointName(endpoint);
    if (name === undefined) throw new Error(endpoint);
    const threats = await readAll(store, {kind: 'threats', name, filter: ''});
    expect(threats).toHaveLength(batches * RECORDS_OF_A_BATCH);
    expect(new Set(threats.map(({id}) => id)).size).toBe(threats.length);
    const sum = threats.reduce((total, {record}) => total + Number(record.repeat_count), 0);
    expect(sum).toBe(threats.length + batches - 1);
    expect(await store.counts(endpoint)).toMatchObject({threats: threats.length, traffic: batches});
    expect(await store.evidence(endpoint, threats.at(-1)?.id ?? '')).toMatch(/^event \d+$/);
  }
  await store.close();
};

test(`44-1 records that were committed survive kill -9, each once (seed ${SEED})`, async () => {
  const parent = await mkdtemp(join(tmpdir(), 'palisade-record-crash-'));
  const folder = join(parent, 'records');
  const reported = new Map<string, number>();
  for (let i = 0; i < LIVES; i++) await live(folder, 3 + ((SEED + i * 7_919) % 37), reported);
  await expectWhole(folder, reported);
  await rm(parent, {recursive: true, force: true});
});

const limitFiles = (pid: number | undefined, bytes: number | 'unlimited'): unknown =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);

test('44-1 while the disk takes no more, commits fail; then they go on, and nothing is half there', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'palisade-record-full-'));
  const folder = join(parent, 'records');
  const reported = new Map<string, number>();
  const {child, gone, lines} = children(folder);
  let [count, failed, after] = [0, 0, 0];
  for await (const line of lines) {
    const [word = '', batch] = line.split(' ');
    if (word === 'failed') {
      expect(line).toMatch(/free space|disk/);
      if (++failed === 6) limitFiles(child.pid, 'unlimited');
      continue;
    }
    reported.set(word, Number(batch));
    // The kernel lets it write nothing beyond so many bytes of a file: write(2) fails, as on a full disk.
    if (++count === 6) limitFiles(child.pid, 100_000);
    if (failed >= 6 && ++after === 12) child.kill('SIGKILL');
  }
  await gone;
  expect(after).toBeGreaterThanOrEqual(12);
  await expectWhole(folder, reported);
  await rm(parent, {recursive: true, force: true});
});
