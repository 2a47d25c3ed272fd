// SPDX-License-Identifier: Apache-2.0
/**
 * Whether a file that SQLite calls damaged is damaged. It says so (SQLITE_CORRUPT) to a statement one of whose reads ended with EIO, too: a file
 * that is set aside for that would lose good records. Ref: SQLITE_IOERR_CORRUPTFS in its os_unix.c and vdbe.c.
 */
import {DatabaseSync} from 'node:sqlite';
import {RECORD_FILE_RECHECK_MS, RECORD_FILE_REFUSED_MS} from '../../limits.ts';
import {RecordStoreError} from '../record-store.ts';
import {isDamage, isPageRefused, isReadFault, UnreadableFileError} from './faults.ts';

/** A refused read is named by the first part of a check alone; in the rest of it, it looks like damage again. */
const PASSES = 2;

/** Reads all of it, by a connection of its own. Returns damage, or what keeps it from being read; undefined: it is in order. */
export const whyDamaged = (path: string): unknown => {
  let fault: unknown;
  for (let pass = 1; pass <= PASSES; pass++)
    try {
      const found = integrityOf(path);
      if (found === 'ok') return undefined;
      if (isPageRefused(found)) return new UnreadableFileError(path, new Error(found));
      return new RecordStoreError('damaged', `${path}: ${found}`);
    } catch (error) {
      if (!isDamage(error)) return withWords(path, error);
      fault = error;
    }
  return fault;
};

/** Says of which file, and what to do. */
export const withWords = (path: string, error: unknown): unknown =>
  isReadFault(error) && !(error instanceof RecordStoreError) ? new UnreadableFileError(path, error) : error;

/** `ok`, or the first fault. */
const integrityOf = (path: string): string => {
  const database = new DatabaseSync(path, {readOnly: true});
  try {
    return String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  } finally {
    database.close();
  }
};

/** `last`: when it was read as a whole. */
type Refused = {readonly since: number; readonly last: number; readonly error: unknown};

/** Files whose reads the disk refused. Times are of a clock that no step changes. */
export class RefusedFiles {
  readonly #files = new Map<string, Refused>();

  /** Why it could not be read a moment ago: it is not read as a whole again for each record. */
  recent(file: string): unknown {
    const known = this.#files.get(file);
    return known !== undefined && performance.now() - known.last < RECORD_FILE_RECHECK_MS ? known.error : undefined;
  }

  /** Returns whether it has been refused again and again for so long that it is not waited for any more. */
  add(file: string, error: unknown): boolean {
    const now = performance.now();
    const known = this.#files.get(file);
    const since = known !== undefined && now - known.last < RECORD_FILE_REFUSED_MS ? known.since : now;
    const isSame = known !== undefined && known.error === error;
    this.#files.set(file, {since, last: isSame ? known.last : now, error});
    return now - since >= RECORD_FILE_REFUSED_MS;
  }

  delete(file: string): void {
    this.#files.delete(file);
  }
}
