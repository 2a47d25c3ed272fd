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
    let at = this.#lowerBound(after > prefix ? after : prefix);
    if (this.#names[at] === after) at += 1;
    for (; at < this.#names.length; at += 1) {
      const name = this.#names[at] ?? '';
      if (!name.startsWith(prefix)) return;
      yield name;
    }
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
