// SPDX-License-Identifier: Apache-2.0
/**
 * Delivery to the live watchers of one resource: prompt to those that read, in slices to the rest.
 *
 * A server cannot see whether a reader reads until the buffers of the connection are full; for 10,000 readers that stand still
 * these hold gigabytes, and filling them takes the time of everybody else. So watchers are served in this order: the newest,
 * as many as one run can serve, since they have just asked; then the others, who has kept up for longest first. The others
 * come in slices, between which the server does other work, and under load every other slice goes to the head of their row.
 * Who stands still is found out on the way, leaves, and costs nothing from then on; should it read again, it queues up anew.
 */
import type {Clock, Timers} from '../base/time.ts';
import type {EventLog} from './event-log.ts';
import {JoinedFrames} from './joined-frames.ts';
import {Pace, SLICE_MS, Slice} from './pace.ts';
import {Stream} from './stream.ts';
import type {Watcher} from './watcher.ts';

/**
 * Under load a delivery waits for FACTOR times as long as the one before took, at most WAIT_MS_MAX, or, while a stream of events
 * has not filled it, for the same FACTOR, at most until PERIOD_MS after the beginning of the one before: so many events share a
 * write. What waited out a delivery that took long is not held for long as well. Where a delivery is quick, a stream fills the
 * next one before either ends; where it is slow (system calls under a hypervisor in another one: 10 ms for 200 watches), a PERIOD_MS
 * of 36 instead of 12 gave, in turn within one start (12 each), a third more deliveries a second for a third less CPU, with a
 * p99 of 57 instead of 44 ms; 24 gave a quarter, with 49 ms, and 60 no more than 36.
 */
const FACTOR = 3;
export const WAIT_MS_MAX = 4;
export const PERIOD_MS = 36;
/** How many count as new. */
export const NEW_MAX = 256;
/** Slices of the head of the row that are served anew when there is something new, before all had their turn. */
const HEAD_SLICES = 4;

/** One way along the row of those who are not new; `end` is what the log held when it began. */
type Round = {readonly left: Iterator<Watcher>; readonly end: number; slices: number};

export class FanOut {
  readonly frames: JoinedFrames;
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #newMax: number;
  /** The latest to be opened, in order. */
  readonly #new = new Set<Watcher>();
  /** The others, who has been here for longest first. */
  readonly #row = new Set<Watcher>();
  readonly #newPace: Pace;
  readonly #roundPace: Pace;
  readonly #slicePace: Pace;
  readonly #newStream: Stream;
  readonly #rowStream: Stream;
  /** A round through the head of the row, and one through all of it; they take turns. */
  #head: Round | undefined;
  #all: Round | undefined;
  #wasHeads = false;
  /** Somebody in the row is behind, and no round has begun since. */
  #hasNews = false;

  constructor(log: EventLog, timers: Timers, clock: Clock, newMax = NEW_MAX) {
    this.frames = new JoinedFrames(log);
    this.#log = log;
    this.#clock = clock;
    this.#newMax = newMax;
    this.#newStream = new Stream(log);
    this.#rowStream = new Stream(log);
    const pace = {timers, clock, factor: FACTOR, waitMsMax: WAIT_MS_MAX};
    const heldBy = (stream: Stream) => ({...pace, hold: {isDue: () => stream.isWorthHolding, periodMs: PERIOD_MS}});
    this.#newPace = new Pace(heldBy(this.#newStream), () => this.#serveNew());
    this.#roundPace = new Pace(heldBy(this.#rowStream), () => this.#serveSlice());
    this.#slicePace = new Pace({timers, clock, factor: 1, waitMsMax: SLICE_MS}, () => this.#serveSlice());
  }

  /** The watcher stands at the end of the log; from here on it is told what is new. */
  join(watcher: Watcher): void {
    if (!watcher.isNew) this.#queueUp(watcher);
    else this.#new.add(watcher);
    if (this.#new.size <= this.#newMax) return;
    const [oldest] = this.#new;
    if (oldest === undefined) return;
    this.#new.delete(oldest);
    this.#queueUp(oldest);
  }

  leave(watcher: Watcher): void {
    this.#new.delete(watcher);
    this.#row.delete(watcher);
  }

  /** The log has grown. */
  wake(): void {
    if (this.#new.size > 0) this.#newPace.request();
    else this.#newStream.passed();
    if (this.#row.size > 0) this.#wakeRow();
    else this.#rowStream.passed();
  }

  #wakeRow(): void {
    this.#hasNews = true;
    if (this.#head === undefined && this.#all === undefined) this.#roundPace.request();
  }

  #queueUp(watcher: Watcher): void {
    this.#row.add(watcher);
    if (watcher.isBehind) this.#wakeRow();
  }

  #serve(watcher: Watcher): void {
    watcher.deliver();
    if (!watcher.isLive) this.leave(watcher);
  }

  #serveNew(): void {
    this.#newStream.delivered();
    for (const watcher of [...this.#new].reverse()) this.#serve(watcher);
  }

  /** One slice of the round whose turn it is. */
  #serveSlice(): void {
    if (this.#head === undefined && this.#hasNews) {
      this.#head = this.#beginRound();
      this.#hasNews = false;
    }
    this.#wasHeads = this.#head !== undefined && (this.#all === undefined || !this.#wasHeads);
    if (this.#wasHeads) this.#serveHead();
    else this.#serveAll();
    if (this.#head !== undefined || this.#all !== undefined) this.#slicePace.request();
    else if (this.#hasNews) this.#roundPace.request();
  }

  #beginRound(): Round {
    this.#rowStream.delivered();
    return {left: this.#row.values(), end: this.#log.end, slices: 0};
  }

  #serveHead(): void {
    const round = this.#head;
    if (round === undefined) return;
    const isThrough = this.#serveSliceOf(round);
    if (!isThrough && ++round.slices < HEAD_SLICES) return;
    this.#head = undefined;
    if (isThrough)
      this.#all = undefined; // all were served
    else this.#all ??= round; // and goes on as the round through all
  }

  #serveAll(): void {
    const round = this.#all;
    if (round === undefined || !this.#serveSliceOf(round)) return;
    this.#all = this.#log.end > round.end ? this.#beginRound() : undefined;
  }

  /** True: the round is through. */
  #serveSliceOf({left}: Round): boolean {
    const slice = new Slice(this.#clock);
    for (let next = left.next(); next.done !== true; next = left.next()) {
      if (!next.value.isBehind) continue;
      this.#serve(next.value);
      if (slice.spend()) return false;
    }
    return true;
  }
}
