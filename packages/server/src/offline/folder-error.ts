// SPDX-License-Identifier: Apache-2.0
import {whyUnreadable} from '@palisade/engine/file-faults';
import {RecordStoreError} from '@palisade/ids';
import {isStoreError, type StoreErrorCode} from '@palisade/store';
import {FolderError, type FolderErrorCode} from '../errors.ts';

const OF_STORE: Partial<Record<StoreErrorCode, FolderErrorCode>> = {
  locked: 'locked',
  format: 'format',
  corrupt: 'damaged',
  'lost-writes': 'damaged',
  'disk-full': 'disk-full',
  'disk-failed': 'disk-failed',
  unavailable: 'unreadable',
};
const OF_RECORDS: Partial<Record<RecordStoreError['code'], FolderErrorCode>> = {
  'in-use': 'locked',
  format: 'format',
  damaged: 'damaged',
  io: 'disk-failed',
};

const codeOf = (error: unknown): FolderErrorCode | undefined => {
  if (isStoreError(error)) return OF_STORE[error.code];
  return error instanceof RecordStoreError ? OF_RECORDS[error.code] : undefined;
};

/** Expected failures as FolderErrors; others, which are faults of the program, as they are. */
export const asFolderError = (error: unknown, dir: string): unknown => {
  const code = codeOf(error);
  if (code !== undefined) return new FolderError(code, (error as Error).message, {cause: error});
  const {syscall, path = dir} = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new FolderError('unreadable', `${path}: ${whyUnreadable(error)}`, {cause: error});
};
