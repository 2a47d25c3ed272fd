// SPDX-License-Identifier: Apache-2.0
/** Tells which watches were ended because their readers did not keep up: one line for all of a second, with their number. */
import type {Log} from '../base/log.ts';
import type {Timer, Timers} from '../base/time.ts';

export const REPORT_MS = 1_000;
/** Paths that one line names. */
const PATHS_MAX = 5;

export class SlowReaders {
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #paths = new Set<string>();
  #count = 0;
  #due: Timer | undefined;

  constructor(timers: Timers, log: Log) {
    this.#timers = timers;
    this.#log = log;
  }

  add(path: string): void {
    this.#count++;
    if (this.#paths.size < PATHS_MAX) this.#paths.add(path);
    this.#due ??= this.#timers.after(REPORT_MS, () => this.report());
  }

  /** Writes the line now, if there is something to tell. */
  report(): void {
    this.#due?.cancel();
    this.#due = undefined;
    if (this.#count === 0) return;
    this.#log.warn({count: this.#count, paths: [...this.#paths]}, 'watches were ended: their readers did not keep up');
    this.#count = 0;
    this.#paths.clear();
  }
}
