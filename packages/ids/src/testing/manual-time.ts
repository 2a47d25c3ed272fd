// SPDX-License-Identifier: Apache-2.0
import type {Clock, Timer, Timers} from '../system.ts';

/** A clock and timers that stand still until the test moves them. */
export class ManualTime implements Clock, Timers {
  #nowMs: number;
  #timers: {readonly atMs: number; readonly action: () => void}[] = [];

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    const timer = {atMs: this.#nowMs + delayMs, action};
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter(other => other !== timer);
      },
    };
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Moves on, running what is due in order. */
  advance(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      const [next] = this.#timers.filter(timer => timer.atMs <= end).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers = this.#timers.filter(timer => timer !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action();
    }
    this.#nowMs = end;
  }
}
