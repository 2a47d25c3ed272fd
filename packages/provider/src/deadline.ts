// SPDX-License-Identifier: Apache-2.0
/** Bounds of a call: the caller's timeout, and the provider's cancellation, at once or with a grace. */
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

/** How long a request that makes something may still be answered after the cancellation. */
const SENT_GRACE_MS = 5_000;

/**
 * Runs `run` with a signal that follows `parent` later: a request that makes something may have been heard already, and without its
 * answer nobody would know of what it made. After the cancellation nothing is begun.
 */
export async function withGrace<T>(
  bounds: {readonly clock: Clock; readonly parent: AbortSignal},
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const {clock, parent} = bounds;
  parent.throwIfAborted();
  const over = new AbortController();
  const done = new AbortController();
  const follow = (): void => {
    clock.sleep(SENT_GRACE_MS, done.signal).then(
      () => over.abort(parent.reason),
      () => undefined, // The request was answered.
    );
  };
  parent.addEventListener('abort', follow, {once: true});
  try {
    return await run(over.signal);
  } finally {
    parent.removeEventListener('abort', follow);
    done.abort();
  }
}
