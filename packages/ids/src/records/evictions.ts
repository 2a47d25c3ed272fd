// SPDX-License-Identifier: Apache-2.0
/**
 * Classes of records, the order in which they are evicted when there are too many, and what was evicted in the last minute.
 *
 * Traffic records go first, then threats from the lowest severity to the highest; within a class the oldest first.
 */
import {type RecordKind, SEVERITIES, type ThreatRecord} from '@palisade/ids-wire';
import {RECORD_EVICTIONS_SHOWN_MS} from '../limits.ts';
import type {Clock} from '../system.ts';

/** In the order of eviction. */
export const RECORD_CLASSES = ['TRAFFIC', ...SEVERITIES] as const;
export type RecordClass = (typeof RECORD_CLASSES)[number];

/** Numbers of records; an absent class has none. */
export type ClassCounts = Readonly<Partial<Record<RecordClass, number>>>;

export const kindOfClass = (recordClass: RecordClass): RecordKind =>
  recordClass === 'TRAFFIC' ? 'traffic' : 'threats';

export const classOf = (kind: RecordKind, record: unknown): RecordClass =>
  kind === 'traffic' ? 'TRAFFIC' : (record as ThreatRecord).alert_severity;

/** `counts` with `more` of a class, or fewer where it is negative. */
export const addTo = (counts: ClassCounts, recordClass: RecordClass, more: number): ClassCounts => {
  const {[recordClass]: before = 0, ...others} = counts;
  return before + more === 0 ? others : {...others, [recordClass]: before + more};
};

export const countOf = (counts: ClassCounts, kind?: RecordKind): number =>
  RECORD_CLASSES.filter(recordClass => kind === undefined || kindOfClass(recordClass) === kind).reduce(
    (sum, recordClass) => sum + (counts[recordClass] ?? 0),
    0,
  );

type Second = {readonly atMs: number; counts: ClassCounts};

/** Evictions of the last RECORD_EVICTIONS_SHOWN_MS by endpoint, to the second. */
export class RecentEvictions {
  readonly #clock: Clock;
  readonly #seconds = new Map<string, readonly Second[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(endpoint: string, recordClass: RecordClass, count: number): void {
    const atMs = Math.floor(this.#clock.now() / 1_000) * 1_000;
    const seconds = this.#recent(endpoint);
    const last = seconds.at(-1);
    if (last?.atMs === atMs) last.counts = addTo(last.counts, recordClass, count);
    else this.#seconds.set(endpoint, [...seconds, {atMs, counts: addTo({}, recordClass, count)}]);
  }

  of(endpoint: string): ClassCounts {
    let sum: ClassCounts = {};
    for (const {counts} of this.#recent(endpoint))
      for (const recordClass of RECORD_CLASSES) sum = addTo(sum, recordClass, counts[recordClass] ?? 0);
    return sum;
  }

  /** Forgets what is no longer shown. */
  #recent(endpoint: string): readonly Second[] {
    const from = this.#clock.now() - RECORD_EVICTIONS_SHOWN_MS;
    const seconds = this.#seconds.get(endpoint)?.filter(({atMs}) => atMs > from) ?? [];
    if (seconds.length === 0) this.#seconds.delete(endpoint);
    else this.#seconds.set(endpoint, seconds);
    return seconds;
  }
}
