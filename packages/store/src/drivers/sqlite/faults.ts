// SPDX-License-Identifier: Apache-2.0
/** Failures of SQLite and of the file system as StoreErrors that say what happened and what to do. */
import {StoreError, type StoreErrorCode} from '../../store-error.ts';

/** Primary result codes. Ref: sqlite.org/rescode.html */
export const SQLITE = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  TOOBIG: 18,
  NOTADB: 26,
} as const;

const BY_RESULT: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  [SQLITE.BUSY]: ['locked', 'another program holds the file; stop it, or use another data folder'],
  [SQLITE.READONLY]: ['disk-failed', 'the file is not writable; check its owner, mode and mount'],
  [SQLITE.IOERR]: ['disk-failed', 'a disk read or write failed; check the disk and the system log'],
  [SQLITE.CORRUPT]: ['corrupt', 'the file is damaged; restore it from a backup. It was left as it is'],
  [SQLITE.FULL]: ['disk-full', 'no space left; the write was not kept. Free space or raise the limit, then try again'],
  [SQLITE.CANTOPEN]: ['unavailable', 'the file cannot be opened; its folder must exist and be writable'],
  [SQLITE.TOOBIG]: ['too-large', 'the value is larger than SQLite allows'],
  // The first bytes were looked at before: it began as a database.
  [SQLITE.NOTADB]: ['corrupt', 'the header of the file is damaged; restore it from a backup. It was left as it is'],
};

const BY_SYSTEM: Readonly<Record<string, readonly [StoreErrorCode, string]>> = {
  EACCES: ['unavailable', 'permission denied; check the owner and mode of the folder'],
  EPERM: ['unavailable', 'permission denied; check the owner and mode of the folder'],
  EROFS: ['disk-failed', 'the file system is read-only; check the system log, then mount it writable'],
  EIO: ['disk-failed', 'a disk read or write failed; check the disk and the system log'],
  ENOSPC: ['disk-full', 'no space left on the disk; free space'],
  EDQUOT: ['disk-full', 'the disk quota of this user is exceeded; free space or raise the quota'],
  EFBIG: ['disk-full', 'the file size limit is reached; raise it (ulimit -f)'],
  ENOTDIR: ['unavailable', 'a part of the path is not a folder'],
  EISDIR: ['unavailable', 'it is a folder, not a file'],
  EEXIST: ['unavailable', 'the folder cannot be created: a file has its name'],
};

/** The primary result code of an error that node:sqlite threw; undefined for other errors. */
export function resultCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export function toStoreError(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const result = BY_RESULT[resultCode(error) ?? -1];
  if (result !== undefined)
    return new StoreError(result[0], {message: `${file}: ${result[1]} (${text})`}, {cause: error});
  const system = error instanceof Error && 'code' in error ? BY_SYSTEM[String(error.code)] : undefined;
  const [code, what] = system ?? ['unavailable', 'the store failed'];
  return new StoreError(code, {message: `${file}: ${what} (${text})`}, {cause: error});
}
