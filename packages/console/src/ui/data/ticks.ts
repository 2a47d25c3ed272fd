// SPDX-License-Identifier: Apache-2.0

const TICK_MS = 1_000;

export type Ticks = {
  /** Never older than a second, also when no timer runs or the browser slows it down; the same value within a second. */
  readonly now: () => number;
  readonly subscribe: (listener: () => void) => () => void;
};

/** The time of `read` in milliseconds, announced each second while somebody listens. */
export function createTicks(read: () => number): Ticks {
  const listeners = new Set<() => void>();
  let last = read();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = (): void => {
    last = read();
    for (const listener of listeners) listener();
  };
  return {
    now: () => {
      const real = read();
      if (Math.abs(real - last) >= TICK_MS) last = real;
      return last;
    },
    subscribe: listener => {
      listeners.add(listener);
      timer ??= setInterval(tick, TICK_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
