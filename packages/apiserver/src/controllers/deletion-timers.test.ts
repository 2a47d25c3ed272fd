// SPDX-License-Identifier: Apache-2.0
/** Ref: requirements E-118, E-232, E-235, E-238, E-239. */
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, expect, test} from 'vitest';
import {MemoryApi, type MemoryApiOptions, type Resource, sampleKind} from '../testing/index.ts';
import {deletionTimers} from './deletion-timers.ts';

const things = sampleKind();
let api: MemoryApi;
let own: Resource;
const open = async (options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  api = await MemoryApi.open({kinds: [things], controllers: [deletionTimers], ...options});
  own = api.of(things);
};
afterEach(() => api[Symbol.asyncDispose]());

const after = async (ms: number): Promise<readonly string[]> => {
  api.time.advance(ms);
  await api.settle();
  return own.names();
};

test('E-232 E-236 an object goes when its time has come, which a later delete may move forward', async () => {
  await open();
  for (const name of ['a', 'b', 'c']) {
    await own.make({name});
    await own.remove(name, {gracePeriodSeconds: 30});
  }
  await own.remove('b', {gracePeriodSeconds: 10});
  await own.remove('c', {gracePeriodSeconds: 300});
  expect(await after(9_999)).toEqual(['a', 'b', 'c']);
  expect(await after(1)).toEqual(['a', 'c']);
  expect(await after(20_000)).toEqual([]);
  expect(api.time.pending).toBe(0);
});

test('E-233 E-235 finalizers hold it past its time; without them it waits for that time', async () => {
  await open();
  for (const name of ['held', 'early']) {
    await own.make({name, finalizers: ['example.com/x']});
    await own.remove(name, {gracePeriodSeconds: 10});
  }
  await own.merge('early', {finalizers: null});
  expect(await after(9_999)).toEqual(['early', 'held']);
  expect(await after(60_000)).toEqual(['held']);
});

test('E-118 a clock that is set back, and a wait longer than one timer, end at the stored time', async () => {
  await open();
  await own.make({name: 'a'});
  await own.remove('a', {gracePeriodSeconds: 7_200});
  await after(-3_600_000);
  expect(await after(3_600_000 + 7_199_999)).toEqual(['a']);
  expect(await after(1)).toEqual([]);
});

test('E-239 a start takes up the times that are stored, those that passed at once', async () => {
  const store = await openMemoryStore();
  await open({store, controllers: []});
  for (const [name, gracePeriodSeconds] of [
    ['past', 10],
    ['later', 60],
  ] as const) {
    await own.make({name});
    await own.remove(name, {gracePeriodSeconds});
  }
  expect(await after(20_000)).toEqual(['later', 'past']);
  const {time} = api;
  await api.api.stop();
  await open({store, clock: time, timers: time});
  await api.settle();
  expect(await own.names()).toEqual(['later']);
  time.advance(40_000);
  await api.settle();
  expect(await own.names()).toEqual([]);
});
