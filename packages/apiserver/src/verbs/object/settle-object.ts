// SPDX-License-Identifier: Apache-2.0
/**
 * What is put right in an object around the step that notes its owners in managedFields: a sent object wholly before it
 * (`settleSent`); a patched one before it (`settlePatched`) and behind it (`settleTracked`).
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/rest.go dedupOwnerReferencesAndAddWarning.
 */
import type {Json} from '@palisade/kube-wire';
import type {KubeObject, OwnerReference} from '../../base/object.ts';
import {withCoreVersions} from './core-group.ts';
import type {RequestContext} from './request-context.ts';

type When = 'as sent' | 'after mutating admission';

/** Before who sent it is noted. */
export const settleSent = (context: RequestContext, object: KubeObject): void => {
  settle(context, object);
  dropRepeatedOwners(context, object, 'as sent');
};

/** Before who patched is noted. With `keepOwnersOfEqualContent` who repeats an owner does not come to own it. */
export const settlePatched = (context: RequestContext, object: KubeObject): void => {
  settle(context, object);
  if (context.services.compat.keepOwnersOfEqualContent) settleTracked(context, object);
};

/** Of a patched object, behind that: upstream drops repeated owners only now. Changes `object` and returns it. */
export const settleTracked = (context: RequestContext, object: KubeObject): KubeObject => {
  dropRepeatedOwners(context, object, 'after mutating admission');
  return object;
};

/** Defaults; owners of `core/v1`, which counts as `v1` (E-257). */
const settle = (context: RequestContext, object: KubeObject): void => {
  context.kind.applyDefaults?.(object);
  const owners = object.metadata.ownerReferences as Json | undefined;
  if (owners !== undefined) object.metadata.ownerReferences = withCoreVersions(context, owners) as OwnerReference[];
};

const dropRepeatedOwners = (context: RequestContext, {metadata}: KubeObject, when: When): void => {
  const owners = metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return;
  const kept = new Map<string, OwnerReference>();
  const repeated: string[] = [];
  for (const owner of owners) {
    const {apiVersion, kind, name, uid, controller, blockOwnerDeletion} = owner;
    const content = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (kept.has(content)) repeated.push(uid);
    else kept.set(content, owner);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = [...kept.values()];
  context.warn(
    `.metadata.ownerReferences contains duplicate entries${when === 'as sent' ? '' : ' after mutating admission happens'}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
};
