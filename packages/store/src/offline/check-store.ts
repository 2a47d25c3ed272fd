// SPDX-License-Identifier: Apache-2.0
/** Reads all of a store file, and changes nothing: its log, its pages, the sum of each row, the order of the changes (load.ts). */
import type {DatabaseSync} from 'node:sqlite';
import {ChangeTable} from '../drivers/sqlite/change-table.ts';
import {isTorn, lossOf, tailOf} from '../drivers/sqlite/cut-tail.ts';
import {toStoreError} from '../drivers/sqlite/faults.ts';
import {type Lock, takeLock} from '../drivers/sqlite/lock.ts';
import {assertReadable, inspect} from '../drivers/sqlite/open-database.ts';
import {spaceOf} from '../drivers/sqlite/space.ts';
import {type Change, revisionOf} from '../log/change.ts';
import type {LogDriver} from '../log/driver.ts';
import {loadLog} from '../log/load.ts';
import {hasCode, StoreError} from '../store-error.ts';
import {bytesOf, openUnchanged} from './unchanged.ts';
import {walkRows} from './walk-rows.ts';

/**
 * `log`: the write-ahead log, `head`: the file cannot be opened at all, `file`: SQLite's pages, `row`: a row, or rows that cannot be read,
 * `order`: the log of changes does not fit together, `value`: what `onValue` said.
 */
export type StoreFault = {
  readonly in: 'log' | 'head' | 'file' | 'row' | 'order' | 'value';
  readonly where: string;
  readonly what: string;
};

export type CheckedStore = {
  readonly isThere: boolean;
  readonly faults: readonly StoreFault[];
  /** Faults beyond those listed. */
  readonly more: number;
  /** Transactions of the log that the next start cuts off, because they were not whole: 1, or 0 without an end. Undefined: the log is whole. */
  readonly torn: number | undefined;
  readonly fileBytes: number;
  readonly logBytes: number;
  readonly freeBytes: number;
  readonly changes: number;
  readonly keys: number;
  readonly revision: number;
  readonly compacted: number;
};

export type CheckOptions = {
  /** Judges a value; undefined: it is sound. */
  readonly onValue?: ((key: string, value: Uint8Array) => string | undefined) | undefined;
  readonly onProgress?: ((changes: number) => void) | undefined;
};

/** Faults that are listed; a damaged file may have very many. */
export const FAULTS_LISTED_MAX = 100;
const PROGRESS_CHANGES = 1_000;
const NOTHING = {changes: 0, keys: 0, revision: 0, compacted: 0, freeBytes: 0};

/** Throws `locked`, `format`, `disk-failed`, `unavailable`. */
export async function checkStore(file: string, options: CheckOptions = {}): Promise<CheckedStore> {
  const sizes = {fileBytes: bytesOf(file), logBytes: bytesOf(`${file}-wal`)};
  const faults = new Faults();
  const checked = (more: Partial<CheckedStore>): CheckedStore => ({
    ...{isThere: true, torn: undefined, ...NOTHING, ...sizes, ...more},
    ...{faults: faults.listed, more: faults.more},
  });
  let lock: Lock | undefined;
  try {
    lock = takeLock(file);
    const pageBytes = inspect(file);
    if (pageBytes === undefined) return checked({isThere: false});
    const tail = tailOf(file, pageBytes);
    if (tail !== undefined && !isTorn(tail))
      faults.add('log', `${file}-wal, byte ${tail.offset}`, `${lossOf(file, tail)} cannot be read`);
    const torn = tail !== undefined && isTorn(tail) ? tail.commits : undefined;
    return checked({torn, ...(await checkContent(file, options, faults))});
  } catch (error) {
    const failure = toStoreError(error, file);
    if (!hasCode(failure, 'corrupt')) throw failure;
    faults.add('head', file, wordsOf(failure, file));
    return checked({});
  } finally {
    lock?.release();
  }
}

/** The way out depends on what else is found, and is the caller's. */
const withoutWayOut = (message: string): string => message.replace(/; restore (?:it|the file).*?( \(.*\))?$/, '$1');
const wordsOf = (error: unknown, file: string): string =>
  withoutWayOut(toStoreError(error, file).message.replace(`${file}: `, ''));

class Faults {
  readonly listed: StoreFault[] = [];
  more = 0;

  add(place: StoreFault['in'], where: string, what: string): void {
    if (this.listed.length < FAULTS_LISTED_MAX) this.listed.push({in: place, where, what});
    else this.more++;
  }
}

async function checkContent(file: string, options: CheckOptions, faults: Faults): Promise<Partial<CheckedStore>> {
  const {db, close} = openUnchanged(file);
  try {
    assertReadable(db, file);
    checkPages(db, file, faults);
    const {pageBytes, freePages} = spaceOf(db);
    const changes = checkRows(db, options, faults);
    return {freeBytes: pageBytes * freePages, changes, ...(await checkOrder(db, file, faults))};
  } finally {
    close();
  }
}

function checkPages(db: DatabaseSync, file: string, faults: Faults): void {
  try {
    for (const {integrity_check: found} of db.prepare(`PRAGMA integrity_check(${FAULTS_LISTED_MAX})`).all())
      if (found !== 'ok') faults.add('file', file, String(found));
  } catch (error) {
    faults.add('file', file, wordsOf(error, file));
  }
}

function checkRows(db: DatabaseSync, {onValue, onProgress}: CheckOptions, faults: Faults): number {
  let changes = 0;
  const judge = ({id, key, value}: Change): void => {
    const what = value === undefined ? undefined : onValue?.(key, value);
    if (what !== undefined) faults.add('value', `${key} at revision ${revisionOf(id)}`, what);
    changes++;
    if (changes % PROGRESS_CHANGES === 0) onProgress?.(changes);
  };
  walkRows(db, {
    row: judge,
    damagedRow: ({id, key, what}) =>
      faults.add('row', `${key ?? 'an unknown key'} at revision ${revisionOf(id)}`, withoutWayOut(what)),
    gap: ({after, before, what}) =>
      faults.add(
        'row',
        `revisions ${revisionOf(after)} to ${before === undefined ? 'the end' : revisionOf(before)}`,
        what,
      ),
  });
  return changes;
}

/** L1 and L2 of load.ts, which the rows of one file prove together. */
async function checkOrder(db: DatabaseSync, file: string, faults: Faults): Promise<Partial<CheckedStore>> {
  const table = new ChangeTable(db, undefined);
  const unused = async (): Promise<never> => {
    throw new StoreError('closed', {message: 'only read'});
  };
  const driver: LogDriver = {
    place: file,
    open: async () => table.opened(),
    heads: async after => table.heads(after),
    read: async () => [], // their sums were checked one by one
    ...{append: unused, scan: unused, erase: unused, shrink: unused, close: unused},
  };
  try {
    const {index, revision, compacted} = await loadLog(driver, Number.MAX_SAFE_INTEGER);
    return {keys: index.currentIds().length, revision, compacted};
  } catch (error) {
    faults.add('order', file, wordsOf(error, file));
    return {};
  }
}
