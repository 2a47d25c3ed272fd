// SPDX-License-Identifier: Apache-2.0
/** When a stop may ask Suricata to end: its threads show that they have read what the kernel held for them. */
import {describe, expect, test} from 'vitest';
import type {ReadingThread} from './kernel-tables.ts';
import {untilRingIsRead} from './ring-read.ts';

const thread = (sleeps: number, isAsleep: boolean, id = '1'): ReadingThread => ({id, sleeps, isAsleep, preemptions: 0});

/** Milliseconds waited, with what each look finds; the last look is repeated. */
const waited = async (...looks: readonly (readonly ReadingThread[])[]): Promise<number> => {
  let [ms, look] = [0, 0];
  const timers = {
    after: (delayMs: number, action: () => void) => {
      ms += delayMs;
      queueMicrotask(action);
      return {cancel: () => {}};
    },
  };
  await untilRingIsRead(7, timers, 1_000, () => looks[Math.min(look++, looks.length - 1)] ?? []);
  return ms;
};

describe('48-5 what is in the rings', () => {
  test('is read when each thread sleeps through a look', async () => {
    expect(await waited([thread(5, true)])).toBe(50);
    expect(await waited([thread(5, true), thread(5, true, '2')])).toBe(50);
  });

  test('is read when each thread has slept twice since, however busy it is', async () => {
    expect(await waited([thread(5, false)], [thread(6, true)], [thread(7, false)])).toBe(75);
    expect(await waited([thread(5, false), thread(9, true, '2')], [thread(7, false), thread(9, true, '2')])).toBe(50);
  });

  test('is not read while one thread has not slept: the wait is bounded', async () => {
    expect(await waited([thread(5, false), thread(9, true, '2')])).toBe(1_000);
    expect(await waited([thread(5, false)], [thread(6, false)])).toBe(1_000);
  });

  test('is no reason to wait when the process is gone', async () => {
    expect(await waited([])).toBe(50);
  });
});
