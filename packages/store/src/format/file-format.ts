// SPDX-License-Identifier: Apache-2.0
/**
 * Formats of the SQLite files of the product, frozen since 0.1.0. docs/reference/formats.md has the rules for all of them.
 *
 *   application_id   which kind of file it is
 *   user_version     its format: the number of its last migration
 *   formats(number, written_by)   one row for each migration: the release that introduced the format
 *
 * Migrations go forward only, one transaction each. The header of the file itself is up to date after each of them, so that
 * a file is judged by its first bytes, before SQLite opens it: opening moves the log into the file. A refused file stays as it is.
 */
import {closeSync, openSync, readSync} from 'node:fs';
import type {DatabaseSync} from 'node:sqlite';
import {openImmutable} from './open-immutable.ts';
import {PROGRAM_VERSION} from './program-version.ts';

/** `since`: the release that introduced format `to`. `sql` leads from the format before it; for the first one, from nothing. */
export type Migration = {readonly to: number; readonly since: string; readonly sql: string};

export type FileFormat = {
  readonly applicationId: number;
  /** Values of application_id before 0.1.0. No release reads such files. */
  readonly earlierIds: readonly number[];
  /** In order. */
  readonly migrations: readonly Migration[];
};

export type FileHeader = {readonly applicationId: number; readonly format: number};
/** `text` is a message for the operator, without the name of the file. */
export type FormatRefusal = {readonly why: 'older' | 'newer' | 'foreign'; readonly text: string};

export const MAGIC = 'SQLite format 3\0';
/** Ref: sqlite.org/fileformat2.html#the_database_header */
export const HEADER_BYTES = 100;
const HEADER = {userVersionAt: 60, applicationIdAt: 68} as const;
const FORMATS_SQL = 'CREATE TABLE IF NOT EXISTS formats (number INTEGER PRIMARY KEY, written_by TEXT NOT NULL) STRICT';
const LEFT = 'It was left as it is';

export const newestOf = ({migrations}: FileFormat): number => migrations.at(-1)?.to ?? 0;
const oldestOf = ({migrations}: FileFormat): number => migrations[0]?.to ?? 0;

/** The bytes where a database has its header; fewer where the file is shorter. */
export function firstBytes(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Of a database file, read as plain bytes. Undefined: it is no database. */
export const headerOf = (file: string): FileHeader | undefined => headerIn(firstBytes(file));

function headerIn(bytes: Buffer): FileHeader | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  return {applicationId: bytes.readUInt32BE(HEADER.applicationIdAt), format: bytes.readUInt32BE(HEADER.userVersionAt)};
}

/** What a newer release wrote, and what this one reads. `writer`: the release that introduced the format, where that is known. */
export const newerText = (format: number, writer: string | undefined, reads: number): string => {
  const by = writer === undefined ? 'a newer palisade' : `palisade ${writer}`;
  const run = writer === undefined ? 'run a newer palisade' : `run palisade ${writer} or newer`;
  return `written by ${by} in format ${format}; this is palisade ${PROGRAM_VERSION}, which reads up to ${reads}; ${run}, or restore the backup from before the upgrade. ${LEFT}`;
};

export const EARLIER_TEXT = `written by a version before 0.1.0, whose data no release reads; use another data folder, or run that version. ${LEFT}`;

const hexadecimal = (id: number): string => `0x${id.toString(16).padStart(8, '0')}`;

/** A database with tables that are not ours. */
export const foreign = (applicationId: number, format: FileFormat): FormatRefusal => ({
  why: 'foreign',
  text: `a database of another program: its application_id is ${hexadecimal(applicationId)}, not ${hexadecimal(format.applicationId)}; use another data folder. ${LEFT}`,
});

/** How a file begins, for a message: as text where it is one. */
const shownBytes = (bytes: Buffer): string => {
  const begin = bytes.subarray(0, MAGIC.length);
  const text = begin.toString('latin1');
  return /^[ -~]+$/.test(text) ? JSON.stringify(text) : `bytes ${begin.toString('hex').replace(/..(?=.)/g, '$& ')}`;
};

/** Of a file that does not begin as a database. */
export const notDatabaseText = (bytes: Buffer): string =>
  `not a database of this program: it begins with ${shownBytes(bytes)}, not with "SQLite format 3"; if it was one, restore it from a backup (palisade restore FILE --data DIR --replace), else use another data folder. ${LEFT}`;

/** Undefined: a file that this program may open, or a database that nothing was written to. */
export function refusalOf(
  {applicationId, format: found}: FileHeader,
  format: FileFormat,
  writer: () => string | undefined,
): FormatRefusal | undefined {
  if (applicationId === 0 && found === 0) return undefined;
  if (format.earlierIds.includes(applicationId)) return {why: 'older', text: EARLIER_TEXT};
  if (applicationId !== format.applicationId) return foreign(applicationId, format);
  if (found > newestOf(format)) return {why: 'newer', text: newerText(found, writer(), newestOf(format))};
  if (found >= oldestOf(format)) return undefined;
  const {since} = format.migrations[0] ?? {since: PROGRAM_VERSION};
  const text = `written in format ${found}; this is palisade ${PROGRAM_VERSION}, which reads from ${oldestOf(format)}; start palisade ${since} on it once. ${LEFT}`;
  return {why: 'older', text};
}

/** Looks at a file without opening it as a database that is in use: nothing of it, nor of its log, changes. */
export function fileRefusal(file: string, format: FileFormat): FormatRefusal | undefined {
  const bytes = firstBytes(file);
  const header = headerIn(bytes);
  if (header === undefined) return {why: 'foreign', text: notDatabaseText(bytes)};
  return refusalOf(header, format, () => writerIn(file, header.format));
}

/** The same of an open database: what its log holds counts too. */
export function databaseRefusal(db: DatabaseSync, format: FileFormat): FormatRefusal | undefined {
  const header = {applicationId: pragma(db, 'application_id'), format: pragma(db, 'user_version')};
  return refusalOf(header, format, () => writerOf(db, header.format));
}

/** The release that introduced the format of a file; undefined where the file does not say. */
function writerIn(file: string, found: number): string | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = openImmutable(file);
    return writerOf(db, found);
  } catch {
    return undefined; // only the wording of a message hangs on it
  } finally {
    db?.close();
  }
}

function writerOf(db: DatabaseSync, found: number): string | undefined {
  try {
    const writer: unknown = db.prepare('SELECT written_by FROM formats WHERE number = ?').get(found)?.['written_by'];
    return typeof writer === 'string' ? writer : undefined;
  } catch {
    return undefined;
  }
}

const pragma = (db: DatabaseSync, name: 'application_id' | 'user_version'): number =>
  Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

/** Applies the migrations that a file lacks. Returns the formats that it passed. Throws what SQLite throws; the file then has the last format that was reached. */
export function migrate(db: DatabaseSync, {applicationId, migrations}: FileFormat): readonly number[] {
  const missing = migrations.filter(({to}) => to > pragma(db, 'user_version'));
  for (const {to, since, sql} of missing) {
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(sql);
      db.exec(FORMATS_SQL);
      db.prepare('INSERT INTO formats VALUES (?, ?)').run(to, since);
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${to}; COMMIT`);
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
  if (missing.length > 0) db.exec('PRAGMA wal_checkpoint(TRUNCATE)'); // the header of the file has it too
  return missing.map(({to}) => to);
}
