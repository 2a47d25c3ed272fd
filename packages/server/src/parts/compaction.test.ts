// SPDX-License-Identifier: Apache-2.0
import type {Store} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {startCompaction} from './compaction.ts';

const MINUTE_MS = 60_000;
const silent = {error: (fields: object): never => expect.fail(JSON.stringify(fields)), debug: () => {}};

/** A clock with timers, which `pass` moves; `stop` of a life cancels its timers. */
class Time {
  nowMs = Date.UTC(2026, 0, 1);
  readonly clock = {now: () => this.nowMs};
  #timers: {readonly atMs: number; readonly action: () => void}[] = [];
  #passedMs = 0;

  readonly timers = {
    after: (delayMs: number, action: () => void) => {
      const timer = {atMs: this.#passedMs + delayMs, action};
      this.#timers.push(timer);
      const cancel = (): void => {
        this.#timers = this.#timers.filter(other => other !== timer);
      };
      return {cancel};
    },
  };

  async pass(ms: number): Promise<void> {
    const end = this.#passedMs + ms;
    for (;;) {
      const next = this.#timers.filter(({atMs}) => atMs <= end).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter(timer => timer !== next);
      this.nowMs += next.atMs - this.#passedMs;
      this.#passedMs = next.atMs;
      next.action();
      for (let turns = 0; turns < 20; turns++) await new Promise(resolve => setImmediate(resolve));
    }
    this.nowMs += end - this.#passedMs;
    this.#passedMs = end;
  }
}

const write = async (store: Store, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await store.put(`/k${n % 10}`, new Uint8Array(1));
};

/** A server that writes, and is restarted just before it has run for five minutes. */
const live = async (store: Store, time: Time): Promise<void> => {
  const stop = await startCompaction(store, {...time, log: silent});
  await write(store, 2_000);
  await time.pass(5 * MINUTE_MS - 1_000);
  await stop();
  await time.pass(1_000);
};

test('F-22 a server that is restarted every five minutes compacts within fifteen', async () => {
  await using store = await openMemoryStore();
  const time = new Time();
  await live(store, time);
  const afterFirst = await store.currentRevision();
  await live(store, time);
  await live(store, time);
  expect(await store.compactedRevision()).toBeGreaterThanOrEqual(afterFirst - 2_000n);
  expect(await store.compactedRevision()).toBeGreaterThan(0n);
  const before = await store.compactedRevision();
  await live(store, time);
  expect(await store.compactedRevision()).toBeGreaterThan(before);
});

test('F-22 a clock that is set back at each restart does not keep it from compacting', async () => {
  await using store = await openMemoryStore();
  const time = new Time();
  await live(store, time);
  time.nowMs -= 365 * 24 * 60 * MINUTE_MS;
  for (let n = 0; n < 3; n++) await live(store, time);
  expect(await store.compactedRevision()).toBeGreaterThan(0n);
});

test('F-22 a clock that is set forward drops no more than what was written before the mark, and keeps 1,000 revisions', async () => {
  await using store = await openMemoryStore();
  const time = new Time();
  await live(store, time);
  time.nowMs += 365 * 24 * 60 * MINUTE_MS;
  const before = await store.currentRevision();
  await live(store, time);
  expect(await store.compactedRevision()).toBeLessThanOrEqual(before);
});

test('one that keeps running compacts what is older than an interval', async () => {
  await using store = await openMemoryStore();
  const time = new Time();
  const stop = await startCompaction(store, {...time, log: silent});
  await write(store, 2_000);
  await time.pass(5 * MINUTE_MS);
  const marked = await store.currentRevision();
  await write(store, 2_000);
  await time.pass(5 * MINUTE_MS);
  await stop();
  expect(await store.compactedRevision()).toBe(marked - 1n);
});

test('F-22 an idle server writes no further mark', async () => {
  await using store = await openMemoryStore();
  const time = new Time();
  await live(store, time);
  await live(store, time);
  const stop = await startCompaction(store, {...time, log: silent});
  await time.pass(10 * MINUTE_MS);
  const revision = await store.currentRevision();
  await time.pass(60 * MINUTE_MS);
  await stop();
  expect(await store.currentRevision()).toBe(revision);
});

test('F-22 a mark that cannot be read is replaced', async () => {
  await using store = await openMemoryStore();
  await store.put('/store-meta/compaction-mark', new TextEncoder().encode('{'));
  const time = new Time();
  for (let n = 0; n < 3; n++) await live(store, time);
  expect(await store.compactedRevision()).toBeGreaterThan(0n);
});
