// SPDX-License-Identifier: Apache-2.0
/** A histogram that costs one search and two additions for each value. Buckets are made cumulative where they are shown. */

export class Buckets {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** Values by bucket, those beyond the last bound at the end; not cumulative. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
    this.counts.push(0);
  }

  /** How many values there are. */
  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  add(value: number): void {
    const {bounds, counts} = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }
}
