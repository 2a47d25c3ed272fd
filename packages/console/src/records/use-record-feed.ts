// SPDX-License-Identifier: Apache-2.0
import type {RecordKind, RecordOf} from '@palisade/client/browser';
import {useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react';
import {useApi} from '../api/index.ts';
import {wallClock} from '../clock.ts';
import {type FeedOptions, type FeedRow, type FeedState, NO_FEED, RecordFeed} from './record-feed.ts';
import {boundsOf, isOpenEnded, type RangeSearch} from './time-range.ts';

export type Feed<K extends RecordKind, Row extends FeedRow> = FeedState<Row> & {
  /** What is shown is of the filter before, until the first page of this one is there. */
  readonly isOld: boolean;
  readonly more: () => void;
  readonly release: () => void;
  readonly retry: () => void;
  readonly apply: (record: RecordOf<K>) => void;
};

export type RecordQuery = {
  /** Of endpoints; parts may be `-`. */
  readonly name: string;
  /** A valid one. */
  readonly filter: string;
  readonly range: RangeSearch;
};

/** What a kind of records is to a feed: define it outside of the component. */
export type FeedShape<K extends RecordKind, Row extends FeedRow> = Pick<
  FeedOptions<K, Row>,
  'kind' | 'toRow' | 'timeOf'
> & {
  readonly matcher: (filter: string) => (record: RecordOf<K>) => boolean;
};

const nothing = {get: () => NO_FEED, subscribe: () => () => {}};

/** The records of a query, live; one stream. `isHolding`: rows that come are held back. `isStill`: rows that are shown do not change either. */
export function useRecordFeed<K extends RecordKind, Row extends FeedRow>(
  shape: FeedShape<K, Row>,
  {name, filter, range}: RecordQuery,
  isHolding: boolean,
  isStill = false,
): Feed<K, Row> {
  const {ids, surroundings} = useApi();
  const [attempt, setAttempt] = useState(0);
  const [started, setStarted] = useState<{readonly key: string; readonly of: RecordFeed<K, Row>} | undefined>();
  const key = JSON.stringify([name, filter, range.range, range.from, range.to, attempt]);
  useEffect(() => {
    const now = wallClock();
    const {matcher, ...rest} = shape;
    const of = new RecordFeed<K, Row>({
      ...rest,
      ...{client: ids, name, filter, surroundings, matches: matcher(filter)},
      ...{bounds: boundsOf(range, now), isLive: isOpenEnded(range, now)},
    });
    of.start();
    setStarted({key, of});
    return () => of.stop();
  }, [key, ids, surroundings, shape]); // the key has all of the query
  const current = started?.key === key ? started.of : undefined;
  useEffect(() => current?.hold(isHolding), [current, isHolding]);
  useEffect(() => current?.still(isStill), [current, isStill]);
  const source = current?.state ?? nothing;
  const state: FeedState<Row> = useSyncExternalStore<FeedState<Row>>(source.subscribe, source.get);
  const kept = useRef<FeedState<Row>>(NO_FEED);
  if (state.isListed) kept.current = state;
  const isOld = !state.isListed && state.phase !== 'refused' && kept.current.rows.length > 0;
  const more = useCallback(() => void current?.more(), [current]);
  const release = useCallback(() => current?.release(), [current]);
  const apply = useCallback((record: RecordOf<K>) => current?.apply(record), [current]);
  const retry = useCallback(() => setAttempt(count => count + 1), []);
  return useMemo(() => {
    const shown = isOld ? {...state, rows: kept.current.rows, hasMore: false} : state;
    return {...shown, isOld, more, release, apply, retry};
  }, [state, isOld, more, release, apply, retry]);
}
