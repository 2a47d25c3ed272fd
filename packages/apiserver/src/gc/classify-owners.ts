// SPDX-License-Identifier: Apache-2.0
/** What an object's owner references are worth right now. Ref: requirements E-153, E-197; upstream garbagecollector.go classifyReferences. */
import {type CachedObject, decodeItem} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind.ts';
import {FOREGROUND_FINALIZER} from '../meta/validate-object-meta.ts';
import type {OwnerReference} from '../object.ts';

export type Owners = {
  /** The owner is there and stays, or cannot be judged by this server. */
  readonly solid: readonly OwnerReference[];
  /** The owner is gone, has another uid, or lives in another namespace. */
  readonly dangling: readonly OwnerReference[];
  /** The owner waits, in foreground deletion, for its dependents to go. */
  readonly waiting: readonly OwnerReference[];
};

/** Finds an owner kind; undefined when this server does not serve it. `core/v1` means `v1` (E-257). */
export const kindOfOwner = (
  kinds: readonly KindDefinition[],
  {apiVersion, kind}: OwnerReference,
): KindDefinition | undefined => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const wanted = group === 'core' ? '' : group;
  return kinds.find(k => k.kind === kind && k.group === wanted && k.version === version && k.review === undefined);
};

export const isMarked = (object: CachedObject): boolean => object.isDeleting;

export const hasFinalizer = (object: CachedObject, finalizer: string): boolean =>
  object.value.includes(`"${finalizer}"`) && (decodeItem(object).metadata.finalizers ?? []).includes(finalizer);

export const isDeletedInForeground = (object: CachedObject): boolean =>
  isMarked(object) && hasFinalizer(object, FOREGROUND_FINALIZER);

export const classifyOwners = (
  owners: readonly OwnerReference[],
  dependent: {readonly namespaced: boolean; readonly namespace: string},
  look: {
    readonly kinds: readonly KindDefinition[];
    readonly get: (kind: KindDefinition, namespace: string, name: string) => CachedObject | undefined;
  },
): Owners => {
  const [solid, dangling, waiting]: OwnerReference[][] = [[], [], []];
  for (const owner of owners) {
    const kind = kindOfOwner(look.kinds, owner);
    const unjudged = kind === undefined || (kind.namespaced && !dependent.namespaced);
    if (unjudged) solid?.push(owner);
    else {
      const object = look.get(kind, kind.namespaced ? dependent.namespace : '', owner.name);
      if (object === undefined || decodeItem(object).metadata.uid !== owner.uid) dangling?.push(owner);
      else if (isDeletedInForeground(object)) waiting?.push(owner);
      else solid?.push(owner);
    }
  }
  return {solid: solid ?? [], dangling: dangling ?? [], waiting: waiting ?? []};
};
