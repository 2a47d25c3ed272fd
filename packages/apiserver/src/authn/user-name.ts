// SPDX-License-Identifier: Apache-2.0
/** User names that mean something. Ref: kubernetes v1.36 apiserver/pkg/authentication/serviceaccount/util.go. */
import {dns1123LabelFaults, dns1123SubdomainFaults} from '@palisade/kube-wire';

/** The group of every user that showed a good credential. */
export const AUTHENTICATED = 'system:authenticated';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
const NODE = 'system:node:';

export const serviceAccountUser = (namespace: string, name: string): string => `${SERVICE_ACCOUNT}${namespace}:${name}`;

/** The groups that every service account of the namespace is in. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

export const parseServiceAccountUser = (user: string): {namespace: string; name: string} | undefined => {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace, name, ...rest] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (namespace === undefined || name === undefined || rest.length > 0) return undefined;
  if (dns1123LabelFaults(namespace).length > 0 || dns1123SubdomainFaults(name).length > 0) return undefined;
  return {namespace, name};
};

/** The node that a user name stands for. */
export const parseNodeUser = (user: string): string | undefined => {
  if (!user.startsWith(NODE)) return undefined;
  const name = user.slice(NODE.length);
  return dns1123SubdomainFaults(name).length > 0 ? undefined : name;
};
