// SPDX-License-Identifier: Apache-2.0
/** Threats and traffic of the same connection, as seen by any sensor of the project, in the order of time. */
import type {RecordOf} from '@palisade/client/browser';
import {formatTimestamp, parseMicros, type ThreatRecord} from '@palisade/ids-wire';
import {quoted} from '../../../../records/filter-edit.ts';

/** Before and after the threat: the fields have no index, so that the time bounds the work. */
const AROUND_MS = 3_600_000;

export type RelatedQuery = {
  readonly scope: string;
  readonly filter: string;
  readonly since: string;
  readonly until: string;
};

/** By community id with any sensor of the project; by flow id with the same sensor. */
export function relatedQuery(threat: ThreatRecord): RelatedQuery {
  const {endpoint, session_id: session, community_id: community, event_time: time} = threat;
  const at = (parseMicros(time) ?? 0) / 1000;
  const flow = `(session_id=${quoted(session)} AND endpoint=${quoted(endpoint)})`;
  const isKnown = community !== undefined && community !== '';
  return {
    scope: isKnown ? endpoint.replace(/\/locations\/.*$/, '/locations/-/endpoints/-') : endpoint,
    filter: isKnown ? `community_id=${quoted(community)} OR ${flow}` : flow,
    since: formatTimestamp(at - AROUND_MS),
    until: formatTimestamp(at + AROUND_MS),
  };
}

export type TimelineEntry = {
  readonly key: string;
  /** RFC 3339. */
  readonly time: string;
  /** Since the threat, negative before it. */
  readonly offsetMicros: number;
  /** By which the record is related. */
  readonly by: 'this' | 'flow' | 'community';
} & (
  | {readonly kind: 'threat'; readonly record: RecordOf<'threats'>}
  | {readonly kind: 'traffic'; readonly record: RecordOf<'traffic'>}
);

type Related = {readonly threats: readonly RecordOf<'threats'>[]; readonly traffic: readonly RecordOf<'traffic'>[]};

export function timelineOf(own: RecordOf<'threats'>, {threats, traffic}: Related): readonly TimelineEntry[] {
  const origin = parseMicros(own.event_time) ?? 0;
  const keyOf = (record: {readonly endpoint: string; readonly id: string}): string => `${record.endpoint} ${record.id}`;
  const shared = (record: RecordOf<'threats'> | RecordOf<'traffic'>) => ({
    key: keyOf(record),
    time: record.event_time,
    offsetMicros: (parseMicros(record.event_time) ?? origin) - origin,
    by:
      record.endpoint === own.endpoint && record.session_id === own.session_id
        ? ('flow' as const)
        : ('community' as const),
  });
  const all = new Map<string, TimelineEntry>();
  for (const record of traffic) all.set(`traffic ${keyOf(record)}`, {...shared(record), kind: 'traffic', record});
  for (const record of [...threats, own]) all.set(keyOf(record), {...shared(record), kind: 'threat', record});
  const mine = all.get(keyOf(own));
  if (mine !== undefined) all.set(keyOf(own), {...mine, by: 'this'});
  return [...all.values()].sort((a, b) => a.offsetMicros - b.offsetMicros || (a.key < b.key ? -1 : 1));
}

/** `+1.204 s`, `−3 ms`, `+12 min`; `0` for the threat itself. */
export function offsetText(micros: number): string {
  if (micros === 0) return '0';
  const sign = micros < 0 ? '−' : '+';
  const size = Math.abs(micros);
  if (size < 1_000) return `${sign}${size} µs`;
  if (size < 1_000_000) return `${sign}${Number((size / 1_000).toFixed(1))} ms`;
  if (size < 120_000_000) return `${sign}${Number((size / 1_000_000).toFixed(3))} s`;
  return `${sign}${Math.round(size / 60_000_000)} min`;
}
