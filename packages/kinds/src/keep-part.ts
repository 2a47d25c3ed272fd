// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

/** Takes one part of the object over from what is stored. */
export const keepPart = (part: 'spec' | 'status', draft: KubeObject, current: KubeObject): void => {
  if (current[part] === undefined) delete draft[part];
  else draft[part] = current[part];
};
