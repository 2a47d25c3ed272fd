// SPDX-License-Identifier: Apache-2.0
import type {Key, Revision} from './store.ts';

/** Closed set; listed in docs/reference/errors.md. */
export const STORE_ERROR_CODES = [
  'key-exists',
  'key-not-found',
  'revision-conflict',
  'compacted',
  'future-revision',
  'too-slow',
  'too-large',
  'invalid-argument',
  'locked',
  'format',
  'corrupt',
  'unavailable',
  'closed',
] as const;
export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];

/** Expected failure of the store. `key` and `revision` are for logs; the wire layer decides what clients see. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly key: Key;
  /** The revision found (conflicts), asked for (compacted, future-revision) or 0n. */
  readonly revision: Revision;
  constructor(code: StoreErrorCode, at: {key?: Key; revision?: Revision; message?: string}, options?: ErrorOptions) {
    super(at.message ?? `${code}: ${at.key ?? ''} @${at.revision ?? 0n}`, options);
    this.code = code;
    this.key = at.key ?? '';
    this.revision = at.revision ?? 0n;
  }
}

export const hasCode = (error: unknown, ...codes: readonly StoreErrorCode[]): error is StoreError =>
  error instanceof StoreError && codes.includes(error.code);
export const isConflict = (error: unknown): error is StoreError =>
  hasCode(error, 'revision-conflict', 'key-exists', 'key-not-found');
export const isStoreError = (error: unknown): error is StoreError => error instanceof StoreError;
