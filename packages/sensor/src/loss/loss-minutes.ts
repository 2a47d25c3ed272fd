// SPDX-License-Identifier: Apache-2.0
/** Received and dropped packets of each of the last minutes. A minute in which nobody looked has no row. */
import type {LossMinute} from '@palisade/ids-wire';
import {LOSS_MINUTES_MAX} from '../limits.ts';

const MINUTE_MS = 60_000;

/** `minute`: whole minutes since the epoch. */
export type MinuteCount = {readonly minute: number; readonly received: number; readonly dropped: number};

export class LossMinutes {
  /** Oldest first, a row a minute. */
  #rows: MinuteCount[];

  constructor(rows: readonly MinuteCount[] = []) {
    this.#rows = [...rows];
  }

  /** Packets since the last look. Rows that lie in the future, of a clock that was set back, go. */
  add(nowMs: number, received: number, dropped: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const old = this.#rows.find(row => row.minute === minute);
    const row = {minute, received: (old?.received ?? 0) + received, dropped: (old?.dropped ?? 0) + dropped};
    const kept = this.#rows.filter(other => other.minute < minute && other.minute > minute - LOSS_MINUTES_MAX);
    this.#rows = [...kept, row];
  }

  get rows(): readonly MinuteCount[] {
    return this.#rows;
  }

  get shown(): readonly LossMinute[] {
    return this.#rows.map(({minute, received, dropped}) => ({
      minute: `${new Date(minute * MINUTE_MS).toISOString().slice(0, 19)}Z`,
      received,
      dropped,
    }));
  }
}
