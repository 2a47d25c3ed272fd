// SPDX-License-Identifier: Apache-2.0
/**
 * A record as a log record of OpenTelemetry. Ref: OpenTelemetry logs data model 1.x; semantic conventions 1.45 (source, destination,
 * network, security_rule, log); what they have no name for is below `palisade.`.
 *
 * Body: the whole record, in the shape that the exporter has. Attributes: what people filter by. `log.record.uid` is the same however
 * often a record is sent.
 */

import type {Resource} from '@opentelemetry/resources';
import type {ReadableLogRecord} from '@opentelemetry/sdk-logs';
import {type AnyRecord, parseMicros, type Severity, type ThreatRecord, type TrafficRecord} from '@palisade/ids-wire';
import {dedupId, type ExportItem} from '../exporter.ts';

/** Ref: logs data model, appendix B, where syslog's words critical, error, warning, notice and informational have these numbers. */
const SEVERITY_NUMBERS: Readonly<Record<Severity, number>> = {
  INFORMATIONAL: 9,
  LOW: 10,
  MEDIUM: 13,
  HIGH: 17,
  CRITICAL: 18,
};
const INFO = 9;

/** What Suricata says instead of a protocol's name. */
const NO_PROTOCOL: readonly string[] = ['unknown', 'incomplete', 'failed'];

type Value = string | number | readonly string[] | undefined;
type Attributes = ReadableLogRecord['attributes'];

const given = (fields: Readonly<Record<string, Value>>): Attributes =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as Attributes;

const texts = (list: readonly string[] | undefined): readonly string[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;
const ids = (list: readonly {readonly id: string}[] | undefined) => texts(list?.map(({id}) => id));

/** Of a port or a count; undefined: none, as with ICMP. */
const number = (text: string): number | undefined => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
};

const common = (record: AnyRecord): Record<string, Value> => ({
  'source.address': record.source_ip_address,
  'source.port': number(record.source_port) || undefined,
  'destination.address': record.destination_ip_address,
  'destination.port': number(record.destination_port) || undefined,
  'network.transport': record.ip_protocol,
  'network.type': record.source_ip_address.includes(':') ? 'ipv6' : 'ipv4',
  'network.protocol.name': NO_PROTOCOL.includes(record.application) ? undefined : record.application,
  'palisade.network': record.network,
  'palisade.session_id': record.session_id,
  'palisade.repeat_count': number(record.repeat_count),
  'palisade.community_id': record.community_id,
});

const ofThreat = (threat: ThreatRecord): Record<string, Value> => ({
  'security_rule.uuid': threat.threat_id,
  'security_rule.name': threat.name,
  'security_rule.category': threat.category,
  'security_rule.version': threat.rule_revision,
  'security_rule.reference': threat.references?.[0],
  'palisade.severity': threat.alert_severity,
  'palisade.type': threat.type,
  'palisade.direction': threat.direction,
  'palisade.uri_or_filename': threat.uri_or_filename,
  'palisade.cves': texts(threat.cves),
  'palisade.mitre.tactics': ids(threat.mitre_tactics),
  'palisade.mitre.techniques': ids(threat.mitre_techniques),
});

const ofTraffic = (flow: TrafficRecord): Record<string, Value> => ({
  'palisade.elapsed_seconds': number(flow.elapsed_time),
  'palisade.total_bytes': number(flow.total_bytes),
  'palisade.total_packets': number(flow.total_packets),
});

/** Seconds and nanoseconds. */
type Instant = [number, number];
const instantOf = (micros: number): Instant => [Math.floor(micros / 1e6), (micros % 1e6) * 1_000];

/** What all records of one exporter share. A record of the same endpoint has the same `resource`: the serializer groups by identity. */
export type LogContext = {
  readonly observedMs: number;
  readonly resourceOf: (endpoint: string) => Resource;
  readonly scope: ReadableLogRecord['instrumentationScope'];
  readonly bodyOf: (item: ExportItem) => object;
};

export const toLogRecord = (item: ExportItem, context: LogContext): ReadableLogRecord => {
  const {record, kind} = item;
  const isThreat = kind === 'threats';
  const threat = record as ThreatRecord;
  return {
    hrTime: instantOf(parseMicros(record.event_time) ?? 0),
    hrTimeObserved: instantOf(context.observedMs * 1_000),
    severityNumber: isThreat ? SEVERITY_NUMBERS[threat.alert_severity] : INFO,
    ...(isThreat ? {severityText: threat.alert_severity} : {}),
    eventName: isThreat ? 'palisade.threat' : 'palisade.traffic',
    body: context.bodyOf(item) as NonNullable<ReadableLogRecord['body']>,
    attributes: given({
      'log.record.uid': dedupId(item),
      'palisade.endpoint': item.endpoint,
      ...common(record),
      ...(isThreat ? ofThreat(threat) : ofTraffic(record as TrafficRecord)),
    }),
    resource: context.resourceOf(item.endpoint),
    instrumentationScope: context.scope,
    droppedAttributesCount: 0,
  };
};
