// SPDX-License-Identifier: Apache-2.0
/** A clock that goes only when somebody sleeps: no test waits for real. */
import type {Clock} from '../sleep.ts';

export type ManualClock = Clock & {
  /** Called on every sleep with its length, before it ends. */
  onSleep: (ms: number) => void;
  /** Every sleep so far, in milliseconds. */
  readonly slept: readonly number[];
};

/** Sleeps shorter than `holdMs` end at once and move the time; longer ones end only by their signal. */
export function manualClock(holdMs: number = Number.POSITIVE_INFINITY): ManualClock {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    onSleep: () => undefined,
    now: () => now,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      if (ms >= holdMs) {
        const aborted = Promise.withResolvers<never>();
        signal.addEventListener('abort', () => aborted.reject(signal.reason), {once: true});
        await aborted.promise;
      }
      slept.push(ms);
      now += ms;
      this.onSleep(ms);
      await Promise.resolve();
      signal.throwIfAborted();
    },
  };
}
