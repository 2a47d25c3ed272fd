// SPDX-License-Identifier: Apache-2.0
/**
 * How watches, long lists and histories share the event loop.
 *
 * A watcher owns no queue, only a position in the event log of its resource. Its phases:
 *
 * - catching up: it writes the existing objects, if it asked for them, then the events between its position and the end of the
 *   log: one write of about 64 KiB, then it waits for its turn.
 * - live: it has written everything, and is a member of the `FanOut` of its resource. Each new event starts a pass, in which
 *   every live watcher writes what is new to it. Events that come during a pass, or soon after a long one, share the next pass.
 *   Watchers with equal views share the bytes (`SharedFrames`).
 * - lagging: the socket holds back what was written. The watcher leaves the fan-out and gets nothing more, so a reader that
 *   reads nothing costs one write, and no other watcher waits for it. Once the socket has taken everything, it catches up.
 * - ended: the time is up, the client is gone, the server stops, an object could not be encoded, the watcher lagged for too
 *   long or behind the end of the history, or its right is gone. Except for the first three, the last event says why (`ERROR`, code
 *   410, 500, 401 or 403).
 *
 * No step is unbounded, but for the copy of references to the objects that a watch begins with, and the end of all watches at
 * a shutdown. In each iteration of the event loop the scheduler runs at most
 *
 * - one slice of a few milliseconds for work of many short steps: passes of a fan-out, and watches that end by the thousand.
 *   After a slice it pauses for as long as the slice took, so other requests get at least half of the time.
 * - one turn: a piece of a list, of existing objects or history for a watcher, a page of the store, a batch of deletes. Turns
 *   are given in the order in which they were asked for.
 *
 * The sizes are `STEPS` in base/limits.ts.
 */
import {STEPS} from '../../base/limits.ts';
import type {Clock, Timers} from '../../base/time.ts';

export class Scheduler {
  readonly timers: Timers;
  readonly clock: Clock;
  /** A few at a time: each resource has one pass. */
  readonly #tasks: (() => boolean)[] = [];
  #actions: (() => void)[] = [];
  #isRunning = false;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(timers: Timers, clock: Clock) {
    this.timers = timers;
    this.clock = clock;
  }

  /** Resolves when it is the caller's turn; the caller then does one bounded step. */
  turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => new Promise(resolve => this.timers.soon(resolve)));
    return this.#lastTurn;
  }

  /** Calls `step` in slices for as long as it returns true. A step is short, and must not throw. */
  run(step: () => boolean): void {
    this.#tasks.push(step);
    if (!this.#isRunning) this.timers.soon(() => this.#slice());
    this.#isRunning = true;
  }

  /** Calls `action` in a slice, in the order of the calls. It is short, and must not throw. */
  add(action: () => void): void {
    this.#actions.push(action);
    if (this.#actions.length > 1) return;
    let done = 0;
    this.run(() => {
      this.#actions[done++]?.();
      if (done < this.#actions.length) return true;
      this.#actions = [];
      return false;
    });
  }

  /** The next slice begins with another task, if there is one. */
  #slice(): void {
    const startMs = this.clock.now();
    let tookMs = 0;
    let rest: (() => boolean) | undefined;
    for (let steps = 0; steps < STEPS.sliceStepsMax && tookMs < STEPS.sliceMsMax; steps++) {
      const step = rest ?? this.#tasks.shift();
      if (step === undefined) break;
      rest = step() ? step : undefined;
      tookMs = this.clock.now() - startMs;
    }
    if (rest !== undefined) this.#tasks.push(rest);
    this.#isRunning = this.#tasks.length > 0;
    if (!this.#isRunning) return;
    const pauseMs = Math.min(tookMs, STEPS.sliceMsMax);
    if (pauseMs >= 1) this.timers.after(pauseMs, () => this.#slice());
    else this.timers.soon(() => this.#slice());
  }
}
