// SPDX-License-Identifier: Apache-2.0
import {type Deletion, explainDeletion, type KubeClient} from '@palisade/client';
import {systemClock} from '@palisade/server/system';
import {readTarget, type Target} from '../connection/kube-target.ts';
import {withoutSecretValues} from './without-secret-values.ts';

/** A Secret is read without its values. Throws CommandError for an object that does not exist, KubeError, TransportError. */
export const readDeletion = async (client: KubeClient, target: Target): Promise<Deletion> =>
  explainDeletion(client, target, withoutSecretValues(await readTarget(client, target)), systemClock.now());
