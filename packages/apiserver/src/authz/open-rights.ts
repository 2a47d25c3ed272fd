// SPDX-License-Identifier: Apache-2.0
/**
 * The rights that open streams depend on, checked again as long as the streams last: a watch or a stream of records outlives its
 * credential, its impersonation or its permission by 5 s at most.
 *
 * A round begins every `RIGHTS.roundMs` and checks each right once, however many streams depend on it. Checks that need no other process
 * are made for as long as a slice of the scheduler, then other work has its turn. A check that waits for something holds up no other.
 *
 * A check that fails (it neither permits nor refuses) says nothing about the right. It is made again in the next round, so a back end may
 * restart without ending every stream. After `RIGHTS.failedRoundsMax` rounds in a row the stream ends: a back end that stays broken must
 * not preserve a right that was taken away.
 */
import {RIGHTS, STEPS} from '../base/limits.ts';
import type {Log} from '../base/log.ts';
import type {Clock, Timer, Timers} from '../base/time.ts';
import {Scheduler} from '../cache/watch/scheduler.ts';

/** Why a stream had to end: its credential is no longer valid, its permission is gone, or its right could not be checked. */
export type LostReason = 'unauthenticated' | 'forbidden' | 'unverified';

/** `error`: what a new request would be refused with; for `unverified` what the check failed with. */
export type LostRight = {readonly reason: LostReason; readonly error: unknown};

/** A right of one open stream. */
export type StreamRight = {
  /** Equal for streams of which the same answer is true. */
  readonly key: string;
  readonly path: string;
  /** For the log: the user that the request acts as, and the one that showed the credential if that is another. */
  readonly users: {readonly user: string; readonly requestor?: string | undefined};
  /** The same request, judged now: undefined as long as the right is there. Throws or rejects if it cannot be judged. */
  check(): Promise<LostRight | undefined>;
};

export type KeptStream = StreamRight & {
  /** Called once, in a slice of the scheduler: ends the stream, and must not throw. */
  end(lost: LostRight): void;
};

/** What an open stream holds; `release` when the stream has ended. */
export type Kept = {release(): void};

type Group = {
  readonly check: StreamRight['check'];
  readonly streams: Set<KeptStream>;
  isChecking: boolean;
  failedRounds: number;
};

/** From one turn to the next. */
type Slice = {readonly startMs: number; isOver: boolean; over: Promise<void>};

type OpenRightsOptions = {
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: one of its own. */
  readonly scheduler?: Scheduler | undefined;
};

export class OpenRights {
  /** How many streams were ended since the start, by reason. */
  readonly ended: Readonly<Record<LostReason, number>>;
  readonly #ended: Record<LostReason, number> = {unauthenticated: 0, forbidden: 0, unverified: 0};
  readonly #groups = new Map<string, Group>();
  readonly #options: OpenRightsOptions;
  readonly #scheduler: Scheduler;
  #streams = 0;
  #timer: Timer | undefined;
  #isInRound = false;
  /** Checks that failed since the last round. */
  #failures = 0;
  #isFailing = false;

  constructor(options: OpenRightsOptions) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? new Scheduler(options.timers, options.clock);
    this.ended = this.#ended;
  }

  /** How many different rights the open streams depend on: as many checks has a round. */
  get count(): number {
    return this.#groups.size;
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams;
  }

  /** Checks the right of a stream from now on. */
  keep(stream: KeptStream): Kept {
    let group = this.#groups.get(stream.key);
    if (group === undefined) {
      group = {check: () => stream.check(), streams: new Set(), isChecking: false, failedRounds: 0};
      this.#groups.set(stream.key, group);
    }
    group.streams.add(stream);
    this.#streams++;
    if (!this.#isInRound) this.#timer ??= this.#nextRound(RIGHTS.roundMs);
    return {release: () => void this.#leave(group, stream)};
  }

  /** False: it left before. */
  #leave(group: Group, stream: KeptStream): boolean {
    if (!group.streams.delete(stream)) return false;
    this.#streams--;
    if (group.streams.size === 0 && this.#groups.get(stream.key) === group) this.#groups.delete(stream.key);
    if (this.#streams > 0) return true;
    this.#timer?.cancel();
    this.#timer = undefined;
    return true;
  }

  #nextRound(delayMs: number): Timer {
    return this.#options.timers.after(delayMs, () => {
      this.#timer = undefined;
      void this.#round();
    });
  }

  async #round(): Promise<void> {
    const {clock, log} = this.#options;
    const startMs = clock.now();
    this.#isInRound = true;
    let slice = this.#openSlice();
    for (const groups of this.#pieces()) {
      await Promise.race([Promise.all(groups.map(group => this.#check(group))), slice.over]);
      if (!slice.isOver && clock.now() - slice.startMs >= STEPS.sliceMsMax) await slice.over;
      if (slice.isOver) slice = this.#openSlice();
    }
    if (this.#isFailing && this.#failures === 0) log.info({}, 'access of open streams can be checked again');
    this.#isFailing = this.#failures > 0;
    this.#failures = 0;
    this.#isInRound = false;
    const tookMs = Math.min(Math.max(clock.now() - startMs, 0), RIGHTS.roundMs); // the clock may have been set
    if (this.#streams > 0) this.#timer = this.#nextRound(RIGHTS.roundMs - tookMs);
  }

  /** The rights of now, so many at once. */
  *#pieces(): Iterable<readonly Group[]> {
    const groups = [...this.#groups.values()];
    for (let at = 0; at < groups.length; at += RIGHTS.checksAtOnce) yield groups.slice(at, at + RIGHTS.checksAtOnce);
  }

  /** Until the next turn, which others may have asked for before. */
  #openSlice(): Slice {
    const slice: Slice = {startMs: this.#options.clock.now(), isOver: false, over: Promise.resolve()};
    slice.over = this.#scheduler.turn().then(() => {
      slice.isOver = true;
    });
    return slice;
  }

  /** Never rejects. */
  async #check(group: Group): Promise<void> {
    if (group.streams.size === 0) return;
    if (group.isChecking) return this.#fail(group, new Error('the last check has not ended yet'));
    group.isChecking = true;
    try {
      const lost = await group.check();
      group.failedRounds = 0;
      if (lost !== undefined) this.#end(group, lost);
    } catch (error) {
      this.#fail(group, error);
    } finally {
      group.isChecking = false;
    }
  }

  #fail(group: Group, error: unknown): void {
    const [{path} = {path: ''}] = group.streams;
    if (!this.#isFailing)
      this.#options.log.error({err: error, path}, 'access of open streams could not be checked, retrying');
    this.#isFailing = true;
    this.#failures++;
    group.failedRounds++;
    if (group.failedRounds >= RIGHTS.failedRoundsMax) this.#end(group, {reason: 'unverified', error});
  }

  /** A few streams at a time; one that is opened with the same right meanwhile is checked for itself. */
  #end(group: Group, lost: LostRight): void {
    const [first] = group.streams;
    if (first !== undefined && this.#groups.get(first.key) === group) this.#groups.delete(first.key);
    for (const stream of group.streams) {
      this.#scheduler.add(() => {
        if (!this.#leave(group, stream)) return; // it ended by itself
        const {reason} = lost;
        this.#ended[reason]++;
        this.#options.log.info({...stream.users, path: stream.path, reason}, 'stream ended, its access was withdrawn');
        stream.end(lost);
      });
    }
  }
}
