// SPDX-License-Identifier: Apache-2.0
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {bytes, WatchRecorder} from '../../testing/index.ts';
import {openSqliteStore} from './index.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-replay-'));
});
afterEach(() => rm(dir, {recursive: true}));

test('F-26 after a restart, a watch that reads history holds the bytes of a current entry that the store holds, not a copy', async () => {
  {
    await using store = await openSqliteStore({dir});
    await store.put('/a', bytes('old'));
    await store.put('/a', bytes('new'));
    await store.put('/gone', bytes('x'));
    await store.delete('/gone');
  }
  await using store = await openSqliteStore({dir});
  await using watch = new WatchRecorder(store, '', 0n);
  await watch.seen(4n);
  const values = watch.events.flatMap(event => (event.type === 'put' ? [event.entry.value] : []));
  expect(values).toEqual([bytes('old'), bytes('new'), bytes('x')]);
  const current = (await store.get('/a'))?.value;
  expect(values.map(value => value === current)).toEqual([false, true, false]);
});
