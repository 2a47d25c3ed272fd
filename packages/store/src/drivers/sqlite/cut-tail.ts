// SPDX-License-Identifier: Apache-2.0
/**
 * The end of a write-ahead log that does not fit (wal-tail.ts): a torn transaction is cut, lost transactions refuse the start.
 * A COMMIT is synced before the next one writes, so a power cut tears at most the last one. Whether that one was answered
 * cannot be seen, so its revisions are not handed out again.
 */
import {closeSync, copyFileSync, existsSync, fsyncSync, openSync, readSync, writeSync} from 'node:fs';
import {dirname} from 'node:path';
import type {DatabaseSync} from 'node:sqlite';
import {openImmutable} from '../../format/open-immutable.ts';
import {STORE_LIMITS} from '../../limits.ts';
import {revisionOf} from '../../log/change.ts';
import {StoreError} from '../../store-error.ts';
import {syncPath} from './private-file.ts';
import {findTail, type WalTail} from './wal-tail.ts';

/** One COMMIT is one batch, in which each change has at most one revision of its own. */
const REVISIONS_PER_COMMIT_MAX = STORE_LIMITS.batchChangesMax;

const walOf = (file: string): string => `${file}-wal`;

/** Undefined: there is no log, or all of it is whole. */
export function tailOf(file: string, pageBytes: number): WalTail | undefined {
  if (!existsSync(walOf(file))) return undefined;
  const descriptor = openSync(walOf(file), 'r');
  try {
    return findTail((bytes, position) => readSync(descriptor, bytes, 0, bytes.length, position), pageBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a power cut can have left it. The header is synced before the first frame, so it is never torn alone. */
export const isTorn = ({offset, commits}: WalTail): boolean => commits <= (offset === 0 ? 0 : 1);

/** What is lost with a tail, as words: `21 transactions (revisions 20 to 40)`. */
export function lossOf(file: string, {commits, keptRowid, lostRowid}: WalTail): string {
  const kept = revisionOf(keptRowid > 0 ? keptRowid : newestWithoutLog(file));
  const last = revisionOf(lostRowid);
  const revisions = last > kept ? `revisions ${kept + 1} to ${last}` : `revisions after ${kept}`;
  return `${commits} ${commits === 1 ? 'transaction' : 'transactions'} (${revisions})`;
}

/** The newest change of the database file alone; 0 where it cannot be read. */
function newestWithoutLog(file: string): number {
  let db: DatabaseSync | undefined;
  try {
    db = openImmutable(file);
    return Number(db.prepare('SELECT max(id) AS id FROM change').get()?.['id'] ?? 0);
  } catch {
    return 0; // a checkpoint may have been cut short; only the wording of a message hangs on it
  } finally {
    db?.close();
  }
}

/** Throws `lost-writes` for a tail that no power cut leaves. Reads only. */
export function assertTorn(file: string, tail: WalTail): void {
  if (isTorn(tail)) return;
  const where = tail.offset === 0 ? 'its header is damaged' : `it is damaged at byte ${tail.offset}`;
  const message = `${walOf(file)}: ${where}, and ${lossOf(file, tail)} at or behind the damage would be lost; restore the folder from a backup. It was left as it is`;
  throw new StoreError('lost-writes', {message});
}

/**
 * Takes a tail out of the log of an open database, which SQLite has ignored. All revisions that its transactions may have
 * had are skipped: the oldest one that can be read is behind them, so that clients list again.
 */
export function cutTail(db: DatabaseSync, {commits}: WalTail, newest: number): void {
  if (commits > 0) {
    const next = newest + commits * REVISIONS_PER_COMMIT_MAX;
    db.prepare("UPDATE meta SET value = max(value, ?) WHERE name = 'compacted'").run(next);
  }
  // A commit frame that remained would count again when the next tail is judged.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

const STEP_BYTES = 1 << 20;

/**
 * Writes the bytes of the log again, and syncs it. After a sync that failed the system counts unwritten pages as written:
 * a later sync succeeds without them, and bytes appended behind such a hole are lost with power. Ref: fsync(2), EIO
 * Throws the error of the system.
 */
export function rewriteLog(file: string): void {
  if (!existsSync(walOf(file))) return;
  const descriptor = openSync(walOf(file), 'r+');
  try {
    const bytes = Buffer.alloc(STEP_BYTES);
    for (let position = 0; ; ) {
      const got = readSync(descriptor, bytes, 0, bytes.length, position);
      if (got === 0) break;
      for (let at = 0; at < got; ) at += writeSync(descriptor, bytes, at, got - at, position + at);
      position += got;
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Copies the log next to it, on disk when it returns; the name of the copy. */
export function keepLog(file: string): string {
  for (let n = 1; ; n++) {
    const copy = `${walOf(file)}.damaged-${n}`;
    if (existsSync(copy)) continue;
    copyFileSync(walOf(file), copy);
    for (const path of [copy, dirname(copy)]) syncPath(path);
    return copy;
  }
}
