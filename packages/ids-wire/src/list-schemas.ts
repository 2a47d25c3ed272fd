// SPDX-License-Identifier: Apache-2.0
/** The fields that filters and orders know, one schema per list. */
import {type IdsEndpointMessage, SEVERITY_NAMES, STATE_NAMES} from './endpoint.ts';
import {listSchema} from './filter/schema.ts';
import type {LocationMessage} from './location.ts';
import type {MitreReference} from './mitre.ts';
import {API_VERSION, OPERATION_VERBS, type OperationMessage} from './operation.ts';
import {DIRECTIONS, SEVERITIES, type ThreatRecord, type TrafficRecord} from './records.ts';
import {RULE_STATES, type RuleMessage, type RuleSetMessage} from './rules/messages.ts';

const string = {kind: 'string'} as const;
const ip = {kind: 'ip'} as const;
const count = {kind: 'number', min: 0, max: Number.POSITIVE_INFINITY} as const;
const port = {kind: 'number', min: 0, max: 65_535} as const;
/** Ref: google/rpc/code.proto. */
const rpcCode = {kind: 'number', min: 0, max: 16} as const;
const lowerCase = {kind: 'string', form: {pattern: /^[^A-Z]*$/, is: 'written in lower case'}} as const;
const digits = {kind: 'string', form: {pattern: /^\d+$/, is: 'a whole number'}} as const;
const threatId = {
  kind: 'string',
  form: {pattern: /^\d+:\d+$/, is: 'gid:sid, such as 1:2019401'},
} as const;

/** Full resource names; `-` is no wildcard in them. */
const fullName = (template: string) => {
  const segments = template.replace(/\*/g, '(?!-(/|$))[^/]+');
  const example = template.replace('*', 'p').replace('*', 'local').replace('*', 'ID');
  return {kind: 'string', form: {pattern: new RegExp(`^${segments}$`), is: `a full name, such as ${example}`}} as const;
};
const endpointName = fullName('projects/*/locations/*/endpoints/*');
/** A list of texts that people write. */
const texts = {kind: 'list', freeText: /(?:)/} as const;
/** Ids, such as TA0001 and T1059.001, beside names. */
const mitre = {kind: 'list', freeText: /^(?!TA?\d{4}(\.\d{3})?$)/} as const;
const cves = {kind: 'list', form: {pattern: /^CVE-\d{4}-\d{4,}$/, is: 'CVE-YEAR-NUMBER'}} as const;
const bool = {kind: 'bool'} as const;
const timestamp = {kind: 'timestamp'} as const;

/** `severity` is ordered (`severity>=HIGH`), `state` is not. */
export const ENDPOINT_LIST = listSchema<IdsEndpointMessage>(
  {
    name: {...endpointName, get: e => e.name},
    createTime: {...timestamp, get: e => e.createTime},
    updateTime: {...timestamp, get: e => e.updateTime},
    labels: {kind: 'map', get: e => e.labels},
    network: {...string, get: e => e.network},
    endpointForwardingRule: {...string, get: e => e.endpointForwardingRule},
    endpointIp: {...ip, mayBeEmpty: true, get: e => e.endpointIp},
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
    name: {...fullName('projects/*/locations/*/operations/*'), get: o => o.name},
    done: {...bool, get: o => o.result !== undefined},
    'metadata.createTime': {...timestamp, get: o => o.createTime},
    'metadata.endTime': {...timestamp, get: o => o.endTime},
    'metadata.target': {...endpointName, get: o => o.target},
    'metadata.verb': {kind: 'enum', values: OPERATION_VERBS, ordered: false, get: o => o.verb},
    'metadata.statusMessage': {...string, get: o => o.statusMessage},
    'metadata.requestedCancellation': {...bool, get: o => o.requestedCancellation},
    'metadata.apiVersion': {...string, get: () => API_VERSION},
    'error.code': {...rpcCode, get: o => errorOf(o)?.code},
    'error.message': {...string, get: o => errorOf(o)?.message},
  },
  o => [o.name, o.target, o.verb, o.statusMessage ?? '', errorOf(o)?.message ?? ''],
);

export const LOCATION_LIST = listSchema<LocationMessage>(
  {
    name: {...fullName('projects/*/locations/*'), get: l => l.name},
    locationId: {...string, get: l => l.locationId},
    displayName: {...string, get: l => l.displayName},
    labels: {kind: 'map', get: l => l.labels},
  },
  l => [l.name, l.displayName],
);

type Flow = ThreatRecord | TrafficRecord;
const flowFields = {
  endpoint: {...endpointName, get: (r: Flow) => r.endpoint},
  network: {...string, get: (r: Flow) => r.network},
  sourceIpAddress: {...ip, get: (r: Flow) => r.source_ip_address},
  destinationIpAddress: {...ip, get: (r: Flow) => r.destination_ip_address},
  sourcePort: {...port, get: (r: Flow) => r.source_port},
  destinationPort: {...port, get: (r: Flow) => r.destination_port},
  ipProtocol: {...lowerCase, get: (r: Flow) => r.ip_protocol},
  application: {...lowerCase, get: (r: Flow) => r.application},
  sessionId: {...digits, get: (r: Flow) => r.session_id},
  repeatCount: {...count, get: (r: Flow) => r.repeat_count},
  eventTime: {...timestamp, get: (r: Flow) => r.event_time},
  communityId: {...string, get: (r: Flow) => r.community_id},
};

const idAndName = (references: readonly MitreReference[] = []): string[] =>
  references.flatMap(({id, name}) => [id, name]);

export const THREAT_LIST = listSchema<ThreatRecord>(
  {
    ...flowFields,
    threatId: {...threatId, get: r => r.threat_id},
    name: {...string, get: r => r.name},
    alertSeverity: {kind: 'enum', values: SEVERITIES, ordered: true, get: r => r.alert_severity},
    type: {...string, get: r => r.type},
    category: {...string, get: r => r.category},
    alertTime: {...timestamp, get: r => r.alert_time},
    direction: {kind: 'enum', values: DIRECTIONS, ordered: false, get: r => r.direction},
    uriOrFilename: {...string, get: r => r.uri_or_filename},
    cves: {...cves, get: r => r.cves},
    details: {...string, get: r => r.details},
    ruleRevision: {...count, get: r => r.rule_revision},
    rulePriority: {kind: 'number', min: 0, max: 255, get: r => r.rule_priority},
    mitreTactics: {...mitre, get: r => idAndName(r.mitre_tactics)},
    mitreTechniques: {...mitre, get: r => idAndName(r.mitre_techniques)},
    references: {...texts, get: r => r.references},
    acknowledged: {...bool, get: r => r.acknowledged ?? false},
    acknowledgedBy: {...string, get: r => r.acknowledged_by},
    acknowledgeRequestor: {...string, get: r => r.acknowledge_requestor},
    acknowledgeTime: {...timestamp, get: r => r.acknowledge_time},
    escalated: {...bool, get: r => r.escalated ?? false},
    escalatedBy: {...string, get: r => r.escalated_by},
    escalateRequestor: {...string, get: r => r.escalate_requestor},
    escalateTime: {...timestamp, get: r => r.escalate_time},
    comments: {...texts, get: r => (r.comments ?? []).map(({text}) => text)},
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
    ...idAndName(r.mitre_tactics),
    ...idAndName(r.mitre_techniques),
    ...(r.comments ?? []).map(({text}) => text),
  ],
);

export const TRAFFIC_LIST = listSchema<TrafficRecord>(
  {
    ...flowFields,
    startTime: {...timestamp, get: r => r.start_time},
    elapsedTime: {...count, get: r => r.elapsed_time},
    totalBytes: {...count, get: r => r.total_bytes},
    totalPackets: {...count, get: r => r.total_packets},
    sampleRate: {...count, get: r => r.sample_rate ?? '1'},
  },
  r => [r.source_ip_address, r.destination_ip_address, r.application, r.ip_protocol],
);

export const RULE_SET_LIST = listSchema<RuleSetMessage>(
  {
    name: {...string, get: s => s.name},
    ruleSetId: {...string, get: s => s.ruleSetId},
    version: {...string, get: s => s.version},
    versionTime: {...timestamp, get: s => s.versionTime || undefined},
    readTime: {...timestamp, get: s => s.readTime || undefined},
    sources: {...texts, get: s => s.sources},
    rulesGiven: {...count, get: s => s.rulesGiven},
    rulesActive: {...count, get: s => s.rulesActive},
    rulesRefused: {...count, get: s => s.rulesRefused},
    rulesSkipped: {...count, get: s => s.rulesSkipped},
    rulesDisabled: {...count, get: s => s.rulesDisabled},
    refused: {...string, get: s => s.refused},
  },
  s => [s.ruleSetId, s.version, s.refused, ...s.sources],
);

export const RULE_LIST = listSchema<RuleMessage>(
  {
    name: {...string, get: r => r.name},
    ruleSet: {...string, get: r => r.ruleSet},
    ruleId: {...threatId, get: r => r.ruleId},
    gid: {...count, get: r => r.gid},
    sid: {...count, get: r => r.sid},
    rev: {...count, get: r => r.rev},
    msg: {...string, get: r => r.msg},
    state: {kind: 'enum', values: RULE_STATES, ordered: false, get: r => r.state},
    reason: {...string, get: r => r.reason},
    severity: {kind: 'enum', values: SEVERITIES, ordered: true, get: r => r.severity},
    classtype: {...string, get: r => r.classtype},
    type: {...string, get: r => r.type},
    file: {...string, get: r => r.file},
    line: {...count, get: r => r.line},
    mitreTactics: {...mitre, get: r => idAndName(r.mitreTactics)},
    mitreTechniques: {...mitre, get: r => idAndName(r.mitreTechniques)},
    cves: {...cves, get: r => r.cves},
    references: {...texts, get: r => r.references},
    switchedBy: {...string, get: r => r.switched?.user},
    text: {...string, get: r => r.text},
  },
  r => [
    ...[r.ruleId, r.msg, r.classtype, r.reason, r.file, r.text ?? ''],
    ...[...idAndName(r.mitreTactics), ...idAndName(r.mitreTechniques), ...r.cves, ...r.references],
  ],
);
