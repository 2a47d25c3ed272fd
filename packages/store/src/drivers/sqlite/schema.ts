// SPDX-License-Identifier: Apache-2.0
/**
 * The database file.
 *
 *   log(position, key, value, created)   one row per change, never updated
 *     position   revision * STEPS + step within the transaction; the rowid, so a batch is appended at the end of the file
 *     key        UTF-8, compared by bytes (BINARY)
 *     value      NULL: the key was deleted here
 *     created    revision that created the key
 *   log_by_key(key, position)            newest version of a key; scans of a prefix at a revision
 *   meta(name, value)                    compacted (revision), minimum_reader (format that may still open the file)
 *
 * application_id says that the file is ours, user_version is the format. Migrations run forward only, one transaction each.
 *
 * Format history: 1, 2026-11-21: first.
 */
export const FORMAT = 1;
/** The oldest program format that may open a file written by this one. */
export const MINIMUM_READER = 1;
export const APPLICATION_ID = 0x50414c31; // PAL1
/** Positions per revision; at least STORE_LIMITS.txnOpsMax. */
export const STEPS = 128;

/** In the order they are set, with the reason. */
export const PRAGMAS: readonly (readonly [pragma: string, why: string])[] = [
  [
    'locking_mode = EXCLUSIVE',
    'one server per file: a second one is refused; the kernel frees the lock when the process dies',
  ],
  ['journal_mode = WAL', 'a commit appends to one file and syncs once'],
  ['synchronous = FULL', 'the WAL is synced before a commit returns: an answered write survives power loss'],
  ['wal_autocheckpoint = 4000', 'checkpoints of about 16 MiB: fewer syncs of the database file under load'],
  ['cache_size = -32768', '32 MiB of pages: the index stays in memory'],
  ['temp_store = MEMORY', 'no files beside the data folder'],
];

export const MIGRATIONS: readonly {readonly to: number; readonly sql: string}[] = [
  {
    to: 1,
    sql: `
      CREATE TABLE log (position INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB, created INTEGER NOT NULL);
      CREATE INDEX log_by_key ON log (key);
      CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO meta VALUES ('compacted', 0), ('minimum_reader', ${MINIMUM_READER});
    `,
  },
];
