// SPDX-License-Identifier: Apache-2.0
/**
 * From a path to a database that may be used, or an error and an untouched file:
 *   lock → look at the first bytes (fs): whose is it, which format → make it if absent → is its log whole → pragmas → migrate
 * A new file is made under another name and renamed when it is whole: so a file that is empty, or cut off, under its
 * own name is damage and never "new". A valid database without any table holds nothing and is taken as new.
 */
import {existsSync, mkdirSync, renameSync, rmSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {
  databaseRefusal,
  type FormatRefusal,
  fileRefusal,
  firstBytes,
  foreign,
  HEADER_BYTES,
  MAGIC,
  migrate,
  notDatabaseText,
} from '../../format/file-format.ts';
import {StoreError} from '../../store-error.ts';
import {assertTorn, rewriteLog, tailOf} from './cut-tail.ts';
import {removeRoom} from './disk-room.ts';
import {type Lock, takeLock} from './lock.ts';
import {makePrivateFile, syncNames, syncPath} from './private-file.ts';
import {CREATION_PRAGMAS, PRAGMAS, STORE_FORMAT} from './schema.ts';
import type {WalTail} from './wal-tail.ts';

export type OpenOptions = {
  /** Bytes that the file may grow to; 0: no limit. */
  readonly fileBytesMax: number;
  /** The end of its log does not fit, and what of it was answered is lost. */
  readonly acceptsLoss?: boolean | undefined;
};

export type OpenedDatabase = {
  readonly db: DatabaseSync;
  readonly lock: Lock;
  /** The end of the log, which SQLite has ignored; `cutTail` takes it out. */
  readonly tail: WalTail | undefined;
};

/** The caller closes the database, then releases the lock. */
export function openDatabase(file: string, options: OpenOptions): OpenedDatabase {
  const firstMade = mkdirSync(dirname(file), {recursive: true, mode: 0o700});
  const lock = takeLock(file);
  try {
    removeRoom(file);
    removeDraft(file);
    const pageBytes = inspect(file);
    if (pageBytes === undefined) create(file, firstMade);
    const tail = pageBytes === undefined ? undefined : tailOf(file, pageBytes);
    if (tail !== undefined && options.acceptsLoss !== true) assertTorn(file, tail);
    rewriteLog(file); // the last process may have seen a sync fail
    return {db: connect(file, options), lock, tail};
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Looks at the file without opening it as a database: its page size in bytes, or undefined if it is absent. Throws `corrupt` or `format`. */
export function inspect(file: string): number | undefined {
  const walBytes = statSync(`${file}-wal`, {throwIfNoEntry: false})?.size ?? 0;
  if (!existsSync(file)) {
    if (walBytes === 0) return undefined;
    throw damaged(file, 'the file is gone, but its write-ahead log (-wal) is there');
  }
  const size = statSync(file).size;
  const header = firstBytes(file);
  if (size === 0) throw damaged(file, 'the file is empty');
  if (header.every(byte => byte === 0))
    throw damaged(file, `its first ${header.length} bytes are zeros, so the way to its content is lost`);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new StoreError('format', {message: `${file}: ${notDatabaseText(header)}`});
  if (header.length < HEADER_BYTES) throw damaged(file, `it was cut off: ${size} bytes are left`);
  assertFormat(file, fileRefusal(file, STORE_FORMAT));
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const bytes = pageBytes * header.readUInt32BE(28);
  // With a WAL, a checkpoint may have been cut short; the WAL then holds what the file lacks.
  if (size < bytes && walBytes === 0) throw damaged(file, `it was cut off: ${size} of ${bytes} bytes are left`);
  return pageBytes;
}

/** The other way out of a file that cannot be opened at all, where a repair cannot help. */
export const START_EMPTY = 'or move it and its -wal away to start empty';

const damaged = (file: string, what: string): StoreError =>
  new StoreError('corrupt', {
    message: `${file}: ${what}; restore it from a backup (palisade restore FILE --data DIR --replace), ${START_EMPTY}. It was left as it is`,
  });

function create(file: string, firstMade: string | undefined): void {
  createDraft(file).close();
  useDraft(file, firstMade);
}

/** What becomes the file is made under this name. */
export const draftOf = (file: string): string => `${file}-new`;

/** What a start, or a command, left that was killed while it made the file. */
export const removeDraft = (file: string): void => {
  for (const suffix of ['', '-journal', '-wal']) rmSync(`${draftOf(file)}${suffix}`, {force: true});
};

/** A file without changes, under another name. The caller closes it. */
export function createDraft(file: string): DatabaseSync {
  removeDraft(file);
  makePrivateFile(draftOf(file));
  const db = new DatabaseSync(draftOf(file));
  try {
    for (const {name, value} of CREATION_PRAGMAS) db.exec(`PRAGMA ${name} = ${value}`);
    db.exec('PRAGMA synchronous = FULL');
    migrate(db, STORE_FORMAT);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** In one step, on disk when it returns: the draft, which is whole and closed, becomes the file. `firstMade`: as for syncNames. */
export function useDraft(file: string, firstMade?: string): void {
  syncPath(draftOf(file));
  syncPath(dirname(file)); // first, the log of the old file is gone: beside the new one it would damage that
  renameSync(draftOf(file), file);
  syncNames(dirname(file), firstMade);
}

/** Opens an existing file; also after a write failure, while the lock is held. */
export function connect(file: string, {fileBytesMax}: OpenOptions): DatabaseSync {
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE'); // before the first read, which opens the WAL one way or the other
    assertReadable(db, file);
    for (const {name, value, reads} of PRAGMAS) {
      db.exec(`PRAGMA ${name} = ${value}`);
      const got = db.prepare(`PRAGMA ${name}`).get()?.[name];
      if (reads === undefined || got === reads) continue;
      const message = `${file}: its file system does not support ${name} = ${value} (it stays ${got}); use a local disk`;
      throw new StoreError('unavailable', {message});
    }
    if (fileBytesMax > 0) {
      const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
      db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(fileBytesMax / pageBytes))}`);
    }
    migrate(db, STORE_FORMAT);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const assertFormat = (file: string, refusal: FormatRefusal | undefined): void => {
  if (refusal !== undefined) throw new StoreError('format', {message: `${file}: ${refusal.text}`});
};

/** Throws `format` for another program's database and for a format this program may not open. Reads only. */
export function assertReadable(db: DatabaseSync, file: string): void {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(row => row['name']);
  if (tables.length === 0) return;
  assertFormat(file, databaseRefusal(db, STORE_FORMAT));
  if (db.prepare('PRAGMA application_id').get()?.['application_id'] === 0) assertFormat(file, foreign(0, STORE_FORMAT));
  const missing = ['change', 'meta', 'formats'].find(name => !tables.includes(name));
  if (missing !== undefined) throw damaged(file, `its table ${missing} is missing`);
}
