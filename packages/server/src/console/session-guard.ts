// SPDX-License-Identifier: Apache-2.0
/**
 * Requests of a session that change something repeat its CSRF token, which a page of another site cannot read. It comes before both APIs,
 * so that no route can leave it out. Ref: OWASP Cross-Site Request Forgery Prevention Cheat Sheet.
 */
import type {Credentials} from '@palisade/apiserver';
import {sessionOf} from './session-authenticator.ts';
import type {Sessions} from './sessions.ts';

export const CSRF_HEADER = 'x-csrf-token';
/** A sign-in: it depends on no session, and ends the one before. */
const SIGN_IN = /^\/console\/session(\?|$)/;

type Asked = {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly credentials: Pick<Credentials, 'headers' | 'arrival'>;
};

/** Why a request of a session is refused; undefined: it is not. */
export const csrfFault = (sessions: Sessions, {method, url = '', credentials}: Asked): string | undefined => {
  if (method === 'GET' || method === 'HEAD' || (method === 'POST' && SIGN_IN.test(url))) return undefined;
  const found = sessionOf(sessions, credentials);
  if (found === undefined || found === 'stale') return undefined; // 401 follows
  const [shown = ''] = [credentials.headers[CSRF_HEADER] ?? []].flat();
  if (sessions.isCsrfToken(found.id, shown)) return undefined;
  const why = shown === '' ? 'is missing' : 'is not that of this session';
  return `X-CSRF-Token ${why}: send the csrfToken of GET /console/session, or use a bearer token`;
};
