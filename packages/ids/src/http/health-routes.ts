// SPDX-License-Identifier: Apache-2.0
import {FIGURE_PARAMETERS, getFigures} from '../endpoints/get-figures.ts';
import {getHealth, type ShownExporters} from '../endpoints/get-health.ts';
import {mirrorSetUp} from '../endpoints/mirror-set-up.ts';
import type {RecordStore} from '../records/record-store.ts';
import type {SensorHost} from '../sensor-host.ts';
import {sendJson} from './answer.ts';
import {pathPattern, type Route} from './routes.ts';

/** `GET /v1/{endpoint}/health`, `/figures` and `/mirrorSetUp`. */
export const healthRoutes = (host: SensorHost, records: RecordStore, exporters?: ShownExporters): readonly Route[] => [
  {
    method: 'GET',
    path: pathPattern('projects/*/locations/*/endpoints/*/health', 6),
    parameters: [],
    handle: async ({service, caller, name, query, response}) =>
      sendJson(response, query, await getHealth({service, host, records, exporters}, caller, name)),
  },
  {
    method: 'GET',
    path: pathPattern('projects/*/locations/*/endpoints/*/figures', 6),
    parameters: FIGURE_PARAMETERS,
    handle: async ({service, caller, name, query, response}) => {
      const asked = {since: query.get('since'), until: query.get('until'), step: query.get('step')};
      sendJson(response, query, await getFigures({service, host}, caller, name, asked));
    },
  },
  {
    method: 'GET',
    path: pathPattern('projects/*/locations/*/endpoints/*/mirrorSetUp', 6),
    parameters: ['target', 'from'],
    handle: async ({service, caller, name, query, response}) => {
      const asked = {target: query.get('target'), from: query.get('from')};
      sendJson(response, query, await mirrorSetUp(service, caller, name, asked));
    },
  },
];
