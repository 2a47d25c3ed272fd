// SPDX-License-Identifier: Apache-2.0
/** Where the credential of a command came from, and what a user can do when the server does not accept it. */
import {type Connection, hasCredential, isIdsError, isKubeError} from '@palisade/client';
import type {CliIo} from '../command-line/io.ts';

export type Credential = {
  /** `file`: the kubeconfig of the local server, of which the client certificate was shown. `user`: of the context of KUBECONFIG, `sent`: whether it has a credential. `instead`: what counts without --token. */
  readonly from:
    | {readonly instead: string | undefined}
    | {readonly file: string}
    | 'PALISADE_TOKEN'
    | 'nowhere'
    | {readonly user: string; readonly sent: boolean};
};

const isSet = (env: CliIo['env'], name: string): boolean => (env[name] ?? '') !== '';

/** `token`: of --token. Without a kubeconfig. */
export const plainCredential = (token: string | undefined, env: CliIo['env']): Credential => ({
  from:
    token !== undefined
      ? {instead: isSet(env, 'PALISADE_TOKEN') ? 'PALISADE_TOKEN' : undefined}
      : isSet(env, 'PALISADE_TOKEN')
        ? 'PALISADE_TOKEN'
        : 'nowhere',
});

export const localCredential = (file: string): Credential => ({from: {file}});

const userText = (user: string): string => `the user ${JSON.stringify(user)} of KUBECONFIG`;

/** `token`: of --token, which replaces the credential of the kubeconfig. */
export const kubeconfigCredential = (token: string | undefined, user: string, connection: Connection): Credential =>
  token !== undefined
    ? {from: {instead: `${userText(user)}, if it has a credential`}}
    : {from: {user, sent: hasCredential(connection)}};

/** `User "system:anonymous" cannot get …`: nobody signed in. */
const ANONYMOUS = 'User "system:anonymous"';
export const isAnonymousRefusal = (error: unknown): boolean =>
  (isKubeError(error) || isIdsError(error)) && error.message.includes(ANONYMOUS);

/** The server refuses because no valid credential was sent, not because of missing permissions. */
const isUnauthenticated = (error: Error): boolean =>
  isAnonymousRefusal(error) || (isKubeError(error) ? error.status.code === 401 : isIdsError(error, 'UNAUTHENTICATED'));

const wayOut = ({from}: Credential, env: CliIo['env']): string => {
  if (from === 'nowhere') return 'no credential was sent; give --token TOKEN or set PALISADE_TOKEN';
  if (from === 'PALISADE_TOKEN')
    return 'the token of PALISADE_TOKEN was not accepted; give another one with --token TOKEN';
  if ('instead' in from)
    return `the token of --token was not accepted; it is wrong, revoked or expired: give another one, or ${from.instead === undefined ? 'set PALISADE_TOKEN instead' : `leave --token out to use ${from.instead}`}`;
  if ('file' in from)
    return `the client certificate of ${from.file} was not accepted; create another one with palisade certs rotate, or give --token TOKEN`;
  const unused = isSet(env, 'PALISADE_TOKEN') ? ' (PALISADE_TOKEN is used only without KUBECONFIG)' : '';
  const user = userText(from.user);
  return from.sent
    ? `the credential of ${user} was not accepted${unused}; give another one with --token TOKEN`
    : `no credential was sent: ${user} has none${unused}; give --token TOKEN`;
};

/** The message of a refusal; for want of a valid credential with the one that was used, and another way. */
export const refusalText = (error: Error, credential: Credential, env: CliIo['env']): string =>
  isUnauthenticated(error) ? `${error.message}\n${wayOut(credential, env)}` : error.message;
