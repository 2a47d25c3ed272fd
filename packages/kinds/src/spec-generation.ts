// SPDX-License-Identifier: Apache-2.0
import {isDeepStrictEqual} from 'node:util';
import type {KubeObject} from '@palisade/apiserver';

/** metadata.generation of a kind with a spec: 1 at first, one more with each change of the spec. Call it when the draft is final. */
export const countSpecGeneration = (draft: KubeObject, current: KubeObject | undefined): void => {
  const before = current?.metadata.generation ?? 0;
  const isSame = current !== undefined && isDeepStrictEqual(draft['spec'], current['spec']);
  draft.metadata.generation = isSame && before > 0 ? before : before + 1;
};
