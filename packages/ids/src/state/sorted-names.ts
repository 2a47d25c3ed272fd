// SPDX-License-Identifier: Apache-2.0

/** Names in code-unit order; a prefix is one contiguous run of them. Insert and remove are a binary search and a memmove. */
export class SortedNames {
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  add(name: string): void {
    const at = this.#lowerBound(name);
    if (this.#names[at] !== name) this.#names.splice(at, 0, name);
  }

  remove(name: string): void {
    const at = this.#lowerBound(name);
    if (this.#names[at] === name) this.#names.splice(at, 1);
  }

  /** Names that begin with `prefix`, in order, those after `after` (exclusive) only. Do not change the set while iterating. */
  *range(prefix: string, after = ''): Generator<string> {
    const {from, to} = this.bounds(prefix, after);
    for (let at = from; at < to; at += 1) yield this.at(at);
  }

  /** Where `range` begins and ends: for callers that go through many names, without a generator between. */
  bounds(prefix: string, after = ''): {readonly from: number; readonly to: number} {
    const first = this.#lowerBound(after > prefix ? after : prefix);
    return {from: this.#names[first] === after ? first + 1 : first, to: this.#lowerBound(`${prefix}\uffff`)};
  }

  at(index: number): string {
    return this.#names[index] ?? '';
  }

  /** How many names begin with `prefix`. */
  count(prefix: string): number {
    return this.#lowerBound(`${prefix}\uffff`) - this.#lowerBound(prefix);
  }

  /** Index of the first name that is not below `name`. */
  #lowerBound(name: string): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#names[middle] ?? '') < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
