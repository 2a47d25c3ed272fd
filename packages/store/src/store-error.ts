// SPDX-License-Identifier: Apache-2.0
import type {Key, Revision} from './store.ts';

/** Closed set, and what each means; docs/reference/errors.md is made of it. */
export const STORE_ERRORS = {
  'key-exists': 'what was to be made is there already',
  'key-not-found': 'what was to be changed or removed is not there',
  'revision-conflict': 'another writer was faster: read again, and write what is meant to the newer state',
  compacted: 'the revision that was asked for is no longer kept: begin with the present state',
  'future-revision':
    'the revision that was asked for is not there yet, or never was: the data were emptied or restored',
  'too-slow': 'a reader of changes fell so far behind that they are no longer kept for it: begin anew',
  'too-large': 'a value, or all of one transaction, is longer than the store takes',
  'invalid-argument': 'a key, a limit or a transaction is none: a fault of the caller',
  locked: 'another server has the data folder: stop it, or choose another folder',
  format:
    'the data folder was written by a version that this one does not understand: use that version, or restore a backup',
  corrupt: 'the data are damaged: restore a backup; nothing was changed',
  'lost-writes':
    'the write-ahead log is damaged before its last transaction, so writes that were answered would be lost: restore a backup, or accept the loss with palisade repair-store',
  'disk-full':
    'the disk has no room, or a quota or a limit on the size of files is reached: free space; what was not answered was not kept',
  'disk-failed':
    'the disk refuses to read or write (read-only, broken): the message has the cause; what was not answered was not kept',
  unavailable:
    'too many writes wait, or the file cannot be used or read: the message has the cause; what was not answered was not kept',
  closed: 'the store was closed, as at the end of a stop',
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
