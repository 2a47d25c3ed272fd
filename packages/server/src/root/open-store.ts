// SPDX-License-Identifier: Apache-2.0
import {isStoreError, type StoreError} from '@palisade/store';
import {openSqliteStore, type SqliteStore, type WalTail} from '@palisade/store/sqlite';
import {CommandError} from '../errors.ts';
import {startCompaction} from '../parts/compaction.ts';
import type {StoreHealth} from '../parts/store-health.ts';
import type {DataFolder} from '../process/data-folder.ts';
import {bringForward} from '../process/folder-format.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemTimers} from '../process/system.ts';
import type {Closers} from './closers.ts';

/** The way out that the store itself does not know. */
const wordsFor = ({code, message}: StoreError, {dir}: DataFolder): string =>
  code === 'lost-writes' || code === 'corrupt'
    ? `${message}. Without a backup: palisade store repair --data ${dir}`
    : message;

const opened = async (folder: DataFolder, {onFailed, disk}: StoreHealth, log: Logger): Promise<SqliteStore> => {
  const onTornTail = ({offset, bytes, frames, commits}: WalTail): void => {
    const file = `${folder.storeFile}-wal`;
    log.warn({file, offset, bytes, frames, commits}, 'torn transaction cut off the write-ahead log');
  };
  try {
    return await openSqliteStore({file: folder.storeFile, onFailed, disk, onTornTail});
  } catch (error) {
    if (isStoreError(error)) throw new CommandError(wordsFor(error, folder), {cause: error});
    throw error;
  }
};

/** The store of the data folder, compacted now and then. Throws CommandError when it cannot be used. */
export async function openStore(
  folder: DataFolder,
  health: StoreHealth,
  log: Logger,
  closers: Closers,
): Promise<SqliteStore> {
  const store = await opened(folder, health, log);
  closers.add('store', () => store.close());
  await bringForward(folder.dir);
  closers.add('compaction', await startCompaction(store, {clock: systemClock, timers: systemTimers, log}));
  return store;
}
