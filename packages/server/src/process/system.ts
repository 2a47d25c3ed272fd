// SPDX-License-Identifier: Apache-2.0
/** The real clock, timers and randomness, handed down from here, so that nothing below reads them by itself. */
import {performance} from 'node:perf_hooks';
import type {Timers} from '@palisade/apiserver/time';

export {systemClock, systemRandom, systemTimers} from '@palisade/apiserver/time';
/** Milliseconds since some moment; never jumps. */
export const monotonicClock = {now: (): number => performance.now()};
/** Keep the process alive meanwhile, as `systemTimers` do not. */
export const holdingTimers: Pick<Timers, 'after'> = {
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return {cancel: () => clearTimeout(timer)};
  },
};
/** Keeps the process alive meanwhile. */
export const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
