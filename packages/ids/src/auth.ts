// SPDX-License-Identifier: Apache-2.0
/**
 * Who asks, and whether they may: one authenticator and one authorizer serve both APIs, and Impersonate-* headers mean the same. IDS
 * permissions are asked as resources of the group `ids.googleapis.com`; the project is the namespace.
 */
import {
  type AskedFor,
  type Attributes,
  type AuditTrail,
  type Authenticator,
  type Authorizer,
  type Credentials,
  credentialKey,
  impersonate,
  type LastModes,
  type RequestHeaders,
  StatusError,
  type UserInfo,
  wantedUserOf,
} from '@palisade/apiserver';
import {errorInfoDetail, type IdsPermission, WILDCARD} from '@palisade/ids-wire';
import {RpcError} from './rpc-error.ts';

export type {Authenticator, Authorizer, Credentials, UserInfo};

export const IDS_GROUP = 'ids.googleapis.com';

/** Permission → how it is asked: verb, resource, subresource. */
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
  'ids.threats.getEvidence': ['get', 'endpoints', 'evidence'],
  'ids.threats.update': ['update', 'endpoints', 'threats'],
  'ids.traffic.list': ['get', 'endpoints', 'traffic'],
  'ids.rules.get': ['get', 'rules', ''],
  'ids.rules.list': ['list', 'rules', ''],
  'ids.rules.update': ['update', 'rules', ''],
  'compute.forwardingRules.get': ['get', 'forwardingrules', ''],
  'compute.forwardingRules.list': ['list', 'forwardingrules', ''],
} as const satisfies Record<IdsPermission, readonly [verb: string, resource: string, subresource: string]>;
export type Permission = IdsPermission;

/** Of the permissions of one request, the one that the audit log shows as what was read. */
const MOST_TELLING: Permission = 'ids.threats.getEvidence';
/** Of a name in the audit log that nobody has checked yet. */
const NAME_CHARS_MAX = 253;

/** Of one request: its sender, and the headers that may ask to impersonate another user. */
export type Sender = Credentials & RequestHeaders & {readonly trail?: AuditTrail | undefined};

export type Auth = {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly lastModes: LastModes;
};

/** One caller of one request. */
export type Caller = {
  /** Who showed the credential. */
  readonly requestor: UserInfo;
  /** Name of the user that the request means to act as; `demand` says whether it may. */
  readonly actingName: string;
  /**
   * Throws PERMISSION_DENIED, whether the resource exists or not, also where the requestor may not act as the user that it names.
   * `project` may be `-`. `newId`: of what is created, for the audit log.
   */
  demand(
    permission: Permission,
    at: {readonly project: string; readonly resource: string; readonly id?: string; readonly newId?: string},
  ): Promise<void>;
  /**
   * Those of `permissions` that the caller has there, whether the resource exists or not. Nothing is refused, and the audit log has none of
   * them; throws PERMISSION_DENIED where the requestor may not act as the user that it names.
   */
  permitted(
    permissions: readonly Permission[],
    at: {readonly project: string; readonly id?: string},
  ): Promise<readonly Permission[]>;
  /** The caller of the same request as it is now; no login of its address. Throws like `identify`, and UNAUTHENTICATED for another user. */
  renew(): Promise<Caller>;
  /** Equal for requests with the same credentials that act as the same user; undefined: it can lose no right. */
  rightKey(): string | undefined;
};

const UNAUTHENTICATED =
  'Request is missing required authentication credential, or the credential is not valid: send "Authorization: Bearer TOKEN".';

/** Ref: what Google's IAM answers; `reason` and `metadata` are for programs. */
const denied = (permission: Permission, resource: string): RpcError => {
  const domain = permission.startsWith('compute.') ? 'compute.googleapis.com' : IDS_GROUP;
  return new RpcError(
    'PERMISSION_DENIED',
    `Permission '${permission}' denied on resource '//${domain}/${resource}' (or it may not exist).`,
    [errorInfoDetail('IAM_PERMISSION_DENIED', {permission, resource}, domain)],
  );
};

/** Throws UNAUTHENTICATED unless the authenticator names a user, and INVALID_ARGUMENT for malformed Impersonate-* headers. */
export const identify = async (auth: Auth, sender: Sender, path: string): Promise<Caller> => {
  const {authenticator, authorizer} = auth;
  const result = await authenticator.authenticate(sender);
  if (result.outcome === 'limited')
    throw new RpcError(
      'RESOURCE_EXHAUSTED',
      `Too many failed logins from this address: try again in ${result.retryAfterSeconds} s.`,
    );
  const {trail} = sender;
  if (result.outcome !== 'user') {
    trail?.unauthenticated(pathAttributes('', path), result.outcome === 'refused' ? result.reason : undefined);
    throw new RpcError('UNAUTHENTICATED', UNAUTHENTICATED);
  }
  const requestor = result.user;
  trail?.identified(requestor);
  return {
    requestor,
    actingName: wantedUserOf(sender)?.name ?? requestor.name,
    renew: async () => {
      const {remoteAddress: _, trail: __, ...shown} = sender; // another look at the same request
      const now = await identify(auth, shown, path);
      const {name, uid} = now.requestor;
      if (name === requestor.name && uid === requestor.uid) return now;
      throw new RpcError('UNAUTHENTICATED', UNAUTHENTICATED);
    },
    rightKey: () =>
      authenticator.admitsAll === true && wantedUserOf(sender) === undefined
        ? undefined
        : JSON.stringify([credentialKey(sender), requestor.name, requestor.uid]),
    permitted: async (permissions, at) => {
      const found: Permission[] = [];
      for (const permission of permissions) {
        const asked = attributesOf(permission, at, path);
        const user = await actingUser(auth, sender, requestor, asked);
        if ((await authorizer.authorize(asked(user))).allowed) found.push(permission);
      }
      return found;
    },
    demand: async (permission, at) => {
      const asked = attributesOf(permission, at, path);
      trail?.annotateMore('palisade.io/permission', permission);
      if (at.newId !== undefined) trail?.object(() => ({name: at.newId?.slice(0, NAME_CHARS_MAX) ?? ''}));
      await trail?.asked(asked(requestor), permission === MOST_TELLING);
      const user = await actingUser(auth, sender, requestor, asked);
      trail?.impersonated(user);
      const decision = await authorizer.authorize(asked(user));
      trail?.decided(decision);
      if (decision.allowed) return;
      throw denied(permission, at.resource);
    },
  };
};

/** What is asked of the authorizer; `-` as the project means all of them. */
const attributesOf =
  (permission: Permission, at: {readonly project: string; readonly id?: string | undefined}, path: string) =>
  (user: UserInfo): Attributes => {
    const [verb, resource, subresource] = PERMISSIONS[permission];
    return {
      user,
      verb,
      resourceRequest: true,
      group: IDS_GROUP,
      version: 'v1',
      resource,
      subresource,
      namespace: at.project === WILDCARD ? '' : at.project,
      name: at.id ?? '',
      path,
    };
  };

/** Of a request that asked for no permission: for the audit log. */
export const pathAttributes = (method: string, path: string): Omit<Attributes, 'user'> => ({
  ...{verb: method.toLowerCase(), resourceRequest: false, path},
  ...{group: '', version: '', resource: '', subresource: '', namespace: '', name: ''},
});

/**
 * Throws PERMISSION_DENIED where the requestor may not act as the user that the headers name. Its message is ours: that of the Kubernetes
 * side holds what is asked for, and so whether it exists.
 */
const actingUser = async (
  {authorizer, lastModes}: Auth,
  sender: Sender,
  requestor: UserInfo,
  asked: AskedFor,
): Promise<UserInfo> => {
  try {
    return await impersonate(sender, requestor, asked, authorizer, lastModes);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    const {name = '', groups = [], uid = '', extra = {}} = wantedUserOf(sender) ?? {};
    const as = [
      `user "${name}"`,
      ...groups.map(group => `group "${group}"`),
      ...(uid === '' ? [] : [`uid "${uid}"`]),
      ...Object.keys(extra).map(key => `extra "${key}"`),
    ].join(', ');
    throw new RpcError(
      'PERMISSION_DENIED',
      `User "${requestor.name}" cannot impersonate ${as}: it needs the verb "impersonate" on each of them.`,
    );
  }
};

type Users = {readonly user: string; readonly requestor?: string};

/** For logs: the user that a request acts as, and the one that showed the credential where that is another. */
export const usersIn = ({actingName: user, requestor}: Caller): Users =>
  user === requestor.name ? {user} : {user, requestor: requestor.name};

export const usersOf = (caller: Caller | undefined): Partial<Users> => (caller === undefined ? {} : usersIn(caller));

/** Everyone may do everything; only ever composed for loopback. */
export const openAuthenticator: Authenticator = {
  admitsAll: true,
  authenticate: () => ({outcome: 'user', user: {name: 'system:admin', groups: ['system:masters']}}),
};
export const openAuthorizer: Authorizer = {authorize: () => ({allowed: true})};
