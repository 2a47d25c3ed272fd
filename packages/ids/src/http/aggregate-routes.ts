// SPDX-License-Identifier: Apache-2.0
/** `GET /v1/{endpoint}/threats:aggregate` and `/traffic:aggregate`: sums by time and by group; ours. The permission is that of the list. */
import {AGGREGATE_PARAMETERS, aggregateRecords, parseAggregate} from '../records/aggregate-records.ts';
import {recordScope} from '../records/record-query.ts';
import type {RecordStore} from '../records/record-store.ts';
import {sendJson} from './answer.ts';
import {pathPattern, type Route} from './routes.ts';

export const aggregateRoutes = (records: RecordStore): readonly Route[] =>
  (['threats', 'traffic'] as const).map(kind => ({
    method: 'GET',
    path: pathPattern(`projects/*/locations/*/endpoints/*/${kind}:aggregate`, 6),
    parameters: AGGREGATE_PARAMETERS,
    work: () => 'search',
    handle: async ({service, caller, name: text, query, response}) => {
      const name = await recordScope({service, records}, caller, text, kind);
      const {get} = query;
      const request = parseAggregate(kind, name, {
        filter: get('filter'),
        since: get('since'),
        until: get('until'),
        histogram: get('histogram'),
        groupBy: get('groupBy'),
        groupsMax: get('groupsMax'),
      });
      sendJson(response, query, await aggregateRecords(records, request));
    },
  }));
