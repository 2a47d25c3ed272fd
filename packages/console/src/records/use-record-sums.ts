// SPDX-License-Identifier: Apache-2.0
/** Sums over all records of a query: by time, and by group. They are asked for again while the time goes on. */
import type {IdsClient, RecordKind} from '@palisade/client/browser';
import type {RecordAggregateMessage} from '@palisade/ids-wire';
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {useApi} from '../api/index.ts';
import {wallClock} from '../clock.ts';
import {type Bounds, boundsOf, isOpenEnded, type Width, widthFor} from './time-range.ts';
import type {RecordQuery} from './use-record-feed.ts';

const POLL_MS = 10_000;
const GROUPS_MAX = 500;

export type Sums = {
  readonly sums: RecordAggregateMessage;
  readonly bounds: Bounds;
  readonly width: Width;
  /** When it was asked for. */
  readonly at: number;
};

/** Without a beginning, the bars are as wide as the time since the oldest record needs: not a day for the records of one hour. */
export async function readSums(
  client: Pick<IdsClient, 'aggregateRecords' | 'listRecords'>,
  kind: RecordKind,
  {name, filter, range}: RecordQuery,
  {group, at, signal}: {readonly group: string; readonly at: number; readonly signal: AbortSignal},
): Promise<Sums> {
  const bounds = boundsOf(range, at);
  const oldest = async (): Promise<string | undefined> => {
    const page = await client.listRecords(name, kind, {filter, ...bounds, orderBy: 'event_time', pageSize: 1, signal});
    return page.records[0]?.event_time;
  };
  const width = widthFor({...bounds, since: bounds.since ?? (await oldest())}, at);
  const grouped = group === '' ? {} : {groupBy: group, groupsMax: GROUPS_MAX};
  const query = {filter, ...bounds, histogram: width.text, ...grouped, signal};
  return {sums: await client.aggregateRecords(name, kind, query), bounds, width, at};
}

/** `isStill`: it is not asked for again by itself. */
export function useRecordSums(kind: RecordKind, query: RecordQuery, group: string, isStill: boolean) {
  const {name, filter, range} = query;
  const {ids} = useApi();
  return useQuery({
    queryKey: ['record-sums', kind, name, filter, range.range, range.from, range.to, group],
    queryFn: ({signal}) => readSums(ids, kind, query, {group, at: wallClock(), signal}),
    placeholderData: keepPreviousData,
    refetchInterval: isStill || !isOpenEnded(range, wallClock()) ? false : POLL_MS,
  });
}
