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
