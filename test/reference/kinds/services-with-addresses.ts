// SPDX-License-Identifier: Apache-2.0
/**
 * Services that take addresses and node ports. Those that a sequence asks for come from the lower bands, which no server chooses
 * from before the rest is full, and no other sequence asks for them soon.
 */
import fc from 'fast-check';
import {type Body, manyOf, rarely, type Subject, some} from '../steps.ts';
import {services} from './services.ts';

/** In the lower bands of 10.96.0.0/16 and of 30000-32767. */
const FIRST_IP = 10;
const IPS = 240;
const FIRST_PORT = 30_001;
const PORTS = 84;

const own = (sequence: number): ReadonlyMap<string, string> =>
  new Map(
    [0, 1, 2, 3].flatMap((index): [string, string][] => [
      [`ip ${index}`, JSON.stringify(`10.96.0.${FIRST_IP + ((sequence * 4 + index) % IPS)}`)],
      [`port ${index}`, String(FIRST_PORT + ((sequence * 4 + index) % PORTS))],
    ]),
  );

const ip = fc.constantFrom('ip 0', 'ip 1', 'ip 2');
/** No two of one protocol have the same node port: the reference loses such a one. */
const port = fc.constantFrom<Body>(
  {name: 'a', port: 80},
  {name: 'a', port: 80, nodePort: 'port 0'},
  {name: 'a', port: 81, nodePort: 'port 0'},
  {name: 'b', port: 443, nodePort: 'port 1'},
  {name: 'b', port: 443},
  {name: 'u', port: 80, protocol: 'UDP'},
  {name: 'u', port: 80, protocol: 'UDP', nodePort: 'port 2'},
  {name: 'x', port: 53, nodePort: 0},
  {name: 'y', port: 54, nodePort: 7},
);
const ports = fc.uniqueArray(port, {minLength: 1, maxLength: 2, selector: ({name}) => name});

const shared = {
  clusterIP: rarely(ip, fc.constantFrom('', null, '10.97.0.1', '10.96.0.0')),
  ipFamilyPolicy: fc.constantFrom('SingleStack', 'RequireDualStack'),
  ipFamilies: fc.constantFrom(['IPv4'], ['IPv6']),
  sessionAffinity: fc.constantFrom('None', 'ClientIP'),
};
const usual = some({clusterIP: shared.clusterIP, sessionAffinity: shared.sessionAffinity});
const more = fc.oneof({weight: 3, arbitrary: usual}, {weight: 1, arbitrary: some(shared)});
const balancer = some({
  allocateLoadBalancerNodePorts: fc.boolean(),
  externalTrafficPolicy: fc.constantFrom('Local', 'Local', 'Cluster'),
  healthCheckNodePort: rarely(fc.constantFrom('port 3', 0), fc.constant(7)),
  loadBalancerClass: fc.constantFrom('e.io/lb', 'e.io/other'),
});
const form = fc.oneof(
  fc.constant<Body>({}),
  fc.constant<Body>({type: 'ClusterIP'}),
  fc.constant<Body>({type: 'NodePort'}),
  balancer.map((spec): Body => ({type: 'LoadBalancer', ...spec})),
  fc.constant<Body>({type: 'ExternalName', externalName: 'a.b'}),
  fc.constant<Body>({clusterIP: 'None'}),
);
/** The reference panics when a Service with an address becomes headless and its second family has no range. */
const withoutPolicy = ({ipFamilyPolicy: _, ...rest}: Body): Body => rest;
/** A part of them, as patches have it: the type alone, or the ports. */
const spec = fc
  .tuple(form, more, fc.option(ports, {nil: undefined, freq: 6}))
  .map(([of, with_, has]): Body => ({...with_, ...of, ...(has !== undefined && {ports: has})}))
  .map(made =>
    made['clusterIP'] === 'None' && made['ipFamilyPolicy'] === 'RequireDualStack' ? withoutPolicy(made) : made,
  );

export const servicesWithAddresses: Subject = {
  ...services,
  fields: spec.map((of): Body => ({spec: of})),
  pointers: [
    '/spec/ports',
    '/spec/ports/-',
    '/spec/ports/0/nodePort',
    '/spec/clusterIP',
    '/spec/clusterIPs',
    '/spec/type',
  ],
  values: fc.oneof(fc.constantFrom('ip 0', 'port 1', 'NodePort', 'ClusterIP', '', ['ip 1']), port, manyOf(port, 1)),
  fieldSelectors: ['spec.type=NodePort', 'spec.type=LoadBalancer'],
  own,
  chosen: /10\.96\.\d+\.\d+|\b3[0-2]\d{3}\b/g,
};
