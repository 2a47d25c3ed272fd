// SPDX-License-Identifier: Apache-2.0
import {isStoreError, type Store} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {CommandError} from '../../cli/io.ts';
import {startCompaction} from '../compaction.ts';
import type {DataFolder} from '../data-folder.ts';
import type {Logger} from '../logger.ts';
import type {StoreHealth} from '../store-health.ts';
import {systemTimers} from '../system.ts';
import type {Closers} from './closers.ts';

const opened = async (folder: DataFolder, {onFailed}: StoreHealth): Promise<Store> => {
  try {
    return await openSqliteStore({file: folder.storeFile, onFailed});
  } catch (error) {
    if (isStoreError(error)) throw new CommandError(error.message, {cause: error});
    throw error;
  }
};

/** The store of the data folder, compacted now and then. Throws CommandError when it cannot be used. */
export async function openStore(
  folder: DataFolder,
  health: StoreHealth,
  log: Logger,
  closers: Closers,
): Promise<Store> {
  const store = await opened(folder, health);
  closers.add('store', () => store.close());
  closers.add('compaction', startCompaction(store, {timers: systemTimers, log}));
  return store;
}
