// SPDX-License-Identifier: Apache-2.0
/**
 * A process that writes records is killed with -9 again and again, at any moment. Whatever it reported as committed is there, and no record is
 * there twice. PALISADE_SOAK=1: 40 lives instead of four.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../packages/ids/src/limits.ts';
import {openSqliteRecordStore} from '../../packages/ids/src/records/sqlite/record-store.ts';
import {A, B, readAll, T0} from '../../packages/ids/src/testing/record-store-contract.ts';
import {parseIdsEndpointName} from '../../packages/ids-wire/src/index.ts';
import {RECORDS_OF_A_BATCH} from './record-store-say.ts';

const LIVES = process.env['PALISADE_SOAK'] === '1' ? 40 : 4;
const SEED = Number(process.env['PALISADE_SEED'] ?? Date.now() % 1_000_000);
const CHILD = resolve(import.meta.dirname, 'record-store-child.ts');
const ignore = (): void => undefined;

/** Kills a child after so many commits; adds what it reported. */
const live = async (folder: string, commits: number, reported: Map<string, number>): Promise<void> => {
  const child = spawn(process.execPath, [CHILD, folder], {stdio: ['ignore', 'pipe', 'inherit']});
  const gone = once(child, 'exit');
  let lines = 0;
  for await (const line of createInterface({input: child.stdout})) {
    const [endpoint = '', batch] = line.split(' ');
    reported.set(endpoint, Number(batch));
    if (++lines === commits) child.kill('SIGKILL');
  }
  await gone;
  expect(lines).toBeGreaterThanOrEqual(commits);
};

test(`44-1 records that were committed survive kill -9, each once (seed ${SEED})`, async () => {
  const parent = await mkdtemp(join(tmpdir(), 'palisade-record-crash-'));
  const folder = join(parent, 'records');
  const reported = new Map<string, number>();
  for (let i = 0; i < LIVES; i++) await live(folder, 3 + ((SEED + i * 7_919) % 37), reported);
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
  await rm(parent, {recursive: true, force: true});
});
