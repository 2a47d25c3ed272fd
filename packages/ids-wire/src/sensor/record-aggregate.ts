// SPDX-License-Identifier: Apache-2.0
/** The answer of `GET /v1/{endpoint}/threats:aggregate` and `/traffic:aggregate`. Ours: Cloud IDS has no such methods. */
import type {RecordKind} from '../log-entry.ts';
import type {Severity} from '../records.ts';

export const AGGREGATE_GROUPS: Readonly<Record<RecordKind, readonly string[]>> = {
  threats: ['threat', 'source', 'destination', 'endpoint', 'severity', 'application', 'protocol'],
  traffic: ['source', 'destination', 'endpoint', 'application', 'protocol'],
};

/** `alerts`: of threats, the sum of their repeat_count. */
export type RecordSumMessage = {readonly records: number; readonly alerts?: number | undefined};

export type HistogramBarMessage = RecordSumMessage & {
  /** RFC 3339 UTC; a multiple of the width since 1970. */
  readonly startTime: string;
  /** Of threats: alerts by severity; one without alerts is absent. */
  readonly severities?: Readonly<Partial<Record<Severity, number>>> | undefined;
};

export type RecordGroupMessage = RecordSumMessage & {
  /** A threat id, an address, the full name of an endpoint, a severity, an application or a protocol. */
  readonly key: string;
  /** Of a threat. */
  readonly name?: string | undefined;
  /** Of threats. */
  readonly highestSeverity?: Severity | undefined;
  /** Of traffic: the sum of total_bytes. */
  readonly bytes?: number | undefined;
  /** RFC 3339 UTC, microseconds. */
  readonly firstTime: string;
  readonly lastTime: string;
};

export type RecordAggregateMessage = {
  readonly total: RecordSumMessage;
  /** With `histogram`: bars that have records, oldest first. */
  readonly histogram?: readonly HistogramBarMessage[] | undefined;
  /** With `groupBy`: those with the most alerts first. */
  readonly groups?: readonly RecordGroupMessage[] | undefined;
  /** Groups beyond `groupsMax`; absent when there are no more. */
  readonly moreGroups?: number | undefined;
};

const UNIT_MS: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** Milliseconds of a width such as `30s`, `5m`, `1h` or `1d`; undefined for another text. */
export const parseWidth = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
  return ms > 0 ? ms : undefined;
};
