// SPDX-License-Identifier: Apache-2.0
/** Files of the record store: private, and their names on disk before anything counts on them. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {type FileFormat, migrate, syncNames, syncPath} from '@palisade/store/sqlite';
import {DAMAGED_FILES_KEPT_MAX, RECORD_RESERVE_BYTES} from '../../limits.ts';
import {isDiskFault} from './faults.ts';

const OWNER_ONLY = {folder: 0o700, file: 0o600} as const;
/** Of a database in WAL mode: beside the file itself. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

/** Its name, and those of parents that were made with it, are on disk when it returns. */
export const makePrivateFolder = (folder: string): void => {
  syncNames(folder, mkdirSync(folder, {recursive: true, mode: OWNER_ONLY.folder}));
};

/** Bytes that a database takes with its log; 0 when it is absent. */
export const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, part) => sum + (statSync(part, {throwIfNoEntry: false})?.size ?? 0), 0);

/** Of its log alone. */
export const logBytesOf = (path: string): number => statSync(`${path}-wal`, {throwIfNoEntry: false})?.size ?? 0;

export const removeDatabase = (path: string): void => {
  for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, {force: true});
};

/** Space that is kept for a full disk: dropping files has to be written down before they go. */
const RESERVE_FILE = 'reserve';

export const keepReserve = (folder: string): void => {
  const path = inFolder(folder, RESERVE_FILE);
  if (!existsSync(path)) writeFileSync(path, Buffer.alloc(RECORD_RESERVE_BYTES, 1), {mode: OWNER_ONLY.file});
};

/** Does it again with the space of the reserve, when the disk refuses it without. */
export const withReserve = <T>(folder: string, action: () => T): T => {
  try {
    return action();
  } catch (error) {
    const path = inFolder(folder, RESERVE_FILE);
    if (!isDiskFault(error) || !existsSync(path)) throw error;
    rmSync(path);
    return action();
  }
};

/** A damaged file is kept for analysis; its log goes with it. */
export const setAside = (path: string): void => {
  for (const suffix of SUFFIXES)
    if (statSync(`${path}${suffix}`, {throwIfNoEntry: false}) !== undefined)
      renameSync(`${path}${suffix}`, `${path}.damaged${suffix}`);
};

/** Keeps the newest of those that were set aside. */
export const removeOldDamaged = (folder: string): void => {
  const found = readdirSync(folder)
    .filter(file => file.endsWith('.db.damaged'))
    .map(file => ({path: inFolder(folder, file), setAsideMs: statSync(inFolder(folder, file)).ctimeMs}))
    .sort((a, b) => b.setAsideMs - a.setAsideMs || (a.path < b.path ? 1 : -1));
  for (const {path} of found.slice(DAMAGED_FILES_KEPT_MAX)) removeDatabase(path);
};

/** Opens nothing but what it syncs: closing another descriptor of a database would end SQLite's locks. Absent files have nothing to sync. */
export const sync = (path: string): void => {
  try {
    syncPath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

/** Makes a database under another name and renames it when it is whole and on disk: under its own name there is never a part of one. */
export const makeDatabase = (path: string, format: FileFormat): void => {
  const draft = `${path}.new`;
  removeDatabase(draft);
  closeSync(openSync(draft, 'wx', OWNER_ONLY.file));
  const database = new DatabaseSync(draft);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    migrate(database, format);
  } finally {
    database.close(); // the log goes into the file, and the file to disk
  }
  renameSync(draft, path);
  sync(dirname(path));
};

export const inFolder = (folder: string, file: string): string => join(folder, file);
