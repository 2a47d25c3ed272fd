// SPDX-License-Identifier: Apache-2.0
/** What is put right in a sent object before its owners are noted: defaults, owners (E-257: `core/v1` counts as `v1`). */
import {isDeepStrictEqual} from 'node:util';
import type {KubeObject, OwnerReference} from '../object.ts';
import type {RequestContext} from './request-context.ts';

export const settleObject = (context: RequestContext, object: KubeObject, how: 'sent' | 'patched'): void => {
  context.kind.applyDefaults?.(object);
  for (const owner of object.metadata.ownerReferences ?? [])
    if (owner.apiVersion === 'core/v1') owner.apiVersion = 'v1';
  if (how === 'sent' || context.services.compat.keepOwnersOfEqualContent) dropRepeatedOwners(context, object, how);
};

/**
 * Of a patched object upstream does it when its owners in managedFields are noted: who repeats an owner comes to own it.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/rest.go dedupOwnerReferencesAndAddWarning.
 */
export const dropRepeatedOwners = (context: RequestContext, {metadata}: KubeObject, how: 'sent' | 'patched'): void => {
  const owners = metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return;
  const kept: OwnerReference[] = [];
  const repeated: string[] = [];
  for (const owner of owners) {
    if (kept.some(other => isDeepStrictEqual(other, owner))) repeated.push(owner.uid);
    else kept.push(owner);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  context.warn(
    `.metadata.ownerReferences contains duplicate entries${how === 'sent' ? '' : ' after mutating admission happens'}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
};
