// SPDX-License-Identifier: Apache-2.0
/**
 * Objects by label value, for selectors that ask for equality. A key is indexed when it is first asked for, and kept up to
 * date from then on; a resource whose labels nobody selects by pays nothing.
 */
import type {CachedObject} from './cached-object.ts';

/** Label keys indexed at the same time; the one not asked for the longest makes room. */
const INDEXED_KEYS_MAX = 16;

type ByValue = Map<string, Set<CachedObject>>;

const NONE: ReadonlySet<CachedObject> = new Set();

export class LabelIndex {
  readonly #byKey = new Map<string, ByValue>();

  /** Every object whose label `key` has exactly `value`, in no order. `all` is asked once per key. */
  get(key: string, value: string, all: () => Iterable<readonly CachedObject[]>): ReadonlySet<CachedObject> {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      this.#byKey.delete(key);
      this.#byKey.set(key, known);
      return known.get(value) ?? NONE;
    }
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size >= INDEXED_KEYS_MAX && oldest !== undefined) this.#byKey.delete(oldest);
    const made: ByValue = new Map();
    for (const slice of all()) for (const object of slice) add(made, key, object);
    this.#byKey.set(key, made);
    return made.get(value) ?? NONE;
  }

  replace(before: CachedObject | undefined, after: CachedObject | undefined): void {
    for (const [key, byValue] of this.#byKey) {
      if (before !== undefined) remove(byValue, key, before);
      if (after !== undefined) add(byValue, key, after);
    }
  }
}

const labelValueOf = (key: string, {labels}: CachedObject): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

const add = (byValue: ByValue, key: string, object: CachedObject): void => {
  const value = labelValueOf(key, object);
  if (value === undefined) return;
  const set = byValue.get(value);
  if (set === undefined) byValue.set(value, new Set([object]));
  else set.add(object);
};

const remove = (byValue: ByValue, key: string, object: CachedObject): void => {
  const value = labelValueOf(key, object);
  const set = value === undefined ? undefined : byValue.get(value);
  if (set === undefined || value === undefined) return;
  set.delete(object);
  if (set.size === 0) byValue.delete(value);
};
