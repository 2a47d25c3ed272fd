// SPDX-License-Identifier: Apache-2.0
/** The real clock, randomness and timers: made here once and handed down, so that nothing below reads them by itself. */
import {randomBytes, randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';

export const systemClock = {now: (): number => Date.now()};
export const systemRandom = {
  next: (): number => Math.random(),
  bytes: (count: number): Uint8Array => randomBytes(count),
  uuid: (): string => randomUUID(),
};
export const systemTimers = {
  after: (delayMs: number, action: () => void): {cancel(): void} => {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return {cancel: () => clearTimeout(timer)};
  },
  soon: (action: () => void): {cancel(): void} => {
    const immediate = setImmediate(action);
    return {cancel: () => clearImmediate(immediate)};
  },
};
export const wait = async (ms: number): Promise<void> => {
  await delay(ms);
};
