// SPDX-License-Identifier: Apache-2.0
/** Why the garbage collector keeps an object that was not deleted: the state of its owners. Ref: requirements E-153, E-197. */
import {apiVersionOf, type KubeClient} from '../kube-client.ts';
import {isKubeError, isNotFound} from '../kube-error.ts';
import type {KubeObject, OwnerReference} from '../objects.ts';
import {isKindOfReference, type ServedKind} from '../served-kinds.ts';
import type {DeletionTarget, OwnerState} from './deletion.ts';

/** The kind of an owner that lives on this server if it lives at all: somebody can create one. */
const kindOf = (kinds: readonly ServedKind[], owner: OwnerReference): ServedKind | undefined =>
  kinds.find(
    kind => isKindOfReference(kind, owner) && apiVersionOf(kind) === owner.apiVersion && kind.verbs.includes('create'),
  );

const judge = async (
  client: KubeClient,
  target: DeletionTarget,
  owner: OwnerReference,
): Promise<Pick<OwnerState, 'state' | 'what'>> => {
  // Only a server in the other mode stores it (E-257), and this command does not know the mode of the server.
  if (owner.apiVersion === 'core/v1')
    return {
      state: 'unknown',
      what: 'has apiVersion core/v1: read as v1 with --compat spec; counts as existing with --compat kubernetes',
    };
  const kind = kindOf(target.served.kinds, owner);
  if (kind === undefined)
    return {state: 'kept', what: 'has a kind that this server does not store: counts as existing'};
  if (kind.namespaced && target.namespace === '')
    return {state: 'kept', what: 'is namespaced and this object is not: counts as existing'};
  let found: KubeObject;
  try {
    found = await client.resource(kind).get(kind.namespaced ? target.namespace : '', owner.name);
  } catch (error) {
    if (isNotFound(error)) return {state: 'gone', what: 'is gone'};
    if (isKubeError(error)) return {state: 'unknown', what: `cannot be read: ${error.message}`};
    throw error;
  }
  const {metadata} = found;
  if (metadata?.uid !== owner.uid)
    return {state: 'gone', what: `is gone: the object with this name has the UID ${metadata?.uid}`};
  const waits = metadata.deletionTimestamp != null && (metadata.finalizers ?? []).includes('foregroundDeletion');
  return waits
    ? {state: 'waiting', what: 'is being deleted and waits for its dependents'}
    : {state: 'kept', what: 'exists: this object remains until all its owners are gone'};
};

/** In the order of the references. Throws TransportError. */
export const ownersOf = (client: KubeClient, target: DeletionTarget, object: KubeObject): Promise<OwnerState[]> =>
  Promise.all(
    (object.metadata?.ownerReferences ?? []).map(async owner => ({
      kind: owner.kind,
      name: owner.name,
      uid: owner.uid,
      ...(await judge(client, target, owner)),
    })),
  );
