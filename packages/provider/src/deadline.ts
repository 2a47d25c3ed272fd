// SPDX-License-Identifier: Apache-2.0
/** One bound for a whole call: the caller's timeout, and the provider's cancellation. */
import type {Clock} from '@palisade/client';
import {ProviderError} from './provider.ts';

/**
 * Runs `run` with a signal that aborts when `parent` does or after `timeoutMs`. When the time is over the call fails with
 * `deadline-exceeded` and `what` in its message, whatever `run` throws on the abort.
 */
export async function withDeadline<T>(
  bounds: {readonly clock: Clock; readonly timeoutMs: number; readonly parent: AbortSignal; readonly what: string},
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const done = new AbortController();
  const timer = bounds.clock.sleep(bounds.timeoutMs, done.signal).then(
    () => over.abort(),
    () => undefined, // The call ended first.
  );
  try {
    return await run(AbortSignal.any([bounds.parent, over.signal]));
  } catch (cause) {
    if (!over.signal.aborted || bounds.parent.aborted) throw cause;
    const seconds = Math.round(bounds.timeoutMs / 1000);
    throw new ProviderError('deadline-exceeded', `${bounds.what} did not finish within ${seconds} s`, {cause});
  } finally {
    done.abort();
    await timer;
  }
}
