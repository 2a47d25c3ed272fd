// SPDX-License-Identifier: Apache-2.0
/** The thread that owns the file is lost while the store is open: told once, with what to do, and nothing hangs. */
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Worker} from 'node:worker_threads';
import {afterEach, beforeEach, expect, test} from 'vitest';
import type {StoreError} from '../../store-error.ts';
import {bytes} from '../../testing/index.ts';
import {openSqliteStore} from './index.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-lost-'));
});
afterEach(() => rm(dir, {recursive: true}));

/** An open store, its thread, and what it told about its loss. */
const open = async () => {
  const told: StoreError[] = [];
  const threads: Worker[] = [];
  const note = (worker: Worker): unknown => threads.push(worker);
  process.on('worker', note);
  const store = await openSqliteStore({dir, onFailed: failure => told.push(failure)});
  process.off('worker', note);
  const [thread] = threads;
  if (thread === undefined) throw new Error('the store has no thread');
  return {store, thread, told};
};

test('a lost thread is told once, with the way out; writes are refused, the store closes, and nothing answered is lost', async () => {
  const {store, thread, told} = await open();
  await store.put('/kept', bytes('1'));
  const gone = once(thread, 'exit');
  await thread.terminate();
  await gone;
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({code: 'unavailable', message: expect.stringContaining('restart the server')});
  expect(told[0]?.message).toContain(dir);
  await expect(store.put('/refused', bytes('2'))).rejects.toBe(told[0]);
  expect((await store.get('/kept'))?.value).toEqual(bytes('1'));
  await store.close();
  expect(told).toHaveLength(1);
  await using again = await openSqliteStore({dir});
  expect((await again.list('/', {limit: 10})).entries.map(entry => entry.key)).toEqual(['/kept']);
});

test('a write that was under way when the thread was lost is refused, not forgotten', async () => {
  const {store, thread, told} = await open();
  const write = store.put('/k', bytes('1'));
  await new Promise(resolve => setImmediate(resolve)); // the batch is asked for in this turn
  await Promise.all([thread.terminate(), expect(write).rejects.toMatchObject({code: 'unavailable'})]);
  expect(told).toHaveLength(1);
  await store.close();
});

test('closing the store is no loss', async () => {
  const {store, told} = await open();
  await store.close();
  expect(told).toEqual([]);
});
