// SPDX-License-Identifier: Apache-2.0
import {Buckets} from '@palisade/apiserver';
import {isStoreError, type StoreError} from '@palisade/store';
import {
  type CompactionStep,
  openSqliteStore,
  type SqliteStore,
  START_EMPTY,
  type WalTail,
} from '@palisade/store/sqlite';
import {CommandError} from '../errors.ts';
import {type Compaction, startCompaction} from '../history/compaction.ts';
import type {Metrics} from '../metrics/metrics.ts';
import {COMMIT_BUCKETS_S} from '../metrics/store-metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {StoreHealth} from '../parts/store-health.ts';
import type {DataFolder} from '../process/data-folder.ts';
import {bringForward} from '../process/folder-format.ts';
import type {Logger} from '../process/logger.ts';
import {monotonicClock, systemClock, systemTimers} from '../process/system.ts';
import type {Closers} from './closers.ts';
import type {Reload} from './reload.ts';

/** The way out that the store itself does not know. */
const wordsFor = ({code, message}: StoreError, {dir}: DataFolder): string =>
  (code === 'lost-writes' || code === 'corrupt') && !message.includes(START_EMPTY) // nothing of it can be read
    ? `${message}. Without a backup: palisade store repair --data ${dir}`
    : message;

type Reports = {
  readonly health: StoreHealth;
  readonly onCompactionStep: (step: CompactionStep) => void;
  readonly onCommit: (ms: number) => void;
};

const opened = async (
  folder: DataFolder,
  {health: {onFailed, disk}, onCompactionStep, onCommit}: Reports,
  log: Logger,
): Promise<SqliteStore> => {
  const onTornTail = ({offset, bytes, frames, commits}: WalTail): void => {
    const file = `${folder.storeFile}-wal`;
    log.warn({file, offset, bytes, frames, commits}, 'torn transaction cut off the write-ahead log');
  };
  try {
    return await openSqliteStore({file: folder.storeFile, onFailed, disk, onTornTail, onCompactionStep, onCommit});
  } catch (error) {
    if (isStoreError(error)) throw new CommandError(wordsFor(error, folder), {cause: error});
    throw error;
  }
};

type StoreParts = {
  readonly folder: DataFolder;
  readonly health: StoreHealth;
  readonly metrics: Pick<Metrics, 'showStore'>;
  readonly reload: Pick<Reload, 'add'>;
};

/** The store of the data folder, which drops its old history. Throws CommandError when it cannot be used. */
export async function openStore(
  {historyMs}: Pick<ServeConfig, 'historyMs'>,
  {folder, health, metrics, reload}: StoreParts,
  log: Logger,
  closers: Closers,
): Promise<SqliteStore> {
  let report: (step: CompactionStep) => void = () => {};
  const commits = new Buckets(COMMIT_BUCKETS_S);
  const onCommit = (ms: number): void => commits.add(ms / 1_000);
  const store = await opened(folder, {health, onCompactionStep: step => report(step), onCommit}, log);
  let compaction: Compaction | undefined;
  closers.add('compaction', () => compaction?.stop());
  closers.add('store', () => store.close()); // it is closed first, which ends a compaction after its step, not after the last one
  await bringForward(folder.dir);
  const clocks = {clock: systemClock, monotonic: monotonicClock, timers: systemTimers};
  const started = await startCompaction(store, {...clocks, log, historyMs});
  compaction = started;
  const onCompactionStep = (next: typeof report): void => {
    report = next;
  };
  metrics.showStore({isWritable: health.isWritable, store, commits, compaction: started, onCompactionStep});
  reload.add('history', async next => {
    started.setHistory(next.historyMs);
    return 'applied';
  });
  return store;
}
