// SPDX-License-Identifier: Apache-2.0
/** Order and range of keys: by their UTF-8 bytes, which differs from JavaScript's own order only where surrogates are. */
import type {Key} from '../store.ts';

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Negative, zero or positive, by UTF-8 bytes. */
export const compareKeys = (a: Key, b: Key): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // A surrogate pair (4 bytes, above U+FFFF) sorts after every unit that stands for itself.
    if (isSurrogate(x) !== isSurrogate(y)) return isSurrogate(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
};

/** Keys in order, with cheap insertion and prefix ranges. */
export class SortedKeys {
  #keys: Key[] = [];

  /** Replaces everything; sorts once. */
  load(keys: Iterable<Key>): void {
    this.#keys = [...keys].sort(compareKeys);
  }

  get size(): number {
    return this.#keys.length;
  }

  add(key: Key): void {
    const last = this.#keys.at(-1);
    if (last === undefined || compareKeys(key, last) > 0) {
      this.#keys.push(key);
      return;
    }
    const at = this.#position(key);
    if (this.#keys[at] !== key) this.#keys.splice(at, 0, key);
  }

  remove(key: Key): void {
    const at = this.#position(key);
    if (this.#keys[at] === key) this.#keys.splice(at, 1);
  }

  /** Keys of the prefix after `after`, at most `limit`, and how many of the prefix follow. */
  range(prefix: Key, after: Key | undefined, limit: number): {keys: Key[]; remaining: number} {
    let start = this.#position(prefix);
    if (after !== undefined && compareKeys(after, prefix) >= 0) {
      start = this.#position(after);
      if (this.#keys[start] === after) start++;
    }
    const end = this.#endOf(prefix, start);
    const stop = Math.min(end, start + limit);
    return {keys: this.#keys.slice(start, stop), remaining: end - stop};
  }

  /** First index whose key is not below `key`. */
  #position(key: Key): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const mid = (low + high) >>> 1;
      if (compareKeys(this.#keys[mid] ?? '', key) < 0) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  /** First index at or after `start` whose key has not the prefix. */
  #endOf(prefix: Key, start: number): number {
    let [low, high] = [start, this.#keys.length];
    while (low < high) {
      const mid = (low + high) >>> 1;
      if ((this.#keys[mid] ?? '').startsWith(prefix)) low = mid + 1;
      else high = mid;
    }
    return low;
  }
}
