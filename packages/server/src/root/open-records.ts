// SPDX-License-Identifier: Apache-2.0
import {openSqliteRecordStore, type RecordStore, RecordStoreError} from '@palisade/ids';
import {CommandError} from '../errors.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock} from '../process/system.ts';
import type {Closers} from './closers.ts';

/** The record store of the data folder. Throws CommandError when it cannot be used. */
export async function openRecords(
  {records: {budgets}}: Pick<ServeConfig, 'records'>,
  folder: DataFolder,
  log: Logger,
  closers: Closers,
): Promise<RecordStore> {
  const records = openSqliteRecordStore({
    folder: folder.recordDir,
    budgets,
    clock: systemClock,
    log: log.child({part: 'records'}),
  });
  try {
    await records.start();
  } catch (error) {
    if (error instanceof RecordStoreError) throw new CommandError(error.message, {cause: error});
    throw error;
  }
  closers.add('records', () => records.close());
  return records;
}
