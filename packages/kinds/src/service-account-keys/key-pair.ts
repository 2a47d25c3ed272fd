// SPDX-License-Identifier: Apache-2.0
/** The pair of a key, and the file that its user gets. */
import {generateKeyPair} from 'node:crypto';
import {promisify} from 'node:util';
import {emailOf} from './types.ts';

const RSA_BITS = 2_048;

/** PEM. */
export type KeyPair = {readonly publicKey: string; readonly privateKey: string};

/** Off the event loop: it takes longer than a request may block others. */
export const newKeyPair = (): Promise<KeyPair> =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: {type: 'spki', format: 'pem'},
    privateKeyEncoding: {type: 'pkcs8', format: 'pem'},
  });

type KeyOwner = {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  /** Name of the ServiceAccountKey. */
  readonly keyId: string;
  readonly tokenUri: string;
};

/** The file that gcloud and Google's libraries read. Ref: google-auth service_account.Credentials.from_service_account_info. */
export const keyFileOf = ({namespace, account, accountUid, keyId, tokenUri}: KeyOwner, privateKey: string): string => {
  const file = {
    type: 'service_account',
    project_id: namespace,
    private_key_id: keyId,
    private_key: privateKey,
    client_email: emailOf(namespace, account),
    client_id: accountUid,
    auth_uri: tokenUri.replace(/\/token$/, '/auth'),
    token_uri: tokenUri,
    universe_domain: 'googleapis.com',
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
};
