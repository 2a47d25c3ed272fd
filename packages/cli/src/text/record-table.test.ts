// SPDX-License-Identifier: Apache-2.0
import type {RecordOf} from '@palisade/client';
import {expect, test} from 'vitest';
import {endpointLabels, recordTable} from './record-table.ts';

const name = (project: string, id: string): string => `projects/${project}/locations/l/endpoints/${id}`;

test('endpoints have their id, in full where several have it', () => {
  const label = endpointLabels([name('p', 'guard'), name('p', 'edge'), name('q', 'guard')]);
  expect([name('p', 'edge'), name('p', 'guard'), name('q', 'guard')].map(label)).toEqual([
    'edge',
    name('p', 'guard'),
    name('q', 'guard'),
  ]);
});

test('of endpoints that are gone, the first that is met has its id, if no other one has it', () => {
  const label = endpointLabels([name('p', 'edge')]);
  expect([name('p', 'gone'), name('q', 'gone'), name('p', 'gone'), name('q', 'edge')].map(label)).toEqual([
    'gone',
    name('q', 'gone'),
    'gone',
    name('q', 'edge'),
  ]);
});

const RECORD = {
  ...{event_time: '2026-01-01T00:00:00.123456Z', elapsed_time: '3', application: 'dns', total_packets: '1'},
  ...{total_bytes: '1', source_ip_address: 'a', source_port: '', destination_ip_address: 'b', destination_port: ''},
  ...{ip_protocol: 'udp', session_id: '7', id: '644a1b2c3d4e5-3f2a9c11-00004932'},
};

test('a text that is wider than its column stays apart from the next', () => {
  const id = 'a-name-as-long-as-that';
  const record = {...RECORD, endpoint: name('p', id)} as RecordOf<'traffic'>;
  const {row} = recordTable('traffic', endpointLabels([]));
  expect(row(record)).toBe(
    `2026-01-01T00:00:00.123456Z  3s      dns          1 pkts       1 B            ${id}  7                 ` +
      '644a1b2c3d4e5-3f2a9c11-00004932  udp a > b\n',
  );
});

test('44-3 a threat has its time in microseconds, endpoint, session and id; on a narrow terminal in two lines', () => {
  const threat = {alert_severity: 'HIGH', threat_id: '1:2019401', repeat_count: '3', name: 'ET SQL injection'};
  const record = {...RECORD, ...threat, endpoint: name('p', 'guard')} as unknown as RecordOf<'threats'>;
  const wide = recordTable('threats', endpointLabels([]));
  expect(wide.head).toMatch(/^TIME +SEVERITY +THREAT ID +TIMES +STATE +CONNECTION +ENDPOINT +SESSION +ID +NAME\n$/);
  expect(wide.row(record)).toMatch(
    /^2026-01-01T00:00:00\.123456Z {2}HIGH +1:2019401 +x3 +- +udp a > b +guard +7 +644a1b2c3d4e5-3f2a9c11-00004932 {2}ET SQL injection\n$/,
  );
  const narrow = recordTable('threats', endpointLabels([]), 120);
  const lines = narrow.row(record).split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^2026-01-01T00:00:00\.123456Z {2}HIGH +1:2019401 +x3 +- +ET SQL injection$/),
    expect.stringMatching(/^ {2}udp a > b +guard +7 +644a1b2c3d4e5-3f2a9c11-00004932$/),
    '',
  ]);
  expect(Math.max(...`${narrow.head}${narrow.row(record)}`.split('\n').map(line => line.length))).toBeLessThan(121);
});

test('44-3 nothing that a record holds controls the terminal or makes rows of its own', () => {
  const threat = {alert_severity: 'HIGH', threat_id: '1:1', repeat_count: '3', name: 'ET \x1b]0;x\x07\nHIGH\x9b31m'};
  const record = {...RECORD, ...threat, endpoint: name('p', 'guard')} as unknown as RecordOf<'threats'>;
  const row = recordTable('threats', endpointLabels([])).row(record);
  expect(row).toMatch(/ ET \^\[\]0;x\\x07\\nHIGH\\x9b31m\n$/);
  expect(row.split('\n')).toHaveLength(2);
});

test('44-4 a threat has what was decided about it', () => {
  const threat = {...RECORD, alert_severity: 'HIGH', threat_id: '1:1', repeat_count: '3', name: 'ET', endpoint: 'e'};
  const {row} = recordTable('threats', endpointLabels([]));
  const stateOf = (more: object): string =>
    /x3 +(\S+) /.exec(row({...threat, ...more} as unknown as RecordOf<'threats'>))?.[1] ?? '';
  const decided = [{}, {acknowledged: true}, {escalated: true}, {acknowledged: true, escalated: true}];
  expect(decided.map(stateOf)).toEqual(['-', 'ack', 'esc', 'esc+ack']);
});
