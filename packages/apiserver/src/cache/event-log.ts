// SPDX-License-Identifier: Apache-2.0
/**
 * The recent changes of one resource, in order, for watches that start in the past, resume, or fell behind.
 * Positions are sequence numbers: dense, growing by one, never reused, so several events of one revision stay apart.
 *
 * I1 events are appended in revision order.  I2 what is dropped is always the oldest; `droppedRevision` is its last revision.
 */
import type {Revision} from '@palisade/store';
import type {CachedObject} from './cached-object.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export type CacheEvent = {
  readonly type: EventType;
  readonly revision: Revision;
  /** The state after the change; for DELETED the last state, at the version of the deletion. */
  readonly object: CachedObject;
  /** The state before; absent for ADDED. */
  readonly previous: CachedObject | undefined;
  /** Encoded frames by `${type} ${format}`, made when the first watcher asks. */
  frames: Map<string, Buffer> | undefined;
};

export class EventLog {
  readonly #countMax: number;
  readonly #bytesMax: number;
  /** Dropped events leave an empty place until the array is cut. */
  #events: (CacheEvent | undefined)[] = [];
  /** Index in `#events` of the oldest event that is kept. */
  #head = 0;
  /** Sequence number of the oldest event that is kept. */
  #first = 0;
  #bytes = 0;
  /** A watch from below this revision would miss something. */
  #droppedRevision: Revision;

  constructor(from: Revision, limits: {readonly countMax: number; readonly bytesMax: number}) {
    this.#droppedRevision = from;
    this.#countMax = limits.countMax;
    this.#bytesMax = limits.bytesMax;
  }

  get first(): number {
    return this.#first;
  }

  /** The position behind the newest event. */
  get end(): number {
    return this.#first + this.#events.length - this.#head;
  }

  get droppedRevision(): Revision {
    return this.#droppedRevision;
  }

  /** Revision of the newest event, or where the log began. */
  get lastRevision(): Revision {
    return this.#events.at(-1)?.revision ?? this.#droppedRevision;
  }

  append(event: CacheEvent): void {
    this.#events.push(event);
    this.#bytes += event.object.value.length;
    while (this.end - this.#first > this.#countMax || (this.#bytes > this.#bytesMax && this.end - this.#first > 1))
      this.#drop();
  }

  at(sequence: number): CacheEvent | undefined {
    return sequence < this.#first ? undefined : this.#events[this.#head + sequence - this.#first];
  }

  /** Position of the first event after `revision`; undefined when history up to there is gone. */
  positionAfter(revision: Revision): number | undefined {
    if (revision < this.#droppedRevision) return undefined;
    let low = this.#first;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.at(middle);
      if (event !== undefined && event.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(): void {
    const oldest = this.#events[this.#head];
    if (oldest === undefined) return;
    this.#bytes -= oldest.object.value.length;
    this.#droppedRevision = oldest.revision;
    this.#events[this.#head] = undefined;
    this.#head++;
    this.#first++;
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }
}
