// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

/** As decoded: what is absent is undefined. */
export type AccessTokenSpec = {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly ttlSeconds?: number;
  readonly description?: string;
};
export type AccessTokenStatus = {
  readonly digest?: string;
  readonly createdBy?: string;
  /** RFC 3339; absent: it does not expire. */
  readonly expirationTimestamp?: string;
  /** Only in the answer to the create. */
  readonly token?: string;
};
export type AccessToken = KubeObject & {spec?: AccessTokenSpec; status?: AccessTokenStatus};

/** What every token begins with: scanners for leaked secrets find it by that, and no other source of tokens is asked for it in vain. */
export const TOKEN_PREFIX = 'plst_';
/** 256 bits: nobody guesses one. */
const TOKEN_BYTES = 32;

export const newToken = (bytes: (count: number) => Uint8Array): string =>
  TOKEN_PREFIX + Buffer.from(bytes(TOKEN_BYTES)).toString('base64url');
