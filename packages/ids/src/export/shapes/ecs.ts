// SPDX-License-Identifier: Apache-2.0
/**
 * A record as a document of the Elastic Common Schema. Fields that ECS does not have are below `palisade`. Packets and payloads are left
 * out: a reader of a log index has not the permission that evidence needs.
 * Ref: Elastic Common Schema 8.17.0, field reference and categorization fields.
 */
import type {MitreReference, Severity, ThreatRecord, TrafficRecord} from '@palisade/ids-wire';
import {parseMicros} from '@palisade/ids-wire';
import {dedupId, type ExportItem, type Observer} from '../exporter.ts';
import {eventFields} from './ecs-event.ts';
import {type Document, listOf, numberOf, whole} from './values.ts';

export const ECS_VERSION = '8.17.0';

/** As Elastic Security has them for its own alerts (low 21, medium 47, high 73, critical 99). */
export const ECS_SEVERITY: Readonly<Record<Severity, number>> = {
  INFORMATIONAL: 1,
  LOW: 21,
  MEDIUM: 47,
  HIGH: 73,
  CRITICAL: 99,
};

const ATTACK = 'https://attack.mitre.org';
/** Protocols that have ports; of others a record has 0. */
const WITH_PORTS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp']);
const NANOS_PER_SECOND = 1_000_000_000;

export const ecsShape = (item: ExportItem, observer: Observer): Document => {
  const {kind, record, event} = item;
  const own = kind === 'threats' ? threatFields(record as ThreatRecord) : trafficFields(record as TrafficRecord);
  const seen = event === undefined ? {} : eventFields(event);
  const {related = {}, url, ...others} = seen;
  return whole({
    '@timestamp': record.event_time,
    ecs: {version: ECS_VERSION},
    ...own,
    ...others,
    url: url ?? own['url'],
    event: {
      id: dedupId(item),
      module: 'palisade',
      dataset: `palisade.${kind}`,
      provider: 'suricata',
      ...(own['event'] as object),
    },
    source: sideOf(record.source_ip_address, record.source_port, record.ip_protocol),
    destination: sideOf(record.destination_ip_address, record.destination_port, record.ip_protocol),
    network: {
      name: record.network,
      transport: record.ip_protocol,
      type: record.source_ip_address.includes(':') ? 'ipv6' : 'ipv4',
      protocol: record.application,
      community_id: record.community_id,
      ...(own['network'] as object),
    },
    related: {ip: listOf([record.source_ip_address, record.destination_ip_address]), ...(related as object)},
    observer: {
      vendor: 'Palisade',
      product: 'Palisade IDS',
      type: 'ids',
      name: record.endpoint,
      hostname: observer.hostname,
      version: observer.version,
    },
  });
};

const sideOf = (address: string, port: string, protocol: string): Document => ({
  address,
  ip: address,
  port: WITH_PORTS.has(protocol) ? numberOf(port) : undefined,
});

const threatFields = (record: ThreatRecord): Document => {
  const {references = [], cves = []} = record;
  return {
    message: record.details === '' ? record.name : record.details,
    log: {level: record.alert_severity.toLowerCase()},
    event: {
      kind: 'alert',
      category: ['intrusion_detection', 'network'],
      type: ['info'],
      severity: ECS_SEVERITY[record.alert_severity],
      reference: references[0],
    },
    rule: {
      id: record.threat_id,
      name: record.name,
      category: record.category,
      version: record.rule_revision,
      reference: references[0],
    },
    threat: threatOf(record),
    vulnerability: cves.length === 0 ? undefined : {id: cves.length === 1 ? cves[0] : cves, enumeration: 'CVE'},
    url:
      record.application === 'http' && record.uri_or_filename !== '' ? {original: record.uri_or_filename} : undefined,
    palisade: {
      endpoint: record.endpoint,
      severity: record.alert_severity,
      priority: numberOf(record.rule_priority),
      type: record.type,
      direction: record.direction,
      session_id: record.session_id,
      repeat_count: numberOf(record.repeat_count),
      references: references.length > 1 ? references : undefined,
      acknowledged: record.acknowledged,
      acknowledged_by: record.acknowledged_by,
      acknowledge_requestor: record.acknowledge_requestor,
      acknowledge_time: record.acknowledge_time,
      escalated: record.escalated,
      escalated_by: record.escalated_by,
      escalate_requestor: record.escalate_requestor,
      escalate_time: record.escalate_time,
      comments: record.comments,
    },
  };
};

/** `T1059.001` is a sub-technique of T1059. */
const threatOf = ({mitre_tactics: tactics = [], mitre_techniques: techniques = []}: ThreatRecord): unknown => {
  if (tactics.length + techniques.length === 0) return undefined;
  const subs = techniques.filter(({id}) => id.includes('.'));
  const parents = new Map(techniques.filter(({id}) => !id.includes('.')).map(each => [each.id, each]));
  for (const {id} of subs) {
    const [parent = ''] = id.split('.');
    if (!parents.has(parent)) parents.set(parent, {id: parent, name: ''});
  }
  const pathOf = (id: string): string => id.replace('.', '/');
  const all = (list: readonly MitreReference[], path: string): Document => ({
    id: listOf(list.map(({id}) => id)),
    name: listOf(list.map(({name}) => name)),
    reference: listOf(list.map(({id}) => `${ATTACK}/${path}/${pathOf(id)}/`)),
  });
  return {
    framework: 'MITRE ATT&CK',
    tactic: all(tactics, 'tactics'),
    technique: {...all([...parents.values()], 'techniques'), subtechnique: all(subs, 'techniques')},
  };
};

const trafficFields = (record: TrafficRecord): Document => {
  const seconds = Number(record.elapsed_time) || 0;
  const startMs = (parseMicros(record.event_time) ?? 0) / 1_000;
  return {
    event: {
      kind: 'event',
      category: ['network'],
      type: ['connection', 'end'],
      start: record.event_time,
      end: new Date(Math.floor(startMs + seconds * 1_000)).toISOString(),
      duration: Math.round(seconds * NANOS_PER_SECOND),
    },
    network: {bytes: numberOf(record.total_bytes), packets: numberOf(record.total_packets)},
    palisade: {
      endpoint: record.endpoint,
      session_id: record.session_id,
      repeat_count: numberOf(record.repeat_count),
      sample_rate: record.sample_rate === undefined ? undefined : numberOf(record.sample_rate),
    },
  };
};
