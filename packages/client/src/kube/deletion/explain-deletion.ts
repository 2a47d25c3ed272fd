// SPDX-License-Identifier: Apache-2.0
import type {KubeClient} from '../kube-client.ts';
import type {Deletion, DeletionTarget, Held} from './deletion.ts';
import {holdersOf} from './holders.ts';
import {ownersOf} from './owners.ts';

/**
 * What blocks the deletion of an object, or, of one that was not deleted, what its owners mean for it. It lists metadata of every served kind
 * only where a finalizer of the server waits for other objects. `nowMs`: epoch milliseconds. Throws KubeError, TransportError.
 */
export const explainDeletion = async (
  client: KubeClient,
  target: DeletionTarget,
  object: Held,
  nowMs: number,
): Promise<Deletion> => {
  const deleted = object.metadata?.deletionTimestamp != null;
  return {
    object,
    deleted,
    holders: deleted ? await holdersOf(client, target, object, nowMs) : [],
    owners: deleted ? [] : await ownersOf(client, target, object),
  };
};
