// SPDX-License-Identifier: Apache-2.0
/** The first so many of records that come in any order. */
import type {RecordPosition} from '../../record-store.ts';
import type {Found} from './scope.ts';

type Compare = (a: RecordPosition, b: RecordPosition) => number;

export type TopOptions = {
  readonly count: number;
  /** Where the first ones have more there is but one behind those that fit, and never less than two. */
  readonly bytesMax: number;
  readonly compare: Compare;
  /** Only those behind it. */
  readonly after: RecordPosition | undefined;
};

export class TopRecords {
  readonly #options: TopOptions;
  readonly #kept: {readonly found: Found; readonly position: RecordPosition}[] = [];
  #bytes = 0;
  /** The first that was left out: nothing from there on is taken. */
  #end: RecordPosition | undefined;

  constructor(options: TopOptions) {
    this.#options = options;
  }

  add(found: Found, position: RecordPosition): void {
    const {compare, after} = this.#options;
    if (after !== undefined && compare(position, after) <= 0) return;
    if (this.#end !== undefined && compare(position, this.#end) >= 0) return;
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const kept = this.#kept[middle];
      if (kept !== undefined && compare(kept.position, position) <= 0) low = middle + 1;
      else high = middle;
    }
    this.#kept.splice(low, 0, {found, position});
    this.#bytes += found.bytes;
    while (this.#isTooMuch()) {
      const last = this.#kept.pop();
      this.#bytes -= last?.found.bytes ?? 0;
      this.#end = last?.position;
    }
  }

  found(): readonly Found[] {
    return this.#kept.map(({found}) => found);
  }

  #isTooMuch(): boolean {
    const {count, bytesMax} = this.#options;
    const last = this.#kept.at(-1)?.found.bytes ?? 0;
    return this.#kept.length > count || (this.#kept.length > 2 && this.#bytes - last > bytesMax);
  }
}
