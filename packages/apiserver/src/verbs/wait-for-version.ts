// SPDX-License-Identifier: Apache-2.0
import {futureVersion} from '../status-error.ts';
import type {Services} from './request-context.ts';

/** Undefined when the version is there; else waits for it, and refuses with 504 when it does not come in time. */
export const notOlderThan = (services: Services, wanted: bigint): Promise<void> | undefined => {
  const reached = services.cache.reached(wanted);
  if (reached === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const timer = services.timers.after(services.limits.futureRevisionWaitMs, () =>
      reject(futureVersion(wanted, services.cache.revision)),
    );
    reached.then(() => {
      timer.cancel();
      resolve();
    }, reject);
  });
};
