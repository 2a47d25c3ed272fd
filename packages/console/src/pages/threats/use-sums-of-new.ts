// SPDX-License-Identifier: Apache-2.0
import {useEffect} from 'react';
import type {useRecordSums} from '../../records/use-record-sums.ts';
import type {Feed} from './use-threat-feed.ts';

/** A pause of the stream, after which the sums are asked for. */
const PAUSE_MS = 1_500;

/** Asks for the sums again when threats have come that they lack; while they keep coming, the poll does. */
export function useSumsOfNew({data, refetch}: ReturnType<typeof useRecordSums>, feed: Feed, isStill: boolean): void {
  const newest = feed.rows[0];
  const lacks =
    !isStill &&
    data !== undefined &&
    (feed.held > 0 || (newest !== undefined && Date.parse(newest.threat.event_time) > data.at - PAUSE_MS));
  useEffect(() => {
    if (!lacks) return;
    const timer = setTimeout(() => void refetch(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [lacks, newest?.name, feed.held, refetch]);
}
