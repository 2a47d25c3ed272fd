// SPDX-License-Identifier: Apache-2.0
/**
 * Suricata's own counts of its alerts, over its runs since the endpoint was created. They are kept together with the position in the event
 * file, so a line that is read again after a crash is not counted twice.
 */
import type {EngineAlerts, RunAlerts} from '../record-sink.ts';
import type {EveStats} from './eve-record.ts';

export const NO_ENGINE_ALERTS: EngineAlerts = {counted: 0, discarded: 0, suppressed: 0};
const NEW_RUN: RunAlerts = {seen: 0, counted: 0, discarded: 0, suppressed: 0};
const COUNTS = ['counted', 'discarded', 'suppressed'] as const;

export class EngineAlertCounts {
  #totals: {counted: number; discarded: number; suppressed: number};
  /** Undefined: the beginning of the run was not read, so it is not known what of it was counted. */
  #run: {-readonly [K in keyof RunAlerts]: number} | undefined;

  constructor({counted, discarded, suppressed, run}: EngineAlerts) {
    this.#totals = {counted, discarded, suppressed};
    this.#run = run === undefined ? undefined : {...run};
  }

  beginRun(): void {
    this.#run = {...NEW_RUN};
  }

  /** An alert's line was read. */
  seen(): void {
    if (this.#run !== undefined) this.#run.seen++;
  }

  /**
   * `missing`: alerts that Suricata counted and whose lines never came: it writes an alert's line before it counts it. `changed`: a count is
   * another one. Undefined: nothing can be said, since the beginning of the run was not read.
   */
  read(stats: EveStats): {readonly missing: number; readonly changed: boolean} | undefined {
    const run = this.#run;
    if (run === undefined) return undefined;
    const now = {counted: stats.alerts, discarded: stats.alertsDiscarded, suppressed: stats.alertsSuppressed};
    const changed = COUNTS.some(name => now[name] !== run[name]);
    for (const name of COUNTS) {
      this.#totals[name] += now[name] >= run[name] ? now[name] - run[name] : now[name]; // lower: a new run, whose mark is lost
      run[name] = now[name];
    }
    const missing = Math.max(stats.alerts - run.seen, 0);
    run.seen += missing;
    return {missing, changed};
  }

  get state(): EngineAlerts {
    return {...this.#totals, ...(this.#run === undefined ? {} : {run: {...this.#run}})};
  }
}
