// SPDX-License-Identifier: Apache-2.0
/**
 * Who asks, and whether they may: one authenticator and one authorizer serve both APIs. IDS permissions are asked as resources of the group `ids.googleapis.com`; the project is the namespace.
 */
import type {Authenticator, Authorizer, Credentials, UserInfo} from '@palisade/apiserver';
import {RpcError} from './rpc-error.ts';

export type {Authenticator, Authorizer, Credentials, UserInfo};

export const IDS_GROUP = 'ids.googleapis.com';

/** Permission → how it is asked: verb, resource, subresource. Ref: the product's permission list; the last three are ours. */
export const PERMISSIONS = {
  'ids.endpoints.create': ['create', 'endpoints', ''],
  'ids.endpoints.get': ['get', 'endpoints', ''],
  'ids.endpoints.list': ['list', 'endpoints', ''],
  'ids.endpoints.update': ['update', 'endpoints', ''],
  'ids.endpoints.delete': ['delete', 'endpoints', ''],
  'ids.operations.get': ['get', 'operations', ''],
  'ids.operations.list': ['list', 'operations', ''],
  'ids.operations.cancel': ['cancel', 'operations', ''],
  'ids.operations.delete': ['delete', 'operations', ''],
  'ids.locations.get': ['get', 'locations', ''],
  'ids.locations.list': ['list', 'locations', ''],
  'ids.threats.list': ['get', 'endpoints', 'threats'],
  'ids.traffic.list': ['get', 'endpoints', 'traffic'],
  'compute.forwardingRules.get': ['get', 'forwardingrules', ''],
} as const satisfies Record<string, readonly [verb: string, resource: string, subresource: string]>;
export type Permission = keyof typeof PERMISSIONS;

/** One caller of one request. */
export type Caller = {
  readonly user: UserInfo;
  /** Throws PERMISSION_DENIED, whether the resource exists or not. `project` may be `-`. */
  demand(
    permission: Permission,
    at: {readonly project: string; readonly resource: string; readonly id?: string},
  ): Promise<void>;
};

const UNAUTHENTICATED =
  'Request is missing required authentication credential, or the credential is not valid: send "Authorization: Bearer TOKEN".';

/** Throws UNAUTHENTICATED unless the authenticator names a user. */
export const identify = async (
  auth: {readonly authenticator: Authenticator; readonly authorizer: Authorizer},
  credentials: Credentials,
  path: string,
): Promise<Caller> => {
  const result = await auth.authenticator.authenticate(credentials);
  if (result.outcome !== 'user') throw new RpcError('UNAUTHENTICATED', UNAUTHENTICATED);
  const {user} = result;
  return {
    user,
    demand: async (permission, at) => {
      const [verb, resource, subresource] = PERMISSIONS[permission];
      const decision = await auth.authorizer.authorize({
        user,
        verb,
        resourceRequest: true,
        group: IDS_GROUP,
        version: 'v1',
        resource,
        subresource,
        namespace: at.project === '-' ? '' : at.project,
        name: at.id ?? '',
        path,
      });
      if (decision.allowed) return;
      throw new RpcError(
        'PERMISSION_DENIED',
        `Permission '${permission}' denied on resource '//ids.googleapis.com/${at.resource}' (or it may not exist).`,
      );
    },
  };
};

/** Everyone may do everything; only ever composed for loopback. */
export const openAuthenticator: Authenticator = {
  authenticate: () => ({outcome: 'user', user: {name: 'system:admin', groups: ['system:masters']}}),
};
export const openAuthorizer: Authorizer = {authorize: () => ({allowed: true})};
