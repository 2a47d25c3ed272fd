// SPDX-License-Identifier: Apache-2.0
/** One threat with its evidence, live: a stream brings counts and decisions made elsewhere. */
import type {ThreatMessage} from '@palisade/ids-wire';
import {formatTimestamp} from '@palisade/ids-wire';
import {useQuery, useQueryClient} from '@tanstack/react-query';
import {useCallback, useEffect} from 'react';
import {useApi} from '../../../api/index.ts';
import {quoted} from '../../../records/filter-edit.ts';
import {RecordFeed} from '../../../records/record-feed.ts';
import {boundsOf} from '../../../records/time-range.ts';
import {type Threat, type ThreatRow, toRow} from '../model/threat-row.ts';
import {type Neighbours, neighboursOf} from './neighbours.ts';
import type {RecordName} from './record-name.ts';
import {listSearch} from './record-search.ts';

const keyOf = (name: string): readonly string[] => ['threat', name];

/** The server audits each read of evidence: it is read once. */
export function useRecord(at: RecordName) {
  const {ids, surroundings} = useApi();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: keyOf(at.name),
    queryFn: ({signal}) => ids.getThreat(at.endpoint, at.id, {signal}),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  /** The current record; evidence and rule remain. */
  const apply = useCallback(
    (record: Threat) =>
      queries.setQueryData<ThreatMessage>(keyOf(at.name), before =>
        before === undefined ? before : {...record, evidence: before.evidence, rule: before.rule},
      ),
    [queries, at.name],
  );
  const threatId = query.data?.threat_id;
  const session = query.data?.session_id;
  const time = query.data?.event_time;
  useEffect(() => {
    if (threatId === undefined || session === undefined || time === undefined) return;
    const ms = Math.floor(Date.parse(time));
    const feed = new RecordFeed<'threats', ThreatRow>({
      ...{kind: 'threats' as const, toRow, timeOf: (row: ThreatRow) => row.threat.event_time},
      ...{client: ids, name: at.endpoint, surroundings, isLive: true, matches: () => true, keep: 100},
      filter: `threat_id=${quoted(threatId)} AND session_id=${quoted(session)}`,
      // Of the page that is listed first.
      bounds: {since: formatTimestamp(ms), until: formatTimestamp(ms + 1)},
    });
    const end = feed.state.subscribe(() => {
      const row = feed.state.get().rows.find(({name}) => name === at.name);
      if (row !== undefined) apply(row.threat);
    });
    feed.start();
    return () => {
      end();
      feed.stop();
    };
  }, [ids, surroundings, at, threatId, session, time, apply]);
  return {query, apply};
}

/** Records next to it that are asked for on each side: those of the same millisecond are among them. */
const AROUND = 50;
const AGAIN_MS = 15_000;
const NOBODY: Neighbours = {newer: undefined, older: undefined};

/** In the list that `back` is the search of. */
export function useNeighbours(threat: Threat, back: string): Neighbours {
  const {ids, surroundings} = useApi();
  const {in: scope, q: filter, range, from, to} = listSearch(back);
  const {data} = useQuery({
    queryKey: ['threat-neighbours', threat.endpoint, threat.id, scope, filter, range, from, to],
    queryFn: async ({signal}) => {
      const {since, until} = boundsOf({range, from, to}, surroundings.clock.now());
      const ms = Math.floor(Date.parse(threat.event_time));
      const shared = {filter, pageSize: AROUND, signal};
      const [older, newer] = await Promise.all([
        ids.listRecords(scope, 'threats', {
          ...{...shared, since, until: formatTimestamp(ms + 1), orderBy: 'event_time desc'},
        }),
        ids.listRecords(scope, 'threats', {...shared, since: formatTimestamp(ms), until, orderBy: 'event_time'}),
      ]);
      return neighboursOf(threat, [...older.records, ...newer.records]);
    },
    refetchInterval: AGAIN_MS,
    placeholderData: before => before,
  });
  return data ?? NOBODY;
}
