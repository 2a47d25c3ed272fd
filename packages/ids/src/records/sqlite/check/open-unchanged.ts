// SPDX-License-Identifier: Apache-2.0
/** A database that nobody else uses, read without changing its folder: one with a log is read from a copy in the folder for temporary files. */
import {copyFileSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {openImmutable} from '@palisade/store/sqlite';
import {logBytesOf} from '../files.ts';

/** Throws errors of SQLite and the file system, and what `action` throws. */
export const withUnchanged = <T>(path: string, action: (database: DatabaseSync) => T): T => {
  if (logBytesOf(path) > 0) return withCopy(path, copy => read(new DatabaseSync(copy), action));
  return read(openImmutable(path), action);
};

const read = <T>(database: DatabaseSync, action: (database: DatabaseSync) => T): T => {
  try {
    database.exec('PRAGMA mmap_size = 0');
    return action(database);
  } finally {
    database.close();
  }
};

const withCopy = <T>(path: string, action: (copy: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-check-'));
  try {
    const copy = join(folder, 'copy.db');
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    return action(copy);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
};
