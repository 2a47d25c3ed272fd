// SPDX-License-Identifier: Apache-2.0
/**
 * Gives all free room of a store file back. A copy without free pages is written under another name and put in place of the file by a
 * rename, so that a kill or a full disk at any moment leaves the old file or the new one. Ref: sqlite.org/lang_vacuum.html#vacuum_into
 */
import {statfsSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {ChangeTable} from '../drivers/sqlite/change-table.ts';
import {cutTail} from '../drivers/sqlite/cut-tail.ts';
import {toStoreError} from '../drivers/sqlite/faults.ts';
import {draftOf, type OpenedDatabase, openDatabase, removeDraft, useDraft} from '../drivers/sqlite/open-database.ts';
import {makePrivateFile} from '../drivers/sqlite/private-file.ts';
import {StoreError} from '../store-error.ts';
import {bytesOf} from './unchanged.ts';

export type Shrunk = {readonly before: number; readonly after: number};

/** Bytes with the log before and after; undefined: there is no store. Throws `locked`, `format`, `corrupt`, `lost-writes`, `disk-full`, `disk-failed`, `unavailable`; the file is whole then. */
export function shrinkStore(file: string): Shrunk | undefined {
  if (statSync(file, {throwIfNoEntry: false}) === undefined) return undefined;
  const before = bytesOf(file) + bytesOf(`${file}-wal`);
  try {
    const opened = openDatabase(file, {fileBytesMax: 0});
    try {
      copyInto(opened, file);
    } finally {
      opened.lock.release();
    }
    return {before, after: bytesOf(file)};
  } catch (error) {
    throw toStoreError(error, file);
  }
}

function copyInto({db, tail}: OpenedDatabase, file: string): void {
  const draft = draftOf(file);
  try {
    try {
      if (tail !== undefined) cutTail(db, tail, new ChangeTable(db, undefined).opened().revision); // as a start does
      assertRoom(db, file);
      makePrivateFile(draft);
      db.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      assertSame(db, draft);
    } finally {
      db.close(); // its log goes with it
    }
    if (bytesOf(`${file}-wal`) > 0)
      throw new StoreError('unavailable', {message: `${file}-wal: it could not be emptied; try again`});
    useDraft(file);
  } catch (error) {
    removeDraft(file);
    throw error;
  }
}

const numberOf = (db: DatabaseSync, sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0]);

function assertRoom(db: DatabaseSync, file: string): void {
  const used = numberOf(db, 'PRAGMA page_count') - numberOf(db, 'PRAGMA freelist_count');
  const wanted = used * numberOf(db, 'PRAGMA page_size');
  const {bavail, bsize} = statfsSync(dirname(file));
  if (wanted > bavail * bsize)
    throw new StoreError('disk-full', {
      message: `${file}: ${wanted} bytes are needed for the copy, and the disk has ${bavail * bsize}; free space`,
    });
}

/** Before the old file goes. */
function assertSame(db: DatabaseSync, draft: string): void {
  const copy = new DatabaseSync(draft);
  try {
    const sums = ['SELECT count(*) FROM change', 'SELECT total(sum) FROM change', 'PRAGMA user_version'];
    const isSame = sums.every(sql => numberOf(db, sql) === numberOf(copy, sql));
    const found = copy.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    if (isSame && found === 'ok') return;
  } finally {
    copy.close();
  }
  throw new StoreError('disk-failed', {message: `${draft}: the copy is not the same as the file; check the disk`});
}
