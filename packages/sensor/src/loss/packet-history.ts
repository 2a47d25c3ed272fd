// SPDX-License-Identifier: Apache-2.0
/** Packets of an endpoint over time: short steps of the last hour, long steps of the last week. A step in which nobody looked has no row. */
import {HISTORY_STEPS, type PacketHistory} from '@palisade/ids-wire';

/** `slot`: whole steps since the epoch. */
export type HistoryRow = readonly [slot: number, received: number, bytes: number, dropped: number];
export type HistoryRows = {readonly short: readonly HistoryRow[]; readonly long: readonly HistoryRow[]};
export type PacketDelta = {readonly received: number; readonly bytes: number; readonly dropped: number};

/** Rows of one step, oldest first. */
class Ring {
  readonly #stepMs: number;
  readonly #max: number;
  readonly #rows: HistoryRow[];

  constructor({stepMs, rowsMax}: (typeof HISTORY_STEPS)[keyof typeof HISTORY_STEPS], rows: readonly HistoryRow[]) {
    this.#stepMs = stepMs;
    this.#max = rowsMax;
    this.#rows = [...rows];
  }

  get rows(): readonly HistoryRow[] {
    return this.#rows;
  }

  /** Rows that lie in the future, of a clock that was set back, go. */
  add(nowMs: number, {received, bytes, dropped}: PacketDelta): void {
    const slot = Math.floor(nowMs / this.#stepMs);
    while ((this.#rows.at(-1)?.[0] ?? slot) > slot) this.#rows.pop();
    const last = this.#rows.at(-1);
    if (last?.[0] === slot)
      this.#rows[this.#rows.length - 1] = [slot, last[1] + received, last[2] + bytes, last[3] + dropped];
    else this.#rows.push([slot, received, bytes, dropped]);
    while ((this.#rows[0]?.[0] ?? slot) <= slot - this.#max) this.#rows.shift();
  }

  get shown(): PacketHistory['short'] {
    return {
      stepMs: this.#stepMs,
      rows: this.#rows.map(([slot, received, bytes, dropped]) => ({
        startMs: slot * this.#stepMs,
        ...{received, bytes, dropped},
      })),
    };
  }
}

export class PacketTimes {
  readonly #short: Ring;
  readonly #long: Ring;

  constructor({short, long}: HistoryRows = {short: [], long: []}) {
    this.#short = new Ring(HISTORY_STEPS.short, short);
    this.#long = new Ring(HISTORY_STEPS.long, long);
  }

  /** Packets since the last look. */
  add(nowMs: number, delta: PacketDelta): void {
    this.#short.add(nowMs, delta);
    this.#long.add(nowMs, delta);
  }

  get rows(): HistoryRows {
    return {short: this.#short.rows, long: this.#long.rows};
  }

  get shown(): PacketHistory {
    return {short: this.#short.shown, long: this.#long.shown};
  }
}
