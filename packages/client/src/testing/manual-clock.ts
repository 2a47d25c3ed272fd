// SPDX-License-Identifier: Apache-2.0
/** A clock that goes only when somebody sleeps: no test waits for real. */
import type {Clock} from '../sleep.ts';

export type ManualClock = Clock & {
  /** Called on every sleep with its length, before it ends. */
  onSleep: (ms: number) => void;
  /** Every sleep so far, in milliseconds. */
  readonly slept: readonly number[];
};

/**
 * Sleeps shorter than `holdMs` (pauses between polls) end at once and move the time. Longer ones (bounds of whole calls) end when
 * the time has moved past them, or by their signal.
 */
export function manualClock(holdMs: number): ManualClock {
  const slept: number[] = [];
  const held = new Set<{readonly at: number; readonly wake: () => void}>();
  let now = 0;
  const hold = (ms: number, signal: AbortSignal): Promise<void> => {
    const {promise, resolve, reject} = Promise.withResolvers<void>();
    const sleeper = {at: now + ms, wake: resolve};
    held.add(sleeper);
    signal.addEventListener('abort', () => reject(signal.reason), {once: true});
    return promise.finally(() => held.delete(sleeper));
  };
  return {
    slept,
    onSleep: () => undefined,
    now: () => now,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      if (ms >= holdMs) return hold(ms, signal);
      slept.push(ms);
      now += ms;
      this.onSleep(ms);
      for (const sleeper of held) if (sleeper.at <= now) sleeper.wake();
      await Promise.resolve();
      signal.throwIfAborted();
    },
  };
}
