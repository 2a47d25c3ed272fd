// SPDX-License-Identifier: Apache-2.0
/**
 * The EVE fields in use, decoded once from a line into typed values. Ref: Suricata 7 EVE JSON format.
 * A line is one JSON object: `timestamp`, `event_type`, `flow_id`, addresses, and an object named as the type.
 */
import {canonicalIp, formatMicros, parseMicros} from '@palisade/ids-wire';

export type EveFlowKey = {
  /** RFC 3339 UTC. */
  readonly timestamp: string;
  readonly sessionId: string;
  /** RFC 5952 text, as is the destination's; Suricata writes IPv6 addresses in full. */
  readonly sourceIp: string;
  readonly sourcePort: number;
  readonly destinationIp: string;
  readonly destinationPort: number;
  /** Lower case. */
  readonly protocol: string;
  /** Undefined: Suricata did not name it. */
  readonly application: string | undefined;
  readonly communityId: string | undefined;
};

export type EveAlert = EveFlowKey & {
  readonly gid: number;
  readonly sid: number;
  readonly rev: number;
  readonly name: string;
  /** Description of the classtype. */
  readonly category: string;
  readonly priority: number;
  readonly signatureSeverity: readonly string[];
  readonly toClient: boolean;
  readonly uriOrFilename: string;
  /** What the application layer saw, in words; '' when nothing. */
  readonly context: string;
};

export type EveFlow = EveFlowKey & {
  readonly startTime: string;
  readonly elapsedSeconds: number;
  readonly bytes: number;
  readonly packets: number;
  /** `new`, `established`, `closed`, `bypassed`. */
  readonly state: string;
};

/** Of one run of Suricata. */
export type EveStats = {
  readonly alerts: number;
  /** More rules matched a packet than it keeps alerts of. */
  readonly alertsDiscarded: number;
  /** By a threshold or suppress setting. */
  readonly alertsSuppressed: number;
  readonly packets: number;
  readonly bytes: number;
  /** Of its own AF_PACKET capture, with those that it dropped; 0 where it reads a capture file. */
  readonly kernelPackets: number;
  readonly kernelDrops: number;
  /** Not followed since there was no memory for their flow, session, segment or fragment. */
  readonly uninspected: number;
  /** Too short, or not what their headers say. */
  readonly undecoded: number;
  /** Of `undecoded`: taken for VXLAN, with a frame inside that is neither IP nor VLAN nor ARP, which it then does not look into. */
  readonly unknownInner: number;
};

/** Our own lines: the first line of a file names the file, and one line before each run of Suricata names the run. */
export type EveMarker = {readonly file: string | undefined; readonly run: string | undefined};
export const MARKER_TYPE = 'palisade';

type Fields = Readonly<Record<string, unknown>>;
const object = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];

/** `2026-11-21T09:50:33.575344+0000` → `2026-11-21T09:50:33Z`; anything unreadable stays as it is. */
export const toRfc3339Seconds = (stamp: string): string => {
  const ms = eveTimeMs(stamp);
  return Number.isNaN(ms) ? stamp : `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
};

/** `2026-11-21T09:50:33.575344+0000` → `2026-11-21T09:50:33.575344Z`; anything unreadable stays as it is. */
export const toRfc3339Micros = (stamp: string): string => {
  const micros = parseMicros(withColon(stamp));
  return micros === undefined ? stamp : formatMicros(micros);
};

const withColon = (stamp: string): string => stamp.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');

/** Milliseconds since the epoch; NaN when unreadable. */
export const eveTimeMs = (stamp: string): number => Date.parse(withColon(stamp));

/** `failed`: Suricata looked and found no protocol it knows. */
const applicationOf = (value: unknown): string | undefined => {
  const name = text(value);
  return name === '' || name === 'failed' || name === 'unknown' ? undefined : name;
};

/** A number, or a text as other writers of EVE have it. */
const idOf = (value: unknown): string => (typeof value === 'number' || typeof value === 'string' ? String(value) : '0');

const flowKey = (line: Fields): EveFlowKey => ({
  timestamp: text(line['timestamp']),
  sessionId: idOf(line['flow_id']),
  sourceIp: canonicalIp(text(line['src_ip'])),
  sourcePort: number(line['src_port']),
  destinationIp: canonicalIp(text(line['dest_ip'])),
  destinationPort: number(line['dest_port']),
  protocol: text(line['proto']).toLowerCase(),
  application: applicationOf(line['app_proto']),
  communityId: text(line['community_id']) || undefined,
});

const filenameOf = (line: Fields): string => {
  const files = Array.isArray(line['files']) ? line['files'] : [];
  return text(object(files[0])['filename']) || text(object(line['fileinfo'])['filename']);
};

const contextOf = (line: Fields): string => {
  const http = object(line['http']);
  if (text(http['http_method']) !== '' || text(http['hostname']) !== '') {
    const status = number(http['status']) > 0 ? `, answered ${number(http['status'])}` : '';
    const agent = text(http['http_user_agent']);
    return `HTTP ${text(http['http_method'])} ${text(http['hostname'])}${text(http['url'])}${status}${agent === '' ? '' : `, user agent "${agent}"`}`;
  }
  const dns = object(line['dns']);
  const query = object(
    (Array.isArray(dns['query']) ? dns['query'] : Array.isArray(dns['queries']) ? dns['queries'] : [])[0],
  );
  const name = text(query['rrname']) || text(dns['rrname']);
  if (name !== '') return `DNS query ${text(query['rrtype']) || text(dns['rrtype'])} ${name}`;
  const tls = object(line['tls']);
  if (text(tls['sni']) !== '') return `TLS to ${text(tls['sni'])}`;
  return '';
};

const toAlert = (line: Fields): EveAlert => {
  const alert = object(line['alert']);
  return {
    ...flowKey(line),
    gid: number(alert['gid']),
    sid: number(alert['signature_id']),
    rev: number(alert['rev']),
    name: text(alert['signature']),
    category: text(alert['category']),
    priority: number(alert['severity']),
    signatureSeverity: texts(object(alert['metadata'])['signature_severity']),
    toClient: line['direction'] === 'to_client',
    uriOrFilename: text(object(line['http'])['url']) || filenameOf(line),
    context: contextOf(line),
  };
};

const toFlow = (line: Fields): EveFlow => {
  const flow = object(line['flow']);
  return {
    ...flowKey(line),
    startTime: text(flow['start']),
    elapsedSeconds: number(flow['age']),
    bytes: number(flow['bytes_toserver']) + number(flow['bytes_toclient']),
    packets: number(flow['pkts_toserver']) + number(flow['pkts_toclient']),
    state: text(flow['state']),
  };
};

/** Ref: Suricata 7 flow.c, stream-tcp.c, defrag.c: the counters that they register. */
const UNINSPECTED = [
  ['flow', 'memcap'],
  ['flow', 'get_used_failed'],
  ['tcp', 'ssn_memcap_drop'],
  ['tcp', 'segment_memcap_drop'],
  ['defrag', 'max_frag_hits'],
] as const;

const toStats = (stats: Fields): EveStats => ({
  alerts: number(object(stats['detect'])['alert']),
  alertsDiscarded: number(object(stats['detect'])['alert_queue_overflow']),
  alertsSuppressed: number(object(stats['detect'])['alerts_suppressed']),
  packets: number(object(stats['decoder'])['pkts']),
  bytes: number(object(stats['decoder'])['bytes']),
  kernelPackets: number(object(stats['capture'])['kernel_packets']),
  kernelDrops: number(object(stats['capture'])['kernel_drops']),
  uninspected: UNINSPECTED.reduce((sum, [group, name]) => sum + number(object(stats[group])[name]), 0),
  undecoded: number(object(stats['decoder'])['invalid']),
  unknownInner: number(object(object(object(stats['decoder'])['event'])['vxlan'])['unknown_payload_type']),
});

export type EveLine =
  | {readonly type: 'alert'; readonly alert: EveAlert}
  | {readonly type: 'flow'; readonly flow: EveFlow}
  | {readonly type: 'stats'; readonly stats: EveStats}
  | {readonly type: 'marker'; readonly marker: EveMarker}
  | {readonly type: 'other'}
  | {readonly type: 'unreadable'};

/** Levels of an alert. Suricata writes less than 10; far more are too deep to be written again, as evidence. */
const ALERT_DEPTH_MAX = 100;
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(part => isDeeper(part, levels - 1)));

/** Never throws. An alert without gid and sid or nested too deeply, or a line that is not a JSON object, is `unreadable`. */
export const decodeEveLine = (json: string): EveLine => {
  let line: Fields;
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {type: 'unreadable'};
    line = value as Fields;
  } catch {
    return {type: 'unreadable'}; // a torn line: the disk was full, or the process was killed while writing
  }
  switch (line['event_type']) {
    case 'alert': {
      const alert = toAlert(line);
      const isWhole = alert.gid > 0 && alert.sid > 0 && !isDeeper(line, ALERT_DEPTH_MAX);
      return isWhole ? {type: 'alert', alert} : {type: 'unreadable'};
    }
    case 'flow':
      return {type: 'flow', flow: toFlow(line)};
    case 'stats': {
      return {type: 'stats', stats: toStats(object(line['stats']))};
    }
    case MARKER_TYPE:
      return {type: 'marker', marker: {file: text(line['file']) || undefined, run: text(line['run']) || undefined}};
    case undefined:
      return {type: 'unreadable'};
    default:
      return {type: 'other'};
  }
};

/** A line of ours, with its newline. */
export const markerLine = (fields: {readonly file?: string; readonly run?: string}): string =>
  `${JSON.stringify({event_type: MARKER_TYPE, ...fields})}\n`;
