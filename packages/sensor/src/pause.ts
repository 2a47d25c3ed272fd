// SPDX-License-Identifier: Apache-2.0
import type {Timers} from './ports.ts';

/** Resolves after at least `ms`. */
export const pause = (timers: Timers, ms: number): Promise<void> =>
  new Promise(resolve => void timers.after(ms, resolve));

/** Asks each `everyMs` until the answer is yes; for `mostMs` at the most. */
export const pauseUntil = async (
  timers: Timers,
  {everyMs, mostMs}: {readonly everyMs: number; readonly mostMs: number},
  isDone: () => Promise<boolean>,
): Promise<void> => {
  for (let waited = 0; waited < mostMs && !(await isDone()); waited += everyMs) await pause(timers, everyMs);
};
