// SPDX-License-Identifier: Apache-2.0
/** Objects that go some time after their last write. Ref: issue 45, point 1 (events). */
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, expect, test} from 'vitest';
import {ManualTime, MemoryApi, type MemoryApiOptions, type Resource, sampleKind} from '../testing/index.ts';
import {expireAfter} from './expiry.ts';

const things = sampleKind();
const HOUR_MS = 3_600_000;
/** How late an object may go: two steps of a hundredth of its life, at most 10 s each. */
const LATE_MS = 20_000;

let api: MemoryApi;
let own: Resource;
const open = async (options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  api = await MemoryApi.open({kinds: [things], controllers: [expireAfter(things, HOUR_MS)], ...options});
  own = api.of(things);
};
afterEach(() => api[Symbol.asyncDispose]());

const after = async (ms: number): Promise<readonly string[]> => {
  api.time.advance(ms);
  await api.settle();
  return own.names();
};

test('45-1 an object goes an hour after its last write, and each write begins that hour again', async () => {
  await open();
  await own.make({name: 'a'});
  await own.make({name: 'b'});
  expect(await after(HOUR_MS - 1)).toEqual(['a', 'b']);
  await own.merge('b', {labels: {a: '1'}});
  expect(await after(1 + LATE_MS)).toEqual(['b']);
  expect(await after(HOUR_MS - LATE_MS - 2)).toEqual(['b']);
  expect(await after(1 + LATE_MS)).toEqual([]);
  expect(api.time.pending).toBe(0);
});

test('45-1 a write that changes nothing does not renew it, as no put does; finalizers do not hold it', async () => {
  await open();
  await own.make({name: 'a', finalizers: ['example.com/x'], labels: {a: '1'}});
  expect(await after(HOUR_MS - 1)).toEqual(['a']);
  await own.merge('a', {labels: {a: '1'}});
  expect(await after(1 + LATE_MS)).toEqual([]);
});

test('45-1 many that are due at the same time go in batches, and watchers hear of each', async () => {
  await open();
  await Promise.all(Array.from({length: 300}, (_, i) => own.make({name: `n${i}`})));
  const gone: string[] = [];
  const unsubscribe = api.api.services.registryOf(things).cache.onEvent(({type, object}) => {
    if (type === 'DELETED') gone.push(object.name);
  });
  expect(await after(HOUR_MS + LATE_MS)).toEqual([]);
  expect(new Set(gone).size).toBe(300);
  unsubscribe();
});

test.each([
  {jump: 'forward', ms: 100 * HOUR_MS},
  {jump: 'back', ms: -100 * HOUR_MS},
])('45-1 a clock that jumps $jump changes nothing', async ({ms}) => {
  const time = new ManualTime();
  let offsetMs = 0;
  const clock = {now: () => time.now() + offsetMs};
  await open({clock, timers: time});
  const wait = async (delayMs: number): Promise<readonly string[]> => {
    time.advance(delayMs);
    await api.settle();
    return own.names();
  };
  await own.make({name: 'a'});
  await wait(HOUR_MS / 2);
  offsetMs = ms;
  expect(await wait(HOUR_MS / 2 - 1)).toEqual(['a']);
  expect(await wait(1 + LATE_MS)).toEqual([]);
});

test('45-1 a restart removes what became due meanwhile, and nothing early', async () => {
  const store = await openMemoryStore();
  const time = new ManualTime();
  const restart = async (): Promise<void> => {
    await api.api.stop();
    await open({store, clock: time, timers: time});
    await api.settle();
  };
  const wait = async (ms: number): Promise<readonly string[]> => {
    time.advance(ms);
    await api.settle();
    return own.names();
  };
  await open({store, clock: time, timers: time});
  await own.make({name: 'old'});
  await wait(HOUR_MS / 2);
  await own.make({name: 'new'});
  await api.api.stop();
  time.advance(HOUR_MS / 2 + LATE_MS);
  await open({store, clock: time, timers: time});
  await api.settle();
  expect(await own.names()).toEqual(['new']);
  expect(await wait(HOUR_MS / 2 - LATE_MS - 1)).toEqual(['new']);
  await restart();
  expect(await own.names()).toEqual(['new']);
  expect(await wait(3 * LATE_MS)).toEqual([]);
});

test('45-1 what was written after the last note before a crash counts as written at the start, and restarts in a row keep nothing for ever', async () => {
  const store = await openMemoryStore();
  const time = new ManualTime();
  await open({store, clock: time, timers: time, controllers: []}); // writes no notes
  await own.make({name: 'a'});
  for (let quarter = 0; quarter < 4; quarter++) {
    expect(await own.names()).toEqual(['a']);
    await api.api.stop();
    await open({store, clock: time, timers: time});
    time.advance(HOUR_MS / 4 + LATE_MS);
    await api.settle();
  }
  expect(await own.names()).toEqual([]);
});

test('45-1 a clock that was set back while the server was down removes nothing early', async () => {
  const store = await openMemoryStore();
  const time = new ManualTime();
  await open({store, clock: time, timers: time});
  await own.make({name: 'a'});
  time.advance(HOUR_MS / 2);
  await api.api.stop();
  time.advance(-10 * HOUR_MS);
  await open({store, clock: time, timers: time});
  time.advance(HOUR_MS / 2 - LATE_MS);
  await api.settle();
  expect(await own.names()).toEqual(['a']);
  time.advance(3 * LATE_MS);
  await api.settle();
  expect(await own.names()).toEqual([]);
});
