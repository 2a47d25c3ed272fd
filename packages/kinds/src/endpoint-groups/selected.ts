// SPDX-License-Identifier: Apache-2.0
import type {CachedObject, Services} from '@palisade/apiserver';
import type {LabelSelector} from '@palisade/kube-wire';

type Objects = ReturnType<Services['registryOf']>['cache']['objects'];

/** In order of names. Where the selector asks for a label, only objects that have it are looked at. Undefined selects nothing. */
export const selectedBy = (
  selector: LabelSelector | undefined,
  objects: Objects,
  namespace: string,
): readonly CachedObject[] => {
  if (selector === undefined) return [];
  const exact = selector.requirements.find(({operator}) => operator === '=');
  const candidates =
    exact === undefined
      ? [...objects.slices(namespace)].flat()
      : objects.withLabel(exact.key, exact.values[0] ?? '', namespace);
  return candidates.filter(({labels}) => selector.matches(labels));
};
