// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

export type ServiceAccountKeySpec = {serviceAccountName?: string; expirationTimestamp?: string};
export type ServiceAccountKeyStatus = {
  serviceAccountUID?: string;
  clientEmail?: string;
  /** PEM (SPKI). */
  publicKey?: string;
  /** JSON; in the answer to the create only. */
  keyFile?: string;
};
export type ServiceAccountKey = KubeObject & {spec?: ServiceAccountKeySpec; status?: ServiceAccountKeyStatus};

const DOMAIN = 'iam.gserviceaccount.com';

/** How clients of Google name an account; the namespace is the project. */
export const emailOf = (namespace: string, name: string): string => `${name}@${namespace}.${DOMAIN}`;

/** A namespace has no dots, so the parts are unambiguous. */
export const accountOfEmail = (email: string): {readonly namespace: string; readonly name: string} | undefined => {
  const [, name = '', namespace = ''] = /^([a-z0-9.-]+)@([a-z0-9-]+)\.iam\.gserviceaccount\.com$/.exec(email) ?? [];
  return name === '' ? undefined : {namespace, name};
};
