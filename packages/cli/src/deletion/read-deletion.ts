// SPDX-License-Identifier: Apache-2.0
import type {KubeClient} from '@palisade/client';
import {systemClock} from '@palisade/server/system';
import {readTarget, type Target} from '../connection/kube-target.ts';
import type {Deletion, Held} from './deletion.ts';
import {holdersOf} from './holders.ts';
import {ownersOf} from './owners.ts';
import {withoutSecretValues} from './without-secret-values.ts';

/** A Secret is read without its values. Throws CommandError for an object that does not exist, KubeError, TransportError. */
export const readDeletion = async (client: KubeClient, target: Target): Promise<Deletion> => {
  const object: Held = withoutSecretValues(await readTarget(client, target));
  const deleted = object.metadata?.deletionTimestamp != null;
  return {
    object,
    deleted,
    holders: deleted ? await holdersOf(client, target, object, systemClock.now()) : [],
    owners: deleted ? [] : await ownersOf(client, target, object),
  };
};
