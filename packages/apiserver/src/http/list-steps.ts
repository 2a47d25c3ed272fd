// SPDX-License-Identifier: Apache-2.0
import type {CachedObject} from '../cache/cached-object.ts';

/** What is made in one step, in bytes of JSON: 7 ms as YAML, 2 ms as protobuf, below 1 ms as a Table. */
export const STEP_BYTES = 64 * 1024;

/** A step is done, and nothing can be sent yet. */
export const NOTHING_YET = Buffer.alloc(0);

type Slices = readonly (readonly CachedObject[])[];

/** The objects in order, as many at a time as are made in one step. */
export const stepsOf = (slices: Slices): CachedObject[][] => {
  const steps: CachedObject[][] = [];
  let step: CachedObject[] = [];
  let bytes = 0;
  for (const slice of slices) {
    for (const object of slice) {
      step.push(object);
      bytes += object.itemBytes;
      if (bytes < STEP_BYTES) continue;
      steps.push(step);
      [step, bytes] = [[], 0];
    }
  }
  if (step.length > 0) steps.push(step);
  return steps;
};
