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

const COUNTED = [
  'kernelPackets',
  'kernelDrops',
  'packets',
  'bytes',
  'uninspected',
  'undecoded',
  'unknownInner',
] as const satisfies (keyof EveStats)[];

export type EngineTotals = Readonly<Record<(typeof COUNTED)[number] | 'reports', number>>;

export const NOTHING_COUNTED: EngineTotals = {
  kernelPackets: 0,
  kernelDrops: 0,
  packets: 0,
  bytes: 0,
  reports: 0,
  uninspected: 0,
  undecoded: 0,
  unknownInner: 0,
};

export class EngineCounts {
  readonly #totals = Object.fromEntries(COUNTED.map(name => [name, new RunningTotal()])) as Record<
    (typeof COUNTED)[number],
    RunningTotal
  >;
  #reports = 0;

  read(stats: EveStats): void {
    this.#reports++;
    for (const name of COUNTED) this.#totals[name].read(stats[name]);
  }

  beginRun(): void {
    for (const total of Object.values(this.#totals)) total.beginRun();
  }

  /** What was read until now is of an earlier server. */
  forget(): void {
    for (const total of Object.values(this.#totals)) total.forget();
  }

  /** Packets that came to Suricata's own AF_PACKET capture, with those that it dropped. */
  get kernelPackets(): number {
    return this.#totals.kernelPackets.total;
  }

  get kernelDrops(): number {
    return this.#totals.kernelDrops.total;
  }

  /** How often Suricata has reported its counts. */
  get reports(): number {
    return this.#reports;
  }

  /** Packets that Suricata decoded. */
  get packets(): number {
    return this.#totals.packets.total;
  }

  get bytes(): number {
    return this.#totals.bytes.total;
  }

  /** Packets that Suricata took and did not inspect. */
  get uninspected(): number {
    return this.#totals.uninspected.total;
  }

  /** Packets that Suricata could not decode. */
  get undecoded(): number {
    return this.#totals.undecoded.total;
  }

  /** Of `undecoded`: with a frame in VXLAN that Suricata does not look into. */
  get unknownInner(): number {
    return this.#totals.unknownInner.total;
  }
}
