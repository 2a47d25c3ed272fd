// SPDX-License-Identifier: Apache-2.0
import type {Clock, Timer, Timers} from '../system.ts';

/** A clock and timers that move only when a test moves them. */
export class ManualTime implements Clock, Timers {
  #nowMs = 1_000_000;
  readonly #timers = new Set<{readonly atMs: number; readonly action: () => void}>();

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    const entry = {atMs: this.#nowMs + delayMs, action};
    this.#timers.add(entry);
    return {cancel: () => void this.#timers.delete(entry)};
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Runs what is due, each at its time. */
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

  /** The clock alone: a machine that was held up. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }
}
