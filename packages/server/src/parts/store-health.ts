// SPDX-License-Identifier: Apache-2.0
/** The health checks of the store: whether its thread is there, and whether its disk takes writes. Changes are logged when they happen. */
import type {HealthCheck, Timers} from '@palisade/apiserver';
import type {StoreError} from '@palisade/store';
import type {DiskWatch} from '@palisade/store/sqlite';
import type {Logger} from '../process/logger.ts';

/** How often a disk that refuses is tried. */
const DISK_TRY_MS = 5_000;

export type StoreHealth = {
  readonly checks: readonly HealthCheck[];
  /** Whether a write can be kept now, as far as is known. */
  readonly isWritable: () => boolean;
  /** For `openSqliteStore`. */
  readonly onFailed: (failure: StoreError) => void;
  readonly disk: DiskWatch;
};

/** For everyone who may ask /readyz: without a path of this machine. */
const publicReason = ({code}: StoreError): string =>
  code === 'disk-full' ? 'the disk is full, writes are refused' : 'the disk refuses writes';

/**
 * `store` is red for good once the thread is lost: only a new process opens the store again, so /livez must say so to whoever
 * supervises this one. `disk` is red while the disk refuses writes: a restart does not mend that, so it is of /readyz only.
 */
export const createStoreHealth = (log: Pick<Logger, 'error' | 'info'>, timers: Pick<Timers, 'after'>): StoreHealth => {
  let failure: StoreError | undefined;
  let refusal: StoreError | undefined;
  return {
    checks: [
      {name: 'store', aliases: ['etcd'], check: () => failure?.message},
      {
        name: 'disk',
        readyOnly: true,
        check: () => refusal?.message,
        publicReason: () => refusal && publicReason(refusal),
      },
    ],
    isWritable: () => failure === undefined && refusal === undefined,
    onFailed: error => {
      failure = error;
      log.error({err: error}, 'store failed, all writes are refused until a restart');
    },
    disk: {
      later: task => void timers.after(DISK_TRY_MS, task),
      onChange: error => {
        refusal = error;
        if (error === undefined) log.info({}, 'disk recovered, writes resumed');
        else log.error({err: error}, 'disk refuses writes, write requests get 503');
      },
    },
  };
};
