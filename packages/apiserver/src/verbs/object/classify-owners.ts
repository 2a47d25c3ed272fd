// SPDX-License-Identifier: Apache-2.0
/** What an object's owner references are worth right now. Ref: requirements E-153, E-197; upstream garbagecollector.go classifyReferences. */

import type {Compat} from '../../base/compat.ts';
import type {OwnerReference} from '../../base/object.ts';
import {type CachedObject, decodeItem} from '../../cache/cached-object.ts';
import {type KindDefinition, showsObjects} from '../../kind/kind.ts';
import {FOREGROUND_FINALIZER} from '../../kind/meta/validate-object-meta.ts';

export type Owners = {
  /** The owner is there and stays. */
  readonly solid: readonly OwnerReference[];
  /** The owner cannot be judged: its kind has no objects here, or it would be in a namespace where the dependent is in none. It counts as existing. */
  readonly unjudged: readonly OwnerReference[];
  /** The owner is gone, has another uid, or lives in another namespace. */
  readonly dangling: readonly OwnerReference[];
  /** The owner waits, in foreground deletion, for its dependents to go. */
  readonly waiting: readonly OwnerReference[];
};

/** Finds an owner kind, also in lower case, as upstream's RESTMapper does; undefined when this server does not serve it. `core/v1` may be stored, by another mode (E-257). */
export const kindOfOwner = (
  kinds: readonly KindDefinition[],
  {apiVersion, kind}: OwnerReference,
  {takesCoreGroup}: Compat,
): KindDefinition | undefined => {
  const [named, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const group = takesCoreGroup && named === 'core' ? '' : named;
  return kinds.find(
    k =>
      (k.kind === kind || k.kind.toLowerCase() === kind) &&
      k.group === group &&
      k.version === version &&
      showsObjects(k),
  );
};

/** The kind of an owner that lives here if it lives at all; undefined: nobody can create one here, so that it is absent says nothing. */
export const storedKindOfOwner = (
  kinds: readonly KindDefinition[],
  owner: OwnerReference,
  compat: Compat,
): KindDefinition | undefined => {
  const kind = kindOfOwner(kinds, owner, compat);
  return kind?.verbs.includes('create') === true ? kind : undefined;
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
    readonly kindOf: (owner: OwnerReference) => KindDefinition | undefined;
    readonly get: (kind: KindDefinition, namespace: string, name: string) => CachedObject | undefined;
  },
): Owners => {
  const found = {
    solid: [] as OwnerReference[],
    unjudged: [] as OwnerReference[],
    dangling: [] as OwnerReference[],
    waiting: [] as OwnerReference[],
  };
  for (const owner of owners) {
    const kind = look.kindOf(owner);
    if (kind === undefined || (kind.namespaced && !dependent.namespaced)) {
      found.unjudged.push(owner);
      continue;
    }
    const object = look.get(kind, kind.namespaced ? dependent.namespace : '', owner.name);
    if (object === undefined || decodeItem(object).metadata.uid !== owner.uid) found.dangling.push(owner);
    else if (isDeletedInForeground(object)) found.waiting.push(owner);
    else found.solid.push(owner);
  }
  return found;
};
