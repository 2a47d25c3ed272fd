// SPDX-License-Identifier: Apache-2.0
import type {CachedObject} from '../cache/cached-object.ts';

/** What is made in one step, in bytes of JSON: 4 ms as YAML, 1 ms as protobuf, below 1 ms as a Table. */
export const STEP_BYTES = 64 * 1024;

/** A step is done, and nothing can be sent yet. */
export const NOTHING_YET = Buffer.alloc(0);

export type Slices = readonly (readonly CachedObject[])[];
/** The objects in order, as many at a time as are made in one step; no step is empty. */
export type Steps = Iterable<readonly CachedObject[]>;

/** Found as they are asked for: looking at all objects of a long list takes longer than a step. */
export const stepsOf = (slices: Slices): Steps => ({
  *[Symbol.iterator]() {
    let step: CachedObject[] = [];
    let bytes = 0;
    for (const slice of slices) {
      for (const object of slice) {
        step.push(object);
        bytes += object.itemBytes;
        if (bytes < STEP_BYTES) continue;
        yield step;
        [step, bytes] = [[], 0];
      }
    }
    if (step.length > 0) yield step;
  },
});

/** Whether the items have at most `bytesMax` bytes together. */
export const isWithin = (slices: Slices, bytesMax: number): boolean => {
  let bytes = 0;
  for (const slice of slices) {
    for (const object of slice) {
      bytes += object.itemBytes;
      if (bytes > bytesMax) return false;
    }
  }
  return true;
};

export const hasItems = (slices: Slices): boolean => slices.some(slice => slice.length > 0);
