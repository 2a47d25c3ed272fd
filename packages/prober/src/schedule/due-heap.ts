// SPDX-License-Identifier: Apache-2.0
/** A binary heap by due time, from which anything can be taken out. */

/** Only the heap writes `place`. */
export type Due = {dueMs: number; place: number};

/** `place` of what is in no heap. */
export const NO_PLACE = -1;

export class DueHeap<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    item.place = this.#items.length;
    this.#items.push(item);
    this.#rise(item);
  }

  /** Nothing happens where it is not in the heap. */
  remove(item: T): void {
    const {place} = item;
    if (place === NO_PLACE) return;
    item.place = NO_PLACE;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }

  #rise(item: T): void {
    while (item.place > 0) {
      const {place} = item;
      const up = (place - 1) >> 1;
      const parent = this.#items[up];
      if (parent === undefined || parent.dueMs <= item.dueMs) return;
      this.#put(item, up);
      this.#put(parent, place);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const {place} = item;
      const [left, right] = [this.#items[place * 2 + 1], this.#items[place * 2 + 2]];
      const child = right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || item.dueMs <= child.dueMs) return;
      this.#put(item, child.place);
      this.#put(child, place);
    }
  }
}
