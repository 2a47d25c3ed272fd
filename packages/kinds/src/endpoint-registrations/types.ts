// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';
import type {CheckedPort} from '../checks/types.ts';

/** Label that the server gives to each registration: the group it is for. */
export const GROUP_LABEL = 'platform.io/group';

export const TTL_SECONDS_DEFAULT = 30;
export const REMOVE_AFTER_SECONDS_DEFAULT = 600;

/** As decoded: what is absent is undefined. */
export type EndpointRegistrationSpec = {
  readonly group?: string;
  readonly user?: string;
  readonly addresses?: readonly string[];
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly ports?: readonly CheckedPort[];
  readonly ttlSeconds?: number;
  readonly removeAfterSeconds?: number;
  readonly draining?: boolean;
};
export type RegistrationState = 'Live' | 'Expired';
export type EndpointRegistrationStatus = {
  readonly state?: RegistrationState;
  readonly since?: string;
};
export type EndpointRegistration = KubeObject & {
  spec?: EndpointRegistrationSpec;
  status?: EndpointRegistrationStatus;
};
