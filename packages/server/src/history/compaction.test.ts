// SPDX-License-Identifier: Apache-2.0
import type {Revision, Store} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {type CompactedStore, KEPT_WHATEVER_AGE, startCompaction} from './compaction.ts';
import {decodeMarks, encodeMarks, RevisionMarks} from './revision-marks.ts';

const MINUTE_MS = 60_000;
const silent = {error: (fields: object): never => expect.fail(JSON.stringify(fields)), debug: () => {}};

/** A clock with timers, which `pass` moves; `stop` of a life cancels its timers. */
class Time {
  nowMs = Date.UTC(2026, 0, 1);
  readonly clock = {now: () => this.nowMs};
  readonly monotonic = {now: () => this.#passedMs};
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
      for (let turns = 0; turns < 60; turns++) await new Promise(resolve => setImmediate(resolve));
    }
    this.nowMs += end - this.#passedMs;
    this.#passedMs = end;
  }
}

type TestStore = Store & CompactedStore;

const openStore = async (): Promise<TestStore> => {
  const store = await openMemoryStore();
  const newestWithin = async ({revisions}: {readonly revisions: number}): Promise<Revision> => {
    const oldest = (await store.currentRevision()) - BigInt(revisions);
    return oldest > 0n ? oldest : 0n;
  };
  return Object.assign(store, {newestWithin});
};

const write = async (store: Store, count: number): Promise<Revision> => {
  for (let n = 0; n < count; n++) await store.put(`/k${n % 10}`, new Uint8Array(1));
  return store.currentRevision();
};

const HISTORY_MS = 5 * MINUTE_MS;
const STEP_MS = HISTORY_MS / 20;
const start = (store: CompactedStore, time: Time, historyMs = HISTORY_MS) =>
  startCompaction(store, {...time, log: silent, historyMs});

/** A server that writes, and is stopped after so long; the next one starts a second later. */
const live = async (store: TestStore, time: Time, {forMs = HISTORY_MS, writes = 2_000} = {}): Promise<void> => {
  const compaction = await start(store, time);
  await write(store, writes);
  await time.pass(forMs - 1_000);
  await compaction.stop();
  await time.pass(1_000);
};

test('F-22 a server that is restarted every five minutes compacts within fifteen', async () => {
  await using store = await openStore();
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

test('48-2 a server that never runs for a whole step compacts, too', async () => {
  await using store = await openStore();
  const time = new Time();
  const lifeMs = 5_000;
  for (let ranMs = 0; ranMs < HISTORY_MS; ranMs += lifeMs) await live(store, time, {forMs: lifeMs, writes: 30});
  expect(await store.compactedRevision()).toBe(0n);
  for (let n = 0; n < 3; n++) await live(store, time, {forMs: lifeMs, writes: 30});
  expect(await store.compactedRevision()).toBeGreaterThan(0n);
});

test.each([-1, 1])('48-2 a clock that is set by years (%i) neither stops it nor makes history older', async sign => {
  await using store = await openStore();
  const time = new Time();
  await live(store, time);
  for (let n = 0; n < 3; n++) {
    time.nowMs += sign * 365 * 24 * 60 * MINUTE_MS;
    const before = await store.currentRevision();
    const compaction = await start(store, time);
    await write(store, 2_000);
    time.nowMs += sign * 365 * 24 * 60 * MINUTE_MS;
    await time.pass(HISTORY_MS - STEP_MS - 1_000);
    expect(await store.compactedRevision()).toBeLessThanOrEqual(before);
    await time.pass(3 * STEP_MS);
    expect(await store.compactedRevision()).toBeGreaterThanOrEqual(before - 1n);
    await compaction.stop();
  }
});

test('48-2 revisions younger than the window can be read at any time; those older by more than a step are gone', async () => {
  await using store = await openStore();
  const time = new Time();
  const compaction = await start(store, time);
  const written: {readonly revision: Revision; readonly atMs: number}[] = [];
  for (let n = 0; n < 100; n++) {
    written.push({revision: await write(store, 1_100), atMs: time.monotonic.now()});
    await time.pass(7_000);
    const oldest = await store.compactedRevision();
    const nowMs = time.monotonic.now();
    for (const {revision, atMs} of written.slice(0, -1)) {
      if (nowMs - atMs <= HISTORY_MS) expect(revision).toBeGreaterThanOrEqual(oldest);
      if (nowMs - atMs > HISTORY_MS + 2 * STEP_MS) expect(revision).toBeLessThan(oldest);
    }
    expect(compaction.ageMs()).toBeLessThanOrEqual(HISTORY_MS + 2 * STEP_MS);
  }
  expect(compaction.counts).toMatchObject({failed: 0});
  expect(compaction.counts.succeeded).toBeGreaterThan(20);
  await compaction.stop();
});

test('48-2 another window counts soon, whatever the step of the one before', async () => {
  await using store = await openStore();
  const time = new Time();
  const compaction = await start(store, time, 60 * MINUTE_MS);
  const first = await write(store, 2_000);
  await time.pass(10 * MINUTE_MS);
  await write(store, 2_000);
  expect(await store.compactedRevision()).toBe(0n);
  compaction.setHistory(MINUTE_MS);
  await time.pass(3_000);
  expect(await store.compactedRevision()).toBeGreaterThanOrEqual(first);
  await compaction.stop();
});

test('48-2 the newest revisions are kept whatever their age, unless they hold too many bytes', async () => {
  await using store = await openStore();
  const time = new Time();
  const compaction = await start(store, time);
  const now = await write(store, 500);
  await time.pass(10 * HISTORY_MS);
  expect(await store.compactedRevision()).toBe(0n);
  Object.assign(store, {
    newestWithin: async (bounds: object) => {
      expect(bounds).toBe(KEPT_WHATEVER_AGE);
      return now - 7n;
    },
  });
  await write(store, 1);
  await time.pass(10 * HISTORY_MS);
  expect(await store.compactedRevision()).toBe(now - 7n);
  await compaction.stop();
});

test('F-22 an idle server writes no further mark', async () => {
  await using store = await openStore();
  const time = new Time();
  await live(store, time);
  await live(store, time);
  const compaction = await start(store, time);
  await time.pass(10 * MINUTE_MS);
  const revision = await store.currentRevision();
  expect(await store.compactedRevision()).toBeGreaterThan(2_000n);
  await time.pass(60 * MINUTE_MS);
  await compaction.stop();
  expect(await store.currentRevision()).toBe(revision);
});

test('48-2 the first step continues a compaction that the process before could not end', async () => {
  await using store = await openStore();
  const time = new Time();
  await store.compact(await write(store, 10));
  const asked: Revision[] = [];
  const compact = async (below: Revision): Promise<void> => void asked.push(below);
  const compaction = await start(Object.assign(store, {compact}), time);
  await time.pass(10_000);
  await compaction.stop();
  expect(asked).toEqual([0n]);
});

test('48-2 a compaction that fails is counted and tried again', async () => {
  await using store = await openStore();
  const time = new Time();
  const errors: object[] = [];
  const log = {error: (fields: object) => errors.push(fields), debug: () => {}};
  const {compact} = store;
  let failing = true;
  store.compact = below => (failing ? Promise.reject(new Error('no')) : compact.call(store, below));
  const compaction = await startCompaction(store, {...time, log, historyMs: HISTORY_MS});
  await write(store, 2_000);
  await time.pass(2 * HISTORY_MS);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBe(compaction.counts.failed);
  expect(compaction.counts).toMatchObject({succeeded: 0});
  failing = false;
  await write(store, 2_000);
  await time.pass(2 * HISTORY_MS);
  expect(compaction.counts.succeeded).toBeGreaterThan(0);
  expect(await store.compactedRevision()).toBeGreaterThan(0n);
  await compaction.stop();
});

test.each(['{', '{"revision":"3","timeMs":5}', '{"ranMs":9,"timeMs":1,"marks":[["5",3],["4",4]]}'])(
  'F-22 marks that cannot be read are replaced: %s',
  async text => {
    await using store = await openStore();
    await store.put('/store-meta/compaction-mark', new TextEncoder().encode(text));
    const time = new Time();
    for (let n = 0; n < 3; n++) await live(store, time);
    expect(await store.compactedRevision()).toBeGreaterThan(0n);
  },
);

test('48-2 marks survive their encoding, and are dropped but for the one at the oldest revision', () => {
  const marks = new RevisionMarks();
  for (const n of [1, 2, 2, 3]) marks.add({revision: BigInt(n), ranMs: n * 10});
  const kept = {marks: marks.all, ranMs: 31, timeMs: 99};
  expect(decodeMarks(encodeMarks(kept))).toEqual(kept);
  expect([9, 10, 29, 30].map(ranMs => marks.before(ranMs)?.revision)).toEqual([undefined, 1n, 2n, 3n]);
  marks.drop(2n);
  expect(marks.all.map(({revision}) => revision)).toEqual([2n, 3n]);
  expect([marks.momentOf(2n), marks.momentOf(9n)]).toEqual([20, 30]);
});
