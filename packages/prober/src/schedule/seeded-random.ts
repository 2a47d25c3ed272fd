// SPDX-License-Identifier: Apache-2.0
import type {Random} from '../system.ts';

/** Enough for jitter, and for nothing else. Ref: mulberry32, Tommy Ettinger, public domain. */
export const seededRandom = (seed: number): Random => {
  let state = Math.floor(seed * 2 ** 32) >>> 0;
  return {
    next: () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
};
