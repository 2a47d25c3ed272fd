// SPDX-License-Identifier: Apache-2.0
/** The way out of `lost-writes` without a backup: what SQLite recovers is kept, the damaged log is put aside. */
import {statSync} from 'node:fs';
import {ChangeTable} from './change-table.ts';
import {cutTail, isTorn, keepLog, lossOf, tailOf} from './cut-tail.ts';
import {toStoreError} from './faults.ts';
import {takeLock} from './lock.ts';
import {inspect, openDatabase} from './open-database.ts';

export type Loss = {
  /** Byte of the log where the damage begins; 0: its header. */
  readonly offset: number;
  /** What is lost, as words: `21 transactions (revisions 20 to 40)`. */
  readonly what: string;
};
export type AcceptedLoss = Loss & {
  /** Where the damaged log is kept. */
  readonly copy: string;
  /** The newest revision of the store afterwards, behind all that were handed out; older ones answer `compacted`. */
  readonly revision: number;
};

export type LogState =
  | {readonly state: 'no-store'}
  | {readonly state: 'whole'}
  /** The next start cuts the last transaction off; `commits`: 1, or 0 where its end is missing. */
  | {readonly state: 'torn'; readonly commits: number}
  /** A start refuses with `lost-writes`. */
  | ({readonly state: 'lost'} & Loss);

/** What a start would find in the write-ahead log. Throws `locked`, `corrupt`, `format`, `disk-failed`, `unavailable`. Changes nothing, and makes no file where there is no store. */
export const inspectLog = (file: string): LogState =>
  asStoreError(file, () => {
    const isThere = (path: string) => statSync(path, {throwIfNoEntry: false}) !== undefined;
    if (!isThere(file) && !isThere(`${file}-wal`)) return {state: 'no-store'};
    const lock = takeLock(file);
    try {
      const pageBytes = inspect(file);
      const tail = pageBytes === undefined ? undefined : tailOf(file, pageBytes);
      if (tail === undefined) return {state: 'whole'};
      if (isTorn(tail)) return {state: 'torn', commits: tail.commits};
      return {state: 'lost', offset: tail.offset, what: lossOf(file, tail)};
    } finally {
      lock.release();
    }
  });

/** Gives up what `inspectLog` says is lost; undefined: nothing is. Throws as it does; the damaged log is copied before anything is changed. */
export const acceptLoss = (file: string): AcceptedLoss | undefined =>
  asStoreError(file, () => {
    const loss = inspectLog(file);
    if (loss.state !== 'lost') return undefined;
    const copy = keepLog(file);
    const {db, lock, tail} = openDatabase(file, {fileBytesMax: 0, acceptsLoss: true});
    try {
      const table = new ChangeTable(db, undefined);
      if (tail !== undefined) cutTail(db, tail, table.opened().revision);
      return {offset: loss.offset, what: loss.what, copy, revision: table.opened().revision};
    } finally {
      db.close();
      lock.release();
    }
  });

const asStoreError = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
};
