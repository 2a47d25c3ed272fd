// SPDX-License-Identifier: Apache-2.0
import {futureVersion} from '../status-error.ts';
import type {Services} from './request-context.ts';

/** Undefined when the version is there; else waits for it, and refuses with 504 when it does not come in time. */
export const notOlderThan = (
  {cache, timers, limits}: Pick<Services, 'cache' | 'timers' | 'limits'>,
  wanted: bigint,
): Promise<void> | undefined => {
  if (wanted <= cache.revision) return undefined;
  const late = new AbortController();
  const timer = timers.after(limits.futureRevisionWaitMs, () => late.abort(futureVersion(wanted, cache.revision)));
  return cache.reached(wanted, late.signal)?.finally(() => timer.cancel());
};
