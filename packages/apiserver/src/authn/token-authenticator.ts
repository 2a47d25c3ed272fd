// SPDX-License-Identifier: Apache-2.0
/** Bearer tokens of a request. Ref: kubernetes v1.36 apiserver/pkg/authentication/request/bearertoken/bearertoken.go. */

import type {Authentication, Authenticator, Credentials} from '../identity/authenticator.ts';
import {asksForWebSocket} from '../request/handshake.ts';
import {protocolToken} from '../request/protocol-token.ts';
import {findToken, type TokenSource, unguessed} from './token-source.ts';

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

/** `sources` may grow while the server starts: it is read at each request. */
export const tokenAuthenticator = (sources: readonly TokenSource[]): Authenticator => {
  const answerTo = async (token: string, {guessesSpent}: Credentials): Promise<Authentication> => {
    const answer = await findToken(guessesSpent ? sources.map(unguessed) : sources, token);
    if (answer?.outcome === 'user') return {outcome: 'user', user: answer.user, byCredential: true};
    return answer ?? REFUSED;
  };
  return {
    authenticate: credentials => {
      const token = bearerToken(credentials);
      if (token !== undefined) return answerTo(token, credentials);
      const offered = asksForWebSocket(credentials.headers) ? protocolToken(credentials.headers) : undefined;
      if (offered === 'malformed') return REFUSED;
      if (offered !== undefined) return answerTo(offered.token, credentials);
      return bearerParts(credentials).length > 1 ? SPACE_BEFORE_TOKEN : NONE;
    },
  };
};
