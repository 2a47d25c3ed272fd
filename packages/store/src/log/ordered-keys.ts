// SPDX-License-Identifier: Apache-2.0
/**
 * A sorted set of keys, in UTF-8 byte order, as a list of sorted chunks: insert and remove cost one small splice, a
 * position is found by two binary searches, and counting a range adds chunk lengths instead of visiting keys.
 */
import type {Key} from '../store.ts';

const CHUNK_KEYS_MAX = 512;
type Position = {readonly chunk: number; readonly offset: number};

/** UTF-16 order differs from UTF-8 order only between two units at or above U+D800. */
const needsByteOrder = (key: Key): boolean => /[\ud800-\uffff]/.test(key);

/** a < b by UTF-8 bytes. */
export function isBelow(a: Key, b: Key): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // A surrogate is half of a code point above U+FFFF, which comes after every unit from U+E000 on.
    const surrogates = Number(x >= 0xd800 && x <= 0xdfff) - Number(y >= 0xd800 && y <= 0xdfff);
    return surrogates !== 0 && x >= 0xd800 && y >= 0xd800 ? surrogates < 0 : x < y;
  }
  return a.length < b.length;
}

export class OrderedKeys {
  readonly #chunks: Key[][] = [];
  /** Set by the first key that needs it; until then the engine's own comparison gives the same order and is faster. */
  #byBytes = false;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a key that is not in the set. */
  add(key: Key): void {
    if (!this.#byBytes && needsByteOrder(key)) this.#byBytes = true;
    this.#size++;
    const at = this.#seek(other => this.#below(other, key));
    // Behind the last key of a chunk is in that chunk, so that ascending keys do not open a chunk each.
    const index = at.offset === 0 && at.chunk > 0 ? at.chunk - 1 : at.chunk;
    const chunk = this.#chunks[index];
    if (chunk === undefined) {
      this.#chunks.push([key]);
      return;
    }
    if (index === at.chunk) chunk.splice(at.offset, 0, key);
    else chunk.push(key);
    if (chunk.length > CHUNK_KEYS_MAX) this.#chunks.splice(index + 1, 0, chunk.splice(CHUNK_KEYS_MAX / 2));
  }

  /** Removes a key that is in the set. */
  remove(key: Key): void {
    const at = this.#seek(other => this.#below(other, key));
    const chunk = this.#chunks[at.chunk];
    if (chunk?.[at.offset] !== key) throw new Error(`bug: ${key} is not in the set`);
    this.#size--;
    if (chunk.length === 1) this.#chunks.splice(at.chunk, 1);
    else chunk.splice(at.offset, 1);
  }

  /** Keys of a prefix in order, those behind `after`. The set must not change meanwhile. */
  *walk(prefix: Key, after: Key | undefined): Generator<Key, void> {
    let {chunk, offset} = this.#start(prefix, after);
    for (let keys = this.#chunks[chunk]; keys !== undefined; keys = this.#chunks[++chunk]) {
      for (; offset < keys.length; offset++) {
        const key = keys[offset];
        if (key?.startsWith(prefix) !== true) return;
        yield key;
      }
      offset = 0;
    }
  }

  /** How many keys `walk` would give. */
  count(prefix: Key, after: Key | undefined): number {
    const start = this.#start(prefix, after);
    const end = this.#seek(key => key.startsWith(prefix) || this.#below(key, prefix));
    if (start.chunk > end.chunk) return 0; // `after` lies behind the whole prefix
    let count = end.offset - start.offset;
    for (let i = start.chunk; i < end.chunk; i++) count += this.#chunks[i]?.length ?? 0;
    return Math.max(0, count);
  }

  #below(a: Key, b: Key): boolean {
    return this.#byBytes ? isBelow(a, b) : a < b;
  }

  #start(prefix: Key, after: Key | undefined): Position {
    return after === undefined || this.#below(after, prefix)
      ? this.#seek(key => this.#below(key, prefix))
      : this.#seek(key => key === after || this.#below(key, after));
  }

  /** The first position whose key is not `before`; `before` holds for a leading part of the set. */
  #seek(before: (key: Key) => boolean): Position {
    const chunk = partition(this.#chunks.length, i => before(this.#chunks[i]?.at(-1) ?? ''));
    const keys = this.#chunks[chunk] ?? [];
    return {chunk, offset: partition(keys.length, i => before(keys[i] ?? ''))};
  }
}

/** Two ascending walks as one. */
export function* merge(left: Iterator<Key>, right: Iterator<Key>): Generator<Key, void> {
  let [a, b] = [left.next(), right.next()];
  while (a.done !== true || b.done !== true) {
    if (b.done === true || (a.done !== true && isBelow(a.value, b.value))) {
      yield a.value;
      a = left.next();
    } else {
      yield b.value;
      b = right.next();
    }
  }
}

/** The first of 0..length-1 for which `before` does not hold, else `length`. */
export function partition(length: number, before: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
