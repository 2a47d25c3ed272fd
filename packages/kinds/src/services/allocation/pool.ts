// SPDX-License-Identifier: Apache-2.0
/**
 * Whole numbers from 0 to `size` of which each is given out once. Those that are asked for by number are best taken from the
 * lower band: what is chosen here comes from above it as long as there is one.
 * Ref: kubernetes v1.36 pkg/registry/core/service/{ipallocator/ipallocator.go,allocator/bitmap.go}, KEP-3070.
 */
import type {Random} from '@palisade/apiserver';

export type Pool = {
  has(offset: number): boolean;
  /** Counts: who takes a number twice gives it back twice. */
  take(offset: number): void;
  giveBack(offset: number): void;
  /** Takes a free one, or undefined when there is none. */
  takeAny(): number | undefined;
};

export const createPool = (size: number, band: number, random: Random): Pool => {
  const holders = new Map<number, number>();
  const freeIn = (from: number, count: number): number | undefined => {
    const start = Math.floor(random.next() * count);
    for (let i = 0; i < count; i++) {
      const offset = from + ((start + i) % count);
      if (!holders.has(offset)) return offset;
    }
    return undefined;
  };
  const take = (offset: number): void => void holders.set(offset, (holders.get(offset) ?? 0) + 1);
  return {
    has: offset => holders.has(offset),
    take,
    giveBack: offset => {
      const left = (holders.get(offset) ?? 0) - 1;
      if (left > 0) holders.set(offset, left);
      else holders.delete(offset);
    },
    takeAny: () => {
      const offset = freeIn(band, size - band) ?? freeIn(0, band);
      if (offset !== undefined) take(offset);
      return offset;
    },
  };
};

/** How many numbers the lower band has. Ref: calculateRangeOffset of both allocators. */
export const bandOf = (size: number, {least, most, part}: {least: number; most: number; part: number}): number =>
  size <= least ? 0 : Math.min(most, Math.max(least, Math.floor(size / part)));
