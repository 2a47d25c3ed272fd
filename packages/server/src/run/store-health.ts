// SPDX-License-Identifier: Apache-2.0
/** The health check `store`: whether the store still takes writes. Its failure is logged when it happens. */
import type {HealthCheck} from '@palisade/apiserver';
import type {StoreError} from '@palisade/store';
import type {Logger} from './logger.ts';

export type StoreHealth = {
  readonly check: HealthCheck;
  /** For `openSqliteStore`. */
  readonly onFailed: (failure: StoreError) => void;
};

/** Red for good once the store failed: only a new process opens it anew, so /livez must tell who supervises this one. */
export const createStoreHealth = (log: Pick<Logger, 'error'>): StoreHealth => {
  let failure: StoreError | undefined;
  return {
    check: {name: 'store', aliases: ['etcd'], check: () => failure?.message},
    onFailed: error => {
      failure = error;
      log.error({err: error}, 'the store is lost: every write is refused until this server is restarted');
    },
  };
};
