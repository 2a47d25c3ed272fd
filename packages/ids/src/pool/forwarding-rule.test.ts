// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import {toForwardingRule} from './forwarding-rule.ts';

const RECORD: EndpointRecord = {
  name: 'projects/p/locations/us-central1-a/endpoints/guard',
  state: 'READY',
  createTimeMs: 0,
  updateTimeMs: 0,
  spec: {network: 'n', severity: 'LOW', description: '', labels: {}, trafficLogs: false, threatExceptions: []},
  allocation: {ip: '127.77.0.1', vni: 7, rule: 'projects/t-tp/regions/us-central1/forwardingRules/ids-fr-guard-x'},
};

test.each([
  ['afpacket', ['4789'], 'vxlan', 'VXLAN (RFC 7348) to UDP 4789'],
  ['afpacket-bpf', ['4789', '6081'], 'vxlan-geneve', 'VXLAN (RFC 7348) to UDP 4789, or GENEVE (RFC 8926) to UDP 6081'],
  ['relay', ['4789', '6081'], 'vxlan-geneve', 'VXLAN (RFC 7348) to UDP 4789, or GENEVE (RFC 8926) to UDP 6081'],
] as const)(
  '43-1 the forwarding rule of the driver %s says what it takes, in valid labels',
  (driver, ports, label, words) => {
    const rule = toForwardingRule(RECORD, {ruleBase: 'http://h/compute/v1/', driver});
    const labels = {vni: '7', driver, encapsulations: label, endpoint: 'guard'};
    expect(rule).toMatchObject({ports, labels, description: `Packet mirroring collector of ${RECORD.name}: ${words}`});
    for (const value of Object.values(labels)) expect(value).toMatch(/^[a-z0-9_-]{0,63}$/);
  },
);
