// SPDX-License-Identifier: Apache-2.0
/** Items as the runner hands them to exporters. */
import {formatMicros, type ThreatRecord, type TrafficRecord} from '@palisade/ids-wire';
import type {ExportItem} from '../../../packages/ids/src/export/exporter.ts';
import {threatRecord} from '../../../packages/ids/src/testing/threat-record.ts';

export const ENDPOINT = 'projects/p/locations/local/endpoints/one';
const START_MICROS = Date.UTC(2026, 10, 27, 12, 30, 15) * 1_000 + 123_456;

export const threatItem = (n: number, more: Partial<ThreatRecord> = {}): ExportItem => ({
  kind: 'threats',
  endpoint: ENDPOINT,
  id: `644a1b2c3d4e5-3f2a9c11-${n.toString(16).padStart(8, '0')}`,
  event: undefined,
  record: threatRecord({
    threat_id: '1:2019401',
    name: 'SQL injection, "union select"',
    alert_severity: 'HIGH',
    alert_time: formatMicros(START_MICROS).replace(/\.\d+/, ''),
    event_time: formatMicros(START_MICROS + n),
    source_port: String(1_024 + (n % 60_000)),
    endpoint: ENDPOINT,
    ...more,
  }),
});

export const trafficItem = (n: number): ExportItem => {
  const record: TrafficRecord = {
    start_time: formatMicros(START_MICROS).replace(/\.\d+/, ''),
    elapsed_time: '4',
    network: 'net',
    source_ip_address: '2001:db8::1',
    destination_ip_address: '2001:db8::2',
    source_port: '0',
    destination_port: '0',
    ip_protocol: 'ipv6-icmp',
    application: 'unknown',
    session_id: '77',
    repeat_count: '1',
    total_bytes: '900',
    total_packets: '6',
    endpoint: ENDPOINT,
    event_time: formatMicros(START_MICROS + n),
  };
  return {kind: 'traffic', endpoint: ENDPOINT, id: `644a1b2c3d4e5-3f2a9c11-${n}`, event: undefined, record};
};
