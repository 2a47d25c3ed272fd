// SPDX-License-Identifier: Apache-2.0
import {seededRandom} from '../../robustness/suite/random.ts';

/** Whole numbers from a seed: the same seed gives the same run. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** In [0, 2^32). */
  u32(): number {
    return this.#next() * 2 ** 32;
  }

  /** In [0, below); 0 for an empty range. */
  int(below: number): number {
    return below <= 0 ? 0 : this.u32() % below;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.int(times) === 0;
  }
}

/** A seed for a name, so that targets do not depend on each other's order. */
export const seedOf = (seed: number, name: string): number => {
  let hash = (2166136261 ^ seed) >>> 0;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash;
};
