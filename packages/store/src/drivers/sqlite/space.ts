// SPDX-License-Identifier: Apache-2.0
/** The room that the database file takes, and how it shrinks. Ref: sqlite.org/pragma.html#pragma_incremental_vacuum */
import {statSync} from 'node:fs';
import type {DatabaseSync} from 'node:sqlite';

/** `pages` are all pages of the file, `freePages` those of them that hold nothing; `walBytes`: size of its write-ahead log. */
export type StoreSpace = {
  readonly pageBytes: number;
  readonly pages: number;
  readonly freePages: number;
  readonly walBytes: number;
};

/** Free pages that stay for the next changes: at least so many (8 MiB), and this share of those in use. */
const FREE_PAGES_KEPT_MIN = 1_024;
const FREE_SHARE_KEPT = 1 / 4;

const pragma = (db: DatabaseSync, name: 'page_size' | 'page_count' | 'freelist_count'): number =>
  Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

export const spaceOf = (db: DatabaseSync): StoreSpace => ({
  pageBytes: pragma(db, 'page_size'),
  pages: pragma(db, 'page_count'),
  freePages: pragma(db, 'freelist_count'),
  walBytes: statSync(`${db.location() ?? ''}-wal`, {throwIfNoEntry: false})?.size ?? 0,
});

/**
 * Moves the log into the file, as a commit does when the log is long; after each step of a compaction, so that no commit of a
 * write has to move what many steps have changed. The log is then used from its start.
 */
export const moveLog = (db: DatabaseSync): void => void db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();

/**
 * Gives free pages back, one by one, in one transaction, until `isOver`; returns whether there are more. The file itself is cut
 * when the log is moved into it.
 */
export function shrink(db: DatabaseSync, isOver: () => boolean): boolean {
  const pages = pragma(db, 'page_count');
  const freePages = pragma(db, 'freelist_count');
  const kept = Math.max(FREE_PAGES_KEPT_MIN, Math.ceil((pages - freePages) * FREE_SHARE_KEPT));
  const surplus = freePages - kept;
  if (surplus <= 0) return false;
  let given = 0;
  // A row for each page that was given back; the transaction ends with the statement.
  for (const _page of db.prepare(`PRAGMA incremental_vacuum(${surplus})`).iterate()) {
    given++;
    if (isOver()) break;
  }
  moveLog(db);
  return given > 0 && given < surplus;
}
