// SPDX-License-Identifier: Apache-2.0
import {isDeepStrictEqual} from 'node:util';
import type {Endpoints} from './types.ts';

/** E-136: 1 at first, one more with each change of the subsets. An object from before it was counted starts at 1. */
export const countGeneration = (draft: Endpoints, current: Endpoints): void => {
  const before = current.metadata.generation ?? 0;
  const changed = !isDeepStrictEqual(draft.subsets, current.subsets);
  draft.metadata.generation = before === 0 ? 1 : changed ? before + 1 : before;
};
