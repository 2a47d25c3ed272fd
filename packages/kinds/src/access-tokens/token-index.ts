// SPDX-License-Identifier: Apache-2.0
/**
 * The AccessTokens that are stored, by the digest of their token: the user of a bearer token is found without a look at the store.
 *
 * I1 it changes in the turn in which the object changes: after a create or a delete was answered, it counts.
 * I2 what cannot be read, is being deleted or has expired lets nobody in.
 */
import {
  type CachedObject,
  decodeItem,
  digestOfToken,
  type TokenAnswer,
  type TokenSource,
  type UserInfo,
} from '@palisade/apiserver';
import {type AccessToken, TOKEN_PREFIX} from './types.ts';

const AUTHENTICATED = 'system:authenticated';
/** Ref: kubernetes v1.36 apiserver/pkg/authentication/user/user.go CredentialIDKey. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

export type IndexedToken = {
  readonly name: string;
  readonly uid: string;
  readonly digest: string;
  readonly isDeleting: boolean;
  /** Milliseconds since 1970; infinite: it does not expire. */
  readonly expiresAtMs: number;
  readonly answer: {readonly outcome: 'user'; readonly user: UserInfo};
};

/** Throws for an object that cannot be read. */
const indexed = (object: CachedObject): IndexedToken | undefined => {
  const {metadata, spec = {}, status = {}} = decodeItem(object) as AccessToken;
  const {digest = '', expirationTimestamp} = status;
  const {user: name = '', uid = '', groups = []} = spec;
  const expiresAtMs = expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(expirationTimestamp);
  if (digest === '' || name === '' || Number.isNaN(expiresAtMs)) return undefined;
  const user = {
    name,
    ...(uid === '' ? {} : {uid}),
    groups: groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED],
    extra: {[CREDENTIAL_ID]: [`AccessToken=${object.name}`]},
  };
  const {isDeleting} = object;
  return {
    name: object.name,
    uid: metadata.uid ?? '',
    ...{digest, isDeleting, expiresAtMs},
    answer: {outcome: 'user', user},
  };
};

export class TokenIndex implements TokenSource {
  readonly #byDigest = new Map<string, IndexedToken>();
  readonly #byName = new Map<string, IndexedToken>();
  /** Milliseconds since 1970. Until it is set nothing expires, and there is no token either. */
  now: () => number = () => 0;

  find(token: string): TokenAnswer {
    if (!token.startsWith(TOKEN_PREFIX)) return undefined;
    const found = this.#byDigest.get(digestOfToken(token));
    if (found === undefined) return {outcome: 'refused', reason: 'access token unknown or revoked'};
    if (found.isDeleting) return {outcome: 'refused', reason: `access token ${found.name} revoked`};
    if (found.expiresAtMs <= this.now()) return {outcome: 'refused', reason: `access token ${found.name} expired`};
    return found.answer;
  }

  /** Throws for an object that cannot be read; it lets nobody in. */
  put(object: CachedObject): IndexedToken {
    this.remove(object.name);
    const token = indexed(object);
    if (token === undefined) throw new Error('it has no user, no digest or no valid time');
    this.#byName.set(token.name, token);
    this.#byDigest.set(token.digest, token);
    return token;
  }

  remove(name: string): void {
    const token = this.#byName.get(name);
    if (token === undefined) return;
    this.#byName.delete(name);
    this.#byDigest.delete(token.digest);
  }

  all(): Iterable<IndexedToken> {
    return this.#byName.values();
  }
}
