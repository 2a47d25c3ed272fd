// SPDX-License-Identifier: Apache-2.0
/** A record as a Cloud Logging LogEntry. Ref: google.logging.v2.LogEntry; names as Cloud IDS writes them (requirements I-115). */
import type {ThreatRecord, TrafficRecord} from './records.ts';
import {parseIdsEndpointName} from './resource-name.ts';

export type RecordKind = 'threats' | 'traffic';
export type AnyRecord = ThreatRecord | TrafficRecord;

export type LogEntry = {
  readonly insertId: string;
  readonly logName: string;
  readonly resource: {
    readonly type: 'ids.googleapis.com/Endpoint';
    readonly labels: {readonly id: string; readonly location: string; readonly resource_container: string};
  };
  /** RFC 3339. Threats: `alert_time`; traffic: `start_time`. */
  readonly timestamp: string;
  /** The fields of Cloud IDS alone. */
  readonly jsonPayload: Partial<AnyRecord>;
};

export const recordTime = (record: AnyRecord): string =>
  'alert_time' in record ? record.alert_time : record.start_time;

/** Fields of a threat that Cloud IDS does not have: of its rule, and what was decided about it. In the order of the CSV form. */
export const OWN_THREAT_FIELDS = [
  'rule_revision',
  'rule_priority',
  'mitre_tactics',
  'mitre_techniques',
  'references',
  'acknowledged',
  'acknowledged_by',
  'acknowledge_requestor',
  'acknowledge_time',
  'escalated',
  'escalated_by',
  'escalate_requestor',
  'escalate_time',
  'comments',
] as const satisfies readonly (keyof ThreatRecord)[];

/** Fields that Cloud IDS logs do not have. */
const OURS: ReadonlySet<string> = new Set<keyof ThreatRecord | keyof TrafficRecord>([
  'endpoint',
  'event_time',
  'community_id',
  ...OWN_THREAT_FIELDS,
  'sample_rate',
]);

/** `insertId`: the record's stable id, so that a reader of the log drops repeats. */
export const toLogEntry = (kind: RecordKind, insertId: string, record: AnyRecord): LogEntry => {
  const {endpoint} = record;
  const jsonPayload = Object.fromEntries(Object.entries(record).filter(([field]) => !OURS.has(field)));
  const name = parseIdsEndpointName(endpoint) ?? {project: '-', location: '-', endpointId: endpoint};
  return {
    insertId,
    logName: `projects/${name.project}/logs/ids.googleapis.com%2F${kind === 'threats' ? 'threat' : 'traffic'}`,
    resource: {
      type: 'ids.googleapis.com/Endpoint',
      labels: {id: name.endpointId, location: name.location, resource_container: `projects/${name.project}`},
    },
    timestamp: recordTime(record),
    jsonPayload,
  };
};
