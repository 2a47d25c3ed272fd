// SPDX-License-Identifier: Apache-2.0
/**
 * EVE events as threat and traffic records, field by field. Ref: contracts of Cloud IDS logs; requirements I-116.
 *
 * `name`, `category` (the classtype), `type`, `cves` and severity come from the rule itself; from EVE when the rule is no longer known
 * (an alert read after its rule set was replaced). `application` is Suricata's name (`http`, `tls`, `dns`); `unknown` when it found none,
 * `incomplete` for a TCP flow whose handshake did not complete. `session_id` is Suricata's flow id.
 */
import type {Severity, ThreatRecord, TrafficRecord} from '@palisade/ids-wire';
import {CONTEXT_CHARS_MAX, DETAILS_CHARS_MAX, URI_CHARS_MAX} from '../limits.ts';
import type {SensorSpec} from '../ports.ts';
import type {Signature} from '../rules/parse-rule.ts';
import {severityOf} from '../severity.ts';
import {
  classtypeDescribed,
  classtypeNamed,
  DEFAULT_CATEGORY,
  DEFAULT_TYPE,
  REFERENCE_SYSTEMS,
} from '../suricata/classifications.ts';
import {threatIdOf} from '../threat-id.ts';
import {type EveAlert, type EveFlow, toRfc3339Micros, toRfc3339Seconds} from './eve-record.ts';

const UNKNOWN_APPLICATION = 'unknown';

/** No longer than `max`; whoever sends the traffic decides how long it would be. */
const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** The rule's own data, or what EVE says of it. */
export const signatureOf = (alert: EveAlert, known: Signature | undefined): Signature => {
  if (known !== undefined) return known;
  const classtype = classtypeDescribed(alert.category);
  return {
    id: threatIdOf(alert.gid, alert.sid),
    rev: alert.rev,
    name: alert.name,
    severity: severityOf(alert.signatureSeverity, alert.priority),
    priority: alert.priority,
    category: classtype?.name ?? (alert.category.toLowerCase().replaceAll(' ', '-') || DEFAULT_CATEGORY),
    type: classtype?.type ?? DEFAULT_TYPE,
    cves: [],
    references: [],
    mitreTactics: [],
    mitreTechniques: [],
  };
};

export const describeReference = (reference: string): string => {
  const [system = '', ...rest] = reference.split(',');
  const prefix = REFERENCE_SYSTEMS[system.trim().toLowerCase()] ?? '';
  const id = rest.join(',').trim();
  return prefix === '' ? `${system.trim()} ${id}` : `${prefix}${id}`;
};

const detailsOf = (alert: EveAlert, signature: Signature): string => {
  const what = classtypeNamed(signature.category)?.description ?? signature.category;
  const parts = [
    `Signature ${signature.id} revision ${alert.rev} matched: ${signature.name}.`,
    alert.context === '' ? '' : `Seen in ${shortened(alert.context, CONTEXT_CHARS_MAX)}.`,
    `Classification: ${what}, priority ${signature.priority}.`,
    signature.references.length === 0 ? '' : `References: ${signature.references.map(describeReference).join(', ')}.`,
  ];
  return parts.filter(part => part !== '').join(' ');
};

export const toThreatRecord = (
  alert: EveAlert,
  signature: Signature,
  spec: SensorSpec,
  severity: Severity,
): ThreatRecord => ({
  threat_id: signature.id,
  name: signature.name,
  alert_severity: severity,
  type: signature.type,
  category: signature.category,
  alert_time: toRfc3339Seconds(alert.timestamp),
  network: spec.network,
  source_ip_address: alert.sourceIp,
  destination_ip_address: alert.destinationIp,
  source_port: String(alert.sourcePort),
  destination_port: String(alert.destinationPort),
  ip_protocol: alert.protocol,
  application: alert.application ?? UNKNOWN_APPLICATION,
  direction: alert.toClient ? 'server-to-client' : 'client-to-server',
  session_id: alert.sessionId,
  repeat_count: '1',
  uri_or_filename: shortened(alert.uriOrFilename, URI_CHARS_MAX),
  ...(signature.cves.length === 0 ? {} : {cves: signature.cves}),
  details: shortened(detailsOf(alert, signature), DETAILS_CHARS_MAX),
  endpoint: spec.endpoint,
  event_time: toRfc3339Micros(alert.timestamp),
  rule_revision: String(alert.rev),
  rule_priority: String(signature.priority),
  ...(signature.mitreTactics.length === 0 ? {} : {mitre_tactics: signature.mitreTactics}),
  ...(signature.mitreTechniques.length === 0 ? {} : {mitre_techniques: signature.mitreTechniques}),
  ...(signature.references.length === 0 ? {} : {references: signature.references.map(describeReference)}),
  ...(alert.communityId === undefined ? {} : {community_id: alert.communityId}),
});

/** `oneOf`: of so many flows 1 makes a record. */
export const toTrafficRecord = (flow: EveFlow, spec: SensorSpec, oneOf: number): TrafficRecord => ({
  start_time: toRfc3339Seconds(flow.startTime),
  elapsed_time: String(flow.elapsedSeconds),
  network: spec.network,
  source_ip_address: flow.sourceIp,
  destination_ip_address: flow.destinationIp,
  source_port: String(flow.sourcePort),
  destination_port: String(flow.destinationPort),
  ip_protocol: flow.protocol,
  application:
    flow.application ?? (flow.protocol === 'tcp' && flow.state === 'new' ? 'incomplete' : UNKNOWN_APPLICATION),
  session_id: flow.sessionId,
  repeat_count: '1',
  total_bytes: String(flow.bytes),
  total_packets: String(flow.packets),
  endpoint: spec.endpoint,
  event_time: toRfc3339Micros(flow.startTime),
  ...(oneOf > 1 ? {sample_rate: String(oneOf)} : {}),
  ...(flow.communityId === undefined ? {} : {community_id: flow.communityId}),
});
