// SPDX-License-Identifier: Apache-2.0
/**
 * The cookie of a session as a credential, for both APIs: the request is judged by what opened the session. A session whose credential is
 * refused, or is another user's now, ends with that request. Watches and record streams are judged in the same way while they last.
 */
import type {Authentication, Authenticator, Credentials, UserInfo} from '@palisade/apiserver';
import {showsOwnCredential} from '../port/own-credential.ts';
import {cookieIn, cookieName, SESSION_COOKIE} from './cookies.ts';
import type {Session, Sessions} from './sessions.ts';

export type FoundSession = {readonly id: string; readonly session: Session};

/** `stale`: there is a cookie, and no session of it. Undefined: no cookie counts; those of other ports, and of plain HTTP over TLS, do not. */
export const sessionOf = (
  sessions: Sessions,
  {headers, arrival}: Pick<Credentials, 'headers' | 'arrival'>,
): FoundSession | 'stale' | undefined => {
  if (arrival === undefined || headers['cookie'] === undefined || showsOwnCredential(headers)) return undefined;
  const id = cookieIn(headers, cookieName(SESSION_COOKIE, arrival));
  if (id === undefined || id === '') return undefined;
  const session = sessions.find(id, arrival.isSecure);
  return session === undefined ? 'stale' : {id, session};
};

type Asked = Parameters<typeof sessionOf>[1];

/** The session of a request; undefined: it has none that is open. */
export const openSessionOf = (sessions: Sessions, asked: Asked): FoundSession | undefined => {
  const found = sessionOf(sessions, asked);
  return found === 'stale' ? undefined : found;
};

/** Who opened the session of a request; undefined: it has none. */
export const userOfSession = (sessions: Sessions, asked: Asked): UserInfo | undefined =>
  openSessionOf(sessions, asked)?.session.user;

const OVER: Authentication = {outcome: 'refused', reason: 'the console session has ended'};

const isSame = (a: Session['user'], b: Session['user']): boolean => a.name === b.name && a.uid === b.uid;

/**
 * `limited`: asked for requests without a session; it counts failed logins. `known`: asked for the credential of a session, which is no
 * login. A session that is over is no failed login either: its id cannot be guessed.
 */
export const withSessions = (sessions: Sessions, limited: Authenticator, known: Authenticator): Authenticator => ({
  authenticate: credentials => {
    const found = sessionOf(sessions, credentials);
    if (found === undefined) return limited.authenticate(credentials);
    return found === 'stale' ? OVER : judged(sessions, found, known, credentials.remoteAddress !== undefined);
  },
});

/** `isRequest`: not another look at an open stream, which does not keep a session from becoming idle. */
const judged = async (
  sessions: Sessions,
  {id, session}: FoundSession,
  known: Authenticator,
  isRequest: boolean,
): Promise<Authentication> => {
  const answer = await known.authenticate(await session.credential.shown());
  if (answer.outcome === 'user' && isSame(answer.user, session.user)) {
    if (isRequest) sessions.use(session);
    return {outcome: 'user', user: answer.user}; // without `byCredential`: a browser adds its cookie by itself
  }
  if (answer.outcome === 'refused' && answer.unchecked === true) return answer;
  sessions.end(id);
  return answer.outcome === 'refused' ? answer : OVER;
};
