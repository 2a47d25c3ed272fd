// SPDX-License-Identifier: Apache-2.0
import {isDeepStrictEqual} from 'node:util';
import type {Endpoints} from './types.ts';

/** E-136: 1 at first, one more with each change of the subsets. An object from before it was counted starts with its next change. */
export const countGeneration = (draft: Endpoints, current: Endpoints): void => {
  const before = current.metadata.generation ?? 0;
  const generation = isDeepStrictEqual(draft.subsets, current.subsets) ? before : before + 1;
  if (generation > 0) draft.metadata.generation = generation;
  else delete draft.metadata.generation;
};
