// SPDX-License-Identifier: Apache-2.0
/**
 * Who names whom as owner: for each owner uid, the objects that refer to it. Fed by cache events; holds names, no objects.
 * Ref: kubernetes v1.36 pkg/controller/garbagecollector/graph.go, graph_builder.go.
 */

import type {OwnerReference} from '../base/object.ts';
import {type CachedObject, decodeItem} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';

/** Where an object is; its `key` is one per object. */
export type ObjectRef = {
  readonly key: string;
  readonly kind: KindDefinition;
  readonly namespace: string;
  readonly name: string;
};

export const toRef = (
  kind: KindDefinition,
  {namespace, name}: {readonly namespace: string; readonly name: string},
): ObjectRef => ({
  key: `${kind.group}/${kind.resource}/${namespace}/${name}`,
  kind,
  namespace,
  name,
});

const NO_OWNERS: readonly OwnerReference[] = [];

/** Without decoding the many objects that have no owner. */
export const ownersOf = (object: CachedObject): readonly OwnerReference[] =>
  object.value.includes('"ownerReferences":[') ? (decodeItem(object).metadata.ownerReferences ?? NO_OWNERS) : NO_OWNERS;

export class OwnerGraph {
  readonly #dependents = new Map<string, Map<string, ObjectRef>>();
  readonly #owners = new Map<string, readonly string[]>();

  /** Replaces what is known of one object; `owners` empty: it depends on nobody, or is gone. */
  set(ref: ObjectRef, owners: readonly OwnerReference[]): void {
    for (const uid of this.#owners.get(ref.key) ?? []) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(ref.key);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
    if (owners.length === 0) {
      this.#owners.delete(ref.key);
      return;
    }
    this.#owners.set(
      ref.key,
      owners.map(owner => owner.uid),
    );
    for (const {uid} of owners) {
      const dependents = this.#dependents.get(uid) ?? new Map<string, ObjectRef>();
      dependents.set(ref.key, ref);
      this.#dependents.set(uid, dependents);
    }
  }

  dependentsOf(uid: string): readonly ObjectRef[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** Uids that an object's owner references name. */
  ownersOf(ref: ObjectRef): readonly string[] {
    return this.#owners.get(ref.key) ?? [];
  }
}
