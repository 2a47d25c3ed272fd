// SPDX-License-Identifier: Apache-2.0
import {compileFilter, THREAT_LIST} from '@palisade/ids-wire';
import {
  type FeedShape,
  type Feed as RecordFeed,
  type RecordQuery,
  useRecordFeed,
} from '../../records/use-record-feed.ts';
import {type ThreatRow, toRow} from './model/threat-row.ts';

export type Feed = RecordFeed<'threats', ThreatRow>;

const THREATS: FeedShape<'threats', ThreatRow> = {
  kind: 'threats',
  toRow,
  timeOf: ({threat}) => threat.event_time,
  matcher: filter => compileFilter(filter, THREAT_LIST),
};

/** The threats of a query, live; one stream. `isHolding`: rows that come are held back. `isStill`: nor do counts change. */
export const useThreatFeed = (query: RecordQuery, isHolding: boolean, isStill: boolean): Feed =>
  useRecordFeed<'threats', ThreatRow>(THREATS, query, isHolding, isStill);
