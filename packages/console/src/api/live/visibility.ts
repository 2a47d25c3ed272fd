// SPDX-License-Identifier: Apache-2.0
import {TransportError} from '@palisade/client/browser';
import type {Surroundings} from '../surroundings.ts';

/** Resolves when the tab is shown or `signal` aborts. */
export function untilShown({isHidden, onVisibility}: Surroundings, signal: AbortSignal): Promise<void> {
  if (!isHidden() || signal.aborted) return Promise.resolve();
  const {promise, resolve} = Promise.withResolvers<void>();
  const end = onVisibility(() => {
    if (!isHidden()) resolve();
  });
  signal.addEventListener('abort', () => resolve(), {once: true});
  return promise.finally(end);
}

/** Runs `work` with a signal that aborts when the tab is hidden or `signal` does: TransportError `aborted`. */
export async function whileShown(
  {isHidden, onVisibility}: Surroundings,
  signal: AbortSignal,
  work: (shown: AbortSignal) => Promise<void>,
): Promise<void> {
  const control = new AbortController();
  const abort = (): void => control.abort(new TransportError('aborted', 'the tab is hidden'));
  const end = onVisibility(() => {
    if (isHidden()) abort();
  });
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  try {
    await work(control.signal);
  } finally {
    end();
    signal.removeEventListener('abort', abort);
  }
}
