// SPDX-License-Identifier: Apache-2.0
/**
 * When each target is checked. One heap and one timer for all of them.
 *
 *   idle → due → under way → idle …    a target that is due while there is no place for its group waits (fair-queue.ts)
 *
 * I1: at most one check of a target is under way.
 * I2: from the time that a check is due to that of the next is a period, less at most the part `jitter` of it; a check that takes
 *     longer is followed by the next at once. What was missed is not made up for: one that starts later than half a period counts
 *     as due at its start.
 * I3: what does not belong to the newest target of its id is not reported.
 * I4: a time-out is absolute; but when this thread was held up meanwhile, the check gets as much time again, once at most its
 *     time-out: a busy machine must not make its members look dead.
 * I5: first checks start one after another, FIRST_CHECKS_GAP_MS apart, but none waits longer than its period for that.
 */
import type {RunningCheck} from '../checks/start-check.ts';
import {FIRST_CHECKS_GAP_MS, HELD_UP_MS} from '../limits.ts';
import type {CheckTarget, Outcome} from '../port.ts';
import type {Clock, Random, Timer, Timers} from '../system.ts';
import {DueHeap, NO_PLACE} from './due-heap.ts';
import {FairQueue} from './fair-queue.ts';

/** Of one watch: a target that takes the place of another has a new number. */
export type Watched = {readonly number: number; readonly target: CheckTarget};

export type ScheduledResult = Outcome & {readonly number: number; readonly endMs: number; readonly durationMs: number};

/** How much later than due checks started, since the last look. */
export type StartDelays = {readonly count: number; readonly sumMs: number; readonly maxMs: number};
export type ScheduleCounts = {readonly targets: number; readonly underWay: number; readonly waiting: number};

export type SchedulerPorts = {
  /** Never jumps. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly start: (target: CheckTarget, onEnd: (outcome: Outcome) => void) => RunningCheck;
  readonly onResult: (result: ScheduledResult) => void;
  readonly underWayMax: number;
};

type Entry = Watched & {
  dueMs: number;
  place: number;
  /** The check that is under way. */
  running: RunningCheck | undefined;
};

const NO_DELAYS: StartDelays = {count: 0, sumMs: 0, maxMs: 0};

export class Scheduler {
  readonly #ports: SchedulerPorts;
  readonly #entries = new Map<number, Entry>();
  readonly #heap = new DueHeap<Entry>();
  readonly #queue: FairQueue<Entry>;
  #isStarting = false;
  #delays = NO_DELAYS;
  #nextFirstMs = 0;
  #wake: {readonly atMs: number; readonly timer: Timer} | undefined;

  constructor(ports: SchedulerPorts) {
    this.#ports = ports;
    this.#queue = new FairQueue(ports.underWayMax);
  }

  get counts(): ScheduleCounts {
    return {targets: this.#entries.size, underWay: this.#queue.taken, waiting: this.#queue.waiting};
  }

  takeDelays(): StartDelays {
    const delays = this.#delays;
    this.#delays = NO_DELAYS;
    return delays;
  }

  watch({number, target}: Watched): void {
    const entry: Entry = {number, target, dueMs: this.#firstDueMs(target), place: NO_PLACE, running: undefined};
    this.#entries.set(number, entry);
    this.#queue.join(target.namespace, target.group);
    this.#heap.add(entry);
    this.#arm();
  }

  /** A check that is under way ends at once. */
  forget(number: number): void {
    const entry = this.#entries.get(number);
    if (entry === undefined) return;
    this.#entries.delete(number);
    this.#heap.remove(entry);
    this.#queue.remove(entry.target.group, entry);
    entry.running?.cancel();
    this.#queue.leave(entry.target.group);
    if (this.#queue.waiting > 0) this.#startWaiting();
  }

  stop(): void {
    this.#isStarting = true; // nothing starts any longer
    for (const number of [...this.#entries.keys()]) this.forget(number);
    this.#wake?.timer.cancel();
    this.#wake = undefined;
  }

  #firstDueMs({delayMs, periodMs}: CheckTarget): number {
    const {clock, random} = this.#ports;
    const nowMs = clock.now();
    const queuedMs = Math.max(0, this.#nextFirstMs - nowMs);
    const anyMs = random.next() * periodMs;
    if (queuedMs > anyMs) return nowMs + delayMs + anyMs;
    this.#nextFirstMs = nowMs + queuedMs + FIRST_CHECKS_GAP_MS;
    return nowMs + delayMs + queuedMs;
  }

  #nextDueMs({dueMs, target: {periodMs, jitter}}: Entry, startMs: number): number {
    const fromMs = startMs - dueMs > periodMs / 2 ? startMs : dueMs;
    return fromMs + periodMs * (1 - this.#ports.random.next() * jitter);
  }

  #arm(): void {
    const first = this.#heap.first;
    if (first === undefined || (this.#wake !== undefined && this.#wake.atMs <= first.dueMs)) return;
    this.#wake?.timer.cancel();
    const delayMs = Math.max(0, Math.ceil(first.dueMs - this.#ports.clock.now()));
    const timer = this.#ports.timers.after(delayMs, () => {
      this.#wake = undefined;
      this.#startDue();
      this.#arm();
    });
    this.#wake = {atMs: first.dueMs, timer};
  }

  #startDue(): void {
    const nowMs = this.#ports.clock.now();
    for (let first = this.#heap.first; first !== undefined && first.dueMs <= nowMs; first = this.#heap.first) {
      this.#heap.remove(first);
      this.#queue.add(first.target.group, first);
    }
    this.#startWaiting();
  }

  /** Not from within itself: a check may end before it has started. */
  #startWaiting(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    for (let entry = this.#queue.take(); entry !== undefined; entry = this.#queue.take()) this.#start(entry);
    this.#isStarting = false;
  }

  #start(entry: Entry): void {
    const {clock, timers, start} = this.#ports;
    const {target} = entry;
    const startMs = clock.now();
    const {count, sumMs, maxMs} = this.#delays;
    const lateMs = Math.max(0, startMs - entry.dueMs);
    this.#delays = {count: count + 1, sumMs: sumMs + lateMs, maxMs: Math.max(maxMs, lateMs)};
    let isOver = false;
    let timeOut: Timer | undefined;
    const check = start(target, outcome => {
      isOver = true;
      timeOut?.cancel();
      this.#ended(entry, startMs, outcome);
    });
    if (isOver) return;
    const {timeoutMs} = target;
    timeOut = timers.after(timeoutMs, () => {
      const heldUpMs = clock.now() - startMs - timeoutMs;
      const end = (): void => check.timeOut(timeoutMs);
      if (heldUpMs < HELD_UP_MS) end();
      else timeOut = timers.after(Math.min(heldUpMs, timeoutMs), end);
    });
    entry.running = check;
  }

  #ended(entry: Entry, startMs: number, outcome: Outcome): void {
    const endMs = this.#ports.clock.now();
    this.#queue.giveBack(entry.target.group);
    entry.running = undefined;
    if (this.#entries.get(entry.number) === entry) {
      entry.dueMs = Math.max(this.#nextDueMs(entry, startMs), endMs);
      this.#heap.add(entry);
      this.#ports.onResult({...outcome, number: entry.number, endMs, durationMs: endMs - startMs});
    }
    this.#arm();
    if (this.#queue.waiting > 0) this.#startWaiting();
  }
}
