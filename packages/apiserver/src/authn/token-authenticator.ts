// SPDX-License-Identifier: Apache-2.0
/**
 * Bearer tokens. A token is looked up by its SHA-256 digest, so the time a refusal takes says nothing about how much of a
 * token was right. Ref: kubernetes v1.36 apiserver/pkg/authentication/request/bearertoken/bearertoken.go.
 */
import type {Authentication, Authenticator, Credentials} from './authenticator.ts';
import {digestOf, type TokenTable} from './token-file.ts';

const REFUSED: Authentication = {outcome: 'refused'};
const NONE: Authentication = {outcome: 'anonymous'};

/** The token of an Authorization header; undefined when it carries none. */
export const bearerToken = ({headers}: Credentials): string | undefined => {
  const header = headers['authorization'];
  const value = typeof header === 'string' ? header : header?.[0];
  if (value === undefined) return undefined;
  const [scheme = '', token = ''] = value.trim().split(' ', 2);
  return scheme.toLowerCase() !== 'bearer' || token === '' ? undefined : token;
};

export const tokenAuthenticator = (users: TokenTable): Authenticator => {
  const answers = new Map([...users].map(([digest, user]) => [digest, {outcome: 'user', user} as const]));
  return {
    authenticate: credentials => {
      const token = bearerToken(credentials);
      return token === undefined ? NONE : (answers.get(digestOf(token)) ?? REFUSED);
    },
  };
};
