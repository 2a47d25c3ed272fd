// SPDX-License-Identifier: Apache-2.0
/**
 * ID tokens of one OpenID Connect issuer as bearer tokens.
 * Ref: kubernetes v1.36 apiserver/plugin/pkg/authenticator/token/oidc/oidc.go, AuthenticateToken.
 */
import {decodeProtectedHeader} from 'jose/decode/protected_header';
import {decodeJwt} from 'jose/jwt/decode';
import type {Clock} from '../../base/time.ts';
import type {TokenAnswer, TokenSource} from '../token-source.ts';
import {foreignValue} from './foreign-value.ts';
import type {KeySet} from './key-set.ts';
import type {OidcSettings} from './oidc-settings.ts';
import {type Claims, issuerOf, tokenFault} from './token-fault.ts';
import {userOfClaims} from './user-of-claims.ts';

export interface IssuerKeySource {
  /** Undefined: they could not be fetched yet. */
  readonly current: KeySet | undefined;
  /** Fetches the keys again, unless that was tried lately. Resolves to whether `current` is another set now; never rejects. */
  refresh(): Promise<boolean>;
}

/** Signatures that are remembered; the oldest goes first. */
const RECENT_MAX = 1_000;
/** Characters. A longer text is no token that a header could hold. */
const TOKEN_LENGTH_MAX = 65_536;

const refused = (why: string): TokenAnswer => ({outcome: 'refused', reason: `oidc: ${why}`});
const NO_KEYS: TokenAnswer = {
  outcome: 'refused',
  reason: 'oidc: authenticator not initialized: the keys of the issuer could not be fetched yet',
  unchecked: true,
};

/** Undefined: not a JWT. Nobody has verified them. */
const unverifiedClaims = (token: string): Claims | undefined => {
  if (token.length > TOKEN_LENGTH_MAX || !token.includes('.')) return undefined;
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
};

const algorithmFault = (token: string, {signingAlgs}: OidcSettings): string | undefined => {
  try {
    const {alg} = decodeProtectedHeader(token);
    return alg !== undefined && signingAlgs.includes(alg)
      ? undefined
      : `id token signed with unsupported algorithm, expected ${JSON.stringify(signingAlgs)} got ${foreignValue(alg)}`;
  } catch {
    return 'malformed jwt: its header cannot be read';
  }
};

/** A token of another issuer is not of this source; one of this issuer is a user, or refused with the reason. */
export const oidcTokenSource = (
  settings: OidcSettings,
  {keys, clock}: {readonly keys: IssuerKeySource; readonly clock: Clock},
): TokenSource => {
  let recent = new Set<string>();
  let recentKeys: KeySet | undefined;

  const isSignedBy = async (keySet: KeySet, token: string): Promise<boolean> => {
    if (recentKeys !== keySet) {
      recentKeys = keySet;
      recent = new Set();
    }
    const ofThese = recent;
    if (ofThese.has(token)) return true;
    if (!(await keySet.isSignatureOf(token, settings.signingAlgs))) return false;
    if (ofThese.size >= RECENT_MAX) ofThese.delete(ofThese.values().next().value ?? '');
    ofThese.add(token);
    return true;
  };

  /** The issuer may have a key that it did not have at the last fetch. */
  const isSigned = async (known: KeySet, token: string): Promise<boolean> => {
    if (await isSignedBy(known, token)) return true;
    await keys.refresh();
    const {current} = keys;
    return current !== undefined && current !== known && isSignedBy(current, token);
  };

  return {
    find: async token => {
      const claims = unverifiedClaims(token);
      if (claims === undefined || issuerOf(claims) !== settings.issuerUrl) return undefined;
      const {current} = keys;
      if (current === undefined) return NO_KEYS;
      const fault = tokenFault(claims, settings, clock.now()) ?? algorithmFault(token, settings);
      if (fault !== undefined) return refused(`verify token: ${fault}`);
      if (!(await isSigned(current, token))) return refused('verify token: failed to verify id token signature');
      const user = userOfClaims(claims, settings);
      return typeof user === 'string' ? refused(user) : {outcome: 'user', user};
    },
  };
};
