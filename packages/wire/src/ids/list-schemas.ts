// SPDX-License-Identifier: Apache-2.0
/** The fields that filters and orders know, one schema per list. */
import {type IdsEndpointMessage, SEVERITY_NAMES, STATE_NAMES} from './endpoint.ts';
import {listSchema} from './filter/schema.ts';
import type {LocationMessage} from './location.ts';
import {API_VERSION, type OperationMessage} from './operation.ts';
import {SEVERITIES, type ThreatRecord, type TrafficRecord} from './records.ts';

const string = {kind: 'string'} as const;
const number = {kind: 'number'} as const;
const bool = {kind: 'bool'} as const;
const timestamp = {kind: 'timestamp'} as const;

/** `severity` is ordered (`severity>=HIGH`), `state` is not. */
export const ENDPOINT_LIST = listSchema<IdsEndpointMessage>(
  {
    name: {...string, get: e => e.name},
    createTime: {...timestamp, get: e => e.createTime},
    updateTime: {...timestamp, get: e => e.updateTime},
    labels: {kind: 'map', get: e => e.labels},
    network: {...string, get: e => e.network},
    endpointForwardingRule: {...string, get: e => e.endpointForwardingRule},
    endpointIp: {...string, get: e => e.endpointIp},
    description: {...string, get: e => e.description},
    severity: {kind: 'enum', values: SEVERITY_NAMES, ordered: true, get: e => e.severity},
    state: {kind: 'enum', values: STATE_NAMES, ordered: false, get: e => e.state},
    trafficLogs: {...bool, get: e => e.trafficLogs},
    threatExceptions: {kind: 'list', get: e => e.threatExceptions},
    satisfiesPzs: {...bool, get: () => false},
    satisfiesPzi: {...bool, get: () => false},
  },
  e => [
    e.name,
    e.network,
    e.description ?? '',
    e.severity,
    e.state,
    e.endpointIp ?? '',
    ...Object.entries(e.labels ?? {}).flat(),
    ...(e.threatExceptions ?? []),
  ],
);

const errorOf = (o: OperationMessage) => (o.result?.kind === 'error' ? o.result.error : undefined);

export const OPERATION_LIST = listSchema<OperationMessage>(
  {
    name: {...string, get: o => o.name},
    done: {...bool, get: o => o.result !== undefined},
    'metadata.createTime': {...timestamp, get: o => o.createTime},
    'metadata.endTime': {...timestamp, get: o => o.endTime},
    'metadata.target': {...string, get: o => o.target},
    'metadata.verb': {...string, get: o => o.verb},
    'metadata.statusMessage': {...string, get: o => o.statusMessage},
    'metadata.requestedCancellation': {...bool, get: o => o.requestedCancellation},
    'metadata.apiVersion': {...string, get: () => API_VERSION},
    'error.code': {...number, get: o => errorOf(o)?.code},
    'error.message': {...string, get: o => errorOf(o)?.message},
  },
  o => [o.name, o.target, o.verb, o.statusMessage ?? '', errorOf(o)?.message ?? ''],
);

export const LOCATION_LIST = listSchema<LocationMessage>(
  {
    name: {...string, get: l => l.name},
    locationId: {...string, get: l => l.locationId},
    displayName: {...string, get: l => l.displayName},
    labels: {kind: 'map', get: l => l.labels},
  },
  l => [l.name, l.displayName],
);

type Flow = ThreatRecord | TrafficRecord;
const flowFields = {
  endpoint: {...string, get: (r: Flow) => r.endpoint},
  network: {...string, get: (r: Flow) => r.network},
  sourceIpAddress: {...string, get: (r: Flow) => r.source_ip_address},
  destinationIpAddress: {...string, get: (r: Flow) => r.destination_ip_address},
  sourcePort: {...number, get: (r: Flow) => r.source_port},
  destinationPort: {...number, get: (r: Flow) => r.destination_port},
  ipProtocol: {...string, get: (r: Flow) => r.ip_protocol},
  application: {...string, get: (r: Flow) => r.application},
  sessionId: {...string, get: (r: Flow) => r.session_id},
  repeatCount: {...number, get: (r: Flow) => r.repeat_count},
};

export const THREAT_LIST = listSchema<ThreatRecord>(
  {
    ...flowFields,
    threatId: {...string, get: r => r.threat_id},
    name: {...string, get: r => r.name},
    alertSeverity: {kind: 'enum', values: SEVERITIES, ordered: true, get: r => r.alert_severity},
    type: {...string, get: r => r.type},
    category: {...string, get: r => r.category},
    alertTime: {...timestamp, get: r => r.alert_time},
    direction: {...string, get: r => r.direction},
    uriOrFilename: {...string, get: r => r.uri_or_filename},
    cves: {kind: 'list', get: r => r.cves},
    details: {...string, get: r => r.details},
  },
  r => [
    r.threat_id,
    r.name,
    r.type,
    r.category,
    r.source_ip_address,
    r.destination_ip_address,
    r.application,
    r.uri_or_filename,
    r.details,
    ...(r.cves ?? []),
  ],
);

export const TRAFFIC_LIST = listSchema<TrafficRecord>(
  {
    ...flowFields,
    startTime: {...timestamp, get: r => r.start_time},
    elapsedTime: {...number, get: r => r.elapsed_time},
    totalBytes: {...number, get: r => r.total_bytes},
    totalPackets: {...number, get: r => r.total_packets},
  },
  r => [r.source_ip_address, r.destination_ip_address, r.application, r.ip_protocol],
);
