// SPDX-License-Identifier: Apache-2.0
/**
 * The embedded store: node:sqlite in a worker thread, WAL, synchronous=FULL, one transaction and one sync per batch.
 * Layout of the file: schema.ts. How it is opened and guarded: open-database.ts, lock.ts. After a failed write: session.ts.
 */
import {join} from 'node:path';
import {STORE_LIMITS, type StoreLimits} from '../../limits.ts';
import type {CompactionStep} from '../../log/compactor.ts';
import {openLogStore, type StoreHistory} from '../../log/log-store.ts';
import type {Revision, Store} from '../../store.ts';
import type {StoreError} from '../../store-error.ts';
import type {HistoryBounds} from './change-table.ts';
import type {CommitProbe} from './commit-probe.ts';
import type {DiskWatch} from './disk-state.ts';
import type {StoreSpace} from './space.ts';
import {SqliteDriver} from './sqlite-driver.ts';
import type {WalTail} from './wal-tail.ts';

export {
  databaseRefusal,
  EARLIER_TEXT,
  type FileFormat,
  type FormatRefusal,
  fileRefusal,
  migrate,
  newerText,
  newestOf,
} from '../../format/file-format.ts';
export {openImmutable} from '../../format/open-immutable.ts';
export type {CompactionStep} from '../../log/compactor.ts';
export type {StoreHistory} from '../../log/log-store.ts';
export {acceptLoss, inspectLog, type Loss} from './accept-loss.ts';
export type {HistoryBounds} from './change-table.ts';
export {CommitProbe} from './commit-probe.ts';
export {rewriteLog} from './cut-tail.ts';
export type {DiskWatch} from './disk-state.ts';
export {isLocked, type Lock, takeLock} from './lock.ts';
export {START_EMPTY} from './open-database.ts';
export {syncNames, syncPath} from './private-file.ts';
export {STORE_FORMAT} from './schema.ts';
export type {StoreSpace} from './space.ts';
export type {WalTail} from './wal-tail.ts';

/** Name of the database in `dir`. */
export const STORE_FILE = 'store.db';

export type SqliteStoreOptions = ({readonly file: string} | {readonly dir: string}) & {
  readonly limits?: Partial<StoreLimits> | undefined;
  /** Bytes that the database file may grow to; beyond, writes fail with `disk-full`. Default 0: no limit but the disk. */
  readonly fileBytesMax?: number | undefined;
  /**
   * Called once when the thread that owns the file is lost after the store was opened: every later write is refused with
   * this failure (`unavailable`), which says what to do. What was answered before is durable.
   */
  readonly onFailed?: ((failure: StoreError) => void) | undefined;
  /** Is kept up to date about whether the disk takes writes. Default: nobody asks. */
  readonly disk?: DiskWatch | undefined;
  /**
   * Called once, before the store is opened, when the end of the write-ahead log was a transaction that is not whole, as
   * after a power cut: it was cut off. Where it holds a commit, it may have been answered: its revisions are not used again.
   */
  readonly onTornTail?: ((tail: WalTail) => void) | undefined;
  /** Called after each step of a compaction. */
  readonly onCompactionStep?: ((step: CompactionStep) => void) | undefined;
  /** Called after each write of the log, which may have the changes of several requests: how long it took. */
  readonly onCommit?: ((ms: number) => void) | undefined;
  /** For tests: sees the worker's commits and may hold them. */
  readonly probe?: CommitProbe | undefined;
};

export type SqliteStore = Store & {
  /** The room that the database file takes now. Throws `disk-failed`, `unavailable`. */
  readonly space: () => Promise<StoreSpace>;
  readonly history: () => StoreHistory;
  /** The oldest of the newest revisions that are not more than these, and did not replace more bytes of values. */
  readonly newestWithin: (bounds: HistoryBounds) => Promise<Revision>;
};

/**
 * Opens the store, and makes it if it is not there. Throws `locked` (another server runs on it), `format` (another
 * program's file, or a newer version's), `corrupt` (damaged), `lost-writes` (its log is damaged before its last transaction;
 * way out: `acceptLoss`), `disk-full`, `disk-failed`, `unavailable` (folder, permissions), each with a message that says what to do; the file is left as it was then.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const file = 'file' in options ? options.file : join(options.dir, STORE_FILE);
  const {fileBytesMax = 0, onCompactionStep, onCommit, ...parts} = options;
  const limits = {...STORE_LIMITS, ...options.limits};
  const driver = new SqliteDriver({...parts, file, fileBytesMax, stepMs: limits.driverStepMs});
  const store = await openLogStore(driver, {limits, defer: setImmediate, onCompactionStep, onCommit});
  const newestWithin = async (bounds: HistoryBounds): Promise<Revision> =>
    BigInt(await driver.newestWithin(Number(await store.currentRevision()), bounds));
  return Object.assign(store, {space: () => driver.space(), newestWithin});
}
