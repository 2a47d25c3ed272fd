// SPDX-License-Identifier: Apache-2.0
/** A clock and timers that move only when a test moves them. `soon` is real: it is work, not time. */
import {type Clock, systemTimers, type Timer, type Timers} from '../base/time.ts';

export class ManualTime implements Clock, Timers {
  #nowMs: number;
  readonly #timers = new Set<{readonly atMs: number; readonly action: () => void}>();

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    const entry = {atMs: this.#nowMs + delayMs, action};
    this.#timers.add(entry);
    return {cancel: () => this.#timers.delete(entry)};
  }

  soon(action: () => void): Timer {
    return systemTimers.soon(action);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the clock and runs what is due, each at its time. A negative step sets the clock back; nothing runs then. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({atMs}) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action();
    }
    this.#nowMs = endMs;
  }
}
