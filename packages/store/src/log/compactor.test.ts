// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {MemoryDriver} from '../drivers/memory/memory-driver.ts';
import {STORE_LIMITS} from '../limits.ts';
import type {Change} from './change.ts';
import {type CompactionStep, Compactor} from './compactor.ts';
import type {EraseStep} from './driver.ts';
import {openLogStore} from './log-store.ts';

/** An index of so many keys, each of which takes a millisecond; a driver of so many steps of each kind. */
function workOf({keys, erase, shrink}: {keys: number; erase: number; shrink: number}) {
  const order: string[] = [];
  let nowMs = 0;
  let failure: Error | undefined;
  const index = {
    *compact(revision: number): Generator<void, void> {
      for (let n = 0; n < keys; n++) {
        nowMs++;
        yield;
      }
      order.push(`index ${revision}`);
    },
  };
  const left = {erase, shrink};
  const take = (of: 'erase' | 'shrink'): {more: boolean; ms: number; erased: number} => {
    if (failure !== undefined) throw failure;
    order.push(of);
    return {more: --left[of] > 0, ms: 7, erased: 2};
  };
  const steps: CompactionStep[] = [];
  const compactor = new Compactor({erase: async () => take('erase'), shrink: async () => take('shrink')}, index, {
    now: () => nowMs,
    letWritesPass: async () => void order.push('writes'),
    stepMs: 4,
    onStep: step => steps.push(step),
  });
  const fail = (error: Error | undefined): void => {
    failure = error;
  };
  return {compactor, order, steps, fail};
}

test('48-2 writes pass between all steps, of the index and of the driver', async () => {
  const {compactor, order, steps} = workOf({keys: 10, erase: 2, shrink: 2});
  await compactor.run(5);
  expect(order).toEqual([
    ...['writes', 'writes', 'index 5'],
    ...['writes', 'erase', 'writes', 'erase', 'writes', 'shrink', 'writes', 'shrink'],
  ]);
  expect(steps.map(({of, ms}) => `${of} ${ms}`)).toEqual([
    ...['index 4', 'index 4', 'index 2'],
    ...['erase 7', 'erase 7', 'shrink 7', 'shrink 7'],
  ]);
});

test('48-2 a failure goes to its own caller; the next one runs', async () => {
  const {compactor, order, fail} = workOf({keys: 0, erase: 1, shrink: 1});
  fail(new Error('disk'));
  const first = compactor.run(1);
  const second = compactor.run(2).catch((error: Error) => error.message);
  await expect(first).rejects.toThrow('disk');
  expect(await second).toBe('disk');
  fail(undefined);
  await compactor.run(3);
  expect(order.filter(what => !what.startsWith('writes'))).toEqual([
    'index 1',
    'index 2',
    'index 3',
    'erase',
    'shrink',
  ]);
});

test('48-2 a close ends it between two steps', async () => {
  const {compactor, order} = workOf({keys: 0, erase: 1_000, shrink: 1});
  const running = compactor.run(1);
  while (!order.includes('erase')) await Promise.resolve();
  await compactor.close();
  await expect(running).rejects.toMatchObject({code: 'closed'});
  expect(order.filter(what => what === 'erase').length).toBeLessThan(1_000);
});

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise(resolve => setImmediate(resolve));
};

/** As a thread does it: one request after the other. Erases in 50 steps, each of which takes longer than an append. */
class ThreadDriver extends MemoryDriver {
  erased = 0;
  #last: Promise<unknown> = Promise.resolve();

  override append(changes: readonly Change[]): Promise<void> {
    return this.#next(2, () => super.append(changes));
  }

  override erase(): Promise<EraseStep> {
    return this.#next(9, async () => ({more: ++this.erased < 50, ms: 1, erased: 0}));
  }

  #next<T>(tookTurns: number, work: () => Promise<T>): Promise<T> {
    const answer = this.#last.then(() => turns(tookTurns)).then(work);
    this.#last = answer;
    return answer;
  }
}

test.each([1, 2, 5])('48-2 with %d writers no write waits for two steps', async writers => {
  const driver = new ThreadDriver();
  await using store = await openLogStore(driver, {limits: STORE_LIMITS, defer: setImmediate});
  await store.put('/a', new Uint8Array(1));
  const compaction = store.compact(1n);
  const waited: number[] = [];
  const writer = async (n: number): Promise<void> => {
    while (driver.erased < 50) {
      const before = driver.erased;
      await store.put(`/${n}`, new Uint8Array(1));
      waited.push(driver.erased - before);
      await turns(n);
    }
  };
  await Promise.all([compaction, ...Array.from({length: writers}, (_, n) => writer(n))]);
  expect(waited.length).toBeGreaterThan(40);
  expect(Math.max(...waited)).toBe(1);
});
