// SPDX-License-Identifier: Apache-2.0
/**
 * Whether the journal lacks commits that partitions have. A commit is durable in the journal before a partition gets it, so no crash leaves
 * that: the log of the journal was damaged, and SQLite silently ignores everything behind the damage.
 */
import {existsSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {openImmutable} from '@palisade/store/sqlite';
import {RecordStoreError} from '../record-store.ts';
import {inFolder, logBytesOf} from './files.ts';
import {parsePartitionFile} from './schema.ts';

const LAST_SQL = `SELECT max(ifnull((SELECT max(written) FROM records), 0),
  ifnull((SELECT max(changed) FROM records INDEXED BY records_changed WHERE changed > written), 0)) AS last`;

export type JournalEnd = {
  readonly folder: string;
  /** Of the last commit. */
  readonly sequence: number;
  /** Files that may have commits which the journal lacks. */
  readonly files: readonly string[];
};

/** Throws RecordStoreError `damaged`. A file that cannot be read says nothing. */
export const assertNotBehind = ({folder, sequence, files}: JournalEnd): void => {
  for (const file of files) {
    const last = lastIn(folder, file);
    if (last > sequence)
      throw new RecordStoreError(
        'damaged',
        `${folder}: the journal is damaged: it ends with commit ${sequence}, and ${file} has commit ${last}; restore the folder from a backup, or move it away to start empty`,
      );
  }
};

const lastIn = (folder: string, file: string): number => {
  const recordClass = parsePartitionFile(file)?.recordClass;
  const path = inFolder(folder, file);
  if (recordClass === undefined || recordClass === 'EVIDENCE' || !existsSync(path)) return 0;
  let database: DatabaseSync | undefined;
  try {
    // Opened as usual, a file without a log would get an empty one.
    database = logBytesOf(path) > 0 ? new DatabaseSync(path, {readOnly: true}) : openImmutable(path);
    return Number(database.prepare(LAST_SQL).get()?.['last'] ?? 0);
  } catch {
    return 0; // the next user of the file reports the fault
  } finally {
    database?.close();
  }
};
