// SPDX-License-Identifier: Apache-2.0
/**
 * JWTs that the owner of a key file signs with it: what `/token` exchanges (RFC 7523), and what Google's libraries send as a bearer
 * token without an exchange. `iss` is the client_email, `kid` the private_key_id, which is the name of the ServiceAccountKey.
 */
import {createPublicKey} from 'node:crypto';
import {serviceAccountUser, type TokenAnswer, type TokenSource} from '@palisade/apiserver';
import {accountOfEmail, type ObjectRef} from '@palisade/kinds';
import {compactVerify, decodeJwt, decodeProtectedHeader, type JWTPayload} from 'jose';
import {LEEWAY_SECONDS, timeFault} from './account-claims.ts';
import {RecentTokens} from './recent-tokens.ts';
import {accountUser, keyAt, type StoredAccounts} from './stored-accounts.ts';

const LIFETIME_SECONDS_MAX = 3_600;
const ALGORITHM = 'RS256';

export type Assertion = {
  readonly namespace: string;
  readonly account: ObjectRef;
  readonly key: ObjectRef;
  readonly claims: JWTPayload;
};

type Claimed = {readonly namespace: string; readonly name: string; readonly kid: string; readonly claims: JWTPayload};

/** Before anything of it is believed. Undefined: it is not of this form. */
const claimed = (jwt: string): Claimed | undefined => {
  try {
    const claims = decodeJwt(jwt);
    const {kid} = decodeProtectedHeader(jwt);
    const account = accountOfEmail(claims.iss ?? '');
    return account === undefined || kid === undefined ? undefined : {...account, kid, claims};
  } catch {
    return undefined;
  }
};

const NAME_CHARS_MAX = 253;

/** User name of the account that a JWT claims to be from; nobody has checked it. Undefined: none that could exist. */
export const claimedUser = (jwt: string): string | undefined => {
  const {namespace, name} = claimed(jwt) ?? {namespace: '', name: ''};
  return name === '' || name.length > NAME_CHARS_MAX || namespace.length > NAME_CHARS_MAX
    ? undefined
    : serviceAccountUser(namespace, name);
};

const claimsFault = ({exp, iat, iss, sub}: JWTPayload, nowMs: number): string | undefined => {
  if (exp === undefined || iat === undefined) return 'the assertion needs iat and exp';
  if (sub !== undefined && sub !== iss) return 'sub of the assertion must equal iss';
  if (exp - iat > LIFETIME_SECONDS_MAX + LEEWAY_SECONDS) return 'the assertion must end within an hour of iat';
  const outOfTime = timeFault({exp, iat}, nowMs);
  return outOfTime === undefined ? undefined : `the assertion ${outOfTime}`;
};

/** Checks signatures once for each token, everything else each time. */
export class KeyAssertions {
  readonly #stored: StoredAccounts;
  /** UID of the key that has signed it. */
  readonly #recent = new RecentTokens<string>();

  constructor(stored: StoredAccounts) {
    this.#stored = stored;
  }

  /** Undefined: no assertion of this form. A text: why it is not accepted. Audiences are the caller's to check. */
  async check(jwt: string): Promise<Assertion | string | undefined> {
    const from = claimed(jwt);
    if (from === undefined) return undefined;
    const {namespace, name, kid, claims} = from;
    const found = keyAt(this.#stored, namespace, kid, this.#recent.get(jwt));
    if (typeof found === 'string') return found;
    const {key, account} = found;
    if (account.name !== name) return 'the service account key is of another account';
    const {uid = ''} = key.metadata;
    if (this.#recent.get(jwt) === undefined) {
      try {
        await compactVerify(jwt, createPublicKey(key.status?.publicKey ?? ''), {algorithms: [ALGORITHM]});
      } catch {
        return 'invalid JWT signature';
      }
      this.#recent.add(jwt, uid);
    }
    return claimsFault(claims, this.#stored.nowMs()) ?? {namespace, account, key: {name: kid, uid}, claims};
  }
}

const audiencesOf = ({aud}: JWTPayload): readonly string[] => (aud === undefined ? [] : [aud].flat());

const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
/** What clients of the IDS API call the service, whichever address they send to. */
const SERVICE_HOST = 'ids.googleapis.com';

/** Of the URL where key files are exchanged. */
const EXCHANGE_PATH = '/token';

const isForUs = (claims: JWTPayload, ourHosts: readonly string[]): boolean => {
  const {scope} = claims;
  if (claims.aud === undefined) return typeof scope === 'string' && scope.split(' ').includes(CLOUD_PLATFORM);
  return audiencesOf(claims).some(audience => {
    if (!URL.canParse(audience)) return false;
    const {host, pathname} = new URL(audience);
    return ourHosts.includes(host) && pathname !== EXCHANGE_PATH; // what is for the exchange is no token
  });
};

/**
 * Bearer tokens that Google's libraries sign themselves: for the address of the service, or with a scope in place of it.
 * Ref: google.aip.dev/auth/4111.
 */
export const selfSignedTokens = (assertions: KeyAssertions, publicUrl: () => string): TokenSource => ({
  find: async (token): Promise<TokenAnswer> => {
    const checked = await assertions.check(token);
    if (checked === undefined) return undefined;
    if (typeof checked === 'string') return {outcome: 'refused', reason: checked};
    const {namespace, account, key, claims} = checked;
    const own = publicUrl();
    if (!isForUs(claims, [SERVICE_HOST, ...(own === '' ? [] : [new URL(own).host])]))
      return {outcome: 'refused', reason: 'the self-signed token is for another service'};
    return {outcome: 'user', user: accountUser({namespace, account, keyName: key.name})};
  },
});

const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** An assertion for the exchange names this server's /token, under the name that the client knows it by, or Google's. */
export const isForExchange = (claims: JWTPayload, ourHosts: readonly string[]): boolean =>
  audiencesOf(claims).some(audience => {
    if (audience === GOOGLE_TOKEN_URI) return true;
    if (!URL.canParse(audience)) return false;
    const {host, pathname} = new URL(audience);
    return pathname === EXCHANGE_PATH && ourHosts.includes(host);
  });
