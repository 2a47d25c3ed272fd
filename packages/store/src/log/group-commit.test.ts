// SPDX-License-Identifier: Apache-2.0
/** The store over a disk that is under the test's hand: batches stand still until told, and fail when told. */
import {describe, expect, test} from 'vitest';
import {MemoryDriver} from '../drivers/memory/memory-driver.ts';
import {STORE_LIMITS} from '../limits.ts';
import {StoreError} from '../store-error.ts';
import {bytes, listAll, WatchRecorder} from '../testing/index.ts';
import type {Change} from './change.ts';
import {revisionOf} from './change.ts';
import {openLogStore} from './log-store.ts';

class HeldDriver extends MemoryDriver {
  /** The revisions of each batch, in the order they were asked for. */
  readonly batches: number[][] = [];
  #gates: ((failure: Error | undefined) => void)[] = [];
  #arrived: (() => void)[] = [];

  override async append(changes: readonly Change[]): Promise<void> {
    this.batches.push([...new Set(changes.map(change => revisionOf(change.id)))]);
    const failure = await new Promise<Error | undefined>(resolve => {
      this.#gates.push(resolve);
      for (const wake of this.#arrived.splice(0)) wake();
    });
    if (failure !== undefined) throw failure;
    await super.append(changes);
  }

  /** Lets the batch at the gate go on, or fail; waits for one to come. */
  async answer(failure?: Error): Promise<void> {
    if (this.#gates.length === 0) await new Promise<void>(resolve => this.#arrived.push(resolve));
    this.#gates.shift()?.(failure);
  }

  /** Resolves when a batch stands at the gate. */
  async reached(): Promise<void> {
    if (this.#gates.length === 0) await new Promise<void>(resolve => this.#arrived.push(resolve));
  }
}

const openHeld = async (limits: Partial<typeof STORE_LIMITS> = {}) => {
  const driver = new HeldDriver();
  const store = await openLogStore(driver, {limits: {...STORE_LIMITS, ...limits}, defer: setImmediate});
  return {driver, store};
};
const full = new StoreError('unavailable', {message: 'no room'});
const settled = async (calls: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(calls)).map(result => (result.status === 'fulfilled' ? result.value : result.reason.code));

describe('batches', () => {
  test('what arrives while a batch is under way forms the next one, whole', async () => {
    const {driver, store} = await openHeld();
    const first = store.put('/a', bytes('x'));
    await driver.reached();
    const rest = Promise.all(Array.from({length: 70}, (_, i) => store.put(`/k${i}`, bytes('x'))));
    await driver.answer();
    await first;
    await driver.answer();
    await rest;
    expect(driver.batches).toEqual([[1], Array.from({length: 70}, (_, i) => i + 2)]);
    await store.close();
  });

  test('no batch begins before the last one ended', async () => {
    const {driver, store} = await openHeld();
    const first = store.put('/a', bytes('x'));
    await driver.reached();
    const second = store.put('/b', bytes('x'));
    await new Promise(resolve => setImmediate(resolve));
    expect(driver.batches).toEqual([[1]]);
    await driver.answer();
    await driver.answer();
    expect(await settled([first, second])).toEqual([1n, 2n]);
    await store.close();
  });

  test('a transaction is never split, even when it is larger than a batch may be', async () => {
    const {driver, store} = await openHeld({batchChangesMax: 2} as object);
    const txn = (n: number) => store.txn([0, 1, 2].map(i => ({op: 'put', key: `/${n}/${i}`, value: bytes('x')})));
    const calls = [txn(1), txn(2), store.put('/x', bytes('x')), store.put('/y', bytes('x'))];
    for (let i = 0; i < 3; i++) await driver.answer();
    expect(await settled(calls)).toEqual([1n, 2n, 3n, 4n]);
    expect(driver.batches).toEqual([[1], [2], [3, 4]]);
    await store.close();
  });
});

describe('a failed batch', () => {
  test('fails all its writes and those decided behind it, leaves nothing, and gives their revisions again', async () => {
    const {driver, store} = await openHeld();
    const base = store.put('/a', bytes('base'));
    await driver.answer();
    expect(await base).toBe(1n);
    await using watch = new WatchRecorder(store, '', 1n);
    const doomed = [store.put('/a', bytes('2'), 1n), store.put('/b', bytes('x'), 0n)];
    await driver.reached();
    const outcome = settled([...doomed, store.put('/c', bytes('x')), store.delete('/b')]);
    await driver.answer(full);
    expect(await outcome).toEqual(Array(4).fill('unavailable'));
    expect(await store.currentRevision()).toBe(1n);
    expect(await listAll(store, '')).toEqual([['/a', 'base']]);
    const again = store.put('/a', bytes('3'), 1n);
    await driver.answer();
    expect(await again).toBe(2n);
    await watch.seen(2n);
    expect(watch.events.map(event => event.revision)).toEqual([2n]);
    await store.close();
  });

  test('a refusal that rested on it is unavailable too: the write it would have met never was', async () => {
    const {driver, store} = await openHeld();
    const outcome = settled([store.put('/a', bytes('1'), 0n), store.put('/a', bytes('2'), 0n), store.delete('/none')]);
    await driver.answer(full);
    expect(await outcome).toEqual(['unavailable', 'unavailable', 'key-not-found']);
    await store.close();
  });

  test('an error that is no StoreError becomes unavailable and keeps its cause', async () => {
    const {driver, store} = await openHeld();
    const cause = new Error('boom');
    const call = store.put('/a', bytes('1'));
    await driver.answer(cause);
    await expect(call).rejects.toMatchObject({code: 'unavailable', cause, message: expect.stringContaining('boom')});
    await store.close();
  });

  test('close waits for the write under way, whichever way it ends', async () => {
    const {driver, store} = await openHeld();
    const call = store.put('/a', bytes('1')).catch((error: StoreError) => error.code);
    const closed = store.close();
    await driver.answer(full);
    await closed;
    expect(await call).toBe('unavailable');
  });
});
