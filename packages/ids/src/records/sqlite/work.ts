// SPDX-License-Identifier: Apache-2.0
/** What a commit does to partitions: whole rows, so that doing it twice is doing it once. */
import type {AnyRecord, RecordKind} from '@palisade/ids-wire';
import type {TriageEvents} from '../triage.ts';

/** Endpoints by their numbers in the journal. */
export type RecordWork = {
  readonly what: 'record';
  readonly sequence: number;
  readonly kind: RecordKind;
  readonly endpoint: number;
  readonly id: string;
  /** Microseconds. */
  readonly at: number;
  readonly record: AnyRecord;
};
export type EvidenceWork = {
  readonly what: 'evidence';
  readonly endpoint: number;
  readonly id: string;
  readonly at: number;
  readonly event: string;
};
export type TriageWork = {
  readonly what: 'triage';
  readonly sequence: number;
  readonly endpoint: number;
  readonly id: string;
  readonly events: TriageEvents;
};
export type Work = RecordWork | EvidenceWork | TriageWork;

/** The same for one file after the other, in the order of the work of each. */
export type PlacedWork = ReadonlyMap<string, readonly Work[]>;

/** In a partition: times in microseconds, undefined when it is empty; records by endpoint. */
export type Summary = {
  readonly oldest: number | undefined;
  readonly newest: number | undefined;
  readonly counts: Readonly<Record<number, number>>;
};

export const EMPTY: Summary = {oldest: undefined, newest: undefined, counts: {}};

export const countOfSummary = ({counts}: Summary): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** What a transaction made new: times in microseconds, and records by endpoint. */
export type Added = {oldest: number; newest: number; readonly counts: Map<number, number>};

export const withAdded = (summary: Summary, {oldest, newest, counts}: Added): Summary => {
  if (counts.size === 0) return summary;
  const sums: Record<number, number> = {...summary.counts};
  for (const [endpoint, count] of counts) sums[endpoint] = (sums[endpoint] ?? 0) + count;
  return {
    oldest: Math.min(summary.oldest ?? oldest, oldest),
    newest: Math.max(summary.newest ?? newest, newest),
    counts: sums,
  };
};
