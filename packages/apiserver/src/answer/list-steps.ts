// SPDX-License-Identifier: Apache-2.0
import type {CachedObject} from '../cache/cached-object.ts';
import type {ListAnswer} from './answer.ts';

/** What is made in one step of a form, in bytes of JSON: one to some milliseconds. */
export const STEP_BYTES = {yaml: 64 * 1024, indented: 64 * 1024, compact: 256 * 1024, protobuf: 256 * 1024} as const;

/** The body of a list, made while it is sent. */
export type ListStream = {
  /** It is made at once, not in steps. */
  readonly isShort: boolean;
  /** What follows each other; an empty one: a step is done, and nothing can be sent yet. */
  pieces(): Iterable<Buffer>;
};

/** A step is done, and nothing can be sent yet. */
export const NOTHING_YET = Buffer.alloc(0);

export type Slices = readonly (readonly CachedObject[])[];
/** The objects in order, as many at a time as are made in one step; no step is empty. */
export type Steps = Iterable<readonly CachedObject[]>;

/** The body that `make` makes of the steps. */
export const inSteps = (slices: Slices, stepBytes: number, make: (steps: Steps) => Iterable<Buffer>): ListStream => ({
  isShort: isWithin(slices, stepBytes),
  pieces: () => make(stepsOf(slices, stepBytes)),
});

/** Found as they are asked for: looking at all objects of a long list takes longer than a step. */
export const stepsOf = (slices: Slices, stepBytes: number): Steps => ({
  *[Symbol.iterator]() {
    let step: CachedObject[] = [];
    let bytes = 0;
    for (const slice of slices) {
      for (const object of slice) {
        step.push(object);
        bytes += object.itemBytes;
        if (bytes < stepBytes) continue;
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

/** Of a reference in an array. */
const REFERENCE_BYTES = 8;

/** What a list keeps in memory until it is sent, apart from what is made of it. */
export const keptBytes = ({slices, isFromHistory}: Pick<ListAnswer, 'slices' | 'isFromHistory'>): number => {
  let bytes = 0;
  for (const slice of slices) {
    bytes += slice.length * REFERENCE_BYTES;
    if (isFromHistory) for (const object of slice) bytes += object.itemBytes;
  }
  return bytes;
};

export const hasItems = (slices: Slices): boolean => slices.some(slice => slice.length > 0);
