// SPDX-License-Identifier: Apache-2.0
/** The newest commits in memory, so that a watch that resumes soon needs no disk. Bounded by count and bytes. */
import type {Revision, StoreEvent} from '../store.ts';

type Item = {readonly revision: Revision; readonly events: readonly StoreEvent[]; readonly bytes: number};

const bytesOf = (events: readonly StoreEvent[]): number =>
  events.reduce((sum, event) => sum + (event.type === 'put' ? event.entry.value.length : 0) + 64, 0);

export class RecentCommits {
  readonly #countMax: number;
  readonly #bytesMax: number;
  #items: Item[] = [];
  #first = 0;
  #bytes = 0;
  /** Every commit after this revision is held. */
  #completeAfter: Revision;

  constructor(completeAfter: Revision, limits: {readonly countMax: number; readonly bytesMax: number}) {
    this.#completeAfter = completeAfter;
    this.#countMax = limits.countMax;
    this.#bytesMax = limits.bytesMax;
  }

  add(revision: Revision, events: readonly StoreEvent[]): void {
    const bytes = bytesOf(events);
    this.#items.push({revision, events, bytes});
    this.#bytes += bytes;
    while (
      this.#items.length - this.#first > 1 &&
      (this.#items.length - this.#first > this.#countMax || this.#bytes > this.#bytesMax)
    ) {
      const dropped = this.#items[this.#first++] as Item;
      this.#bytes -= dropped.bytes;
      this.#completeAfter = dropped.revision;
    }
    if (this.#first > this.#countMax) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
  }

  holdsAllAfter(revision: Revision): boolean {
    return revision >= this.#completeAfter;
  }

  /** Events after `revision`, in order. Only when `holdsAllAfter`. */
  *after(revision: Revision): Generator<StoreEvent> {
    let [low, high] = [this.#first, this.#items.length];
    while (low < high) {
      const mid = (low + high) >>> 1;
      if ((this.#items[mid] as Item).revision <= revision) low = mid + 1;
      else high = mid;
    }
    for (let i = low; i < this.#items.length; i++) yield* (this.#items[i] as Item).events;
  }
}
