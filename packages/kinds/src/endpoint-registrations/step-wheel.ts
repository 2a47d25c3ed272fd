// SPDX-License-Identifier: Apache-2.0
/**
 * Items that fall due at whole steps: one bucket a step. A later due time moves nothing: the item is looked at in the bucket it
 * is in, and put into its new one then. So a renewal costs nothing but a note of its step, however many items there are.
 */
export type Due = {
  /** The first step at which something has to happen. */
  dueStep(): number;
  /** Of the bucket it is in; the wheel's own. */
  bucket: number | undefined;
};

export class StepWheel<T extends Due> {
  readonly #buckets = new Map<number, Set<T>>();

  /** To be called after an item is new, or may be due earlier; never needed when it is due later. */
  put(item: T, nowStep: number): void {
    const step = Math.max(item.dueStep(), nowStep + 1);
    if (step === Number.POSITIVE_INFINITY) return;
    if (item.bucket !== undefined && item.bucket <= step) return;
    this.remove(item);
    item.bucket = step;
    const bucket = this.#buckets.get(step);
    if (bucket === undefined) this.#buckets.set(step, new Set([item]));
    else bucket.add(item);
  }

  /** To be called once for every step, in order. */
  take(step: number): readonly T[] {
    const bucket = this.#buckets.get(step);
    if (bucket === undefined) return [];
    this.#buckets.delete(step);
    const due: T[] = [];
    for (const item of bucket) {
      item.bucket = undefined;
      if (item.dueStep() <= step) due.push(item);
      else this.put(item, step);
    }
    return due;
  }

  /** Nothing of it stays: what comes and goes many times within its due time takes no room. */
  remove(item: T): void {
    if (item.bucket === undefined) return;
    const bucket = this.#buckets.get(item.bucket);
    bucket?.delete(item);
    if (bucket?.size === 0) this.#buckets.delete(item.bucket);
    item.bucket = undefined;
  }

  /** How many items are in it. */
  get size(): number {
    let size = 0;
    for (const bucket of this.#buckets.values()) size += bucket.size;
    return size;
  }

  get buckets(): number {
    return this.#buckets.size;
  }
}
