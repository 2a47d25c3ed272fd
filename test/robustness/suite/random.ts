// SPDX-License-Identifier: Apache-2.0
/** Randomness that a seed repeats. */

/** Numbers in [0, 1). */
export type Random = () => number;

/** The same numbers for the same seed. Ref: mulberry32 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `from` to `to`, both included. */
export const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));

/** One of them. Throws for an empty list. */
export function oneOf<T>(random: Random, list: readonly T[]): T {
  if (list.length === 0) throw new Error('nothing to choose from');
  return list[Math.floor(random() * list.length)] as T; // within the list
}
