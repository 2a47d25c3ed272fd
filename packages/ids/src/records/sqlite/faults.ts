// SPDX-License-Identifier: Apache-2.0
/** Failures of SQLite and of the file system as RecordStoreErrors that say what to do. */
import {RecordStoreError, type RecordStoreFault} from '../record-store.ts';

/** A file of records that a reader found damaged. `file`: its name. */
export class DamagedFileError extends RecordStoreError {
  readonly file: string;
  constructor(file: string, message: string, options?: ErrorOptions) {
    super('damaged', message, options);
    this.file = file;
  }
}

/** The disk does not give a part of the file. */
export class UnreadableFileError extends RecordStoreError {
  constructor(path: string, cause: unknown) {
    super(
      'io',
      `${path}: the disk did not return a part of this file; check the disk and the system log. If that part is lost, move the file away: its records then count as lost`,
      {cause},
    );
  }
}

/** Primary result codes. Ref: sqlite.org/rescode.html */
const SQLITE = {BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26} as const;

/** The primary result code of an error that node:sqlite threw. */
const resultCode = (error: unknown): number | undefined => {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
};

export const isDamage = (error: unknown): boolean =>
  resultCode(error) === SQLITE.CORRUPT ||
  resultCode(error) === SQLITE.NOTADB ||
  (error instanceof RecordStoreError && error.code === 'damaged');

/** Extended result codes: IOERR_READ, IOERR_SHORT_READ, IOERR_FSTAT, IOERR_CORRUPTFS. Others come of a full disk too, and go. */
const READ_FAULTS: ReadonlySet<unknown> = new Set([266, 522, 1802, 8458]);

/** The disk does not give what is in a file. */
export const isReadFault = (error: unknown): boolean =>
  error instanceof UnreadableFileError ||
  (error instanceof Error && 'errcode' in error && READ_FAULTS.has(error.errcode));

/** What the check of a database says of a page that it cannot get: an extended result code. */
const PAGE_FAULT = /unable to get the page\. error code=(\d+)/;

export const isPageRefused = (found: string): boolean =>
  (Number(PAGE_FAULT.exec(found)?.[1] ?? 0) & 0xff) === SQLITE.IOERR;

/** Of SQLite or of the file system, other than damage. */
export const isDiskFault = (error: unknown): boolean =>
  error instanceof UnreadableFileError ||
  (!isDamage(error) && (resultCode(error) !== undefined || (error instanceof Error && 'syscall' in error)));

const WORDS: Readonly<Record<number, readonly [RecordStoreFault, string]>> = {
  [SQLITE.BUSY]: ['in-use', 'another program holds the file; stop it'],
  [SQLITE.READONLY]: ['io', 'the file is not writable; check its owner, mode and mount'],
  [SQLITE.IOERR]: ['io', 'a disk read or write failed; check the disk and the system log'],
  [SQLITE.CORRUPT]: [
    'damaged',
    'the file is damaged, or the disk did not return a part of it; check the disk and the system log; if the disk is in order, restore the folder from a backup, or move it away to start empty',
  ],
  [SQLITE.FULL]: ['io', 'no space left on the disk; free space'],
  [SQLITE.CANTOPEN]: ['io', 'the file cannot be opened; check the owner and mode of the folder'],
  [SQLITE.NOTADB]: [
    'damaged',
    'the file is not a database; restore the folder from a backup, or move it away to start empty',
  ],
};

export const toRecordStoreError = (error: unknown, place: string): RecordStoreError => {
  if (error instanceof RecordStoreError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [code, what] = WORDS[resultCode(error) ?? -1] ?? ['io', 'the record store failed'];
  return new RecordStoreError(code, `${place}: ${what} (${text})`, {cause: error});
};
