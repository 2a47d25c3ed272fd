// SPDX-License-Identifier: Apache-2.0
/** The public keys of an issuer. Ref: RFC 7517; kubernetes v1.36 verifies with each key that may be meant. */
import type {JSONWebKeySet} from 'jose';
import {JWKSMultipleMatchingKeys} from 'jose/errors';
import {createLocalJWKSet} from 'jose/jwks/local';
import {compactVerify} from 'jose/jws/compact/verify';

export type KeySet = {
  /** Whether one of the keys made the signature, with one of the algorithms. Never rejects. */
  isSignatureOf(token: string, algorithms: readonly string[]): Promise<boolean>;
  readonly size: number;
};

const KEYS_MAX = 100;
/** Of keys for signatures that anybody may verify. */
const PUBLIC_TYPES = ['RSA', 'EC'];

const isPublicKey = (key: unknown): boolean =>
  typeof key === 'object' &&
  key !== null &&
  'kty' in key &&
  typeof key.kty === 'string' &&
  PUBLIC_TYPES.includes(key.kty);

/** Its copy of the keys fails for one that is nested deeply. */
const localKeySet = (keys: JSONWebKeySet['keys']): ReturnType<typeof createLocalJWKSet> => {
  try {
    return createLocalJWKSet({keys});
  } catch (cause) {
    throw new Error('a key of the JSON Web Key Set cannot be read', {cause});
  }
};

/** Throws Error, in words, for what is no key set or has no key that a token could be signed with. */
export const parseKeySet = (document: unknown): KeySet => {
  const all = typeof document === 'object' && document !== null && 'keys' in document ? document.keys : undefined;
  if (!Array.isArray(all)) throw new Error('not a JSON Web Key Set: it has no list "keys"');
  if (all.length > KEYS_MAX) throw new Error(`more than ${KEYS_MAX} keys`);
  const keys = all.filter(isPublicKey) as JSONWebKeySet['keys'];
  if (keys.length === 0) throw new Error('no RSA or EC key in the JSON Web Key Set');
  const find = localKeySet(keys);
  return {
    size: keys.length,
    isSignatureOf: async (token, algorithms) => {
      const options = {algorithms: [...algorithms]};
      try {
        await compactVerify(token, find, options);
        return true;
      } catch (error) {
        return error instanceof JWKSMultipleMatchingKeys && (await isOfOneOf(error, token, options));
      }
    },
  };
};

/** A token that does not name its key. */
const isOfOneOf = async (
  keys: JWKSMultipleMatchingKeys,
  token: string,
  options: {algorithms: string[]},
): Promise<boolean> => {
  try {
    for await (const key of keys) {
      const isRight = await compactVerify(token, key, options).then(
        () => true,
        () => false,
      );
      if (isRight) return true;
    }
  } catch {
    // A key that cannot be read, or is too short.
  }
  return false;
};
