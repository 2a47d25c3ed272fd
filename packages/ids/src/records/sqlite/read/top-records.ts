// SPDX-License-Identifier: Apache-2.0
/** The first so many of records that come in any order. */
import type {RecordPosition, StoredRecord} from '../../record-store.ts';

type Compare = (a: RecordPosition, b: RecordPosition) => number;

export class TopRecords {
  readonly #count: number;
  readonly #compare: Compare;
  readonly #after: RecordPosition | undefined;
  readonly #kept: {readonly stored: StoredRecord; readonly position: RecordPosition}[] = [];

  /** `after`: only those behind it. */
  constructor(count: number, compare: Compare, after: RecordPosition | undefined) {
    this.#count = count;
    this.#compare = compare;
    this.#after = after;
  }

  add(stored: StoredRecord, position: RecordPosition): void {
    if (this.#after !== undefined && this.#compare(position, this.#after) <= 0) return;
    const last = this.#kept.at(-1);
    if (last !== undefined && this.#kept.length >= this.#count && this.#compare(position, last.position) >= 0) return;
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const kept = this.#kept[middle];
      if (kept !== undefined && this.#compare(kept.position, position) <= 0) low = middle + 1;
      else high = middle;
    }
    this.#kept.splice(low, 0, {stored, position});
    if (this.#kept.length > this.#count) this.#kept.pop();
  }

  records(): readonly StoredRecord[] {
    return this.#kept.map(({stored}) => stored);
  }
}
