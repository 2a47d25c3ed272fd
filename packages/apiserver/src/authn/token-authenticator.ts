// SPDX-License-Identifier: Apache-2.0
/**
 * Bearer tokens. A token is looked up by its SHA-256 digest, so the time a refusal takes says nothing about how much of a
 * token was right. Those that were right lately are known without their digest. Ref: kubernetes v1.36 apiserver/pkg/authentication/request/bearertoken/bearertoken.go.
 */

import type {Authentication, Authenticator, Credentials} from '../identity/authenticator.ts';
import {asksForWebSocket} from '../request/handshake.ts';
import {protocolToken} from '../request/protocol-token.ts';
import {digestOf, type TokenTable} from './token-file.ts';

const REFUSED: Authentication = {outcome: 'refused'};
const NONE: Authentication = {outcome: 'anonymous'};
const SPACE_BEFORE_TOKEN: Authentication = {
  outcome: 'anonymous',
  warning: 'the provided Authorization header contains extra space before the bearer token, and is ignored',
};

const bearerParts = ({headers}: Credentials): readonly string[] => {
  const header = headers['authorization'];
  const [scheme = '', ...rest] = (typeof header === 'string' ? header : header?.[0])?.trim().split(' ') ?? [];
  return scheme.toLowerCase() === 'bearer' ? rest : [];
};

/** The token of an Authorization header; undefined when it carries none. */
const bearerToken = (credentials: Credentials): string | undefined => {
  const [token = ''] = bearerParts(credentials);
  return token === '' ? undefined : token;
};

/** Tokens that are remembered; the oldest goes first. */
const RECENT_MAX = 1_000;

export const tokenAuthenticator = (users: TokenTable): Authenticator => {
  const answers = new Map(
    [...users].map(([digest, user]) => [digest, {outcome: 'user', user, byCredential: true} as const]),
  );
  const recent = new Map<string, Authentication>();
  const answerTo = (token: string): Authentication => {
    const known = recent.get(token);
    if (known !== undefined) return known;
    const answer = answers.get(digestOf(token));
    if (answer === undefined) return REFUSED;
    if (recent.size >= RECENT_MAX) recent.delete(recent.keys().next().value ?? '');
    recent.set(token, answer);
    return answer;
  };
  return {
    authenticate: credentials => {
      const token = bearerToken(credentials);
      if (token !== undefined) return answerTo(token);
      const offered = asksForWebSocket(credentials.headers) ? protocolToken(credentials.headers) : undefined;
      if (offered === 'malformed') return REFUSED;
      if (offered !== undefined) return answerTo(offered.token);
      return bearerParts(credentials).length > 1 ? SPACE_BEFORE_TOKEN : NONE;
    },
  };
};
