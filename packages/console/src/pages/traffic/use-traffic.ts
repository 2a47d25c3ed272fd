// SPDX-License-Identifier: Apache-2.0
/** What the page asks for beyond the list itself. */
import {compileFilter, formatTimestamp, type ThreatMessage, TRAFFIC_LIST} from '@palisade/ids-wire';
import {useQuery} from '@tanstack/react-query';
import {useApi} from '../../api/index.ts';
import {quoted} from '../../records/filter-edit.ts';
import {
  type FeedShape,
  type Feed as RecordFeed,
  type RecordQuery,
  useRecordFeed,
} from '../../records/use-record-feed.ts';
import {type Flow, type FlowRow, splitFlowKey, toRow} from './traffic-row.ts';

const HOUR_MS = 3_600_000;
const RELATED_MAX = 100;
const ENDPOINTS_MAX = 1_000;
const FRESH_MS = 30_000;

export type Feed = RecordFeed<'traffic', FlowRow>;

const TRAFFIC: FeedShape<'traffic', FlowRow> = {
  kind: 'traffic',
  toRow,
  timeOf: ({flow}) => flow.event_time,
  matcher: filter => compileFilter(filter, TRAFFIC_LIST),
};

/** The flows of a query, live; one stream. */
export const useTrafficFeed = (query: RecordQuery, isHolding: boolean): Feed =>
  useRecordFeed<'traffic', FlowRow>(TRAFFIC, query, isHolding);

/** By its key; `known`: its row, if the list has it. */
export function useFlow(key: string, known: Flow | undefined) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['flow', key],
    enabled: known === undefined,
    staleTime: FRESH_MS,
    queryFn: async ({signal}): Promise<Flow> => {
      const parts = splitFlowKey(key);
      if (parts === undefined) throw new Error('the address names no flow');
      const at = Date.parse(parts.time);
      const range = {since: formatTimestamp(at - 1_000), until: formatTimestamp(at + 1_000)};
      const {records} = await ids.listRecords(parts.endpoint, 'traffic', {
        ...{filter: `session_id=${parts.session}`, ...range, pageSize: 10, signal},
      });
      const found = records.find(({event_time}) => event_time === parts.time) ?? records[0];
      if (found === undefined) throw new Error('the flow is not stored any more');
      return found;
    },
  });
}

/** An hour around the flow. */
export function aroundFlow({event_time, elapsed_time}: Flow): {readonly since: string; readonly until: string} {
  const begin = Date.parse(event_time);
  const end = begin + Number(elapsed_time) * 1_000;
  return {since: formatTimestamp(begin - HOUR_MS), until: formatTimestamp(end + HOUR_MS)};
}

/** Other sensors see the same flow under the same community id; without one, this sensor under its session. */
export const relatedFilter = ({community_id: community, session_id: session, endpoint}: Flow): string =>
  community === undefined || community === ''
    ? `session_id=${session} AND endpoint=${quoted(endpoint)}`
    : `community_id=${quoted(community)}`;

/** Where related records are looked for: all endpoints of the flow's project. */
export const projectOf = ({endpoint}: Flow): string => `projects/${endpoint.split('/')[1]}/locations/-/endpoints/-`;

/** Threats of the same flow, newest first. */
export function useRelatedThreats(flow: Flow) {
  const {ids} = useApi();
  const filter = relatedFilter(flow);
  return useQuery({
    queryKey: ['flow-threats', flow.endpoint, filter, flow.event_time],
    staleTime: FRESH_MS,
    queryFn: async ({signal}) => {
      const query = {filter, ...aroundFlow(flow), orderBy: 'event_time desc', pageSize: RELATED_MAX, signal};
      return (await ids.listRecords(projectOf(flow), 'threats', query)).records;
    },
  });
}

/** What Suricata wrote about the protocol of the flow, which it does with threats only. */
export function useContextOf(threats: readonly {readonly endpoint: string; readonly id: string}[]) {
  const {ids} = useApi();
  const first = threats[0];
  return useQuery({
    queryKey: ['flow-context', first?.endpoint, first?.id],
    enabled: first !== undefined,
    staleTime: FRESH_MS,
    queryFn: async ({signal}): Promise<ThreatMessage['evidence']> =>
      (await ids.getThreat(first?.endpoint ?? '', first?.id ?? '', {signal})).evidence,
  });
}

/** How many endpoints there are, and how many record traffic; undefined: not known. */
export function useTrafficLogs(scope: string) {
  const {ids} = useApi();
  const [, project = '-', , location = '-', , id = '-'] = scope.split('/');
  const list = useQuery({
    queryKey: ['traffic-logs', project, location],
    staleTime: FRESH_MS,
    queryFn: async ({signal}) =>
      (await ids.listEndpoints(`projects/${project}/locations/${location}`, {pageSize: ENDPOINTS_MAX, signal}))
        .endpoints ?? [],
  });
  const all = list.data?.filter(({name}) => id === '-' || name?.endsWith(`/endpoints/${id}`));
  return all === undefined ? undefined : {all, on: all.filter(({trafficLogs}) => trafficLogs === true)};
}
