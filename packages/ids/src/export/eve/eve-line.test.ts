// SPDX-License-Identifier: Apache-2.0
import type {TrafficRecord} from '@palisade/ids-wire';
import {describe, expect, test} from 'vitest';
import {threatRecord} from '../../testing/threat-record.ts';
import type {ExportItem} from '../exporter.ts';
import {toEveLine} from './eve-line.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/one';
const THREAT: ExportItem = {
  kind: 'threats',
  endpoint: ENDPOINT,
  id: '644a1b2c3d4e5-3f2a9c11-00000ab3',
  event: undefined,
  record: threatRecord({
    threat_id: '1:2019401',
    name: 'ET SCAN "x"',
    alert_severity: 'HIGH',
    alert_time: '2026-11-21T09:50:33Z',
    event_time: '2026-11-21T09:50:33.575344Z',
    source_port: '4711',
    session_id: '1234567890123',
    uri_or_filename: '/login?u=1',
    rule_revision: '3',
    rule_priority: '1',
    community_id: '1:abc=',
    endpoint: ENDPOINT,
  }),
};
const OURS = {id: `${ENDPOINT}/threats/${THREAT.id}`, endpoint: ENDPOINT, severity: 'HIGH'};
const FLOW: TrafficRecord = {
  start_time: '2026-11-21T09:50:33Z',
  elapsed_time: '4',
  network: 'net',
  source_ip_address: '2001:db8::1',
  destination_ip_address: '2001:db8::2',
  source_port: '4711',
  destination_port: '53',
  ip_protocol: 'udp',
  application: 'unknown',
  session_id: '77',
  repeat_count: '1',
  total_bytes: '900',
  total_packets: '6',
  endpoint: ENDPOINT,
  event_time: '2026-11-21T09:50:33.000002Z',
};

describe('an event that was kept', () => {
  const event =
    '{"timestamp":"2026-11-21T09:50:33.575344+0000","flow_id":1234567890123,"event_type":"alert","payload":"R0VU","n":1.50,"alert":{"gid":1}}';

  test('44-5 stays as Suricata wrote it, byte for byte, with the endpoint, the id and the severity behind it', () => {
    const line = toEveLine({...THREAT, event: `${event}\n`});
    expect(line.startsWith(event.slice(0, -1))).toBe(true);
    expect(JSON.parse(line)).toEqual({...JSON.parse(event), host: ENDPOINT, palisade: OURS});
  });

  test('44-5 keeps the name of the sensor that Suricata wrote', () => {
    const named = event.replace('{', '{"host":"sensor-7",');
    expect(JSON.parse(toEveLine({...THREAT, event: named}))).toEqual({...JSON.parse(named), palisade: OURS});
  });

  test.each([['{}'], [' { } ']])('44-5 gets them also where it has no field: %s', text =>
    expect(JSON.parse(toEveLine({...THREAT, event: text}))).toEqual({host: ENDPOINT, palisade: OURS}),
  );

  test.each([['{"torn":'], ['[1]'], ['null'], ['']])('44-5 is made from the record where it cannot be read: %s', text =>
    expect(JSON.parse(toEveLine({...THREAT, event: text}))).toMatchObject({
      event_type: 'alert',
      palisade: {source: 'record'},
    }),
  );
});

test('44-5 a threat whose event was not kept becomes an alert under the names of EVE', () => {
  expect(JSON.parse(toEveLine(THREAT))).toEqual({
    timestamp: '2026-11-21T09:50:33.575344+0000',
    flow_id: 1234567890123,
    host: ENDPOINT,
    event_type: 'alert',
    src_ip: '192.0.2.1',
    src_port: 4711,
    dest_ip: '192.0.2.2',
    dest_port: 80,
    proto: 'TCP',
    community_id: '1:abc=',
    app_proto: 'http',
    direction: 'to_server',
    alert: {
      action: 'allowed',
      gid: 1,
      signature_id: 2019401,
      rev: 3,
      signature: 'ET SCAN "x"',
      category: 'code-execution',
      severity: 1,
    },
    http: {url: '/login?u=1'},
    palisade: {...OURS, source: 'record'},
  });
});

test('44-5 a traffic record becomes a flow, timed when it ended, its sums beside it', () => {
  const line = toEveLine({kind: 'traffic', endpoint: ENDPOINT, id: 'i', event: undefined, record: FLOW});
  expect(JSON.parse(line)).toEqual({
    timestamp: '2026-11-21T09:50:37.000002+0000',
    flow_id: 77,
    host: ENDPOINT,
    event_type: 'flow',
    src_ip: '2001:db8::1',
    src_port: 4711,
    dest_ip: '2001:db8::2',
    dest_port: 53,
    proto: 'UDP',
    flow: {start: '2026-11-21T09:50:33.000002+0000', end: '2026-11-21T09:50:37.000002+0000', age: 4},
    palisade: {id: `${ENDPOINT}/traffic/i`, endpoint: ENDPOINT, source: 'record', bytes: 900, packets: 6},
  });
});

test('44-5 a name with a newline stays on one line', () => {
  const record = {...THREAT.record, name: 'a\nb'} as ExportItem['record'];
  expect(toEveLine({...THREAT, record})).not.toContain('\n');
});
