// SPDX-License-Identifier: Apache-2.0
/** The room that the database file takes, and how it shrinks. Ref: sqlite.org/pragma.html#pragma_incremental_vacuum */
import type {DatabaseSync} from 'node:sqlite';

/** `pages` are all pages of the file, `freePages` those of them that hold nothing. */
export type StoreSpace = {readonly pageBytes: number; readonly pages: number; readonly freePages: number};

/** Free pages that stay for the next changes: at least so many (8 MiB), and this share of those in use. */
const FREE_PAGES_KEPT_MIN = 1_024;
const FREE_SHARE_KEPT = 1 / 4;
/** Pages of one step, so that writes get in between. */
const STEP_PAGES = 256;

const pragma = (db: DatabaseSync, name: 'page_size' | 'page_count' | 'freelist_count'): number =>
  Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

export const spaceOf = (db: DatabaseSync): StoreSpace => ({
  pageBytes: pragma(db, 'page_size'),
  pages: pragma(db, 'page_count'),
  freePages: pragma(db, 'freelist_count'),
});

/** One step; false: no more is to be done. The file itself is cut by the checkpoint. */
export function shrink(db: DatabaseSync): boolean {
  const {pages, freePages} = spaceOf(db);
  const kept = Math.max(FREE_PAGES_KEPT_MIN, Math.ceil((pages - freePages) * FREE_SHARE_KEPT));
  const surplus = freePages - kept;
  if (surplus <= 0) return false;
  db.exec(`PRAGMA incremental_vacuum(${Math.min(surplus, STEP_PAGES)})`);
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  return pragma(db, 'freelist_count') < freePages;
}
