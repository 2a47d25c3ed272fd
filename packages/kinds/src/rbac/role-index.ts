// SPDX-License-Identifier: Apache-2.0
/**
 * Roles and bindings as decisions need them: decoded once, found by subject. Fed with every change, in order.
 *
 * I1 a binding stands in `#bindings` under each key of its subjects, and under no other.
 * I2 a reference is resolved when it is asked for, so a role may come, change and go at any time.
 */
import type {PolicyRule, RoleRef, UserInfo} from '@palisade/apiserver';
import {keysOf, subjectKey} from './subject.ts';
import {type Binding, type Role, roleRefOf, rulesOf, type Subject} from './types.ts';

export type IndexedBinding = {
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly role: RoleRef;
  readonly subjects: readonly Subject[];
};

type BySubject = Map<string, Set<IndexedBinding>>;

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

export class RoleIndex {
  /** `namespace/name`, with '' as the namespace of ClusterRoles. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #byName = new Map<string, IndexedBinding>();
  readonly #bySubject = new Map<string, BySubject>();

  putRole(namespace: string, name: string, role: Role): void {
    this.#roles.set(keyOf(namespace, name), rulesOf(role));
  }

  deleteRole(namespace: string, name: string): void {
    this.#roles.delete(keyOf(namespace, name));
  }

  putBinding(namespace: string, name: string, object: Binding): void {
    this.deleteBinding(namespace, name);
    const binding = {namespace, name, role: roleRefOf(object), subjects: object.subjects ?? []};
    this.#byName.set(keyOf(namespace, name), binding);
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const bySubject: BySubject = this.#bySubject.get(namespace) ?? new Map();
      this.#bySubject.set(namespace, bySubject);
      const known = bySubject.get(key);
      if (known === undefined) bySubject.set(key, new Set([binding]));
      else known.add(binding);
    }
  }

  deleteBinding(namespace: string, name: string): void {
    const binding = this.#byName.get(keyOf(namespace, name));
    if (binding === undefined) return;
    this.#byName.delete(keyOf(namespace, name));
    const bySubject = this.#bySubject.get(namespace);
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, namespace);
      const known = key === undefined ? undefined : bySubject?.get(key);
      known?.delete(binding);
      if (key !== undefined && known?.size === 0) bySubject?.delete(key);
    }
    if (bySubject?.size === 0) this.#bySubject.delete(namespace);
  }

  /** The bindings of a user: those of the cluster, then those of the namespace. One with several subjects may come twice. */
  *bindingsOf(user: UserInfo, namespace: string): Generator<IndexedBinding> {
    const keys = keysOf(user);
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const bySubject = this.#bySubject.get(scope);
      if (bySubject === undefined) continue;
      for (const key of keys) {
        const found = bySubject.get(key);
        if (found !== undefined) yield* found;
      }
    }
  }

  /** Undefined: there is no such role. */
  rulesOf({kind, name}: RoleRef, bindingNamespace: string): readonly PolicyRule[] | undefined {
    if (kind === 'ClusterRole') return this.#roles.get(keyOf('', name));
    return kind === 'Role' && bindingNamespace !== '' ? this.#roles.get(keyOf(bindingNamespace, name)) : undefined;
  }
}
