// SPDX-License-Identifier: Apache-2.0
/** The EndpointGroup that composes a set. */
import type {Endpoints, OwnerReference} from '@palisade/client/browser';
import {shellWord} from '@palisade/ids-wire';

/** The reference to the group that composes this set. */
export const groupOf = ({metadata}: Endpoints): OwnerReference | undefined =>
  metadata?.ownerReferences?.find(
    ({apiVersion, kind, controller}) =>
      controller === true && kind === 'EndpointGroup' && apiVersion.startsWith('platform.io/'),
  );

/** The console changes and deletes no groups. */
export const groupCommand = (verb: 'edit' | 'delete', namespace: string, group: string): string =>
  `kubectl ${verb} endpointgroup ${shellWord(group)} --namespace ${shellWord(namespace)}`;
