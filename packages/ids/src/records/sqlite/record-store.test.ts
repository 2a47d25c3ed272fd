// SPDX-License-Identifier: Apache-2.0
import {cp, mkdtemp, readdir, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT, RECORDS_PAGE} from '../../limits.ts';
import {
  A,
  batch,
  type ContractStore,
  readAll,
  recordStoreContract,
  T0,
  threat,
} from '../../testing/record-store-contract.ts';
import {triageContract} from '../../testing/triage-contract.ts';
import {type RecordCursor, type RecordStore, RecordStoreError, type TriageSum} from '../record-store.ts';
import type {RecordReader} from './read/reader.ts';
import {openReader} from './read/reader-thread.ts';
import {openSqliteRecordStore} from './record-store.ts';

const ignore = (): void => undefined;
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};
const clock = {now: () => T0 + 60_000};

const openIn = (folder: string): RecordStore =>
  openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock, log});

const openFresh = async (): Promise<ContractStore & {readonly folder: string}> => {
  const parent = await mkdtemp(join(tmpdir(), 'palisade-records-'));
  const folder = join(parent, 'records');
  let store = openIn(folder);
  return {
    folder,
    store,
    reopen: async () => {
      await store.close();
      store = openIn(folder);
      return store;
    },
    end: async () => {
      await store.close();
      await rm(parent, {recursive: true, force: true});
    },
  };
};

recordStoreContract('in SQLite files', openFresh);
triageContract('in SQLite files', openFresh);

test('44-1 files are private to their owner', async () => {
  const {folder, store, end} = await openFresh();
  await store.commit(batch({threats: [threat(1, {}, 'line')]}));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const file of await readdir(folder))
    expect([file, (await stat(join(folder, file))).mode & 0o777]).toEqual([file, 0o600]);
  await end();
});

test('44-4 steps of a decision that are on disk are reported, also when the next page cannot be read', async () => {
  const {folder, store, end} = await openFresh();
  const count = 1_200;
  for (let i = 0; i < count; i += 600)
    await store.commit(batch({threats: Array.from({length: 600}, (_, j) => threat(i + j))}));
  await store.close();
  let pages = 0;
  const reader = (of: string): RecordReader => {
    const whole = openReader(of);
    const page = whole.page;
    const failsLater: RecordReader['page'] = request =>
      pages++ < 2 ? page(request) : Promise.reject(new RecordStoreError('io', 'the page cannot be read'));
    return Object.assign(whole, {page: failsLater});
  };
  const failing = openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock, log, reader});
  const selection = {kind: 'threats', name: {project: '-', location: '-', endpointId: '-'}, filter: ''} as const;
  const steps: TriageSum[] = [];
  const change = {action: 'acknowledge', user: 'ann', timeMs: T0} as const;
  await expect(failing.triage(selection, change, step => steps.push(step))).rejects.toThrow('the page cannot be read');
  await failing.close();
  expect(steps).toEqual(Array(2).fill({matched: RECORDS_PAGE, changed: RECORDS_PAGE}));
  const again = openIn(folder);
  const {total} = await again.aggregate({...selection, filter: 'acknowledged=true', groupsMax: 0});
  expect(total.records).toBe(2 * RECORDS_PAGE);
  await again.close();
  await end();
});

test('44-1 one store per folder', async () => {
  const {folder, store, end} = await openFresh();
  await store.start();
  await expect(openIn(folder).start()).rejects.toMatchObject({code: 'in-use'});
  await store.commit(batch({threats: [threat(1)]}));
  expect((await readAll(store)).map(({endpoint}) => endpoint)).toEqual([A]);
  await end();
  await expect(store.commit(batch())).rejects.toMatchObject({code: 'closed'});
});

test('44-1 a restored backup does not hold what was written after it; cursors from before it are good, over restarts too', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'palisade-restore-'));
  const [folder, backup] = [join(parent, 'records'), join(parent, 'backup')];
  /** One start: writes some, and resolves to its cursors before and after. */
  const live = async (numbers: readonly number[], cursors: readonly RecordCursor[] = []) => {
    const store = openIn(folder);
    await store.start();
    const before = await store.position();
    for (const number of numbers) await store.commit(batch({threats: [threat(number)]}));
    const after = await store.position();
    const held = await Promise.all(cursors.map(cursor => store.holds(cursor)));
    await store.close();
    return {before, after, held};
  };
  const first = await live([1]);
  const idle = await live([]);
  await cp(folder, backup, {recursive: true});
  const lost = await live([2, 3]);
  const made = [first.before, first.after, idle.after, lost.before, lost.after];
  const ahead = {...lost.after, sequence: lost.after.sequence + 1};
  expect((await live([], [...made, ahead])).held).toEqual([true, true, true, true, true, false]);
  await rm(folder, {recursive: true});
  await cp(backup, folder, {recursive: true});
  const ofRunning = {...idle.after, sequence: 3}; // had the copy been made while that store ran on
  const {held} = await live([10, 11, 12, 13], [...made, ofRunning]);
  expect(held).toEqual([true, true, true, false, false, false]);
  await rm(parent, {recursive: true});
});

test('44-5 what a forgotten reader has not read is counted as missed no longer', async () => {
  const {store, end} = await openFresh();
  await store.start();
  const {history, sequence} = await store.position();
  await store.saveReader('export/gone', {history, kinds: {threats: {sequence, timeMs: T0}}});
  await store.commit(batch({threats: [threat(1), threat(2)]}));
  store.setBudgets({...RECORD_BUDGETS_DEFAULT, threats: {bytes: 1, ageMs: RECORD_BUDGETS_DEFAULT.threats.ageMs}});
  await store.tidy();
  const name = {project: '-', location: '-', endpointId: '-'};
  const missed = async (): Promise<number> =>
    (await store.changes({kind: 'threats', name, filter: '', after: sequence, updates: false, limit: 10})).missed;
  const gone = {prefix: 'export/', keep: [], ageMs: 1_000};
  expect(await store.forgetReaders({...gone, nowMs: T0})).toEqual([]);
  expect(await missed()).toBe(2);
  expect(await store.forgetReaders({...gone, nowMs: T0 + 1_001})).toEqual(['export/gone']);
  expect(await missed()).toBe(0);
  await end();
});

test('44-7 a reader of changes that has everything asks no file', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'palisade-records-'));
  const asked: number[] = [];
  const store = openSqliteRecordStore({
    ...{folder: join(parent, 'records'), budgets: RECORD_BUDGETS_DEFAULT, clock, log},
    reader: folder => {
      const reader = openReader(folder);
      const {changes} = reader;
      reader.changes = request => {
        asked.push(request.after);
        return changes(request);
      };
      return reader;
    },
  });
  await store.commit(batch({threats: [threat(1)]}));
  const {sequence} = await store.position();
  const ask = {kind: 'threats', name: {project: '-', location: '-', endpointId: '-'}, filter: '', limit: 5} as const;
  const [behind, there] = await Promise.all([0, sequence].map(after => store.changes({...ask, after, updates: true})));
  expect(behind).toMatchObject({records: {length: 1}, sequence, isLast: true});
  expect(there).toEqual({records: [], sequence, isLast: true, missed: 0});
  expect(asked).toEqual([0]);
  await store.close();
  await rm(parent, {recursive: true, force: true});
});
