// SPDX-License-Identifier: Apache-2.0
/**
 * Compares what arrived at an endpoint with what Suricata's own capture counted, which is some seconds old when it is reported.
 *
 * I1 `missed` is exact `lagMs` after the last packet; before, it is what had arrived that long ago and is not in Suricata's count.
 * I2 While no Suricata runs, all that it has not counted is missed. I3 A count that comes late corrects `missed`.
 */
type Sample = {readonly atMs: number; readonly arrived: number};

type Activity = {
  readonly switches: number | undefined;
  readonly atMs: number;
  /** Packets that it may have had before it stood still. */
  readonly arrived: number;
  /** At the last look. */
  readonly newest: number;
};

export class EngineGap {
  readonly #lagMs: number;
  readonly #samples: Sample[] = [];
  #runsSinceMs: number | undefined;
  #reports = 0;
  #missed = 0;
  #activity: Activity | undefined;

  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  /** Suricata is being started, or has ended. */
  runs(isRunning: boolean, nowMs: number): void {
    this.#runsSinceMs = isRunning ? nowMs : undefined;
    this.#activity = {switches: undefined, atMs: nowMs, arrived: this.#newest, newest: this.#newest};
  }

  /** Total of packets that have arrived. */
  sample(nowMs: number, arrived: number): void {
    this.#samples.push({atMs: nowMs, arrived});
    while ((this.#samples[1]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs - this.#lagMs) this.#samples.shift();
  }

  get #newest(): number {
    return this.#samples.at(-1)?.arrived ?? 0;
  }

  /** Packets that arrived and are not in the `reports`-th count of Suricata's capture. */
  missed(nowMs: number, counted: number, reports: number): number {
    if (this.#runsSinceMs === undefined) {
      this.#missed = Math.max(this.#newest - counted, 0);
      return this.#missed;
    }
    const oldest = this.#samples[0];
    const isOld = oldest !== undefined && oldest.atMs <= nowMs - this.#lagMs;
    if (reports === this.#reports || !isOld || nowMs - this.#runsSinceMs < this.#lagMs) return this.#missed;
    this.#reports = reports;
    this.#missed = Math.max(oldest.arrived - counted, 0);
    return this.#missed;
  }

  /** How long Suricata's threads have stood still although packets arrived. `switches`: of these threads; undefined: not known. */
  stalledMs(nowMs: number, switches: number | undefined): number {
    const before = this.#activity;
    const arrived = this.#newest;
    const atLastLook = before?.newest ?? arrived;
    if (before === undefined || switches === undefined || switches !== before.switches) {
      this.#activity = {switches, atMs: nowMs, arrived: atLastLook, newest: arrived}; // it moved at some time since that look
      return 0;
    }
    this.#activity = {...before, newest: arrived};
    return arrived > before.arrived ? nowMs - before.atMs : 0;
  }
}
