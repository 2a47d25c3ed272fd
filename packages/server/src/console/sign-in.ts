// SPDX-License-Identifier: Apache-2.0
/** From a credential to a session. */
import {type Arrival, type Authenticator, credentialsOf, TOO_MANY_LOGINS} from '@palisade/apiserver';
import type {AnyRequest} from '../port/listeners.ts';
import {cookieText, SESSION_COOKIE} from './cookies.ts';
import {certificateCredential, tokenCredential} from './credentials.ts';
import {openSessionOf} from './session-authenticator.ts';
import {digestOf, type Session, type SessionCredential, type Sessions, type SignInMethod} from './sessions.ts';

export type SignedIn = {readonly id: string; readonly session: Session; readonly cookie: string};

/** `reason`: for the audit log; it repeats no secret. `message`: for the person who signs in. */
export type SignInFault = {
  readonly code: 400 | 401 | 408 | 413 | 415 | 429 | 503;
  readonly message: string;
  readonly reason?: string | undefined;
  readonly retryAfterSeconds?: number;
};

export type SignInParts = {
  readonly sessions: Sessions;
  /** With the limit of failed logins. */
  readonly authenticator: Authenticator;
};

export const isFault = (result: SignedIn | SignInFault): result is SignInFault => 'code' in result;

const MESSAGES: Readonly<Record<SessionCredential['method'], string>> = {
  token: 'the token is not accepted: it is unknown, expired or revoked',
  certificate: 'client certificate not accepted',
  oidc: 'the ID token of the issuer is not accepted',
};

/** Requests always come over a connection. */
export const arrivalOf = (request: AnyRequest): Arrival => credentialsOf(request).arrival ?? {port: 0, isSecure: false};

/** `digestOf` the session that a browser has; undefined: it has none. */
export const currentDigest = (sessions: Sessions, request: AnyRequest): string | undefined => {
  const current = openSessionOf(sessions, credentialsOf(request));
  return current && digestOf(current.id);
};

/**
 * The browser gets a new session for a credential that is good; the session that it had ends.
 *
 * @param replaces digest of the session that the browser had when the sign-in began, where its cookie need not come with this request
 */
export const signInWith = async (
  {sessions, authenticator}: SignInParts,
  request: AnyRequest,
  credential: SessionCredential,
  replaces?: string,
): Promise<SignedIn | SignInFault> => {
  const {remoteAddress} = credentialsOf(request);
  const arrival = arrivalOf(request);
  const answer = await authenticator.authenticate({...(await credential.shown()), remoteAddress});
  const message = MESSAGES[credential.method];
  if (answer.outcome === 'limited') {
    const {retryAfterSeconds} = answer;
    return {code: 429, message: TOO_MANY_LOGINS, retryAfterSeconds};
  }
  if (answer.outcome !== 'user') {
    const reason = answer.outcome === 'refused' ? answer.reason : undefined;
    return {code: 401, message: credential.method === 'certificate' ? (reason ?? message) : message, reason};
  }
  for (const digest of [currentDigest(sessions, request), replaces])
    if (digest !== undefined) sessions.endDigest(digest);
  const {isSecure: secure} = arrival;
  const id = sessions.open({user: answer.user, credential, secure});
  const session = id === undefined ? undefined : sessions.find(id, secure);
  if (id === undefined || session === undefined)
    return {code: 503, message: 'too many console sessions are open; try again later'};
  return {id, session, cookie: cookieText({name: SESSION_COOKIE, value: id, arrival, sameSite: 'Strict'})};
};

/** For metrics: what became of a sign-in. */
export const countSignIn = (sessions: Sessions, method: SignInMethod, result: SignedIn | SignInFault): void => {
  sessions.signIns[method][isFault(result) ? 'failed' : 'succeeded']++;
};

/** `token`: '' for the certificate of the connection. */
export const signInBy = async (
  parts: SignInParts,
  request: AnyRequest,
  token: string,
): Promise<SignedIn | SignInFault> => {
  const result = await (token === ''
    ? signInByCertificate(parts, request)
    : signInWith(parts, request, tokenCredential(token)));
  countSignIn(parts.sessions, token === '' ? 'certificate' : 'token', result);
  return result;
};

const signInByCertificate = async (parts: SignInParts, request: AnyRequest): Promise<SignedIn | SignInFault> => {
  const {clientCertificate, certificateFault} = credentialsOf(request);
  if (clientCertificate !== undefined) return signInWith(parts, request, certificateCredential(clientCertificate));
  if (certificateFault !== undefined) return {code: 401, message: certificateFault, reason: certificateFault};
  const wayOut = 'send {"token": "…"}, or import a client certificate into the browser and use HTTPS';
  return {code: 401, message: `no credential: this connection showed no client certificate; ${wayOut}`};
};

/** Deletes the cookie in the browser. */
export const clearedCookie = (request: AnyRequest): string =>
  cookieText({name: SESSION_COOKIE, value: '', arrival: arrivalOf(request), sameSite: 'Strict', maxAgeSeconds: 0});
