// SPDX-License-Identifier: Apache-2.0
/** Numbers from a seed: the same seed gives the same run. Ref: mulberry32 (public domain). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 2^32). */
  u32(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
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
