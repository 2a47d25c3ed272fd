// SPDX-License-Identifier: Apache-2.0
import {TRAFFIC_LIST} from '@palisade/ids-wire';
import {useCallback, useMemo, useState} from 'react';
import {useGoodFilter} from '../../records/use-good-filter.ts';
import {useRecordSums} from '../../records/use-record-sums.ts';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {type SetSearch, useSearchState} from '../../routing/use-search-state.ts';
import {useScopedEndpoints} from '../../scope/use-scope.ts';
import {TRAFFIC_SEARCH, type TrafficSearch} from './traffic-row.ts';
import {useTrafficFeed} from './use-traffic.ts';

/** All that the parts of the page share. */
export function useTrafficPage() {
  const [own, setSearch] = useSearchState(TRAFFIC_SEARCH);
  const search = useScopedEndpoints(own, setSearch);
  const {filter, fault} = useGoodFilter(search.q, TRAFFIC_LIST);
  const {range, from, to} = search;
  const time = useMemo(() => ({range, from, to}), [range, from, to]);
  const query = useMemo(() => ({name: search.in, filter, range: time}), [search.in, filter, time]);
  const [isTop, setTop] = useState(true);
  const [menu, setMenu] = useState<ValueMenuAt | undefined>();
  const feed = useTrafficFeed(query, search.paused || !isTop || menu !== undefined);
  const sums = useRecordSums('traffic', query, search.group, search.paused);
  /** Looks at other flows. */
  const look = useCallback<SetSearch<TrafficSearch>>(
    (patch, options) => {
      setTop(true);
      setSearch(patch, options);
    },
    [setSearch],
  );
  return {search, setSearch, look, fault, query, feed, sums, setTop, menu, setMenu};
}
export type State = ReturnType<typeof useTrafficPage>;
