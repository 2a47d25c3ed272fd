// SPDX-License-Identifier: Apache-2.0
/**
 * /console/session: who is signed in (GET), sign in (POST), sign out (DELETE). Faults are Status objects, as those of the Kubernetes side.
 * The token of a sign-in is in no log, no audit event and no answer.
 */
import {
  type Auditor,
  type AuditTrail,
  type Authenticator,
  credentialsOf,
  type UnreadAnswers,
  type UserInfo,
} from '@palisade/apiserver';
import {audited, pathAttributes} from '../audit/audit-refusals.ts';
import {answerText} from '../port/answer-text.ts';
import {ERROR_TYPE} from '../port/api-errors.ts';
import type {AnyRequest, AnyResponse} from '../port/listeners.ts';
import {boundOf, endWithAnswer} from '../port/read-text.ts';
import type {OidcSignIn} from './oidc/oidc-sign-in.ts';
import {readToken} from './read-token.ts';
import {securityHeaders} from './security-headers.ts';
import {type FoundSession, openSessionOf, sessionOf} from './session-authenticator.ts';
import type {Sessions} from './sessions.ts';
import {arrivalOf, clearedCookie, isFault, type SignedIn, type SignInFault, signInBy} from './sign-in.ts';

export type SessionParts = {
  /** Undefined: --auth none, everyone is the same user. */
  readonly sessions: Sessions | undefined;
  readonly authenticator: Authenticator;
  /** Undefined: no issuer is configured. */
  readonly oidc: Pick<OidcSignIn, 'issuerUrl'> | undefined;
  /** Undefined: there is no audit log. */
  readonly auditor: Auditor | undefined;
  /** Bounds what comes before a sign-in. */
  readonly unread?: UnreadAnswers | undefined;
};

const userOf = ({name, groups}: UserInfo) => ({username: name, groups});

const answerJson = (response: AnyResponse, code: number, body: object, more: Readonly<Record<string, string>> = {}) =>
  answerText(
    response,
    code,
    {...securityHeaders(), 'content-type': ERROR_TYPE, 'cache-control': 'no-store', ...more},
    JSON.stringify(body),
  );

const SIGN_IN_PATH = '/console/session';

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
};

const statusOf = (code: number, message: string) => ({
  ...{kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure'},
  ...{message, reason: REASONS[code] ?? '', code},
});

const shownSession = (sessions: Sessions, {id, session}: FoundSession) => ({
  user: userOf(session.user),
  method: session.credential.method,
  csrfToken: sessions.csrfToken(id),
  expiresAt: new Date(sessions.endsMs(session)).toISOString(),
});

/** How this browser can sign in. Over TLS a client certificate is asked for; `certificateFault`: why the one that was shown is not accepted. */
const waysIn = ({oidc}: SessionParts, request: AnyRequest) => {
  const issuer = oidc?.issuerUrl();
  const {clientCertificate, certificateFault} = credentialsOf(request);
  return {
    token: true,
    certificate: clientCertificate !== undefined,
    certificateAsked: arrivalOf(request).isSecure,
    ...(certificateFault === undefined ? {} : {certificateFault}),
    ...(issuer === undefined ? {} : {oidc: {issuer, url: '/console/oidc/login'}}),
  };
};

const answerOpen = async (parts: SessionParts, request: AnyRequest, response: AnyResponse): Promise<void> => {
  const answer = await parts.authenticator.authenticate(credentialsOf(request));
  if (answer.outcome !== 'user') throw new Error('--auth none admits everyone');
  answerJson(response, 200, {user: userOf(answer.user), method: 'none', csrfToken: ''});
};

const answerWho = async (
  parts: SessionParts,
  sessions: Sessions,
  request: AnyRequest,
  response: AnyResponse,
): Promise<void> => {
  const credentials = credentialsOf(request);
  const found = sessionOf(sessions, credentials);
  if (found !== undefined && found !== 'stale') {
    const answer = await parts.authenticator.authenticate(credentials); // the credential may be gone
    if (answer.outcome === 'user') return answerJson(response, 200, shownSession(sessions, found));
    // It could not be found out: the browser keeps its session.
    if (answer.outcome === 'refused' && answer.unchecked === true)
      return answerJson(response, 503, statusOf(503, 'the credential of the session cannot be checked now; try again'));
  }
  const message = found === undefined ? 'not signed in' : 'the session has ended; sign in again';
  // The cookie stays: it may be that of another server behind the same address.
  answerJson(response, 401, {...statusOf(401, message), signIn: waysIn(parts, request)});
};

/** A sign-in in the audit log: who it was, or why it was refused. */
export const auditSignIn = async (
  trail: AuditTrail | undefined,
  request: AnyRequest,
  result: SignedIn | SignInFault,
): Promise<void> => {
  if (trail === undefined) return;
  if (!isFault(result)) {
    trail.annotate('palisade.io/sign-in', result.session.credential.method);
    trail.identified(result.session.user);
    await trail.asked(pathAttributes(request));
    return;
  }
  const {code, message, reason = message} = result;
  trail.decided({allowed: false, reason});
  trail.failed({status: 'Failure', message, reason: REASONS[code] ?? '', code});
};

const answerSignIn = async (
  parts: SessionParts,
  sessions: Sessions,
  request: AnyRequest,
  response: AnyResponse,
  trail: AuditTrail | undefined,
): Promise<void> => {
  const {unread} = parts;
  const read = await readToken(request, boundOf(request, response, {unread, path: SIGN_IN_PATH, what: 'sign-in'}));
  const result = typeof read === 'object' ? read : await signInBy({...parts, sessions}, request, read);
  await auditSignIn(trail, request, result);
  if (!isFault(result)) return answerJson(response, 200, shownSession(sessions, result), {'set-cookie': result.cookie});
  const {code, message, retryAfterSeconds} = result;
  const ways = code === 401 ? {signIn: waysIn(parts, request)} : {};
  const wait = retryAfterSeconds === undefined ? {} : {'retry-after': String(retryAfterSeconds)};
  if (code === 408) endWithAnswer(response);
  answerJson(response, code, {...statusOf(code, message), ...ways}, wait);
};

/** `sessions` undefined: --auth none, there is nothing to end. */
const answerSignOut = async (
  sessions: Sessions | undefined,
  request: AnyRequest,
  response: AnyResponse,
  trail: AuditTrail | undefined,
): Promise<void> => {
  const found = sessions && openSessionOf(sessions, credentialsOf(request));
  if (found !== undefined) {
    trail?.identified(found.session.user);
    await trail?.asked(pathAttributes(request));
    sessions?.end(found.id);
  }
  for (const [name, value] of Object.entries({...securityHeaders(), 'cache-control': 'no-store'}))
    response.setHeader(name, value);
  response.setHeader('set-cookie', clearedCookie(request));
  response.statusCode = 204;
  response.end();
};

export const answerSession = async (parts: SessionParts, request: AnyRequest, response: AnyResponse): Promise<void> => {
  const {sessions, auditor} = parts;
  const {method = ''} = request;
  if (!['GET', 'HEAD', 'POST', 'DELETE'].includes(method))
    return answerJson(response, 405, statusOf(405, 'use GET, POST or DELETE'), {allow: 'GET, HEAD, POST, DELETE'});
  if (method === 'DELETE')
    return audited(auditor, request, response, trail => answerSignOut(sessions, request, response, trail));
  if (sessions === undefined) return answerOpen(parts, request, response);
  if (method === 'POST')
    return audited(auditor, request, response, trail => answerSignIn(parts, sessions, request, response, trail));
  return answerWho(parts, sessions, request, response);
};
