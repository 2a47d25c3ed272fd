// SPDX-License-Identifier: Apache-2.0
import {compileFilter, TRAFFIC_LIST} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {termText} from '../../records/filter-edit.ts';
import {belowAddress, type Flow, fieldsOf, flowKey, splitFlowKey, toRow} from './traffic-row.ts';
import {relatedFilter} from './use-traffic.ts';

const flow = {
  ...{id: '1', endpoint: 'projects/p/locations/l/endpoints/e', event_time: '2026-11-28T10:00:00.123456Z'},
  ...{
    source_ip_address: '2001:db8::1',
    source_port: '4000',
    destination_ip_address: '10.0.0.2',
    destination_port: '443',
  },
  ...{ip_protocol: 'tcp', application: 'tls', session_id: '77', total_bytes: '10', total_packets: '1'},
  ...{elapsed_time: '2', repeat_count: '1', network: 'n', community_id: '1:ab+/c='},
} as Flow;

test('49-3 each value of a flow filters for it, and for no other', () => {
  for (const {term} of fieldsOf(toRow(flow)).values())
    expect(compileFilter(termText(term), TRAFFIC_LIST)(flow)).toBe(true);
  const other = {...flow, source_ip_address: '2001:db8::2'};
  const {term} = fieldsOf(toRow(flow)).get('source') ?? {term: {path: '', value: ''}};
  expect(compileFilter(termText(term), TRAFFIC_LIST)(other)).toBe(false);
});

test('49-3 the address of a flow names it, and nothing else is read', () => {
  expect(splitFlowKey(flowKey(flow))).toEqual({endpoint: flow.endpoint, session: '77', time: flow.event_time});
  for (const text of ['', 'x', `${flow.endpoint}@1 OR *@2026-11-28T10:00:00Z`, `${flow.endpoint}@1@soon`])
    expect(splitFlowKey(text)).toBeUndefined();
});

test('49-3 related records are those of the community id, else of the session', () => {
  expect(compileFilter(relatedFilter(flow), TRAFFIC_LIST)({...flow, session_id: '1'})).toBe(true);
  const {community_id: _, ...plain} = flow;
  expect(compileFilter(relatedFilter(plain as Flow), TRAFFIC_LIST)(plain as Flow)).toBe(true);
  expect(compileFilter(relatedFilter(plain as Flow), TRAFFIC_LIST)({...plain, session_id: '1'} as Flow)).toBe(false);
});

test('49-3 below an address of a narrow list are its port and the protocol', () => {
  expect(belowAddress('40000')).toBe('port 40000');
  expect(belowAddress('53', 'udp')).toBe('port 53 · udp');
  expect(belowAddress('0', 'icmp')).toBe('icmp');
  expect(belowAddress('', '')).toBe('');
});
