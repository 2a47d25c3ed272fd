// SPDX-License-Identifier: Apache-2.0
import type {RecordStore} from './record-store.ts';

/** `next`: resolves at the next change of the store after the call, and when `signal` aborts, or has done so. */
export const wakeUp = (records: RecordStore, signal: AbortSignal): {next(): Promise<void>; close(): void} => {
  let {promise, resolve} = Promise.withResolvers<void>();
  const wake = (): void => {
    resolve();
    if (!signal.aborted) ({promise, resolve} = Promise.withResolvers<void>());
  };
  if (signal.aborted) resolve();
  const end = records.onChange(wake);
  signal.addEventListener('abort', wake, {once: true});
  return {
    next: () => promise,
    close: () => {
      end();
      signal.removeEventListener('abort', wake);
    },
  };
};
