// SPDX-License-Identifier: Apache-2.0
import type {Revision} from '@palisade/store';
import {SortedNames} from './sorted-names.ts';

export type Held<T> = {
  readonly record: T /** The key's modRevision: the precondition of the next write. */;
  readonly revision: Revision;
};

/** All records of one kind by name, decoded once, with their names in order. */
export class Collection<T> {
  readonly #held = new Map<string, Held<T>>();
  readonly #names = new SortedNames();

  get size(): number {
    return this.#held.size;
  }
  get(name: string): Held<T> | undefined {
    return this.#held.get(name);
  }
  put(name: string, held: Held<T>): void {
    if (!this.#held.has(name)) this.#names.add(name);
    this.#held.set(name, held);
  }
  delete(name: string): void {
    if (this.#held.delete(name)) this.#names.remove(name);
  }
  entries(): IterableIterator<[string, Held<T>]> {
    return this.#held.entries();
  }
  names(): string[] {
    return [...this.#held.keys()];
  }
  count(prefix: string): number {
    return this.#names.count(prefix);
  }
  /** Records whose names begin with `prefix` and come after `after`, in name order. */
  *range(prefix: string, after = ''): Generator<T> {
    const {from, to} = this.#names.bounds(prefix, after);
    for (let at = from; at < to; at += 1) {
      const held = this.#held.get(this.#names.at(at));
      if (held !== undefined) yield held.record;
    }
  }
}
