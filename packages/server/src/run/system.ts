// SPDX-License-Identifier: Apache-2.0
/** The real clock, randomness and timers: made here once and handed down, so that nothing below reads them by itself. */
import {randomBytes, randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';

export const systemClock = {now: (): number => Date.now()};
export const systemRandom = {bytes: (n: number): Uint8Array => randomBytes(n), uuid: (): string => randomUUID()};
export const wait = async (ms: number): Promise<void> => {
  await delay(ms);
};
