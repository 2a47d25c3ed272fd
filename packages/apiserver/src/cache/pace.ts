// SPDX-License-Identifier: Apache-2.0
/** Work that grows with the number of watches gets its share of the event loop: what waits is joined, what is long is cut. */
import type {Clock, Timer, Timers} from '../base/time.ts';

export type PaceOptions = {
  readonly timers: Timers;
  readonly clock: Clock;
  /** After a run of d ms the next one waits for `factor` × d, at most `waitMsMax`. */
  readonly factor: number;
  readonly waitMsMax: number;
  /**
   * While `isDue` says so, more is to come that goes with it for little: a run waits, still for `factor` × d at most, until
   * `periodMs` after the beginning of the one before. Asked anew when that comes.
   */
  readonly hold?: {readonly isDue: () => boolean; readonly periodMs: number};
};

/** Runs an action soon after it was asked for, once for all who asked meanwhile, and leaves time between two runs. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #action: () => void;
  #scheduled: Timer | undefined;
  /** What is scheduled waits because of `hold`. */
  #isHeld = false;
  #isRunning = false;
  #isAskedAgain = false;
  /** When the last run ended (of the clock), and how long it took. */
  #endMs = 0;
  #tookMs = 0;

  constructor(options: PaceOptions, action: () => void) {
    this.#options = options;
    this.#action = action;
  }

  request(): void {
    if (this.#isRunning) this.#isAskedAgain = true;
    else if (this.#scheduled === undefined) this.#schedule();
    else if (this.#isHeld && !this.#options.hold?.isDue()) {
      this.#scheduled.cancel();
      this.#schedule();
    }
  }

  #schedule(): void {
    const {timers, clock, factor, waitMsMax, hold} = this.#options;
    const shareMs = this.#tookMs * factor;
    const pauseMs = Math.min(shareMs, waitMsMax);
    const holdMs = hold?.isDue() === true ? Math.min(shareMs, hold.periodMs - this.#tookMs) : 0;
    this.#isHeld = holdMs > pauseMs;
    const afterMs = Math.max(pauseMs, holdMs);
    const waitMs = Math.min(this.#endMs + afterMs - clock.now(), afterMs); // the clock may have been set back
    this.#scheduled = waitMs >= 1 ? timers.after(waitMs, () => this.#run()) : timers.soon(() => this.#run());
  }

  #run(): void {
    const {clock} = this.#options;
    this.#scheduled = undefined;
    this.#isAskedAgain = false;
    this.#isRunning = true;
    const startMs = clock.now();
    try {
      this.#action();
    } finally {
      this.#endMs = clock.now();
      this.#tookMs = Math.max(this.#endMs - startMs, 0);
      this.#isRunning = false;
      if (this.#isAskedAgain) this.#schedule();
    }
  }
}

/** How long one slice of long work may hold up everything else. */
export const SLICE_MS = 4;
/** A slice is over after this many items, too: the clock may stand still or be set back. */
export const SLICE_ITEMS_MAX = 500;

/** One slice of work on many watches. */
export class Slice {
  readonly #clock: Clock;
  readonly #startMs: number;
  #items = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  /** Counts an item that was done; true: the rest is for another slice. */
  spend(): boolean {
    return ++this.#items >= SLICE_ITEMS_MAX || this.#clock.now() - this.#startMs >= SLICE_MS;
  }
}

/** Actions that come by the thousand, done in the order in which they came, a slice at a time. */
export class SlicedQueue {
  readonly #clock: Clock;
  readonly #pace: Pace;
  #waiting: (() => void)[] = [];
  #done = 0;

  constructor(timers: Timers, clock: Clock) {
    this.#clock = clock;
    this.#pace = new Pace({timers, clock, factor: 1, waitMsMax: SLICE_MS}, () => this.#run());
  }

  /** Actions must not throw. */
  add(action: () => void): void {
    this.#waiting.push(action);
    this.#pace.request();
  }

  #run(): void {
    const slice = new Slice(this.#clock);
    for (;;) {
      const action = this.#waiting[this.#done++];
      if (action === undefined) break;
      action();
      if (!slice.spend()) continue;
      this.#pace.request();
      return;
    }
    this.#waiting = [];
    this.#done = 0;
  }
}
