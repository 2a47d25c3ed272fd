// SPDX-License-Identifier: Apache-2.0
/** The watches that are open: counted against the limit, and ended together when the server stops. Ends are counted by reason. */
import type {Log} from '../base/log.ts';
import type {Clock, Timers} from '../base/time.ts';
import {SlicedQueue} from './pace.ts';
import {SlowReaders} from './slow-readers.ts';
import type {WatchEnd} from './watcher.ts';

export type Stoppable = {stop(): void};

const FAULT_EVERY_MS = 1_000;
/** Different faults that are told within that time. */
const FAULTS_MAX = 20;

export class OpenWatches {
  /** What is to be done for thousands of watches that end at the same time. */
  readonly endings: SlicedQueue;
  /** How many have ended since the start, by reason. */
  readonly ended: Readonly<Record<WatchEnd, number>>;
  readonly #ended: Record<WatchEnd, number> = {timeout: 0, gone: 0, 'too-slow': 0, shutdown: 0, failed: 0};
  readonly #open = new Set<Stoppable>();
  #blocked = 0;
  readonly #slowReaders: SlowReaders;
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #told = new Set<string>();

  constructor(timers: Timers, clock: Clock, log: Log) {
    this.endings = new SlicedQueue(timers, clock);
    this.ended = this.#ended;
    this.#slowReaders = new SlowReaders(timers, log);
    this.#log = log;
    this.#timers = timers;
  }

  get count(): number {
    return this.#open.size;
  }

  /** How many of them wait for a reader that does not take what was written. */
  get blocked(): number {
    return this.#blocked;
  }

  add(watch: Stoppable): void {
    this.#open.add(watch);
  }

  delete(watch: Stoppable): void {
    this.#open.delete(watch);
  }

  countBlocked(isBlocked: boolean): void {
    this.#blocked += isBlocked ? 1 : -1;
  }

  /** Counts an end; `path` is what was watched. */
  countEnd(why: WatchEnd, path: string): void {
    this.#ended[why]++;
    if (why === 'too-slow') this.#slowReaders.add(path);
  }

  /** A fault of the server's that ends a watch; `path` is what was watched. What ends one most likely ends all of a resource. */
  tellFault(error: unknown, path: string): void {
    const fault = String(error);
    if (this.#told.has(fault) || this.#told.size >= FAULTS_MAX) return;
    this.#told.add(fault);
    this.#timers.after(FAULT_EVERY_MS, () => this.#told.delete(fault));
    this.#log.error({err: error, path}, 'watch failed, repeats of this error within a second are not logged');
  }

  stopAll(): void {
    for (const watch of [...this.#open]) watch.stop();
    this.#slowReaders.report();
  }
}
