// SPDX-License-Identifier: Apache-2.0
import type {Timers} from '../system.ts';

/** At most `max` actions at a time, first come first served; one that holds its slot for `holdMs` no longer counts. */
export class Slots {
  readonly #timers: Timers;
  readonly #holdMs: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(options: {readonly max: number; readonly holdMs: number; readonly timers: Timers}) {
    this.#free = options.max;
    this.#holdMs = options.holdMs;
    this.#timers = options.timers;
  }

  get isFull(): boolean {
    return this.#free <= 0;
  }

  /** Runs `action` in a slot; rejects with the abort reason when `signal` aborts while it waits. */
  async run<R>(signal: AbortSignal, action: () => Promise<R>): Promise<R> {
    await this.#acquire(signal);
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      this.#free += 1;
      if (this.#free > 0) this.#waiting.shift()?.();
    };
    const timer = this.#timers.after(this.#holdMs, release);
    try {
      return await action();
    } finally {
      timer.cancel();
      release();
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        this.#free -= 1;
        resolve();
      };
      const leave = (): void => {
        const at = this.#waiting.indexOf(enter);
        if (at !== -1) this.#waiting.splice(at, 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', leave, {once: true});
    });
  }
}
