// SPDX-License-Identifier: Apache-2.0
import type {PacketCounters} from './ports.ts';

export type LossLimits = {readonly lossIntervals: number; readonly lossRatioMax: number};

/** Judges packet loss per interval: several bad intervals in a row are a problem, one is a burst. */
export class LossWatch {
  readonly #limits: LossLimits;
  #before: PacketCounters = {received: 0, dropped: 0, malformed: 0};
  #badInARow = 0;
  #lastRatio = 0;

  constructor(limits: LossLimits) {
    this.#limits = limits;
  }

  /** Once per interval, with the totals. */
  interval(now: PacketCounters): void {
    const dropped = now.dropped - this.#before.dropped;
    const offered = now.received - this.#before.received + dropped;
    this.#before = now;
    this.#lastRatio = offered > 0 ? dropped / offered : 0;
    this.#badInARow = this.#lastRatio > this.#limits.lossRatioMax ? this.#badInARow + 1 : 0;
  }

  /** Undefined: all is well. */
  get problem(): string | undefined {
    if (this.#badInARow < this.#limits.lossIntervals) return undefined;
    return `packets dropped: ${(this.#lastRatio * 100).toFixed(1)} % in the last interval; send less, or give the sensor more processor time`;
  }
}
