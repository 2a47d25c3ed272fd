// SPDX-License-Identifier: Apache-2.0
import {getHealth, type ShownExporters} from '../endpoints/get-health.ts';
import type {RecordStore} from '../records/record-store.ts';
import type {SensorHost} from '../sensor-host.ts';
import {sendJson} from './answer.ts';
import {pathPattern, type Route} from './routes.ts';

/** `GET /v1/{endpoint}/health`. */
export const healthRoutes = (host: SensorHost, records: RecordStore, exporters?: ShownExporters): readonly Route[] => [
  {
    method: 'GET',
    path: pathPattern('projects/*/locations/*/endpoints/*/health', 6),
    parameters: [],
    handle: async ({service, caller, name, query, response}) =>
      sendJson(response, query, await getHealth({service, host, records, exporters}, caller, name)),
  },
];
