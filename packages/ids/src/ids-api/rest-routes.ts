// SPDX-License-Identifier: Apache-2.0
/** Every route below `/v1/`. Each has rows in test/wire/authz-matrix, which say who may use it. */
import type {ShownExporters} from '../endpoints/get-health.ts';
import {aggregateRoutes} from '../http/aggregate-routes.ts';
import {ENDPOINT_ROUTES} from '../http/endpoint-routes.ts';
import {exceptionRoutes} from '../http/exception-routes.ts';
import {healthRoutes} from '../http/health-routes.ts';
import {IAM_ROUTES} from '../http/iam-routes.ts';
import {LOCATION_ROUTES} from '../http/location-routes.ts';
import {OPERATION_ROUTES} from '../http/operation-routes.ts';
import {recordRoutes} from '../http/record-routes.ts';
import type {Route} from '../http/routes.ts';
import {ruleSetRoutes} from '../http/rules/rule-set-routes.ts';
import {serverRoutes} from '../http/server-routes.ts';
import {threatRoutes} from '../http/threats/threat-routes.ts';
import {triageRoutes} from '../http/threats/triage-routes.ts';
import type {RecordStore} from '../records/record-store.ts';
import type {SensorHost} from '../sensor-host.ts';

type RestParts = {
  readonly sensorHost: SensorHost;
  readonly records: RecordStore;
  readonly exporters?: ShownExporters | undefined;
  /** Those that follow records. */
  readonly streams: Parameters<typeof recordRoutes>[1];
  readonly serverUid?: string | undefined;
};

export const restRoutes = ({sensorHost, records, exporters, streams, serverUid}: RestParts): readonly Route[] => [
  ...ENDPOINT_ROUTES,
  ...OPERATION_ROUTES,
  ...LOCATION_ROUTES,
  ...IAM_ROUTES,
  ...healthRoutes(sensorHost, records, exporters),
  ...exceptionRoutes(sensorHost, records),
  ...recordRoutes(records, streams),
  ...aggregateRoutes(records),
  ...threatRoutes(sensorHost, records),
  ...triageRoutes(records),
  ...ruleSetRoutes(sensorHost),
  ...(serverUid === undefined ? [] : serverRoutes(serverUid)),
];
