// SPDX-License-Identifier: Apache-2.0
/** Backups of a running server: those that clients ask for, and those of `--backup-dir`. */
import {realpath} from 'node:fs/promises';
import type {KubeApi} from '@palisade/apiserver';
import {whyUnwritable} from '@palisade/engine/file-faults';
import type {RecordStore} from '@palisade/ids';
import type {Store} from '@palisade/store';
import {CommandError} from '../errors.ts';
import type {Metrics} from '../metrics/metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import {type DataFolder, RECORDS_FOLDER} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {monotonicClock, systemClock, systemTimers} from '../process/system.ts';
import type {Closers} from '../root/closers.ts';
import {serverUid} from '../root/open-kube.ts';
import {isWithin} from './backup-config.ts';
import type {BackupRoute} from './backup-route.ts';
import {type BackupParts, Backups} from './backups.ts';
import {BackupSchedule} from './schedule.ts';

type Parts = {
  readonly backup: BackupRoute;
  readonly store: Store;
  readonly folder: DataFolder;
  /** Names the server. */
  readonly kube: KubeApi;
  /** Undefined: the IDS side is not served. */
  readonly records: Pick<RecordStore, 'snapshot'> | undefined;
  readonly metrics: Pick<Metrics, 'showBackups'>;
};

/** From now on backups can be made. Throws CommandError for a --backup-dir that cannot be used. */
export const openBackups = async (
  {backup: scheduled}: Pick<ServeConfig, 'backup'>,
  {backup: route, store, folder, kube, records, metrics}: Parts,
  log: Logger,
  closers: Closers,
): Promise<void> => {
  const {dir} = folder;
  const uid = serverUid(kube);
  const copies: BackupParts['records'] = records && (signal => recordFiles(records, signal));
  const backups = new Backups({store, dir, serverUid: uid, records: copies, clock: systemClock});
  route.serve(backups);
  if (scheduled === undefined) return;
  const ownLog = log.child({part: 'backup'});
  const schedule = new BackupSchedule(scheduled, {
    ...{backups, serverUid: uid, log: ownLog},
    ...{clock: systemClock, stopwatch: monotonicClock, timers: systemTimers},
  });
  try {
    await schedule.start();
    if (isWithin(await realpath(scheduled.dir), await realpath(dir)))
      throw new CommandError(
        `--backup-dir ${scheduled.dir}: leads into the data folder ${dir}, and would be lost with it`,
      );
  } catch (error) {
    await schedule.stop();
    if (error instanceof CommandError) throw error;
    throw new CommandError(`--backup-dir ${scheduled.dir}: ${whyUnwritable(error)}`, {cause: error});
  }
  closers.add('scheduled backups', () => schedule.stop());
  metrics.showBackups(schedule);
  if (scheduled.records && records === undefined)
    ownLog.warn('--backup-records has no effect: this server has no records (--apis kubernetes)');
};

async function* recordFiles(records: Pick<RecordStore, 'snapshot'>, signal: AbortSignal) {
  for await (const {file, path, bytes, onRead} of records.snapshot(signal))
    yield {file: path, path: `${RECORDS_FOLDER}/${file}`, bytes, onRead};
}
