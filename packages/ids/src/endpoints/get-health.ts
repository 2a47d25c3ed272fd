// SPDX-License-Identifier: Apache-2.0
import {type EndpointHealthMessage, type ExporterHealth, parseIdsEndpointName} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {type ClassCounts, countOf, RECORD_CLASSES} from '../records/evictions.ts';
import type {RecordStore} from '../records/record-store.ts';
import type {SensorHost} from '../sensor-host.ts';
import type {Service} from '../state/service.ts';
import {exceptionWarnings} from './exception-warnings.ts';
import {getEndpoint} from './get-endpoint.ts';

/** Of those that send records of the endpoint. */
export type ShownExporters = {health(endpoint: string): Promise<readonly ExporterHealth[]>};

/** What the sensor says of itself, and what is kept. Throws like getEndpoint. */
export const getHealth = async (
  deps: {
    readonly service: Service;
    readonly host: SensorHost;
    readonly records: RecordStore;
    readonly exporters?: ShownExporters | undefined;
  },
  caller: Caller,
  text: string,
): Promise<EndpointHealthMessage> => {
  const record = await getEndpoint(deps.service, caller, text);
  const counts = await deps.records.counts(record.name);
  const evictions = await deps.records.evictions(record.name);
  const evicting = [...lostReasons(evictions.lost), ...evictionReasons(evictions.recent)];
  const sensor = deps.host.health(record.name);
  const idle = exceptionWarnings(deps.host, record.spec.threatExceptions, record.name);
  const {location = ''} = parseIdsEndpointName(record.name) ?? {};
  const exporters = (await deps.exporters?.health(record.name)) ?? [];
  const common = {
    endpoint: record.name,
    state: record.state,
    records: counts,
    ...(exporters.length > 0 ? {exporters} : {}),
    ...(countOf(evictions.total) > 0 ? {recordsEvicted: evictions.total} : {}),
  };
  const vni = record.allocation === undefined ? {} : {vni: record.allocation.vni};
  if (sensor !== undefined) {
    const {pid, ...rest} = sensor;
    const status = sensor.status === 'READY' && evicting.length > 0 ? 'DEGRADED' : sensor.status;
    const reasons = [...sensor.reasons, ...evicting, ...idle];
    return {...common, ...vni, ...rest, status, reasons, ...(pid === undefined ? {} : {pid})};
  }
  const waiting = deps.service.waitingReason(location);
  const progress = record.operation === undefined ? undefined : deps.service.progressOf(record.operation);
  const trouble = deps.service.troubleOf(record.name);
  const position = await deps.records.load(record.name);
  return {
    ...common,
    ...vni,
    status: waiting !== undefined ? 'WAITING' : trouble !== undefined ? 'FAILED' : 'STARTING',
    reasons: [waiting ?? trouble ?? progress ?? 'the sensor is being started', ...evicting, ...idle],
    ...(position === undefined ? {} : {alerts: position.counters}),
  };
};

const figure = (value: number): string => value.toLocaleString('en-US');

const lostReasons = (lost: ClassCounts): readonly string[] =>
  countOf(lost) === 0
    ? []
    : [
        `${figure(countOf(lost))} records lost: record files were damaged and set aside (*.damaged in the folder of the records); check the disk and the system log`,
      ];

/** Why records are missing, and how to lose fewer; empty when none were evicted lately. */
const evictionReasons = (recent: ClassCounts): readonly string[] => {
  const evicted = RECORD_CLASSES.filter(recordClass => (recent[recordClass] ?? 0) > 0);
  if (evicted.length === 0) return [];
  const what = evicted.map(recordClass => `${figure(recent[recordClass] ?? 0)} ${recordClass}`).join(', ');
  const hasTraffic = evicted.includes('TRAFFIC');
  const hasThreats = evicted.some(recordClass => recordClass !== 'TRAFFIC');
  const wayOut = [
    ...(hasTraffic ? ['turn trafficLogs off or sample them', 'raise --traffic-bytes'] : []),
    ...(hasThreats ? ['raise the severity of the endpoint', 'list noisy signatures in threatExceptions'] : []),
    ...(hasThreats ? ['raise --threats-bytes'] : []),
    'or export the records',
  ].join(', ');
  return [`records evicted: ${what} in the last minute, because their space on disk is full; ${wayOut}`];
};
