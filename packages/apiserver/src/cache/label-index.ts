// SPDX-License-Identifier: Apache-2.0
/**
 * Objects by label value, for selectors that ask for equality. A key is indexed when it is first asked for, and kept up to
 * date from then on; a resource whose labels nobody selects by pays nothing.
 */
import type {CachedObject} from './cached-object.ts';
import {positionOf} from './key-order.ts';

/** Label keys indexed at the same time; the one not asked for the longest makes room. */
const INDEXED_KEYS_MAX = 16;

/** The objects of each value, in key order. */
type ByValue = Map<string, CachedObject[]>;

const NONE: readonly CachedObject[] = [];

export class LabelIndex {
  readonly #byKey = new Map<string, ByValue>();

  /**
   * Every object whose label `key` has exactly `value`, in key order. `all`, which gives every object in key order, is asked
   * once per key. The array must not be changed, and is that of now: it changes with the next write.
   */
  get(key: string, value: string, all: () => Iterable<readonly CachedObject[]>): readonly CachedObject[] {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      this.#byKey.delete(key);
      this.#byKey.set(key, known);
      return known.get(value) ?? NONE;
    }
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size >= INDEXED_KEYS_MAX && oldest !== undefined) this.#byKey.delete(oldest);
    const made: ByValue = new Map();
    for (const slice of all()) for (const object of slice) append(made, labelValueOf(key, object), object);
    this.#byKey.set(key, made);
    return made.get(value) ?? NONE;
  }

  /** `before` and `after` are versions of the same object. */
  replace(before: CachedObject | undefined, after: CachedObject | undefined): void {
    for (const [key, byValue] of this.#byKey) {
      const old = before === undefined ? undefined : labelValueOf(key, before);
      const now = after === undefined ? undefined : labelValueOf(key, after);
      if (before !== undefined && old !== undefined && old !== now) remove(byValue, old, before);
      if (after !== undefined && now !== undefined) put(byValue, now, after, old === now);
    }
  }
}

const labelValueOf = (key: string, {labels}: CachedObject): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

const append = (byValue: ByValue, value: string | undefined, object: CachedObject): void => {
  if (value === undefined) return;
  const sorted = byValue.get(value);
  if (sorted === undefined) byValue.set(value, [object]);
  else sorted.push(object);
};

const put = (byValue: ByValue, value: string, object: CachedObject, isThere: boolean): void => {
  const sorted = byValue.get(value);
  if (sorted === undefined) byValue.set(value, [object]);
  else sorted.splice(positionOf(sorted, object), isThere ? 1 : 0, object);
};

const remove = (byValue: ByValue, value: string, object: CachedObject): void => {
  const sorted = byValue.get(value);
  if (sorted === undefined) return;
  sorted.splice(positionOf(sorted, object), 1);
  if (sorted.length === 0) byValue.delete(value);
};
