// SPDX-License-Identifier: Apache-2.0
/**
 * Tokens that this server signs for service accounts: made by TokenRequests and the exchange of key files, and accepted as bearer
 * tokens as long as the account, the object that they are bound to and the key that they were got with are there.
 * Ref: kubernetes v1.36 pkg/serviceaccount/{jwt,claims}.go. Tokens of Secrets (`kubernetes.io/service-account-token`) are not made.
 */
import {serviceAccountUser, type TokenAnswer, type TokenSource} from '@palisade/apiserver';
import {CompactSign, compactVerify, decodeJwt, decodeProtectedHeader} from 'jose';
import {type AccountClaims, claimsOf, timeFault, type Wished} from './account-claims.ts';
import {RecentTokens} from './recent-tokens.ts';
import {SIGNING_ALGORITHM, type SigningKey} from './signing-key.ts';
import {accountFault, accountUser, boundFault, keyAt, type StoredAccounts} from './stored-accounts.ts';

export type Issuer = {
  readonly url: string;
  readonly audiences: readonly string[];
  readonly key: SigningKey;
  readonly newId: () => string;
};

export const signToken = async ({url, key, newId}: Issuer, wish: Wished): Promise<string> => {
  const sub = serviceAccountUser(wish.namespace, wish.account.name);
  const claims = claimsOf(wish, {iss: url, jti: newId(), sub});
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({alg: SIGNING_ALGORITHM, kid: key.id})
    .sign(key.privateKey);
};

/** What the token says of itself, before anything of it is believed; undefined: it is no JWT. */
const said = (token: string): {readonly iss: unknown; readonly kid: unknown} | undefined => {
  try {
    return {iss: decodeJwt(token).iss, kid: decodeProtectedHeader(token).kid};
  } catch {
    return undefined;
  }
};

/** As Go prints a list of strings with %q. */
const quoted = (texts: readonly string[]): string => `[${texts.map(text => JSON.stringify(text)).join(' ')}]`;

/** Undefined: it is of another issuer. A text: why its signature is not accepted. */
const verified = async ({url, key}: Issuer, token: string): Promise<AccountClaims | string | undefined> => {
  const head = said(token);
  if (head?.iss !== url) return undefined;
  if (head.kid !== undefined && head.kid !== key.id) return 'invalid signature, no keys found';
  try {
    const {payload} = await compactVerify(token, key.publicKey, {algorithms: [SIGNING_ALGORITHM]});
    return JSON.parse(Buffer.from(payload).toString()) as AccountClaims;
  } catch {
    return 'go-jose/go-jose: error in cryptographic primitive';
  }
};

/** Why the claims do not hold now. */
const claimFault = (claims: AccountClaims, stored: StoredAccounts): string | undefined => {
  const outOfTime = timeFault(claims, stored.nowMs());
  if (outOfTime !== undefined) return `service account token ${outOfTime}`;
  const {namespace, serviceaccount, secret, node} = claims['kubernetes.io'];
  const key = claims['platform.io']?.serviceaccountkey;
  const fault =
    accountFault(stored, namespace, serviceaccount) ??
    (secret && boundFault(stored, 'secret', namespace, secret)) ??
    (node && boundFault(stored, 'node', namespace, node));
  if (fault !== undefined || key === undefined) return fault;
  const found = keyAt(stored, namespace, key.name, key.uid);
  return typeof found === 'string' ? found : undefined;
};

const userOf = (claims: AccountClaims) => {
  const {namespace, serviceaccount, node} = claims['kubernetes.io'];
  const keyName = claims['platform.io']?.serviceaccountkey.name;
  return accountUser({namespace, account: serviceaccount, jti: claims.jti, node, keyName});
};

/** Accepts what `signToken` of the same issuer made. */
export const signedTokens = (issuer: Issuer, stored: StoredAccounts): TokenSource => {
  const recent = new RecentTokens<AccountClaims>();
  return {
    find: async (token, audiences = issuer.audiences): Promise<TokenAnswer> => {
      const claims = recent.get(token) ?? (await verified(issuer, token));
      if (claims === undefined) return undefined;
      if (typeof claims === 'string') return {outcome: 'refused', reason: claims};
      recent.add(token, claims);
      const shared = claims.aud.filter(audience => audiences.includes(audience));
      const reason =
        shared.length === 0
          ? `token audiences ${quoted(claims.aud)} is invalid for the target audiences ${quoted(audiences)}`
          : claimFault(claims, stored);
      if (reason !== undefined) return {outcome: 'refused', reason};
      return {outcome: 'user', user: userOf(claims), audiences: shared};
    },
  };
};
