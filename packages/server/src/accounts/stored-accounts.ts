// SPDX-License-Identifier: Apache-2.0
/** Service accounts and what their tokens hang on, as they are stored now. */
import {
  decodeItem,
  type KubeApi,
  type KubeObject,
  serviceAccountGroups,
  serviceAccountUser,
  type UserInfo,
} from '@palisade/apiserver';
import type {ObjectRef, ServiceAccountKey} from '@palisade/kinds';
import {LEEWAY_SECONDS} from './account-claims.ts';

const AUTHENTICATED = 'system:authenticated';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
const KEY_ID = 'platform.io/service-account-key';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const NODE_UID = 'authentication.kubernetes.io/node-uid';

type Resource = 'serviceaccounts' | 'secrets' | 'nodes' | 'serviceaccountkeys';

/** Reads of the store that a token has to pass. */
export type StoredAccounts = {
  readonly nowMs: () => number;
  find(resource: Resource, namespace: string, name: string): KubeObject | undefined;
};

export const storedAccounts = ({services}: Pick<KubeApi, 'services'>): StoredAccounts => ({
  nowMs: () => services.clock.now(),
  find: (resource, namespace, name) => {
    const group = resource === 'serviceaccountkeys' ? 'platform.io' : '';
    const kind = services.kinds.find(each => each.group === group && each.resource === resource);
    const found = kind && services.registryOf(kind).get(namespace, name);
    return found && decodeItem(found);
  },
});

/** A deletion that has begun counts once the leeway of clocks is over. */
export const isGone = ({metadata: {deletionTimestamp}}: KubeObject, nowMs: number): boolean =>
  typeof deletionTimestamp === 'string' && Date.parse(deletionTimestamp) < nowMs - LEEWAY_SECONDS * 1_000;

/** Why an account no longer answers for a token; undefined: it does. In the words of kubernetes v1.36 pkg/serviceaccount/claims.go. */
export const accountFault = (stored: StoredAccounts, namespace: string, {name, uid}: ObjectRef): string | undefined => {
  const account = stored.find('serviceaccounts', namespace, name);
  if (account === undefined) return `serviceaccounts "${name}" not found`;
  if (account.metadata.uid !== uid)
    return `service account UID (${account.metadata.uid}) does not match claim (${uid})`;
  return isGone(account, stored.nowMs()) ? `service account ${namespace}/${name} has been deleted` : undefined;
};

/** The same of a Secret or a Node that a token is bound to. */
export const boundFault = (
  stored: StoredAccounts,
  kind: 'secret' | 'node',
  namespace: string,
  {name, uid}: ObjectRef,
): string | undefined => {
  const invalidated = 'service account token has been invalidated';
  const found = kind === 'secret' ? stored.find('secrets', namespace, name) : stored.find('nodes', '', name);
  if (found === undefined) return invalidated;
  if (found.metadata.uid !== uid)
    return `${kind} UID (${found.metadata.uid}) does not match service account ${kind} ref claim (${uid})`;
  return isGone(found, stored.nowMs()) ? invalidated : undefined;
};

/** A key that is there and has not ended, and whose account is there. `uid`: that it has to have, if it is known. */
export const keyAt = (
  stored: StoredAccounts,
  namespace: string,
  name: string,
  uid?: string,
): {readonly key: ServiceAccountKey; readonly account: ObjectRef} | string => {
  const key = stored.find('serviceaccountkeys', namespace, name) as ServiceAccountKey | undefined;
  if (key === undefined || (uid !== undefined && key.metadata.uid !== uid))
    return 'the service account key was not found; it may have been deleted';
  if (typeof key.metadata.deletionTimestamp === 'string') return 'the service account key has been deleted';
  const {serviceAccountName = '', expirationTimestamp} = key.spec ?? {};
  if (expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= stored.nowMs())
    return 'the service account key has expired';
  const account = {name: serviceAccountName, uid: key.status?.serviceAccountUID ?? ''};
  return accountFault(stored, namespace, account) ?? {key, account};
};

export type Shown = {
  readonly namespace: string;
  readonly account: ObjectRef;
  readonly jti?: string | undefined;
  readonly keyName?: string | undefined;
  readonly node?: ObjectRef | undefined;
};

/** Ref: kubernetes v1.36 apiserver/pkg/authentication/serviceaccount/util.go UserInfo. */
export const accountUser = ({namespace, account, jti, keyName, node}: Shown): UserInfo => ({
  name: serviceAccountUser(namespace, account.name),
  uid: account.uid,
  groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
  extra: {
    ...(jti !== undefined && {[CREDENTIAL_ID]: [`JTI=${jti}`]}),
    ...(node !== undefined && {[NODE_NAME]: [node.name], [NODE_UID]: [node.uid]}),
    ...(keyName !== undefined && {[KEY_ID]: [keyName]}),
  },
});
