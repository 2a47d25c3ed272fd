// SPDX-License-Identifier: Apache-2.0
/**
 * POST /token: a key file becomes an access token. Reached without a credential: the assertion is it.
 * Ref: RFC 7523 section 2.1, RFC 6749 sections 5.1 and 5.2.
 */
import {
  type Auditor,
  type AuditTrail,
  credentialsOf,
  type Timers,
  TOO_MANY_LOGINS,
  type UnreadAnswers,
} from '@palisade/apiserver';
import {audited, pathAttributes} from '../audit/audit-refusals.ts';
import {answerText} from '../port/answer-text.ts';
import type {AnyRequest, AnyResponse} from '../port/listeners.ts';
import {boundOf, endWithAnswer, readText, type Unread} from '../port/read-text.ts';
import type {Side} from '../port/router.ts';
import type {Assertion, KeyAssertions} from './key-assertions.ts';
import {claimedUser, isForExchange} from './key-assertions.ts';
import {accountUser} from './stored-accounts.ts';

const TOKEN_LIFETIME_SECONDS = 3_600;
const BODY_BYTES_MAX = 65_536;
const TOKEN_PATH = '/token';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const FORM = 'application/x-www-form-urlencoded';
const HEADERS = {'content-type': 'application/json; charset=UTF-8', 'cache-control': 'no-store', pragma: 'no-cache'};

type Refusal = {
  readonly code: 400 | 405 | 408 | 413 | 429;
  readonly error: 'invalid_request' | 'invalid_grant' | 'unsupported_grant_type' | 'temporarily_unavailable';
  readonly description: string;
  readonly retryAfterSeconds?: number;
};

/** Counts failed logins of an address. */
export type FailedLogins = {
  /** Undefined: within the limit; else the seconds until the next may fail. */
  failed(address: string | undefined): number | undefined;
};

export type TokenEndpointParts = {
  readonly assertions: KeyAssertions;
  readonly publicUrl: () => string;
  /** A token for the account, bound to the key. */
  issue(assertion: Assertion, lifetimeSeconds: number): Promise<string>;
  readonly failedLogins?: FailedLogins | undefined;
  /** Undefined: there is no audit log. */
  readonly auditor?: Auditor | undefined;
  /** Bounds the bodies: what is exchanged is the credential. */
  readonly unread?: UnreadAnswers | undefined;
  readonly timers?: Pick<Timers, 'after'> | undefined;
};

const refusal = (code: Refusal['code'], error: Refusal['error'], description: string): Refusal => ({
  ...{code, error, description},
});

const unreadBody = ({code, message, ...wait}: Unread): Refusal => ({
  ...refusal(code, code === 429 ? 'temporarily_unavailable' : 'invalid_request', message),
  ...wait,
});

const assertionIn = async (
  {unread, timers}: TokenEndpointParts,
  request: AnyRequest,
  response: AnyResponse,
): Promise<string | Refusal> => {
  if (request.method !== 'POST') return refusal(405, 'invalid_request', 'use POST');
  const type = String(request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  if (type.trim().toLowerCase() !== FORM) return refusal(400, 'invalid_request', `Content-Type must be ${FORM}`);
  const bound = boundOf(request, response, {unread, path: TOKEN_PATH, what: 'token exchange'});
  const body = await readText(request, {bytesMax: BODY_BYTES_MAX, bound, timers});
  if (typeof body !== 'string') return unreadBody(body);
  const form = new URLSearchParams(body);
  const grant = form.get('grant_type') ?? '';
  if (grant === '') return refusal(400, 'invalid_request', 'grant_type is missing');
  if (grant !== GRANT_TYPE) return refusal(400, 'unsupported_grant_type', `grant_type must be ${GRANT_TYPE}`);
  const assertion = form.get('assertion') ?? '';
  return assertion === '' ? refusal(400, 'invalid_request', 'assertion is missing') : assertion;
};

const hostsOf = (request: AnyRequest, publicUrl: string): readonly string[] => {
  const sent = request.headers[':authority'] ?? request.headers.host;
  return [...(typeof sent === 'string' ? [sent] : []), ...(publicUrl === '' ? [] : [new URL(publicUrl).host])];
};

/** The login failed, and counts as such. */
const failedLogin = ({failedLogins}: TokenEndpointParts, request: AnyRequest, fault: string): Refusal => {
  const waits = failedLogins?.failed(credentialsOf(request).remoteAddress);
  if (waits === undefined) return refusal(400, 'invalid_grant', fault);
  return {...refusal(429, 'temporarily_unavailable', TOO_MANY_LOGINS), retryAfterSeconds: waits};
};

const exchange = async (
  parts: TokenEndpointParts,
  {request, response}: {readonly request: AnyRequest; readonly response: AnyResponse},
  trail: AuditTrail | undefined,
): Promise<string | Refusal> => {
  const jwt = await assertionIn(parts, request, response);
  if (typeof jwt !== 'string') return jwt;
  const checked =
    (await parts.assertions.check(jwt)) ??
    'the assertion must be a JWT with kid, and with client_email of a key file as iss';
  if (typeof checked === 'string') {
    trail?.annotate('palisade.io/claimed-user', claimedUser(jwt) ?? '');
    return failedLogin(parts, request, checked);
  }
  const {namespace, account, key, claims} = checked;
  trail?.identified(accountUser({namespace, account, keyName: key.name}));
  if (!isForExchange(claims, hostsOf(request, parts.publicUrl())))
    return failedLogin(parts, request, 'aud of the assertion must be token_uri of the key file');
  await trail?.asked(pathAttributes(request));
  return parts.issue(checked, TOKEN_LIFETIME_SECONDS);
};

const answer = (response: AnyResponse, result: string | Refusal): void => {
  if (typeof result === 'string') {
    const body = {access_token: result, expires_in: TOKEN_LIFETIME_SECONDS, token_type: 'Bearer'};
    answerText(response, 200, HEADERS, JSON.stringify(body));
    return;
  }
  const {code, error, description, retryAfterSeconds} = result;
  const headers = {
    ...HEADERS,
    ...(code === 405 && {allow: 'POST'}),
    ...(retryAfterSeconds !== undefined && {'retry-after': String(retryAfterSeconds)}),
  };
  if (code === 408) endWithAnswer(response);
  answerText(response, code, headers, JSON.stringify({error, error_description: description}));
};

/** What was refused, and why: the text quotes nothing of the body. */
const auditRefusal = (trail: AuditTrail, {code, error, description}: Refusal): void => {
  trail.decided({allowed: false, reason: description});
  trail.failed({status: 'Failure', message: description, reason: error, code});
};

export const tokenEndpoint =
  (parts: TokenEndpointParts): Side =>
  (request, response) =>
    audited(parts.auditor, request, response, async trail => {
      const result = await exchange(parts, {request, response}, trail);
      if (trail !== undefined && typeof result !== 'string') auditRefusal(trail, result);
      answer(response, result);
    });
