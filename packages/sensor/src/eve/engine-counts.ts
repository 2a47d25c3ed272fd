// SPDX-License-Identifier: Apache-2.0
/** Totals of Suricata's own counters, which begin at 0 with each of its runs. */
import type {EveStats} from './eve-record.ts';

class RunningTotal {
  #ofRun = 0;
  #total = 0;

  read(value: number): void {
    this.#total += value >= this.#ofRun ? value - this.#ofRun : value; // lower: the mark of a new run was not read
    this.#ofRun = value;
  }

  beginRun(): void {
    this.#ofRun = 0;
  }

  /** From here on. */
  forget(): void {
    this.#total = 0;
  }

  get total(): number {
    return this.#total;
  }
}

export class EngineCounts {
  readonly #uninspected = new RunningTotal();
  readonly #undecoded = new RunningTotal();

  read(stats: EveStats): void {
    this.#uninspected.read(stats.uninspected);
    this.#undecoded.read(stats.undecoded);
  }

  beginRun(): void {
    this.#uninspected.beginRun();
    this.#undecoded.beginRun();
  }

  /** What was read until now is of an earlier server. */
  forget(): void {
    this.#uninspected.forget();
    this.#undecoded.forget();
  }

  /** Packets that Suricata took, or should have taken, and did not inspect. */
  get uninspected(): number {
    return this.#uninspected.total;
  }

  /** Packets that Suricata could not decode. */
  get undecoded(): number {
    return this.#undecoded.total;
  }
}
