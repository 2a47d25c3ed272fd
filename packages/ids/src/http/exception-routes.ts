// SPDX-License-Identifier: Apache-2.0

import type {RecordStore} from '../records/record-store.ts';
import {type TryExceptionsRequest, tryExceptions} from '../records/try-exceptions.ts';
import {objectOf} from '../request-body.ts';
import type {SensorHost} from '../sensor-host.ts';
import {sendJson} from './answer.ts';
import {readJson} from './exchange.ts';
import type {Call, Route} from './routes.ts';

/** `POST /v1/{endpoint}:tryExceptions`; ours. */
export const exceptionRoutes = (host: SensorHost, records: RecordStore): readonly Route[] => [
  {
    method: 'POST',
    path: /^(projects\/[^/]+\/locations\/[^/]+\/endpoints\/[^/:]+):tryExceptions$/,
    parameters: [],
    work: () => 'search',
    handle: async ({service, caller, name, query, request, response}: Call) => {
      const body: TryExceptionsRequest = objectOf(await readJson(request));
      const answer = await tryExceptions({service, host, records}, caller, name, body);
      sendJson(response, query, answer);
    },
  },
];
