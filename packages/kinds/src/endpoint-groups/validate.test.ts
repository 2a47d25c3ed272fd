// SPDX-License-Identifier: Apache-2.0
/** What a group may hold. Ref: requirements E-060 to E-071. */
import {describe, expect, test} from 'vitest';
import {FakeProber} from '../checks/testing/fake-prober.ts';
import type {EndpointGroupSpec} from './types.ts';
import {groupWarnings, validateGroup} from './validate.ts';

const faults = (spec: EndpointGroupSpec): string[] =>
  validateGroup({metadata: {name: 'web'}, spec}).map(({path, type, detail}) => `${path}: ${detail || type}`);
const prober = new FakeProber();
prober.refused.set('239.0.0.1', 'a multicast address').set('fd00:ec2::254', 'an address of instance metadata');
const warnings = (spec: EndpointGroupSpec, name = 'web'): string[] => groupWarnings({metadata: {name}, spec}, prober);
const ips = (count: number): {ip: string}[] =>
  Array.from({length: count}, (_, i) => ({ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`}));
const ports = (count: number): {name: string; port: number; protocol: string}[] =>
  Array.from({length: count}, (_, i) => ({name: `p${i}`, port: i + 1, protocol: 'TCP'}));

describe('46-1 a group', () => {
  test.each<[string, EndpointGroupSpec]>([
    ['nothing', {}],
    ['a selector of all registrations', {selector: {}}],
    ['members without ports', {members: [{ip: '10.0.0.1', hostname: 'a', nodeName: 'n.example'}, {ip: 'fd00::1'}]}],
    ['a threshold of 100', {panicThresholdPercent: 100}],
  ])('may have %s', (_, spec) => expect(faults(spec)).toEqual([]));

  test('E-061 E-062 E-067 E-069 has members by the rules of Endpoints, all faults at once', () => {
    expect(
      faults({
        members: [
          {ip: '127.0.0.1'},
          {ip: 'fe80::1', hostname: 'A'},
          {ip: '10.0.0.1', nodeName: 'B'},
          {ip: 'fd00::1'},
          {ip: 'FD00:0::1'},
          {ip: ''},
        ],
        selector: {matchExpressions: [{key: 'a b', operator: 'Equals'}]},
        ports: [{port: 0, protocol: 'TCP'}],
        panicThresholdPercent: -1,
      }).map(text => text.split(': ')[0]),
    ).toEqual([
      'spec.members[0].ip',
      'spec.members[1].hostname',
      'spec.members[1].ip',
      'spec.members[2].nodeName',
      'spec.members[4].ip',
      'spec.members[5].ip',
      'spec.members[5].ip',
      'spec.selector.matchExpressions[0].operator',
      'spec.selector.matchExpressions[0].key',
      'spec.ports[0].port',
      'spec.panicThresholdPercent',
    ]);
  });

  test('has no more pairs than a group may have', () => {
    expect(faults({members: ips(500), ports: ports(100)})).toEqual([]);
    expect(faults({members: ips(501), ports: ports(101)})).toEqual(['spec.ports: must have at most 100 items']);
    expect(faults({members: ips(501), ports: ports(100)})).toEqual([
      'spec.members: with 100 ports at most 500 members are allowed',
    ]);
  });

  test('has a threshold of at most 100', () => {
    expect(faults({panicThresholdPercent: 101})).toEqual([
      'spec.panicThresholdPercent: must be between 0 and 100, inclusive',
    ]);
  });

  test('gets a warning about members that no check connects to, however they are spelled, if there is a check', () => {
    const members = ['10.0.0.1', '239.0.0.1', 'FD00:EC2:0::254'].map(ip => ({ip}));
    const checked = warnings({members, ports: [{port: 80, protocol: 'TCP', check: {}}]});
    expect(checked.filter(text => text.includes('checked'))).toEqual([
      'spec.members[1].ip: 239.0.0.1 is a multicast address, which is never checked: it is not ready at ports with a check',
      'spec.members[2].ip: FD00:EC2:0::254 is an address of instance metadata, which is never checked: it is not ready at ports with a check',
    ]);
    expect(warnings({members: members.slice(0, 2), ports: [{port: 80, protocol: 'TCP'}]})).toEqual([]);
  });

  test('gets a warning about what has no use', () => {
    expect(warnings({})).toEqual(['spec: without members and selector the group is empty']);
    expect(warnings({members: ips(1)})).toEqual([
      'spec.ports: without ports members are in the set without a port, and are not checked',
    ]);
    expect(warnings({selector: {}, ports: ports(1), panicThresholdPercent: 50})).toEqual([
      'spec.panicThresholdPercent: has no effect on ports without a check',
    ]);
    expect(warnings({members: [{ip: 'fd00:0::1'}], ports: ports(1)})).toEqual([
      'spec.members[0].ip: IPv6 address "fd00:0::1" should be in RFC 5952 canonical format ("fd00::1")',
    ]);
    expect(warnings({selector: {}}, 'a'.repeat(64))).toEqual([
      'metadata.name: is longer than 63 bytes, so the Endpoints have no EndpointSlices',
    ]);
    expect(warnings({members: ips(1), ports: ports(1)})).toEqual([]);
  });
});
