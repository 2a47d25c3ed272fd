// SPDX-License-Identifier: Apache-2.0
/**
 * The user that the claims of a verified ID token make.
 * Ref: kubernetes v1.36 apiserver/plugin/pkg/authenticator/token/oidc/oidc.go; the reasons have its words. Distributed claims are
 * not resolved.
 */
import type {UserInfo} from '../../identity/authenticator.ts';
import type {OidcSettings} from './oidc-settings.ts';
import type {Claims} from './token-fault.ts';

const AUTHENTICATED = 'system:authenticated';
/** Ref: kubernetes v1.36 apiserver/pkg/authentication/user/user.go, CredentialIDKey. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Why the claims make no user; the message is the reason. */
class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

const has = (claims: Claims, name: string): boolean => Object.hasOwn(claims, name);

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

/** As Go's encoding/json decodes into a string: null changes nothing. */
const textIn = (value: unknown, said: string): string => {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  throw new ClaimError(`${said}: json: cannot unmarshal ${kindOf(value)} into Go value of type string`);
};

const usernameOf = (claims: Claims, {usernameClaim: claim, usernamePrefix}: OidcSettings): string => {
  const said = `parse username claims ${JSON.stringify(claim)}`;
  if (!has(claims, claim)) throw new ClaimError(`${said}: claim not present`);
  const name = textIn(claims[claim], said);
  // Upstream lets the prefix alone be a name; a rule for it would hold for all such tokens.
  if (name === '') throw new ClaimError(`${said}: claim is empty`);
  if (claim === 'email') checkEmail(claims);
  return usernamePrefix + name;
};

/** Ref: OpenID Connect Core 1.0, section 5.1: an address that is not verified may be of somebody else. */
const checkEmail = (claims: Claims): void => {
  if (!has(claims, 'email_verified')) return;
  const verified = claims['email_verified'];
  if (typeof verified !== 'boolean' && verified !== null)
    throw new ClaimError(
      `parse 'email_verified' claim: json: cannot unmarshal ${kindOf(verified)} into Go value of type bool`,
    );
  if (verified !== true) throw new ClaimError('email not verified');
};

const isText = (value: unknown): value is string | null => typeof value === 'string' || value === null;

/** A claim such as `role` may be one text. */
const groupsOf = (claims: Claims, {groupsClaim: claim, groupsPrefix}: OidcSettings): string[] => {
  if (claim === undefined || !has(claims, claim)) return [];
  const value = claims[claim];
  if (value === null) return [];
  const groups =
    Array.isArray(value) && value.every(isText)
      ? value
      : [textIn(value, `parse groups claim ${JSON.stringify(claim)}`)];
  return groups.map(group => groupsPrefix + (group ?? ''));
};

const checkRequired = (claims: Claims, {requiredClaims}: OidcSettings): void => {
  for (const [name, wanted] of requiredClaims) {
    if (!has(claims, name)) throw new ClaimError(`required claim ${name} not present in ID token`);
    const value = textIn(claims[name], `parse claim ${name}`);
    if (value !== wanted)
      throw new ClaimError(`required claim ${name} value does not match. Got = ${value}, want = ${wanted}`);
  }
};

/** A text is the reason why there is no user. */
export const userOfClaims = (claims: Claims, settings: OidcSettings): UserInfo | string => {
  try {
    const name = usernameOf(claims, settings);
    const groups = groupsOf(claims, settings);
    checkRequired(claims, settings);
    const id = claims['jti'];
    return {
      name,
      groups: groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED],
      ...(typeof id === 'string' && id !== '' ? {extra: {[CREDENTIAL_ID]: [`JTI=${id}`]}} : {}),
    };
  } catch (error) {
    if (error instanceof ClaimError) return error.message;
    throw error;
  }
};
