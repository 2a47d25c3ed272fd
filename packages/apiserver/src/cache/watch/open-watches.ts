// SPDX-License-Identifier: Apache-2.0
/** The open watches of a server: counted against the limit, ended together when it stops, and reported when they fail. */
import type {Log} from '../../base/log.ts';
import type {Timer, Timers} from '../../base/time.ts';
import {SentEvents} from './sent-events.ts';

/** Why a watch ended: its time is up, its client is gone, it lagged for too long, its right is gone, the server stops, the server is at fault. */
export type WatchEnd = 'timeout' | 'gone' | 'too-slow' | 'revoked' | 'shutdown' | 'failed';
export type Stoppable = {stop(): void};

/** Lines of the log join what happens within this time. */
export const REPORT_MS = 1_000;
/** Paths that one line names. */
const PATHS_MAX = 5;
/** Different faults that are reported within that time. */
const FAULTS_MAX = 20;

export class OpenWatches {
  /** How many have ended since the start, by reason. */
  readonly ended: Readonly<Record<WatchEnd, number>>;
  readonly sent = new SentEvents();
  readonly #ended: Record<WatchEnd, number> = {timeout: 0, gone: 0, 'too-slow': 0, revoked: 0, shutdown: 0, failed: 0};
  readonly #open = new Set<Stoppable>();
  #blocked = 0;
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #faults = new Set<string>();
  readonly #slow = {count: 0, paths: new Set<string>()};
  #slowReport: Timer | undefined;

  constructor(timers: Timers, log: Log) {
    this.ended = this.#ended;
    this.#log = log;
    this.#timers = timers;
  }

  get count(): number {
    return this.#open.size;
  }

  /** How many of them lag: they wait for a reader that does not take what was written. */
  get blocked(): number {
    return this.#blocked;
  }

  add(watch: Stoppable): void {
    this.#open.add(watch);
  }

  delete(watch: Stoppable): void {
    this.#open.delete(watch);
  }

  countLagging(more: 1 | -1): void {
    this.#blocked += more;
  }

  /** Counts an end; `path` is what was watched. Readers that were too slow are one line in the log for each second. */
  countEnd(why: WatchEnd, path: string): void {
    this.#ended[why]++;
    if (why !== 'too-slow') return;
    this.#slow.count++;
    if (this.#slow.paths.size < PATHS_MAX) this.#slow.paths.add(path);
    this.#slowReport ??= this.#timers.after(REPORT_MS, () => this.#reportSlow());
  }

  /** A fault of the server that ends a watch of `path`. What ends one most likely ends all of a resource. */
  reportFault(error: unknown, path: string): void {
    const fault = String(error);
    if (this.#faults.has(fault) || this.#faults.size >= FAULTS_MAX) return;
    this.#faults.add(fault);
    this.#timers.after(REPORT_MS, () => this.#faults.delete(fault));
    this.#log.error({err: error, path}, 'watch failed, repeats of this error within a second are not logged');
  }

  stopAll(): void {
    for (const watch of [...this.#open]) watch.stop();
    this.#reportSlow();
  }

  #reportSlow(): void {
    const {count, paths} = this.#slow;
    this.#slowReport?.cancel();
    this.#slowReport = undefined;
    if (count === 0) return;
    this.#log.warn({count, paths: [...paths]}, 'watches were ended: their readers did not keep up');
    this.#slow.count = 0;
    paths.clear();
  }
}
