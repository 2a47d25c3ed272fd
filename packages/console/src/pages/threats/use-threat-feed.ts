// SPDX-License-Identifier: Apache-2.0
import {compileFilter, THREAT_LIST} from '@palisade/ids-wire';
import {useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react';
import {useApi} from '../../api/index.ts';
import {wallClock} from '../../clock.ts';
import {type FeedState, NO_FEED, ThreatFeed} from './model/threat-feed.ts';
import type {Threat} from './model/threat-row.ts';
import {boundsOf, isOpenEnded, type RangeSearch} from './model/time-range.ts';

export type Feed = FeedState & {
  /** What is shown is of the filter before, until the first page of this one is there. */
  readonly isOld: boolean;
  readonly more: () => void;
  readonly release: () => void;
  readonly retry: () => void;
  readonly apply: (threat: Threat) => void;
};

export type ThreatQuery = {
  /** Of endpoints; parts may be `-`. */
  readonly name: string;
  /** A valid one. */
  readonly filter: string;
  readonly range: RangeSearch;
};

const nothing = {get: () => NO_FEED, subscribe: () => () => {}};

/** The threats of a query, live; one stream. `isHolding`: rows that come are held back. */
export function useThreatFeed({name, filter, range}: ThreatQuery, isHolding: boolean): Feed {
  const {ids, surroundings} = useApi();
  const [attempt, setAttempt] = useState(0);
  const [started, setStarted] = useState<{readonly key: string; readonly of: ThreatFeed} | undefined>();
  const key = JSON.stringify([name, filter, range.range, range.from, range.to, attempt]);
  useEffect(() => {
    const now = wallClock();
    const isMatch = compileFilter(filter, THREAT_LIST);
    const of = new ThreatFeed({
      ...{client: ids, name, filter, surroundings, matches: isMatch},
      ...{bounds: boundsOf(range, now), isLive: isOpenEnded(range, now)},
    });
    of.start();
    setStarted({key, of});
    return () => of.stop();
  }, [key, ids, surroundings]); // the key has all of the query
  const current = started?.key === key ? started.of : undefined;
  useEffect(() => current?.hold(isHolding), [current, isHolding]);
  const source = current?.state ?? nothing;
  const state = useSyncExternalStore(source.subscribe, source.get);
  const kept = useRef<FeedState>(NO_FEED);
  if (state.isListed) kept.current = state;
  const isOld = !state.isListed && state.phase !== 'refused' && kept.current.rows.length > 0;
  const more = useCallback(() => void current?.more(), [current]);
  const release = useCallback(() => current?.release(), [current]);
  const apply = useCallback((threat: Threat) => current?.apply(threat), [current]);
  const retry = useCallback(() => setAttempt(count => count + 1), []);
  return useMemo(() => {
    const shown = isOld ? {...state, rows: kept.current.rows, hasMore: false} : state;
    return {...shown, isOld, more, release, apply, retry};
  }, [state, isOld, more, release, apply, retry]);
}
