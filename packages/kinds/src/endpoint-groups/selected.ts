// SPDX-License-Identifier: Apache-2.0
import {isDeepStrictEqual} from 'node:util';
import {type CachedObject, decodeItem, type Services} from '@palisade/apiserver';
import type {LabelSelector} from '@palisade/kube-wire';
import type {EndpointRegistration} from '../endpoint-registrations/types.ts';

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

/** Decoded once for each version: with each change of one registration a group looks at all of them. Without what it does not look at. */
const decoded = new WeakMap<CachedObject, EndpointRegistration>();

export const readRegistration = (object: CachedObject): EndpointRegistration => {
  const known = decoded.get(object);
  if (known !== undefined) return known;
  const {metadata, spec = {}, status = {}} = decodeItem(object) as EndpointRegistration;
  const {name, creationTimestamp, deletionTimestamp} = metadata;
  const registration = {metadata: {name, creationTimestamp, deletionTimestamp}, spec, status} as EndpointRegistration;
  decoded.set(object, registration);
  return registration;
};

/** Whether no group has to look at it again, as after a change of annotations. */
export const isSameToGroups = (before: CachedObject, after: CachedObject): boolean => {
  const [{metadata: a, ...was}, {metadata: b, ...is}] = [readRegistration(before), readRegistration(after)];
  const isSameMetadata = isDeepStrictEqual(before.labels, after.labels) && a.deletionTimestamp === b.deletionTimestamp;
  return isSameMetadata && isDeepStrictEqual(was, is);
};
