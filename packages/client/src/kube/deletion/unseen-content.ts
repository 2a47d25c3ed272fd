// SPDX-License-Identifier: Apache-2.0
/** Which refusals may hide remaining objects of a namespace that is being deleted. Ref: kubernetes v1.36 pkg/controller/namespace/deletion. */

import {resourceName, type Served} from '../served-kinds.ts';
import type {Condition} from './deletion.ts';
import type {Unseen} from './object-walk.ts';

/** The server could not look everywhere either, or could not delete. */
const FAILURES: readonly string[] = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
];
const REMAINING = 'NamespaceContentRemaining';
/** `endpoints. has 1 resource instances`, `roles.rbac.authorization.k8s.io has 2 …`. */
const LEFT = /([^\s.]+)\.(\S*) has \d+ resource instances/g;

/** What the server says is left; undefined when it does not say, or does not know all. */
const leftBy = (conditions: readonly Condition[]): ReadonlySet<string> | undefined => {
  if (conditions.some(({type, status}) => FAILURES.includes(type) && status === 'True')) return undefined;
  const remaining = conditions.find(({type}) => type === REMAINING);
  if (remaining === undefined) return undefined;
  const named = [...(remaining.message ?? '').matchAll(LEFT)].map(([, plural = '', group = '']) =>
    resourceName({plural, group}),
  );
  return remaining.status === 'True' && named.length === 0 ? undefined : new Set(named);
};

/** Nothing is created in a namespace that is being deleted, so the kinds that the server does not name are empty. */
export const unseenContent = (
  unseen: readonly Unseen[],
  {kinds}: Served,
  conditions: readonly Condition[],
): readonly Unseen[] => {
  const left = leftBy(conditions);
  if (left === undefined) return unseen;
  const known = new Set(kinds.map(resourceName));
  const leftUnknown = [...left].some(resource => !known.has(resource));
  return unseen.filter(({what}) => (known.has(what) ? left.has(what) : leftUnknown));
};
