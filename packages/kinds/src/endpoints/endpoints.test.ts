// SPDX-License-Identifier: Apache-2.0
/** What an Endpoints object may hold, and the advice about what is stored as written. */
import {type Compat, compatOf} from '@palisade/apiserver';
import {MemoryApi} from '@palisade/apiserver/testing';
import {describe, expect, test} from 'vitest';
import {endpointsKind} from './kind.ts';
import type {EndpointAddress, EndpointPort, EndpointSubset, Endpoints} from './types.ts';
import {validateEndpoints} from './validate.ts';
import {endpointsWarnings} from './warnings.ts';

const SPEC = compatOf('spec');
const UPSTREAM = compatOf('kubernetes');
const METADATA = {name: 'a', namespace: 'one'};
const PORT: EndpointPort = {port: 80, protocol: 'TCP'};
const FIELD = 'subsets[0].';

/** Faults as `field: text`, without the place of the subset. */
const faults = (
  subsets: readonly EndpointSubset[],
  compat: Compat = SPEC,
  stored?: readonly EndpointSubset[],
): string[] => {
  const of = (each: readonly EndpointSubset[]) => ({metadata: METADATA, subsets: each}) as Endpoints;
  return validateEndpoints(of(subsets), stored && of(stored), compat).map(
    ({path, type, detail}) => `${path.replace(FIELD, '')}: ${detail === '' ? type : detail}`,
  );
};
const ofAddress = (address: EndpointAddress): string[] => faults([{addresses: [address], ports: [PORT]}]);
const ofPorts = (...ports: readonly object[]): string[] =>
  faults([{addresses: [{ip: '10.0.0.1'}], ports: ports.map(port => ({...PORT, ...port}))}]);
/** Which fields are refused, each once. */
const fieldsOf = (found: readonly string[]): string[] => [...new Set(found.map(text => text.split(': ')[0] ?? ''))];

describe('addresses', () => {
  test.each([
    ['E-060', '10.1.2.3 fd00::1 255.255.255.255 2001:DB8:0:0::1'],
    ['E-061', '126.255.255.255 128.0.0.0 ::2'],
    ['E-062', '169.253.255.255 169.255.0.0 fe7f::1 fec0::'],
    ['E-063', '223.255.255.255 224.0.1.0 ff01:: ff03::'],
  ])('%s accepts %s', (_, ips) => {
    for (const ip of ips.split(' ')) expect([ip, ofAddress({ip})]).toEqual([ip, []]);
  });

  test.each([
    ['E-061', '127.0.0.0 127.0.0.1 127.255.255.255 ::1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    [
      'E-062',
      '169.254.0.0 169.254.255.255 fe80:: febf:ffff::1',
      'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
    [
      'E-063',
      '224.0.0.0 224.0.0.255 ff02:: ff02:ffff::1',
      'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ],
    ['E-065', '0.0.0.0', 'may not be unspecified (0.0.0.0)'],
    ['E-065', '::', 'may not be unspecified (::)'],
    ['E-066', '010.0.0.1', 'must not have leading 0s'],
    ['E-066', '::ffff:10.0.0.1', 'must not be an IPv4-mapped IPv6 address'],
  ])('%s E-064 refuses %s, ready or not: %s', (_, ips, why) => {
    for (const ip of ips.split(' '))
      expect([ip, ofAddress({ip}), faults([{notReadyAddresses: [{ip}]}])]).toEqual([
        ip,
        [`addresses[0].ip: ${why}`],
        [`notReadyAddresses[0].ip: ${why}`],
      ]);
  });

  test.each(['', 'x', '10.0.0', '10.0.0.256', '10.0.0.1/24', '10.0.0.1 ', 'fd00::1%eth0'])(
    'E-064 E-065 refuses "%s", which is no IP, by both rules for one',
    ip => {
      expect(ofAddress({ip})).toEqual([
        'addresses[0].ip: must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'addresses[0].ip: must be a valid IP address',
      ]);
    },
  );

  test('E-065 an IPv4-mapped address of a refused range is refused for both reasons', () => {
    expect(ofAddress({ip: '::ffff:127.0.0.1'})).toEqual([
      'addresses[0].ip: must not be an IPv4-mapped IPv6 address',
      'addresses[0].ip: may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ]);
  });

  test('E-066 a spelling that was stored before stays valid on update, and no other does', () => {
    const ip = '010.0.0.1';
    const stored = [{addresses: [{ip}]}];
    expect(faults([{addresses: [{ip}, {ip: '10.0.0.2'}]}], SPEC, stored)).toEqual([]);
    expect(fieldsOf(faults([{notReadyAddresses: [{ip}, {ip: '010.0.0.3'}]}], SPEC, stored))).toEqual([
      'notReadyAddresses[1].ip',
    ]);
  });

  test.each<[string, 'hostname' | 'nodeName', readonly string[], readonly string[]]>([
    ['E-067 E-068', 'hostname', ['web-1', '', 'a'.repeat(63)], ['Web', 'a.b', '-a', 'a'.repeat(64)]],
    ['E-069 E-071', 'nodeName', ['node-2.example', 'a'.repeat(253)], ['Node', 'a_b', '', 'a'.repeat(254)]],
  ])('%s %s is a name of DNS', (_, field, good, bad) => {
    for (const value of good) expect([value, ofAddress({ip: '10.0.0.1', [field]: value})]).toEqual([value, []]);
    for (const value of bad)
      expect([value, fieldsOf(ofAddress({ip: '10.0.0.1', [field]: value}))]).toEqual([
        value,
        [`addresses[0].${field}`],
      ]);
  });
});

describe('ports', () => {
  test.each<[string, readonly object[]]>([
    ['E-080 E-081 numbers from 1 to 65535', [{port: 1}, {port: 8080}, {port: 65535}]],
    ['E-085 the three protocols', [{protocol: 'TCP'}, {protocol: 'UDP'}, {protocol: 'SCTP'}]],
    ['E-083 names that are DNS labels', [{name: 'a'}, {name: '1'}, {name: 'a'.repeat(63)}]],
    [
      'E-087 E-088 qualified names as appProtocol',
      ['http', 'a.b/My_proto.1-x', 'mycompany.com/p'].map(appProtocol => ({appProtocol})),
    ],
  ])('accepts %s', (_, ports) => {
    for (const port of ports) expect([port, ofPorts(port)]).toEqual([port, []]);
  });

  test.each<[string, string, readonly unknown[]]>([
    ['E-081', 'port', [0, -1, 65536, 2147483647, undefined]],
    ['E-083', 'name', ['A', 'a_b', '-a', 'a-', 'a.b', 'a'.repeat(64)]],
    ['E-085', 'protocol', ['tcp', 'ICMP', ' TCP']],
    ['E-088', 'appProtocol', ['', 'bad value', '/x', 'x/', 'a/b/c', '-x', 'Up.Case/x', `x/${'a'.repeat(64)}`]],
  ])('%s refuses a %s of %j', (_, field, values) => {
    for (const value of values)
      expect([value, fieldsOf(ofPorts({[field]: value}))]).toEqual([value, [`ports[0].${field}`]]);
  });

  test('E-084 one port may go without a name, of two each needs one', () => {
    expect(ofPorts({}, {name: 'b'})).toEqual(['ports[0].name: FieldValueRequired']);
  });
});

describe('subsets', () => {
  test.each<[string, EndpointSubset]>([
    ['no address list', {ports: [PORT]}],
    ['two empty lists', {addresses: [], notReadyAddresses: [], ports: [PORT]}],
    ['nothing', {}],
  ])('E-046 refuses one with %s', (_, subset) => {
    expect(faults([subset])).toEqual(['subsets[0]: must specify `addresses` or `notReadyAddresses`']);
  });

  test.each([
    ['the same spelling', '10.0.0.1', '10.0.0.1'],
    ['two spellings of one IPv6 address', 'fd00::1', 'FD00:0:0::1'],
  ])(
    'E-044 E-045 an address ready and not ready in %s: refused with both places, upstream stored',
    (_, ready, notReady) => {
      const both = [{addresses: [{ip: '10.0.0.9'}, {ip: ready}], notReadyAddresses: [{ip: notReady}]}];
      expect(faults(both)).toEqual([
        'notReadyAddresses[0].ip: may not be in both `addresses` and `notReadyAddresses`: it is also subsets[0].addresses[1].ip',
      ]);
      expect(faults(both, UPSTREAM)).toEqual([]);
      expect(faults([{addresses: [{ip: ready}]}, {notReadyAddresses: [{ip: notReady}]}])).toEqual([]);
    },
  );
});

describe('advice', () => {
  const advice = (object: Partial<Endpoints>, compat = SPEC): string[] =>
    endpointsWarnings({metadata: METADATA, ...object} as Endpoints, compat);
  const aboutProtocol = (appProtocol: string, compat = SPEC): string[] =>
    advice({subsets: [{ports: [{...PORT, appProtocol}]}]}, compat);

  test('E-095 E-096 E-100 no advice about IANA names and known prefixes', () => {
    const iana = ['http', 'https', 'HTTP', 'domain', 'postgresql'];
    const prefixed = ['platform.io/h2c', 'platform.io/ws', 'platform.io/wss', 'mycompany.com/p', 'kubernetes.io/h2c'];
    expect([...iana, ...prefixed].flatMap(name => aboutProtocol(name))).toEqual([]);
  });

  test.each([
    ['E-095', 'no-such-service', 'is not an IANA service name'],
    ['E-101', 'platform.io/other', 'uses the reserved prefix platform.io/'],
  ])('%s %s %s; upstream says nothing', (_, name, text) => {
    expect(aboutProtocol(name)).toEqual([
      expect.stringContaining(`subsets[0].ports[0].appProtocol: "${name}" ${text}`),
    ]);
    expect(aboutProtocol(name, UPSTREAM)).toEqual([]);
  });

  test('E-066 about another spelling of an IPv6 address, but not to the endpoints controller', () => {
    const subsets = [{addresses: [{ip: '10.0.0.1'}], notReadyAddresses: [{ip: '2001:DB8::0001'}]}];
    const labels = (by: string) => ({...METADATA, labels: {'endpoints.kubernetes.io/managed-by': by}});
    for (const compat of [SPEC, UPSTREAM]) {
      expect(advice({subsets, metadata: labels('me')}, compat)).toEqual([
        'subsets[0].notReadyAddresses[0].ip: IPv6 address "2001:DB8::0001" should be in RFC 5952 canonical format ("2001:db8::1")',
      ]);
      expect(advice({subsets, metadata: labels('endpoint-controller')}, compat)).toEqual([]);
    }
  });

  test.each(['per-address', ''])('46-4 E-221 about the ownership annotation with the value "%s"', value => {
    const annotated = {metadata: {...METADATA, annotations: {'platform.io/address-ownership': value}}};
    expect(advice(annotated)).toEqual([
      'metadata.annotations[platform.io/address-ownership]: has no effect any more, an apply owns subsets as a whole; create an EndpointRegistration for each machine instead',
    ]);
    expect(advice(annotated, UPSTREAM)).toEqual([]);
  });
});

test.each([
  ['spec', [1, 1, 1, 2, 3, 3]],
  ['kubernetes', [undefined, undefined, undefined, undefined, undefined, undefined]],
] as const)('E-135 E-136 the generation counts changes of the subsets, --compat %s', async (compat, expected) => {
  await using api = await MemoryApi.open({kinds: [endpointsKind], compat});
  const own = api.of(endpointsKind);
  const subsets = [{addresses: [{ip: '10.0.0.1'}], ports: [PORT]}];
  const replies = [
    await own.post({name: 'a'}, {subsets}),
    await own.put('a', {subsets}),
    await own.merge('a', {labels: {x: 'y'}}),
    await own.patch('a', 'merge', {subsets: [{addresses: [{ip: '10.0.0.2'}]}]}),
    await own.put('a', {metadata: {name: 'a', finalizers: ['example.com/x']}}),
    await own.remove('a'),
  ];
  expect(replies.map(({body}) => body.metadata.generation)).toEqual(expected);
});
