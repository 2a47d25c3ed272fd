// SPDX-License-Identifier: Apache-2.0
import type {Key, Revision} from './store.ts';

/** Closed set, and what each means; docs/reference/errors.md is made of it. */
export const STORE_ERRORS = {
  'key-exists': 'the key to create already exists',
  'key-not-found': 'the key to change or delete does not exist',
  'revision-conflict': 'another writer changed the key first: read it again and repeat the change',
  compacted: 'the requested revision is no longer kept: start again from the current state',
  'future-revision': 'the requested revision does not exist yet, or never did: the data were deleted or restored',
  'too-slow': 'a watch fell so far behind that its changes are no longer kept: start it again',
  'too-large': 'a value, or one transaction in total, is larger than the store allows',
  'invalid-argument': 'a key, a limit or a transaction is invalid: a bug in the caller',
  locked: 'another server uses the data folder: stop it, or choose another folder',
  format: 'the data folder was written by a version that this one cannot read: use that version, or restore a backup',
  corrupt: 'the data are damaged: restore a backup; nothing was changed',
  'lost-writes':
    'the write-ahead log is damaged before its last transaction, so acknowledged writes would be lost: restore a backup, or accept the loss with palisade store repair',
  'disk-full':
    'the disk is full, or a quota or file size limit is reached: free space; unacknowledged writes were not kept',
  'disk-failed':
    'the disk cannot be read or written (read-only, broken): the message has the cause; unacknowledged writes were not kept',
  unavailable:
    'too many writes are waiting, or the file cannot be used or read: the message has the cause; unacknowledged writes were not kept',
  closed: 'the store is closed, as at the end of a shutdown',
} as const;
export type StoreErrorCode = keyof typeof STORE_ERRORS;

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
/** The disk refuses writes. Whoever opened the store reports when that begins and ends: a log has no line for each request. */
export const isDiskRefusal = (error: unknown): error is StoreError => hasCode(error, 'disk-full', 'disk-failed');
export const isStoreError = (error: unknown): error is StoreError => error instanceof StoreError;
