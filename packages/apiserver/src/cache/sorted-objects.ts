// SPDX-License-Identifier: Apache-2.0
/** The live objects of one resource: by name, and in the key order that lists have. */
import type {CachedObject} from './cached-object.ts';
import {countBefore, inNamespace, namespaceOrder} from './key-order.ts';
import {LabelIndex} from './label-index.ts';

type NamespaceIndex = {
  readonly namespace: string;
  readonly byName: Map<string, CachedObject>;
  /** Sorted by name. */
  readonly sorted: CachedObject[];
};

const positionOfName = (sorted: readonly CachedObject[], name: string): number =>
  countBefore(sorted, object => object.name < name);

export class SortedObjects {
  readonly #labels = new LabelIndex();
  readonly #namespaces = new Map<string, NamespaceIndex>();
  readonly #order: NamespaceIndex[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  countIn(namespace: string): number {
    return this.#namespaces.get(namespace)?.sorted.length ?? 0;
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#namespaces.get(namespace)?.byName.get(name);
  }

  /** Objects of a namespace (`''`: of all) with this label value, in key order. The array must not be changed. */
  withLabel(key: string, value: string, namespace: string): readonly CachedObject[] {
    const found = this.#labels.get(key, value, () => this.slices(''));
    return namespace === '' ? found : inNamespace(found, namespace);
  }

  set(object: CachedObject): void {
    this.#labels.replace(this.get(object.namespace, object.name), object);
    const index = this.#indexFor(object.namespace);
    const at = positionOfName(index.sorted, object.name);
    if (index.byName.has(object.name)) index.sorted[at] = object;
    else {
      if (at === index.sorted.length) index.sorted.push(object);
      else index.sorted.splice(at, 0, object);
      this.#count++;
    }
    index.byName.set(object.name, object);
  }

  delete(namespace: string, name: string): void {
    const index = this.#namespaces.get(namespace);
    const object = index?.byName.get(name);
    if (index === undefined || object === undefined) return;
    this.#labels.replace(object, undefined);
    index.byName.delete(name);
    index.sorted.splice(positionOfName(index.sorted, name), 1);
    this.#count--;
    if (index.sorted.length > 0) return;
    this.#namespaces.delete(namespace);
    this.#order.splice(this.#order.indexOf(index), 1);
  }

  /**
   * All objects of a namespace (`''`: of all namespaces) in key order, from the key `from` on when given: `name` in a namespace,
   * `namespace/name` in all of them. The arrays must not be changed.
   */
  *slices(namespace: string, from?: string): Generator<readonly CachedObject[]> {
    const indexes = namespace === '' ? this.#order : [this.#namespaces.get(namespace)];
    for (const index of indexes) {
      if (index === undefined) continue;
      const prefix = namespace === '' && index.namespace !== '' ? namespaceOrder(index.namespace) : '';
      if (from === undefined || (prefix !== '' && prefix >= from)) yield index.sorted;
      else if (from.startsWith(prefix)) {
        yield index.sorted.slice(positionOfName(index.sorted, from.slice(prefix.length)));
      }
    }
  }

  /** The last object in key order, of a namespace or of all (`''`). */
  last(namespace: string): CachedObject | undefined {
    const index = namespace === '' ? this.#order.at(-1) : this.#namespaces.get(namespace);
    return index?.sorted.at(-1);
  }

  #indexFor(namespace: string): NamespaceIndex {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const index: NamespaceIndex = {namespace, byName: new Map(), sorted: []};
    this.#namespaces.set(namespace, index);
    const wanted = namespaceOrder(namespace);
    const at = countBefore(this.#order, other => namespaceOrder(other.namespace) < wanted);
    this.#order.splice(at, 0, index);
    return index;
  }
}
