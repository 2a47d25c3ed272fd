// SPDX-License-Identifier: Apache-2.0
/**
 * From a path to a database that may be used, or an error and an untouched file:
 *   lock → look at the first bytes (fs) → make it if absent → is its log whole → whose is it, which format → pragmas → migrate
 * A new file is made under another name and renamed when it is whole: so a file that is empty, or cut off, under its
 * own name is damage and never "new". A valid database without any table holds nothing and is taken as new.
 */
import {closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {StoreError} from '../../store-error.ts';
import {assertTorn, tailOf} from './cut-tail.ts';
import {removeRoom} from './disk-room.ts';
import {type Lock, takeLock} from './lock.ts';
import {makePrivateFile, syncNames} from './private-file.ts';
import {APPLICATION_ID, CREATION_PRAGMAS, FORMAT, FORMAT_MIN, MIGRATIONS, type Migration, PRAGMAS} from './schema.ts';
import type {WalTail} from './wal-tail.ts';

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

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
    const pageBytes = inspect(file);
    if (pageBytes === undefined) create(file, firstMade);
    const tail = pageBytes === undefined ? undefined : tailOf(file, pageBytes);
    if (tail !== undefined && options.acceptsLoss !== true) assertTorn(file, tail);
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
  const magic = header.toString('latin1', 0, MAGIC.length);
  if (magic !== MAGIC)
    throw new StoreError('format', {
      message: `${file}: not a store of this program; use another data folder. It was left as it is`,
    });
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const bytes = pageBytes * header.readUInt32BE(28);
  // With a WAL, a checkpoint may have been cut short; the WAL then holds what the file lacks.
  if (size < bytes && walBytes === 0) throw damaged(file, `it was cut off: ${size} of ${bytes} bytes are left`);
  return pageBytes;
}

const damaged = (file: string, what: string): StoreError =>
  new StoreError('corrupt', {
    message: `${file}: ${what}; restore it from a backup, or move it and its -wal away to start empty. It was left as it is`,
  });

function firstBytes(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
}

function create(file: string, firstMade: string | undefined): void {
  const draft = `${file}-new`;
  rmSync(draft, {force: true}); // of a start that was killed
  rmSync(`${draft}-journal`, {force: true});
  makePrivateFile(draft);
  const db = new DatabaseSync(draft);
  try {
    for (const {name, value} of CREATION_PRAGMAS) db.exec(`PRAGMA ${name} = ${value}`);
    db.exec('PRAGMA synchronous = FULL');
    migrate(db, MIGRATIONS);
  } finally {
    db.close();
  }
  renameSync(draft, file);
  syncNames(dirname(file), firstMade);
}

/** Opens an existing file; also after a write failure, while the lock is held. */
export function connect(file: string, {fileBytesMax}: OpenOptions): DatabaseSync {
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE'); // before the first read, which opens the WAL one way or the other
    assertOurs(db, file);
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
    migrate(db, MIGRATIONS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const pragma = (db: DatabaseSync, name: 'application_id' | 'user_version'): number =>
  Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

/** Throws `format` for another program's database and for a format this program may not open. Reads only. */
function assertOurs(db: DatabaseSync, file: string): void {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(row => row['name']);
  if (tables.length === 0) return;
  if (pragma(db, 'application_id') !== APPLICATION_ID)
    throw new StoreError('format', {
      message: `${file}: a database of another program; use another data folder. It was left as it is`,
    });
  const missing = ['change', 'meta'].find(name => !tables.includes(name));
  if (missing !== undefined) throw damaged(file, `its table ${missing} is missing`);
  const format = pragma(db, 'user_version');
  if (format < FORMAT_MIN)
    throw new StoreError('format', {
      message: `${file}: written by an older version (format ${format}, this one needs ${FORMAT_MIN}); use another data folder, or run that version. It was left as it is`,
    });
  if (format <= FORMAT) return;
  const minimum = db.prepare("SELECT value FROM meta WHERE name = 'minimum_format'").get()?.['value'] ?? format;
  if (Number(minimum) <= FORMAT) return;
  throw new StoreError('format', {
    message: `${file}: written by a newer version (format ${format}, this one knows up to ${FORMAT}); run that version, or use another data folder. It was left as it is`,
  });
}

/** Applies the migrations that the file lacks, one transaction each. */
export function migrate(db: DatabaseSync, migrations: readonly Migration[]): void {
  for (const {to, minimumFormat, sql} of migrations) {
    if (to <= pragma(db, 'user_version')) continue;
    db.exec(`BEGIN IMMEDIATE; ${sql}
      INSERT OR REPLACE INTO meta VALUES ('minimum_format', ${minimumFormat});
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${to}; COMMIT`);
  }
}
