// SPDX-License-Identifier: Apache-2.0
import {closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../../limits.ts';
import {A, batch, T0, threat} from '../../../testing/record-store-contract.ts';
import type {RecordStore} from '../../record-store.ts';
import {openSqliteRecordStore} from '../record-store.ts';

const NAME = {project: '-', location: '-', endpointId: '-'};
const ALL = {kind: 'threats', name: NAME, filter: ''} as const;
const PAGE = 4_096;

let folder: string;
let store: RecordStore;
let errors: {readonly fields: object; readonly message: string}[];
const ignore = (): void => undefined;
const log = {
  ...{debug: ignore, info: ignore, warn: ignore},
  error: (fields: object, message: string): void => void errors.push({fields, message}),
};
const open = (): RecordStore =>
  openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock: {now: () => T0 + 60_000}, log});

beforeEach(() => {
  errors = [];
  folder = mkdtempSync(join(tmpdir(), 'palisade-damaged-'));
  store = open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, {recursive: true, force: true});
});

const fileOf = (recordClass: string): string =>
  readdirSync(folder).find(file => file.startsWith(recordClass) && file.endsWith('.db')) ?? '';

/** Overwrites all from `at` on. */
const damage = (file: string, at: number): void => {
  const path = join(folder, file);
  const length = statSync(path).size - at;
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(length, 0x41), 0, length, at);
  closeSync(descriptor);
};

const READS = {
  changes: async () => (await store.changes({...ALL, after: 0, updates: false, limit: 500})).records,
  page: async () => (await store.page({...ALL, orderBy: '', limit: 50})).records,
  'page by name': async () => (await store.page({...ALL, orderBy: 'name desc', limit: 50})).records,
  aggregate: async () => Array.from({length: (await store.aggregate({...ALL, groupsMax: 5})).total.records}),
  backlog: async () => Array.from({length: await store.backlog('threats', 0)}),
};

test.each([
  ['changes', 0],
  ['changes', PAGE],
  ['page', 0],
  ['page', PAGE],
  ['page by name', PAGE],
  ['aggregate', PAGE],
  ['backlog', 0],
] as const)('44-1 a file at rest that is damaged is set aside when it is read (%s, from byte %i)', async (read, at) => {
  const many = Array.from({length: 200}, (_, i) => threat(i, {alert_severity: 'LOW'}));
  await store.commit(batch({threats: [...many, threat(500, {alert_severity: 'HIGH'})]}));
  await store.close();
  const file = fileOf('low');
  damage(file, at);
  store = open();
  await store.start();
  expect(errors).toEqual([]);
  const [first, second] = await Promise.all([READS[read](), READS[read]()]);
  expect(first).toHaveLength(1);
  expect(second).toHaveLength(1);
  expect((await store.evictions(A)).lost).toEqual({LOW: 200});
  expect(errors).toMatchObject([{fields: {file, lost: 200}, message: 'damaged record file set aside'}]);
  expect(readdirSync(folder)).toContain(`${file}.damaged`);
});

test('44-1 what a damaged file got since the redo log was emptied goes to another one', async () => {
  await store.commit(batch({threats: [threat(1, {alert_severity: 'LOW'})]}));
  await store.close();
  store = open();
  await store.commit(batch({threats: [threat(2, {alert_severity: 'LOW'})]}));
  const file = fileOf('low');
  rmSync(join(folder, `${file}-wal`));
  damage(file, 0);
  expect(await READS.page()).toHaveLength(1);
  expect((await store.evictions(A)).lost).toEqual({LOW: 1});
  await store.commit(batch({threats: [threat(3, {alert_severity: 'LOW'})]}));
  expect(await READS.changes()).toHaveLength(2);
});
