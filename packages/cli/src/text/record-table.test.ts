// SPDX-License-Identifier: Apache-2.0
import type {TrafficRecord} from '@palisade/ids-wire';
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

test('a text that is wider than its column stays apart from the next', () => {
  const id = 'a-name-as-long-as-that';
  const texts = {start_time: 'T', elapsed_time: '3', application: 'dns', total_packets: '1', total_bytes: '1'};
  const host = {source_ip_address: 'a', source_port: '', destination_ip_address: 'b', destination_port: ''};
  const record = {...texts, ...host, ip_protocol: 'udp', endpoint: name('p', id)} as TrafficRecord;
  const {row} = recordTable('traffic', endpointLabels([]));
  expect(row(record)).toBe(`T${' '.repeat(21)}${id}  3s     dns         1 pkts      1 B           udp a > b\n`);
});
