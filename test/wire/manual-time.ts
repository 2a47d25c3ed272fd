// SPDX-License-Identifier: Apache-2.0
/** A clock that stands still and timers that run when a test moves it. `soon` is real: it is work, not time. */
import {type Clock, systemTimers, type Timer, type Timers} from '@palisade/apiserver';

export class ManualTime implements Clock, Timers {
  #nowMs: number;
  readonly #timers = new Set<{readonly atMs: number; readonly action: () => void}>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
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

  /** Moves the clock and runs what is due, in order of time. A negative step sets the clock back; nothing runs then. */
  advance(ms: number): void {
    this.#nowMs += ms;
    for (const entry of [...this.#timers].sort((a, b) => a.atMs - b.atMs)) {
      if (entry.atMs > this.#nowMs || !this.#timers.delete(entry)) continue;
      entry.action();
    }
  }
}
