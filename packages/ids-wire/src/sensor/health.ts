// SPDX-License-Identifier: Apache-2.0
/** `GET /v1/{endpoint}/health`: what Cloud IDS has no field for. Not part of the Endpoint message, so it may grow. */
import type {EndpointState} from '../endpoint.ts';
import type {Severity} from '../records.ts';
import type {ExporterHealth} from './exporter-health.ts';
import type {SensorHealth, SensorStatus} from './sensor.ts';

/** Members of a sensor are absent while there is no sensor. */
export type EndpointHealthMessage = Partial<Omit<SensorHealth, 'status' | 'reasons'>> & {
  /** Full resource name. */
  readonly endpoint: string;
  readonly state: EndpointState;
  /** WAITING: no sensor yet (location without one, or still being allocated). */
  readonly status: 'WAITING' | SensorStatus;
  /** Each readable on its own; says what to do. Empty when all is well. */
  readonly reasons: readonly string[];
  readonly vni?: number;
  /** Records that are kept now, and those that retention has dropped (evicted or too old). */
  readonly records: {
    readonly threats: number;
    readonly traffic: number;
    readonly threatsDropped: number;
    readonly trafficDropped: number;
  };
  /** Records that made room for others since the endpoint was created, by severity, or TRAFFIC; absent: none. */
  readonly recordsEvicted?: Readonly<Partial<Record<'TRAFFIC' | Severity, number>>>;
  /** Those that send records of the endpoint; absent: the server has no exporters. */
  readonly exporters?: readonly ExporterHealth[];
};
