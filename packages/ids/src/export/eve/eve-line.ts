// SPDX-License-Identifier: Apache-2.0
/**
 * A line of eve.json for a record. Ref: Suricata 7 EVE JSON format.
 *
 * Where the event was kept, it is the event as Suricata wrote it, byte for byte, with one more field: `palisade`, which has the endpoint,
 * the id by which a reader drops repeats, and for a threat its severity. `host`, in EVE the name of the sensor, is the endpoint's name
 * where Suricata wrote none.
 *
 * Else it is made from the record, under EVE's names, and `palisade.source` is `record`: traffic as `flow`, whose sums of both ways are
 * `palisade.bytes` and `palisade.packets`, since a record does not have them by direction.
 */
import {formatMicros, parseMicros, parseThreatId, type ThreatRecord, type TrafficRecord} from '@palisade/ids-wire';
import {dedupId, type ExportItem} from '../exporter.ts';

type Fields = Readonly<Record<string, unknown>>;

const ours = (item: ExportItem, more: Fields): Fields => ({
  id: dedupId(item),
  endpoint: item.endpoint,
  ...(item.kind === 'threats' ? {severity: (item.record as ThreatRecord).alert_severity} : {}),
  ...more,
});

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined: not a JSON object, so nothing to add to. */
const fieldsOf = (event: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(event);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** As Suricata writes it: `2026-11-21T09:50:33.575344+0000`. */
const stampOf = (micros: number): string => formatMicros(micros).replace(/Z$/, '+0000');

const numberOr = (text: string, other: number): number => {
  const value = Number(text);
  return Number.isFinite(value) ? value : other;
};

/** Suricata's own lower-case name; where it found none, the field is absent. */
const applicationOf = (application: string): string | undefined =>
  ['unknown', 'incomplete'].includes(application) ? undefined : application;

const common = (item: ExportItem, micros: number): Fields => {
  const {record} = item;
  return {
    timestamp: stampOf(micros),
    flow_id: numberOr(record.session_id, 0),
    host: item.endpoint,
    event_type: item.kind === 'threats' ? 'alert' : 'flow',
    src_ip: record.source_ip_address,
    src_port: numberOr(record.source_port, 0),
    dest_ip: record.destination_ip_address,
    dest_port: numberOr(record.destination_port, 0),
    proto: record.ip_protocol.toUpperCase(),
    ...(record.community_id === undefined ? {} : {community_id: record.community_id}),
    ...(applicationOf(record.application) === undefined ? {} : {app_proto: record.application}),
  };
};

const alertOf = (item: ExportItem): Fields => {
  const threat = item.record as ThreatRecord;
  const {gid, sid} = parseThreatId(threat.threat_id) ?? {gid: 0, sid: 0};
  const isHttp = threat.application === 'http' && threat.uri_or_filename !== '';
  return {
    ...common(item, parseMicros(threat.event_time) ?? 0),
    direction: threat.direction === 'server-to-client' ? 'to_client' : 'to_server',
    alert: {
      action: 'allowed',
      gid,
      signature_id: sid,
      rev: numberOr(threat.rule_revision, 0),
      signature: threat.name,
      category: threat.category,
      severity: numberOr(threat.rule_priority, 0),
    },
    ...(isHttp ? {http: {url: threat.uri_or_filename}} : {}),
    palisade: ours(item, {source: 'record'}),
  };
};

const flowOf = (item: ExportItem): Fields => {
  const flow = item.record as TrafficRecord;
  const start = parseMicros(flow.event_time) ?? 0;
  const age = numberOr(flow.elapsed_time, 0);
  const end = start + age * 1e6;
  return {
    ...common(item, end),
    flow: {start: stampOf(start), end: stampOf(end), age},
    palisade: ours(item, {
      source: 'record',
      bytes: numberOr(flow.total_bytes, 0),
      packets: numberOr(flow.total_packets, 0),
    }),
  };
};

/** Without its end. */
export const toEveLine = (item: ExportItem): string => {
  const event = item.event?.trimEnd();
  const fields = event === undefined ? undefined : fieldsOf(event);
  if (event === undefined || fields === undefined)
    return JSON.stringify(item.kind === 'threats' ? alertOf(item) : flowOf(item));
  const more = {...(fields['host'] === undefined ? {host: item.endpoint} : {}), palisade: ours(item, {})};
  const isEmpty = Object.keys(fields).length === 0;
  return `${event.slice(0, event.lastIndexOf('}'))}${isEmpty ? '' : ','}${JSON.stringify(more).slice(1)}`;
};
