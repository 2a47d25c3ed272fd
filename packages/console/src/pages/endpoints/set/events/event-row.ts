// SPDX-License-Identifier: Apache-2.0
import {type KubeEvent, timeOfEvent} from '@palisade/client/browser';
import {parseTime} from '../../../../ui/data/time-text.ts';

/** Kinds whose events concern a set: its own, and those of the group of the same name. */
const KINDS: ReadonlySet<string> = new Set(['Endpoints', 'EndpointGroup']);

export type EventRow = {
  readonly key: string;
  readonly isWarning: boolean;
  readonly kind: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly from: string;
  readonly time: string;
  readonly at: number;
};

export function toEventRow(event: KubeEvent): EventRow {
  const time = timeOfEvent(event);
  return {
    key: event.metadata?.name ?? '',
    isWarning: event.type === 'Warning',
    kind: event.involvedObject?.kind ?? '',
    reason: event.reason ?? '',
    message: event.message ?? '',
    count: event.count ?? 1,
    from: event.source?.component || event.reportingComponent || '',
    time,
    at: parseTime(time) ?? 0,
  };
}

/** Those of the set, the newest first; `q` is part of any text. */
export function matchingEvents(rows: readonly EventRow[], q: string): readonly EventRow[] {
  const wanted = q.trim().toLowerCase();
  return rows
    .filter(
      row =>
        KINDS.has(row.kind) &&
        (wanted === '' || `${row.reason} ${row.message} ${row.from}`.toLowerCase().includes(wanted)),
    )
    .toSorted((a, b) => b.at - a.at);
}
