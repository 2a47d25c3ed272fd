// SPDX-License-Identifier: Apache-2.0
/**
 * The way out of a damaged store file without a backup: readable entries go into a new file, and lost ones are listed.
 *
 * S1 the damaged file and its log are copied first, and stay.
 * S2 the new file gets the newest change of each key, under its old revision, and no history. Everything up to a revision behind all that
 *    may have been handed out counts as compacted: clients list again, and no revision means two states.
 * S3 a key whose newest change is damaged is lost, and listed; an older value is never put in its place.
 * S4 of rows that cannot be read at all not even the keys are known. Their revisions are listed: an object that was written there may be
 *    missing, older than it was, or back although it was deleted.
 * S5 the new file takes the place of the old one in one step, when it is whole.
 */
import {copyFileSync, existsSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {ChangeTable} from '../drivers/sqlite/change-table.ts';
import {toStoreError} from '../drivers/sqlite/faults.ts';
import {takeLock} from '../drivers/sqlite/lock.ts';
import {assertReadable, createDraft, inspect, removeDraft, useDraft} from '../drivers/sqlite/open-database.ts';
import {syncPath} from '../drivers/sqlite/private-file.ts';
import {TXN_STEPS_MAX} from '../limits.ts';
import {type ChangeId, revisionOf} from '../log/change.ts';
import type {Key} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {bytesOf, openUnchanged} from './unchanged.ts';
import {walkRows} from './walk-rows.ts';

/** Revisions from `from` up to `to`; without `to`: up to the newest that was written. */
export type LostRevisions = {readonly from: number; readonly to: number | undefined};
export type Readable = {
  /** Keys that can be kept. */
  readonly keys: number;
  /** Keys whose newest change is damaged, sorted. */
  readonly lostKeys: readonly Key[];
  /** Rows that cannot be read at all. */
  readonly lostRevisions: readonly LostRevisions[];
};
export type Salvaged = Readable & {
  /** Where the damaged file is kept; its log has the same name with -wal. */
  readonly copy: string;
  /** The newest revision of the new file. */
  readonly revision: number;
};

/** A row of the table has at least so many bytes, and at most one revision of its own. */
const ROW_BYTES_MIN = 16;
const BATCH_CHANGES = 4_096;

type Found = Readable & {readonly ids: readonly ChangeId[]; readonly newest: number; readonly compacted: number};

/** What of a file can be kept. Throws `locked`, `format`, and `corrupt` where nothing can. Changes nothing. */
export const readableOf = (file: string): Readable =>
  locked(file, () => {
    const {keys, lostKeys, lostRevisions} = readableIn(file);
    return {keys, lostKeys, lostRevisions};
  });

/** Keeps it. Throws the same, `disk-full`, `disk-failed`; the file then is as it was, or has taken in its own log. */
export const salvage = (file: string, onProgress?: (kept: number, of: number) => void): Salvaged =>
  locked(file, () => {
    const copy = keepCopy(file);
    foldLog(file);
    const bytes = bytesOf(file);
    try {
      const found = readableIn(file);
      const revision = Math.max(found.newest, found.compacted) + Math.ceil(bytes / ROW_BYTES_MIN);
      writeDraft(file, {ids: found.ids, revision}, onProgress);
      useDraft(file);
      const {keys, lostKeys, lostRevisions} = found;
      return {keys, lostKeys, lostRevisions, copy, revision};
    } catch (error) {
      removeDraft(file);
      throw error;
    }
  });

function locked<T>(file: string, work: () => T): T {
  try {
    const lock = takeLock(file);
    try {
      inspect(file);
      return work();
    } finally {
      lock.release();
    }
  } catch (error) {
    throw toStoreError(error, file);
  }
}

function readableIn(file: string): Found {
  const {db, close} = openUnchanged(file);
  try {
    assertReadable(db, file);
    const {compacted} = new ChangeTable(db, undefined).opened(); // without it, revisions could come twice
    return {...walk(db, compacted), compacted};
  } finally {
    close();
  }
}

type Newest = {readonly id: ChangeId; readonly is: 'kept' | 'removed' | 'lost'};

function walk(db: DatabaseSync, compacted: number): Omit<Found, 'compacted'> {
  const newest = new Map<Key, Newest>();
  const lostRevisions: LostRevisions[] = [];
  let [last, isBehindGap] = [0, false];
  const note = (key: Key | undefined, id: ChangeId, is: Newest['is']): void => {
    const [before, revision] = [Math.max(compacted, revisionOf(last)), revisionOf(id)];
    // L1 of load.ts: a row is missing without a trace.
    if (!isBehindGap && revision > before + 1) lostRevisions.push({from: before + 1, to: revision - 1});
    if (key === undefined) lostRevisions.push({from: revision, to: revision});
    else newest.set(key, {id, is});
    [last, isBehindGap] = [id, false];
  };
  walkRows(db, {
    row: ({id, key, value}) => note(key, id, value === undefined ? 'removed' : 'kept'),
    damagedRow: ({id, key}) => note(key, id, 'lost'),
    gap: ({after, before}) => {
      lostRevisions.push({from: revisionOf(after + 1), to: before === undefined ? undefined : revisionOf(before - 1)});
      isBehindGap = true;
    },
  });
  const keysThat = (is: Newest['is']): Key[] => [...newest].flatMap(([key, of]) => (of.is === is ? key : []));
  const ids = [...newest.values()].flatMap(({id, is}) => (is === 'kept' ? id : [])).sort((a, b) => a - b);
  return {ids, keys: ids.length, lostKeys: keysThat('lost').sort(), lostRevisions, newest: revisionOf(last)};
}

function writeDraft(
  file: string,
  {ids, revision}: {readonly ids: readonly ChangeId[]; readonly revision: number},
  onProgress: ((kept: number, of: number) => void) | undefined,
): void {
  if (!Number.isSafeInteger((revision + 1) * TXN_STEPS_MAX))
    throw new StoreError('corrupt', {message: `${file}: revision ${revision} is too large; restore it from a backup`});
  const {db: old, close} = openUnchanged(file);
  try {
    const draft = createDraft(file);
    try {
      const [from, into] = [new ChangeTable(old, undefined), new ChangeTable(draft, undefined)];
      for (let start = 0; start < ids.length; start += BATCH_CHANGES) {
        into.append(from.read(ids.slice(start, start + BATCH_CHANGES)));
        onProgress?.(Math.min(start + BATCH_CHANGES, ids.length), ids.length);
      }
      into.markCompacted(revision);
    } finally {
      draft.close();
    }
  } finally {
    close();
  }
}

/** Copies the file and its log, on disk when it returns; the name of the copy. */
function keepCopy(file: string): string {
  let n = 1;
  while (existsSync(`${file}.damaged-${n}`)) n++;
  const copy = `${file}.damaged-${n}`;
  for (const suffix of ['-wal', '']) {
    if (!existsSync(`${file}${suffix}`)) continue;
    copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
    syncPath(`${copy}${suffix}`);
  }
  syncPath(dirname(copy));
  return copy;
}

/** Puts the log into the file, whatever its pages hold: next to another file the log would damage that one. */
function foldLog(file: string): void {
  if (bytesOf(`${file}-wal`) === 0) return;
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  if (bytesOf(`${file}-wal`) > 0)
    throw new StoreError('disk-failed', {message: `${file}-wal: it cannot be moved into the file; check the disk`});
}
