// SPDX-License-Identifier: Apache-2.0
/**
 * The database file.
 *
 *   change(id, key, previous, created, sum, value)   the log: one row per change, appended, never updated
 *     id        revision * 128 + step in the transaction; the rowid, so a batch goes to the end of one tree
 *     key       UTF-8
 *     previous  id of the change that this one supersedes; 0: the key was absent
 *     created   revision that created the key; 0: this change removes the key
 *     sum       CRC-32 of `ID PREVIOUS CREATED KEY` and value
 *     value     bytes; NULL exactly when the key is removed. The last column, so that the others are read without it
 *   meta(name, value)
 *     compacted        oldest revision that can still be read; changes that only older ones need may be gone
 *   formats(number, written_by)   see format/file-format.ts
 *
 * There is no index by key: which key has which changes is in memory (KeyIndex), rebuilt at open from the rows.
 * The format also covers what is in the values: the keys and the encodings of both APIs (docs/reference/formats.md).
 * Beside it: `-wal` (belongs to the file), `-lock` (empty; its lock shows that a server runs), `-new` (a file being made).
 */
import type {FileFormat} from '../../format/file-format.ts';

/** "PLSD" */
const APPLICATION_ID = 0x504c5344;
/** "PALI": formats 1 and 2 of the time before 0.1.0. */
const EARLIER_ID = 0x50414c49;

/** 1: 0.1.0, the first that is frozen. */
export const STORE_FORMAT: FileFormat = {
  applicationId: APPLICATION_ID,
  earlierIds: [EARLIER_ID],
  migrations: [
    {
      to: 1,
      since: '0.1.0',
      sql: `
        CREATE TABLE change (
          id INTEGER PRIMARY KEY, key TEXT NOT NULL, previous INTEGER NOT NULL, created INTEGER NOT NULL,
          sum INTEGER NOT NULL, value BLOB) STRICT;
        CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES ('compacted', 0);`,
    },
  ],
};

type Pragma = {
  readonly name: string;
  readonly value: string | number;
  /** What the connection must answer afterwards; otherwise it is not used. */
  readonly reads?: string | number;
  readonly why: string;
};

/** Set in this order whenever the file is opened. */
export const PRAGMAS: readonly Pragma[] = [
  {
    name: 'locking_mode',
    value: 'EXCLUSIVE',
    reads: 'exclusive',
    why: 'nobody writes behind the index in memory; no -shm file',
  },
  {name: 'journal_mode', value: 'WAL', reads: 'wal', why: 'a commit is one append to one file, and one sync'},
  {
    name: 'synchronous',
    value: 'FULL',
    reads: 2,
    why: 'the WAL is synced before COMMIT returns: what was answered survives a power cut',
  },
  {
    name: 'wal_autocheckpoint',
    value: 2_000,
    why: 'pages, 16 MiB: rows are only appended, so a page is copied once or twice',
  },
  {name: 'journal_size_limit', value: 25_165_824, why: 'bytes: a WAL that grew with large batches is cut back'},
  {name: 'cache_size', value: -1_024, why: 'KiB: appends touch the end of one tree; values of now are in memory'},
  {name: 'cell_size_check', value: 1, why: 'damaged pages are found when they are read'},
  {name: 'trusted_schema', value: 0, why: 'the file runs no functions'},
];

/** Set when a file is made; they cannot change later. */
export const CREATION_PRAGMAS: readonly Pragma[] = [
  {
    name: 'page_size',
    value: 8_192,
    why: 'bytes: three objects of 2 KB to a page (of 4 KB pages each would fill one); a lone write costs one page of WAL',
  },
  {name: 'auto_vacuum', value: 'INCREMENTAL', why: 'pages that a compaction freed can be given back, a few at a time'},
];
