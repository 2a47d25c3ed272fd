// SPDX-License-Identifier: Apache-2.0
import {mkdtemp, readdir, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../limits.ts';
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
import type {RecordStore} from '../record-store.ts';
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

test('44-1 one store per folder', async () => {
  const {folder, store, end} = await openFresh();
  await store.start();
  await expect(openIn(folder).start()).rejects.toMatchObject({code: 'in-use'});
  await store.commit(batch({threats: [threat(1)]}));
  expect((await readAll(store)).map(({endpoint}) => endpoint)).toEqual([A]);
  await end();
  await expect(store.commit(batch())).rejects.toMatchObject({code: 'closed'});
});
