// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {type Body, manyOf, rarely, type Subject, some} from '../steps.ts';

const target = some(
  {
    kind: fc.constantFrom('Pod', 'Node'),
    name: fc.constantFrom('p1', 'p2'),
    namespace: fc.constant('shop'),
    uid: fc.constant('u1'),
    resourceVersion: fc.constant('5'),
  },
  'kind',
  'name',
);
const ip = rarely(
  fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'),
  fc.constantFrom(
    '2001:db8::1',
    '2001:DB8:0::1',
    '127.0.0.1',
    '0.0.0.0',
    '169.254.1.1',
    '224.0.0.1',
    '010.0.0.1',
    '::ffff:10.0.0.1',
    'fe80::1',
    'example.com',
    'example.com.',
    'single',
    'a_b.c',
    `${'a'.repeat(64)}.b`,
    'nine',
    '',
  ),
);
const named = (good: readonly string[], odd: readonly string[]) =>
  some({name: rarely(fc.constantFrom(...good), fc.constantFrom(...odd))}, 'name');
const hints = some({
  forZones: manyOf(named(['z1', 'z2'], ['', 'bad zone']), 2),
  forNodes: manyOf(named(['n1', 'n2'], ['', 'N_']), 2),
});
const conditions = some({
  ready: rarely(fc.boolean(), fc.constantFrom(null, 'yes')),
  serving: fc.boolean(),
  terminating: fc.boolean(),
});
const endpoint = some(
  {
    addresses: rarely(fc.array(ip, {minLength: 1, maxLength: 2}), fc.constantFrom([], null, 'x')),
    conditions: rarely(conditions, fc.constantFrom(null, {})),
    hostname: rarely(fc.constantFrom('h1', 'h2'), fc.constantFrom(null, '', 'H_', 'a.b')),
    targetRef: rarely(target, fc.constantFrom({}, null)),
    nodeName: rarely(fc.constantFrom('n1', 'n2'), fc.constantFrom('', 'N_')),
    zone: rarely(fc.constantFrom('z1', 'z2'), fc.constantFrom('', 'bad zone')),
    hints: rarely(hints, fc.constantFrom({}, null)),
    deprecatedTopology: rarely(
      fc.constantFrom({'topology.kubernetes.io/zone': 'z1'}, {'kubernetes.io/hostname': 'n1'}, {}),
      fc.constant({'bad key': 'x'}),
    ),
  },
  'addresses',
);
const port = some({
  port: rarely(fc.constantFrom(80, 443, 8080), fc.constantFrom(0, 65536, -1, '80', null)),
  name: rarely(fc.constantFrom('http', 'metrics', ''), fc.constantFrom(null, 'UP', 7, 'a.b')),
  protocol: rarely(fc.constantFrom('TCP', 'UDP', 'SCTP'), fc.constantFrom('ICMP', '', null)),
  appProtocol: rarely(fc.constantFrom('http', 'kubernetes.io/h2c'), fc.constantFrom('a b', '', null, 'a/b/c')),
});
const addressType = rarely(fc.constant('IPv4'), fc.constantFrom('IPv6', 'FQDN', 'ipv4', '', null, 4));

export const endpointSlices: Subject = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  resource: 'endpointslices',
  fields: some(
    {
      addressType,
      endpoints: manyOf(endpoint, 2),
      ports: manyOf(port, 2),
    },
    'addressType',
  ) as fc.Arbitrary<Body>,
  valid: {addressType: 'IPv4', endpoints: []},
  pointers: [
    '/addressType',
    '/endpoints',
    '/endpoints/-',
    '/endpoints/0',
    '/endpoints/0/addresses',
    '/endpoints/0/addresses/-',
    '/endpoints/0/conditions',
    '/endpoints/0/conditions/ready',
    '/endpoints/0/hints',
    '/endpoints/0/deprecatedTopology',
    '/ports',
    '/ports/-',
    '/ports/0/port',
    '/ports/0/name',
  ],
  values: fc.oneof(
    fc.constantFrom('10.0.0.9', 81, {}, [], null, true),
    fc.array(endpoint, {maxLength: 1}),
    endpoint,
    port,
    hints,
  ),
};
