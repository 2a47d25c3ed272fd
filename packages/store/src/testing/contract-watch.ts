// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import type {Store} from '../store.ts';
import {StoreModel} from './store-model.ts';
import {bytes, line, type OpenStore, WatchRecorder} from './under-test.ts';
import {NO_FAULTS, validateWatch} from './watch-validators.ts';

const HISTORY = [
  '1 put /a/1=x',
  '2 put /b/1=x',
  '3 put /a/1=y (was x@1)',
  '4 put /a/2=t',
  '4 delete /b/1 (was x@2)',
  '4 put /c/1=t',
  '5 delete /a/1 (was y@3)',
  '6 put /a/1=z',
];

async function writeHistory(store: Store): Promise<void> {
  await store.put('/a/1', bytes('x'));
  await store.put('/b/1', bytes('x'));
  await store.put('/a/1', bytes('y'));
  await store.txn([
    {op: 'put', key: '/a/2', value: bytes('t')},
    {op: 'delete', key: '/b/1'},
    {op: 'put', key: '/c/1', value: bytes('t')},
  ]);
  await store.delete('/a/1');
  await store.put('/a/1', bytes('z'));
}
const behind = (from: bigint) => HISTORY.filter(text => BigInt(text.split(' ')[0] ?? 0) > from);

/** Runs the microtasks that are due, and those that they bring. */
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

export function describeWatch(open: OpenStore): void {
  describe('watch: history', () => {
    test.each([0n, 1n, 2n, 3n, 4n, 5n, 6n])(
      'from %d: exactly the later changes, with what they superseded',
      async from => {
        await using store = await open();
        await writeHistory(store);
        await using watch = new WatchRecorder(store, '', from);
        if (from < 6n) await watch.seen(6n);
        const last = await store.put('/end', bytes('end'));
        await watch.seen(last);
        expect(watch.events.map(line)).toEqual([...behind(from), '7 put /end=end']);
      },
    );

    test('only keys of the prefix', async () => {
      await using store = await open();
      await writeHistory(store);
      await using watch = new WatchRecorder(store, '/a/', 0n);
      await watch.seen(6n);
      expect(watch.events.map(line)).toEqual(HISTORY.filter(text => text.includes(' /a/')));
    });

    test('replay in small steps never splits a revision', async () => {
      await using store = await open({replayRevisionsMax: 2, replayBytesMax: 1});
      await writeHistory(store);
      await using watch = new WatchRecorder(store, '', 0n);
      await watch.seen(6n);
      expect(watch.events.map(line)).toEqual(HISTORY);
      expect(watch.batches.length).toBeGreaterThan(3);
      expect(watch.batches.map(batch => new Set(batch.map(event => event.revision)).size)).not.toContain(0);
      expect(
        watch.batches.find(batch => batch.some(event => event.revision === 4n))?.filter(e => e.revision === 4n).length,
      ).toBe(3);
    });

    test('from a revision that is not there yet is refused', async () => {
      await using store = await open();
      await using watch = new WatchRecorder(store, '', 1n);
      await watch.ended();
      expect(watch.failure).toMatchObject({code: 'future-revision', revision: 1n});
    });
  });

  describe('watch: seam and live', () => {
    test('a watch from any position, begun at any moment of a stream of writes, misses and repeats nothing', async () => {
      await using store = await open({replayRevisionsMax: 8});
      const model = new StoreModel();
      const watches: {from: bigint; watch: WatchRecorder}[] = [];
      for (let round = 0; round < 60; round++) {
        const ops = Array.from({length: 1 + (round % 3)}, (_, i) => ({
          op: 'put' as const,
          key: `/k/${(round * 7 + i) % 11}`,
          value: bytes(`${round}.${i}`),
        }));
        const writes = [store.txn(ops), store.put(`/k/${round % 5}`, bytes(`${round}`))];
        model.txn(ops);
        model.txn([{op: 'put', key: `/k/${round % 5}`, value: bytes(`${round}`)}]);
        const now = await store.currentRevision();
        for (const from of [now, now / 2n, 0n]) watches.push({from, watch: new WatchRecorder(store, '/k/', from)});
        if (round % 4 === 0) await turn();
        if (round % 3 !== 0) await Promise.all(writes);
      }
      const last = await store.put('/k/end', bytes('end'));
      model.txn([{op: 'put', key: '/k/end', value: bytes('end')}]);
      expect(model.revision).toBe(last);
      for (const {from, watch} of watches) {
        await watch.seen(last);
        expect(validateWatch(watch.batches, {history: model.events, from})).toEqual(NO_FAULTS);
        await watch[Symbol.asyncDispose]();
      }
    });

    test('a live change is delivered in the turn in which its write is answered', async () => {
      await using store = await open();
      const abort = new AbortController();
      const reader = store.watch('/', 0n, abort.signal)[Symbol.asyncIterator]();
      const next = reader.next();
      await turn(); // the watch is live
      await store.put('/a', bytes('x'));
      const first = await Promise.race([next, turn()]);
      expect(first?.value?.map(line)).toEqual(['1 put /a=x']);
      abort.abort();
      expect(await reader.next()).toMatchObject({done: true});
    });

    test('all changes of a group commit come as one batch', async () => {
      await using store = await open();
      await using watch = new WatchRecorder(store, '/', 0n);
      await turn();
      await Promise.all([1, 2, 3].map(i => store.put(`/k${i}`, bytes('x'))));
      await watch.seen(3n);
      expect(watch.batches.map(batch => batch.length)).toEqual([3]);
    });

    test('a transaction of many keys comes in one batch', async () => {
      await using store = await open();
      await using watch = new WatchRecorder(store, '/k', 0n);
      await store.txn(Array.from({length: 128}, (_, i) => ({op: 'put', key: `/k${i}`, value: bytes('x')})));
      await watch.seen(1n);
      expect(watch.batches.map(batch => batch.length)).toEqual([128]);
    });
  });

  describe('watch: bounds and end', () => {
    test('a reader that stays behind ends as too-slow, resumes where it was, and delays nobody', async () => {
      await using store = await open({watchBufferEventsMax: 10});
      const abort = new AbortController();
      const slow = store.watch('/', 0n, abort.signal)[Symbol.asyncIterator]();
      await using quick = new WatchRecorder(store, '/', 0n);
      const first = slow.next();
      await turn();
      for (let i = 1; i <= 30; i++) {
        await store.put('/k', bytes(`${i}`));
        await quick.seen(BigInt(i));
      }
      expect((await first).value?.map(line)).toEqual(['1 put /k=1']);
      await expect(slow.next()).rejects.toMatchObject({
        code: 'too-slow',
        message: expect.stringContaining('10 events'),
      });
      await using resumed = new WatchRecorder(store, '/', 1n);
      await resumed.seen(30n);
      expect(resumed.events.map(line)).toEqual(quick.events.slice(1).map(line));
      expect(quick.events.length).toBe(30);
    });

    test('the bound also counts bytes', async () => {
      await using store = await open({watchBufferBytesMax: 100});
      const slow = store.watch('/', 0n, new AbortController().signal)[Symbol.asyncIterator]();
      const first = slow.next();
      await turn();
      for (let i = 0; i < 4; i++) await store.put('/k', new Uint8Array(60));
      await first;
      await expect(slow.next()).rejects.toMatchObject({code: 'too-slow'});
    });

    test('a reader at the bound is not too slow, and one batch larger than the bound fits', async () => {
      await using store = await open({watchBufferEventsMax: 10});
      const abort = new AbortController();
      const reader = store.watch('/', 0n, abort.signal)[Symbol.asyncIterator]();
      const first = reader.next();
      await turn();
      await Promise.all(Array.from({length: 50}, (_, i) => store.put(`/k${i}`, bytes('x'))));
      expect((await first).value?.length).toBe(50);
      for (let i = 0; i < 10; i++) await store.put('/k', bytes(`${i}`));
      expect((await reader.next()).value?.length).toBe(10);
      abort.abort();
    });

    test('abort ends a watch without an error, before it begins, while it waits and while it is read', async () => {
      await using store = await open();
      await store.put('/a', bytes('x'));
      const early = new WatchRecorder(store, '/', 0n);
      await early[Symbol.asyncDispose]();
      const waiting = new WatchRecorder(store, '/', 1n);
      await turn();
      await waiting[Symbol.asyncDispose]();
      const abort = new AbortController();
      for await (const batch of store.watch('/', 0n, abort.signal)) {
        expect(batch.length).toBe(1);
        abort.abort();
      }
      expect([early.failure, early.batches, waiting.failure, waiting.batches]).toEqual([undefined, [], undefined, []]);
    });

    test('a reader may leave its loop and watch again', async () => {
      await using store = await open();
      const seen: string[] = [];
      for (let from = 0n; from < 3n; ) {
        await store.put('/a', bytes(`${from}`));
        for await (const batch of store.watch('/', from, new AbortController().signal)) {
          seen.push(...batch.map(event => String(event.revision)));
          from = batch.at(-1)?.revision ?? from;
          break;
        }
      }
      expect(seen).toEqual(['1', '2', '3']);
    });
  });
}
