// SPDX-License-Identifier: Apache-2.0
import {futureVersion} from '../base/status-error.ts';
import type {RequestContext, Services} from './object/request-context.ts';

/**
 * Undefined when the version is there; else waits for it, and refuses with 504 when it does not come in time. Who asked may give up
 * by `signal`: the promise rejects with its reason.
 */
export const notOlderThan = (
  {cache, timers, limits}: Pick<Services, 'cache' | 'timers' | 'limits'>,
  wanted: bigint,
  signal?: AbortSignal,
): Promise<void> | undefined => {
  if (wanted <= cache.revision) return undefined;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const late = new AbortController();
  const timer = timers.after(limits.futureRevisionWaitMs, () => late.abort(futureVersion(wanted, cache.revision)));
  // Not AbortSignal.any: Node keeps what that makes until it fires, which it does not once the version is there.
  const giveUp = (): void => late.abort(signal?.reason);
  signal?.addEventListener('abort', giveUp, {once: true});
  return cache.reached(wanted, late.signal)?.finally(() => {
    timer.cancel();
    signal?.removeEventListener('abort', giveUp);
  });
};

/** The same of a read. Of what the reference serves without a watch cache a version that is not there is refused at once. */
export const readableAt = ({services, kind}: RequestContext, wanted: bigint): Promise<void> | undefined => {
  const current = services.cache.revision;
  if (kind.uncached === true && wanted > current) throw futureVersion(wanted, current, 0);
  return notOlderThan(services, wanted);
};
