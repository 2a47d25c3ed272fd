// SPDX-License-Identifier: Apache-2.0
import {statSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import type {Store} from '../../store.ts';
import {openSqliteStore} from './index.ts';

const MIB = 1024 * 1024;

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-space-'));
});
afterEach(() => rm(dir, {recursive: true}));

const fileBytes = (): number => statSync(join(dir, 'store.db')).size;
/** 40 values of 25 KB, written 60 times over: 1 MB of objects, 60 MB of history. */
const writeHistory = async (store: Store): Promise<void> => {
  for (let round = 0; round < 60; round++)
    await Promise.all(Array.from({length: 40}, (_, n) => store.put(`/k${n}`, new Uint8Array(25_000).fill(round))));
};

test('F-22 the file shrinks after a compaction, but for what the next changes will use, and holds the same', async () => {
  {
    await using store = await openSqliteStore({dir});
    await writeHistory(store);
    expect(fileBytes()).toBeGreaterThan(40 * MIB);
    const full = await store.space();
    expect(full.pages * full.pageBytes).toBeGreaterThan(40 * MIB);
    await store.compact(await store.currentRevision());
    const {pageBytes, pages, freePages} = await store.space();
    expect(freePages * pageBytes).toBeLessThanOrEqual(8 * MIB);
    expect(pages * pageBytes).toBeLessThan(12 * MIB);
    expect(fileBytes()).toBe(pages * pageBytes);
    expect(await store.put('/after', new Uint8Array(1))).toBe(2_401n);
  }
  await using store = await openSqliteStore({dir});
  const {entries} = await store.list('', {limit: 100});
  expect(entries.map(({value}) => value[0])).toEqual([0, ...Array.from({length: 40}, () => 59)]);
}, 30_000);

test('F-22 writes are answered while room is given back, and a close ends it between two steps', async () => {
  const store = await openSqliteStore({dir});
  await writeHistory(store);
  const order: string[] = [];
  const compaction = store.compact(await store.currentRevision()).then(
    () => order.push('compacted'),
    (error: {code: string}) => order.push(error.code),
  );
  await store.put('/meanwhile', new Uint8Array(1));
  order.push('written');
  await store.close();
  await compaction;
  expect(order).toEqual(['written', 'closed']);
  await using again = await openSqliteStore({dir});
  expect((await again.list('', {limit: 100})).entries).toHaveLength(41);
}, 30_000);

test('48-2 a log that large batches made long is cut back by the writes after them', async () => {
  await using store = await openSqliteStore({dir});
  const write = (count: number) =>
    Promise.all(Array.from({length: count}, (_, n) => store.put(`/k${n}`, new Uint8Array(1_000_000))));
  await write(15);
  await write(16);
  expect((await store.space()).walBytes).toBeGreaterThan(24 * MIB);
  await store.put('/small', new Uint8Array(1));
  expect((await store.space()).walBytes).toBeLessThanOrEqual(24 * MIB);
}, 30_000);
