// SPDX-License-Identifier: Apache-2.0
/** Only what a failed first start made itself goes, and only as long as nobody can want it. */
import {existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openSqliteStore, takeLock} from '@palisade/store/sqlite';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {type DataFolder, openDataFolder} from '../process/data-folder.ts';
import {FirstStart} from './first-start.ts';

const bytes = new Uint8Array([1]);

let root = '';
let dir = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'palisade-start-'));
  dir = join(root, 'a/data');
});
afterEach(() => rmSync(root, {recursive: true}));

const open = async (): Promise<{folder: DataFolder; first: FirstStart}> => {
  const folder = await openDataFolder(dir);
  return {folder, first: new FirstStart(folder)};
};

/** A start up to the requests, and its end; `between` stands for what happens meanwhile. */
const failedStart = async (between: (store: Awaited<ReturnType<typeof openSqliteStore>>) => unknown) => {
  const {folder, first} = await open();
  const store = await openSqliteStore({file: folder.storeFile});
  await store.put('/own', bytes, 0n);
  mkdirSync(folder.sensorDir);
  await first.openToRequests(store);
  await between(store);
  await first.look(store);
  await store.close();
  return first;
};

test('a folder of its own goes with the parents that it made', async () => {
  const first = await failedStart(() => undefined);
  await first.undo();
  expect(readdirSync(root)).toEqual([]);
});

test('a parent that has something else in it stays', async () => {
  const first = await failedStart(() => writeFileSync(join(root, 'a/other'), ''));
  await first.undo();
  expect(readdirSync(join(root, 'a'))).toEqual(['other']);
});

test.each([
  ['what a request wrote', store => store.put('/theirs', bytes, 0n)],
  ['a file of somebody else', () => writeFileSync(join(dir, 'serve.log'), '')],
] satisfies [string, Parameters<typeof failedStart>[0]][])('%s keeps the folder', async (_, between) => {
  const first = await failedStart(between);
  await first.undo();
  expect(existsSync(join(dir, 'store.sqlite'))).toBe(true);
});

test('another server that has begun to use the folder keeps it', async () => {
  const {folder, first} = await open();
  const other = takeLock(folder.storeFile);
  await first.undo();
  other.release();
  expect(existsSync(dir)).toBe(true);
});

test('a folder that was there stays, and so does that of a start that succeeded', async () => {
  const made = await open();
  const found = await open();
  await found.first.undo();
  made.first.succeed();
  await made.first.undo();
  expect(existsSync(dir)).toBe(true);
});
