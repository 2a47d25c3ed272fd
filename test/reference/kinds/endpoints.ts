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
    fieldPath: fc.constant('spec.a'),
  },
  'kind',
  'name',
);
const address = some(
  {
    ip: rarely(
      fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '2001:db8::1'),
      fc.constantFrom('127.0.0.1', 'nine', ''),
    ),
    hostname: rarely(fc.constantFrom('h1', 'h2'), fc.constantFrom(null, 'H_')),
    nodeName: fc.constantFrom('n1', 'n2'),
    targetRef: target,
  },
  'ip',
);
const port = some(
  {
    port: rarely(fc.constantFrom(80, 443, 8080), fc.constantFrom(0, 65536, '80')),
    name: rarely(fc.constantFrom('http', 'metrics', ''), fc.constantFrom(null, 'UP', 7)),
    protocol: rarely(fc.constantFrom('TCP', 'UDP', 'SCTP'), fc.constantFrom('ICMP', '')),
    appProtocol: rarely(fc.constantFrom('http', 'kubernetes.io/h2c'), fc.constant('a b')),
  },
  'port',
);
const subset = some({
  addresses: manyOf(address, 3),
  notReadyAddresses: manyOf(address, 2),
  ports: manyOf(port, 2),
});

export const endpoints: Subject = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  resource: 'endpoints',
  fields: fc
    .option(manyOf(subset, 2), {nil: undefined, freq: 6})
    .map((subsets): Body => (subsets === undefined ? {} : {subsets})),
  valid: {},
  pointers: [
    '/subsets',
    '/subsets/-',
    '/subsets/0',
    '/subsets/0/addresses',
    '/subsets/0/addresses/-',
    '/subsets/0/addresses/0/ip',
    '/subsets/0/ports/0/port',
  ],
  values: fc.oneof(fc.constantFrom('10.0.0.9', 81, {}, []), fc.array(subset, {maxLength: 1}), subset, address),
};
