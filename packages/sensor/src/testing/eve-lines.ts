// SPDX-License-Identifier: Apache-2.0
/** EVE lines as Suricata 7 writes them, without the newline, for tests. */

const BASE_MS = Date.UTC(2026, 0, 1);
const stamp = (ms: number): string => new Date(BASE_MS + ms).toISOString().replace(/\.(\d{3})Z$/, '.$1000+0000');

export type AlertInput = {
  readonly sid: number;
  /** After 2026-01-01. */
  readonly ms: number;
  readonly gid?: number;
  readonly source?: string;
  readonly sourcePort?: number;
  readonly application?: string;
  readonly category?: string;
  readonly priority?: number;
  /** signature_severity. */
  readonly severity?: string;
};

export const alertLine = (input: AlertInput): string =>
  JSON.stringify({
    timestamp: stamp(input.ms),
    flow_id: 1234567890123456,
    event_type: 'alert',
    src_ip: input.source ?? '10.0.0.1',
    src_port: input.sourcePort ?? 40_000,
    dest_ip: '10.0.0.2',
    dest_port: 80,
    proto: 'TCP',
    pkt_src: 'wire/pcap',
    alert: {
      action: 'allowed',
      gid: input.gid ?? 1,
      signature_id: input.sid,
      rev: 1,
      signature: 'r',
      category: input.category ?? '',
      severity: input.priority ?? 3,
      ...(input.severity === undefined ? {} : {metadata: {signature_severity: [input.severity]}}),
    },
    app_proto: input.application ?? 'http',
    direction: 'to_server',
  });

export const flowLine = (
  input: {readonly application?: string | undefined; readonly state?: string; readonly flowId?: number} = {
    application: 'http',
  },
): string =>
  JSON.stringify({
    timestamp: stamp(9000),
    flow_id: input.flowId ?? 1234567890123456,
    event_type: 'flow',
    src_ip: '10.0.0.1',
    src_port: 40_000,
    dest_ip: '10.0.0.2',
    dest_port: 80,
    proto: 'TCP',
    app_proto: input.application,
    flow: {
      pkts_toserver: 4,
      pkts_toclient: 3,
      bytes_toserver: 400,
      bytes_toclient: 300,
      start: stamp(0),
      end: stamp(5000),
      age: 5,
      state: input.state ?? 'closed',
    },
  });

/** `more`: groups of counters. */
export const statsLine = (alerts: number, more: Readonly<Record<string, object>> = {}): string =>
  JSON.stringify({
    timestamp: stamp(0),
    event_type: 'stats',
    stats: {uptime: 3, decoder: {pkts: 100}, detect: {alert: alerts}, ...more},
  });
