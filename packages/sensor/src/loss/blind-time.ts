// SPDX-License-Identifier: Apache-2.0
/**
 * The times in which mirrored packets of an endpoint could not be inspected, or their alerts could not be written.
 *
 * I1 at most one interval is open, and intervals follow each other, so the total is the sum of all. I2 a clock that is set back makes no
 * negative interval and no smaller total of what is closed. I3 the newest `BLIND_INTERVALS_MAX` are kept; the total has the older ones too.
 */
import type {BlindInterval} from '@palisade/ids-wire';
import {BLIND_INTERVALS_MAX} from '../limits.ts';
import type {Clock} from '../ports.ts';

/** `engine`: Suricata was down; `server`: the server was; `disk`: alerts could not be written. */
export type BlindCause = 'engine' | 'server' | 'disk';

export type ClosedInterval = {readonly fromMs: number; readonly untilMs: number; readonly why: string};
export type OpenInterval = {readonly fromMs: number; readonly cause: BlindCause; readonly why: string};

/** As it is kept on disk. */
export type BlindState = {
  /** Oldest first. */
  readonly closed: readonly ClosedInterval[];
  /** Of all closed intervals. */
  readonly closedMs: number;
  readonly open?: OpenInterval | undefined;
};
export const NEVER_BLIND: BlindState = {closed: [], closedMs: 0};

const rfc3339 = (ms: number): string => new Date(ms).toISOString();

export class BlindTime {
  readonly #clock: Clock;
  #closed: ClosedInterval[];
  #closedMs: number;
  #open: OpenInterval | undefined;

  constructor(clock: Clock, state: BlindState = NEVER_BLIND) {
    this.#clock = clock;
    this.#closed = [...state.closed];
    this.#closedMs = state.closedMs;
    this.#open = state.open;
  }

  /** An interval of another cause ends here; one of the same cause continues. `fromMs`: default now. */
  begin(cause: BlindCause, why: string, fromMs = this.#clock.now()): void {
    if (this.#open?.cause === cause) return;
    this.#closeAt(fromMs);
    const earliestMs = this.#closed.at(-1)?.untilMs ?? fromMs;
    this.#open = {fromMs: Math.min(Math.max(fromMs, earliestMs), this.#clock.now()), cause, why};
  }

  /** Packets are inspected from now on. */
  end(): void {
    this.#closeAt(this.#clock.now());
  }

  /** Whether alerts are being lost because the disk is full. No interval of its own while nothing is inspected. */
  disk(isFull: boolean): void {
    if (isFull && this.#open === undefined) this.begin('disk', 'the disk was full, alerts were lost');
    if (!isFull && this.#open?.cause === 'disk') this.end();
  }

  /** `aliveMs`: the last sign of life of an earlier server. The interval of an orderly stop continues. */
  resume(aliveMs: number): void {
    this.begin('server', 'the server ended without a stop', aliveMs);
  }

  #closeAt(nowMs: number): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const untilMs = Math.max(open.fromMs, nowMs);
    this.#closedMs += untilMs - open.fromMs;
    this.#closed.push({fromMs: open.fromMs, untilMs, why: open.why});
    if (this.#closed.length > BLIND_INTERVALS_MAX) this.#closed.shift();
  }

  /** Oldest first; the last one may be open. */
  get intervals(): readonly BlindInterval[] {
    const closed = this.#closed.map(({fromMs, untilMs, why}) => ({
      from: rfc3339(fromMs),
      until: rfc3339(untilMs),
      why,
    }));
    const open = this.#open;
    return open === undefined
      ? closed
      : [...closed.slice(1 - BLIND_INTERVALS_MAX), {from: rfc3339(open.fromMs), why: open.why}];
  }

  /** With that of the open interval until now; 3 digits. */
  get totalSeconds(): number {
    const openMs = this.#open === undefined ? 0 : Math.max(0, this.#clock.now() - this.#open.fromMs);
    return (this.#closedMs + openMs) / 1000;
  }

  get state(): BlindState {
    return {closed: this.#closed, closedMs: this.#closedMs, open: this.#open};
  }
}
