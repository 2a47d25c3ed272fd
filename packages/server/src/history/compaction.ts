// SPDX-License-Identifier: Apache-2.0
/**
 * Drops revisions that were replaced longer ago than the window of history. Younger ones can always be read; those that are
 * older by more than one step (a twentieth of the window) are gone. The newest revisions are kept whatever their age.
 *
 * The window counts the time that the server runs (revision-marks.ts). The marks are in the store, so that a server that is often
 * restarted compacts too; of the time between two runs, and of a run that was killed, at most one step counts.
 */
import type {Clock, Timer, Timers} from '@palisade/apiserver';
import {hasCode, isDiskRefusal, type Revision, type Store} from '@palisade/store';
import type {Logger} from '../process/logger.ts';
import {decodeMarks, encodeMarks, RevisionMarks} from './revision-marks.ts';

/** Steps of a window. */
const STEPS = 20;
const STEP_MS_LEAST = 1_000;
/** After a start, so that it does not wait for a compaction that is due. */
const SETTLE_MS = 2_000;
/** Revisions that are kept whatever their age, unless what they replaced takes more bytes. */
export const KEPT_WHATEVER_AGE = {revisions: 1_000, bytes: 16 * 2 ** 20} as const;
const MARKS_KEY = '/store-meta/compaction-mark';

export type CompactionParts = {
  readonly clock: Clock;
  /** Milliseconds since some moment; never jumps. */
  readonly monotonic: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'error' | 'debug'>;
  readonly historyMs: number;
};

/** `newestWithin`: the oldest of the newest revisions that are not more, and did not replace more bytes. */
export type CompactedStore = Pick<Store, 'get' | 'put' | 'compact' | 'currentRevision' | 'compactedRevision'> & {
  readonly newestWithin: (bounds: {readonly revisions: number; readonly bytes: number}) => Promise<Revision>;
};

export type CompactionCounts = {succeeded: number; failed: number; lastMs: number};

export class Compaction {
  readonly counts: CompactionCounts = {succeeded: 0, failed: 0, lastMs: 0};
  readonly #store: CompactedStore;
  readonly #parts: CompactionParts;
  readonly #startedMs: number;
  #historyMs: number;
  #ranBeforeMs = 0;
  #marks = new RevisionMarks();
  /** The revision that wrote the marks. */
  #writtenAt: Revision = 0n;
  #oldest: Revision = 0n;
  /** A compaction may have been cut short by the end of the process before: the first step continues it. */
  #isResumed = false;
  #running: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #isRunning = false;
  #stopped = false;

  constructor(store: CompactedStore, parts: CompactionParts) {
    this.#store = store;
    this.#parts = parts;
    this.#historyMs = parts.historyMs;
    this.#startedMs = parts.monotonic.now();
  }

  async start(): Promise<void> {
    const entry = await this.#store.get(MARKS_KEY);
    const kept = entry && decodeMarks(entry.value);
    if (kept !== undefined) {
      const betweenMs = this.#parts.clock.now() - kept.timeMs;
      this.#ranBeforeMs = kept.ranMs + Math.min(Math.max(0, betweenMs), this.#stepMs());
      this.#marks = new RevisionMarks(kept.marks);
      this.#writtenAt = entry?.modRevision ?? 0n;
    }
    this.#oldest = await this.#store.compactedRevision();
    this.#later(SETTLE_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  /** Takes effect soon. What was dropped does not come back. */
  setHistory(historyMs: number): void {
    this.#historyMs = historyMs;
    if (this.#isRunning) return; // the next step is set when this one ends
    this.#timer?.cancel();
    this.#later(SETTLE_MS);
  }

  /** Since when the oldest revision that can be read was the newest one, in milliseconds of running time. */
  ageMs(): number {
    return this.#ranMs() - (this.#marks.momentOf(this.#oldest) ?? this.#ranMs());
  }

  #ranMs(): number {
    return Math.floor(this.#ranBeforeMs + this.#parts.monotonic.now() - this.#startedMs);
  }

  #stepMs(): number {
    return Math.max(STEP_MS_LEAST, this.#historyMs / STEPS);
  }

  #later(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.#parts.timers.after(delayMs, () => {
      this.#isRunning = true;
      this.#running = this.#try().then(() => {
        this.#isRunning = false;
        this.#later(this.#stepMs());
      });
    });
  }

  async #step(): Promise<void> {
    const now = await this.#store.currentRevision();
    const ranMs = this.#ranMs();
    const isIdle = now === this.#writtenAt;
    if (!isIdle) this.#marks.add({revision: now, ranMs});
    const kept = await this.#store.newestWithin(KEPT_WHATEVER_AGE);
    const old = this.#marks.before(ranMs - this.#historyMs)?.revision ?? 0n;
    await this.#dropBelow(old < kept ? old : kept);
    const newest = this.#marks.newest?.revision ?? 0n;
    const isWaiting = newest > this.#oldest && kept > this.#oldest; // something becomes old enough with time alone
    if (!isIdle || isWaiting) await this.#write(ranMs);
  }

  async #dropBelow(revision: Revision): Promise<void> {
    if (revision > this.#oldest || !this.#isResumed) {
      const beganMs = this.#parts.monotonic.now();
      await this.#store.compact(revision);
      this.#isResumed = true;
      this.counts.lastMs = this.#parts.monotonic.now() - beganMs;
      this.counts.succeeded++;
      if (revision > this.#oldest) this.#parts.log.debug({below: String(revision)}, 'old revisions dropped');
    }
    this.#oldest = await this.#store.compactedRevision();
    this.#marks.drop(this.#oldest);
  }

  async #write(ranMs: number): Promise<void> {
    const kept = {marks: this.#marks.all, ranMs, timeMs: this.#parts.clock.now()};
    this.#writtenAt = await this.#store.put(MARKS_KEY, encodeMarks(kept));
  }

  async #try(): Promise<void> {
    try {
      await this.#step();
    } catch (error) {
      if (hasCode(error, 'closed')) return;
      this.counts.failed++;
      if (!isDiskRefusal(error)) this.#parts.log.error({err: error}, 'compaction failed, retrying later');
    }
  }
}

export const startCompaction = async (store: CompactedStore, parts: CompactionParts): Promise<Compaction> => {
  const compaction = new Compaction(store, parts);
  await compaction.start();
  return compaction;
};
