// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import type {Store} from '../store.ts';
import {
  bytes,
  line,
  listAll,
  type OpenStore,
  openerOf,
  type StoreUnderTest,
  text,
  WatchRecorder,
} from './under-test.ts';

/** Revisions 1 to 6; at 6: /a=z (created 1), /c=t. */
async function writeSome(store: Store): Promise<void> {
  await store.put('/a', bytes('x'));
  await store.put('/b', bytes('x'));
  await store.put('/a', bytes('y'));
  await store.put('/c', bytes('t'));
  await store.delete('/b');
  await store.put('/a', bytes('z'));
}

export function describeCompaction(open: OpenStore): void {
  describe('compaction', () => {
    test('below it nothing can be read or watched, at it and above everything can', async () => {
      await using store = await open();
      await writeSome(store);
      await store.compact(4n);
      expect(await store.compactedRevision()).toBe(4n);
      const gone = {code: 'compacted', revision: 3n};
      await expect(store.get('/a', 3n)).rejects.toMatchObject(gone);
      await expect(store.list('/', {at: 3n, limit: 1})).rejects.toMatchObject(gone);
      await using lost = new WatchRecorder(store, '/', 3n);
      await lost.ended();
      expect(lost.failure).toMatchObject(gone);
      expect(await listAll(store, '/', {at: 4n})).toEqual([
        ['/a', 'y'],
        ['/b', 'x'],
        ['/c', 't'],
      ]);
      expect(await listAll(store, '/', {at: 5n})).toEqual([
        ['/a', 'y'],
        ['/c', 't'],
      ]);
      expect(await listAll(store, '/')).toEqual([
        ['/a', 'z'],
        ['/c', 't'],
      ]);
      await using watch = new WatchRecorder(store, '/', 4n);
      await watch.seen(6n);
      expect(watch.events.map(line)).toEqual(['5 delete /b (was x@2)', '6 put /a=z (was y@3)']);
    });

    test.each([1n, 2n, 3n, 4n, 5n, 6n])('at %d: reads at each later revision are as before', async below => {
      await using store = await open({compactionStepMs: 0, driverStepMs: 0});
      await writeSome(store);
      const revisions = [1n, 2n, 3n, 4n, 5n, 6n].filter(at => at >= below);
      const read = () => Promise.all(revisions.map(at => store.list('/', {at, limit: 10})));
      const before = JSON.stringify(await read(), (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      await store.compact(below);
      expect(JSON.stringify(await read(), (_, value) => (typeof value === 'bigint' ? `${value}` : value))).toBe(before);
    });

    test('a later or repeated one goes on from there; a lower one changes nothing; one in the future is refused', async () => {
      await using store = await open();
      await writeSome(store);
      await store.compact(3n);
      await store.compact(3n);
      await store.compact(2n);
      expect(await store.compactedRevision()).toBe(3n);
      await store.compact(6n);
      expect(await store.compactedRevision()).toBe(6n);
      await expect(store.compact(7n)).rejects.toMatchObject({code: 'future-revision'});
      expect(await store.get('/a', 6n)).toMatchObject({createRevision: 1n, modRevision: 6n});
    });

    test('a watch that it overtakes ends as compacted; a live one does not notice', async () => {
      await using store = await open({replayRevisionsMax: 1});
      await writeSome(store);
      await using live = new WatchRecorder(store, '/', 6n);
      const reader = store.watch('/', 0n, new AbortController().signal)[Symbol.asyncIterator]();
      expect((await reader.next()).value?.map(line)).toEqual(['1 put /a=x']);
      await store.compact(6n);
      await expect(reader.next()).rejects.toMatchObject({code: 'compacted'});
      const last = await store.put('/a', bytes('!'));
      await live.seen(last);
      expect(live.events.map(line)).toEqual(['7 put /a=! (was z@6)']);
    });

    test('while writes go on', async () => {
      await using store = await open({compactionStepMs: 0, driverStepMs: 0});
      await using watch = new WatchRecorder(store, '/', 0n);
      const writers = Array.from({length: 8}, async (_, w) => {
        for (let i = 0; i < 25; i++) await store.put(`/k${(w + i) % 6}`, bytes(`${w}.${i}`));
      });
      const compactor = (async () => {
        for (let i = 0; i < 10; i++) {
          const now = await store.currentRevision();
          await store.compact(now);
          await store.put('/compacted', bytes(`${now}`));
        }
      })();
      await Promise.all([...writers, compactor]);
      await watch.seen(210n);
      expect(watch.failure).toBeUndefined();
      expect(watch.events.map(event => event.revision)).toEqual(Array.from({length: 210}, (_, i) => BigInt(i + 1)));
      const last = new Map(
        watch.events.flatMap(event => (event.type === 'put' ? [[event.entry.key, text(event.entry.value)]] : [])) as [
          string,
          string,
        ][],
      );
      expect(new Map(await listAll(store, '/'))).toEqual(last);
    });
  });
}

export function describeClose(open: OpenStore): void {
  describe('close', () => {
    test('writes under way are finished and answered; watches get them, then end as closed', async () => {
      const store = await open();
      const watch = new WatchRecorder(store, '/', 0n);
      await store.put('/first', bytes('x'));
      const writes = Promise.all([1, 2, 3].map(i => store.put(`/k${i}`, bytes('x'))));
      const closed = store.close();
      expect(await writes).toEqual([2n, 3n, 4n]);
      await closed;
      await watch.ended();
      expect(watch.events.length).toBe(4);
      expect(watch.failure).toMatchObject({code: 'closed'});
      await store[Symbol.asyncDispose]();
    });

    test('afterwards every call throws closed, and closing again does nothing', async () => {
      const store = await open();
      await store.put('/a', bytes('x'));
      const closing = store.close();
      const calls = [
        store.put('/a', bytes('y')),
        store.delete('/a'),
        store.txn([{op: 'check', key: '/a', expected: 1n}]),
        store.get('/a'),
        store.get('/a', 1n),
        store.list('/', {limit: 1}),
        store.compact(1n),
        store.currentRevision(),
        store.compactedRevision(),
      ];
      for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({reason: {code: 'closed'}});
      const watch = new WatchRecorder(store, '/', 0n);
      await watch.ended();
      expect(watch.failure).toMatchObject({code: 'closed'});
      await closing;
      await store.close();
      await store[Symbol.asyncDispose]();
    });
  });
}

export function describeReopen(subject: StoreUnderTest): void {
  describe('close and open again', () => {
    test('entries, revisions and history are as they were', async () => {
      await using place = await subject.makePlace();
      const first = await place.open();
      await writeSome(first);
      const before = await first.list('/', {limit: 10});
      await first.close();
      await using store = await place.open();
      const after = await store.list('/', {limit: 10});
      const plain = (page: typeof before) => page.entries.map(({value, ...entry}) => ({...entry, value: text(value)}));
      expect(plain(after)).toEqual(plain(before));
      expect(await store.currentRevision()).toBe(6n);
      expect(await listAll(store, '/', {at: 4n})).toEqual([
        ['/a', 'y'],
        ['/b', 'x'],
        ['/c', 't'],
      ]);
      await using watch = new WatchRecorder(store, '/', 0n);
      expect(await store.put('/a', bytes('!'), 6n)).toBe(7n);
      await watch.seen(7n);
      expect(watch.events.map(line).slice(-2)).toEqual(['6 put /a=z (was y@3)', '7 put /a=! (was z@6)']);
      expect(watch.events.length).toBe(7);
    });

    test('revisions go on even when every change was compacted away', async () => {
      await using place = await subject.makePlace();
      const first = await place.open();
      await first.put('/a', bytes('x'));
      await first.delete('/a');
      await first.compact(2n);
      await first.close();
      await using store = await place.open();
      expect([await store.currentRevision(), await store.compactedRevision()]).toEqual([2n, 2n]);
      expect(await store.put('/a', bytes('y'), 0n)).toBe(3n);
    });
  });
}

export const describeLifetime = (subject: StoreUnderTest): void => {
  const open = openerOf(subject);
  describeCompaction(open);
  describeClose(open);
  if (subject.durable) describeReopen(subject);
};
