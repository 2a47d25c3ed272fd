// SPDX-License-Identifier: Apache-2.0
/** Sums over all records of a query: by time, and by group. They are asked for again while the time goes on. */
import type {RecordAggregateMessage, RecordKind} from '@palisade/ids-wire';
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

/** `isStill`: it is not asked for again by itself. */
export function useRecordSums(kind: RecordKind, {name, filter, range}: RecordQuery, group: string, isStill: boolean) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['record-sums', kind, name, filter, range.range, range.from, range.to, group],
    queryFn: async ({signal}): Promise<Sums> => {
      const at = wallClock();
      const bounds = boundsOf(range, at);
      const width = widthFor(bounds, at);
      const grouped = group === '' ? {} : {groupBy: group, groupsMax: GROUPS_MAX};
      const query = {filter, ...bounds, histogram: width.text, ...grouped, signal};
      return {sums: await ids.aggregateRecords(name, kind, query), bounds, width, at};
    },
    placeholderData: keepPreviousData,
    refetchInterval: isStill || !isOpenEnded(range, wallClock()) ? false : POLL_MS,
  });
}
