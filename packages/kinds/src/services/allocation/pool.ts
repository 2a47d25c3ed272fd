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

/** Of so many numbers it is known how many are held, so that a search of a nearly full range passes over those that are full. */
const BLOCK = 1_024;

export const createPool = (size: number, band: number, random: Random): Pool => {
  const holders = new Map<number, number>();
  const heldIn = new Uint16Array(Math.ceil(size / BLOCK));
  const countHeld = (offset: number, by: 1 | -1): void => {
    const block = Math.floor(offset / BLOCK);
    heldIn[block] = (heldIn[block] ?? 0) + by;
  };
  /** How many numbers from this one on are held for certain, as far as the end. */
  const heldFrom = (offset: number, end: number): number =>
    offset % BLOCK === 0 && offset + BLOCK <= end && heldIn[offset / BLOCK] === BLOCK ? BLOCK : 0;
  const freeIn = (from: number, count: number): number | undefined => {
    const start = Math.floor(random.next() * count);
    for (let i = 0; i < count; ) {
      const offset = from + ((start + i) % count);
      const passed = heldFrom(offset, from + count);
      if (passed === 0 && !holders.has(offset)) return offset;
      i += Math.max(1, passed);
    }
    return undefined;
  };
  const take = (offset: number): void => {
    const held = holders.get(offset) ?? 0;
    if (held === 0) countHeld(offset, 1);
    holders.set(offset, held + 1);
  };
  return {
    has: offset => holders.has(offset),
    take,
    giveBack: offset => {
      const left = (holders.get(offset) ?? 0) - 1;
      if (left > 0) holders.set(offset, left);
      else if (holders.delete(offset)) countHeld(offset, -1);
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
