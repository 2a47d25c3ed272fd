// SPDX-License-Identifier: Apache-2.0
/**
 * Left out is what the reference chooses by chance: addresses and node ports of its own choice. A Service is headless, a name, or
 * has the one address and the node ports that are written here; all of them are given back with the end of a sequence.
 */
import fc from 'fast-check';
import {type Body, manyOf, rarely, type Subject, some, words} from '../steps.ts';

const port = some(
  {
    port: rarely(fc.constantFrom(80, 443, 53), fc.constantFrom(0, 65536, '80', null)),
    name: rarely(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', null, 'UP', 'a.b')),
    protocol: rarely(fc.constantFrom('TCP', 'UDP', 'SCTP'), fc.constantFrom('ICMP', '', null)),
    targetPort: rarely(fc.constantFrom(8080, 'http', 0, ''), fc.constantFrom(-1, 'a--b', '80', null)),
    appProtocol: rarely(fc.constantFrom('http', 'kubernetes.io/ws'), fc.constantFrom('a b', '', null)),
  },
  'port',
  'name',
);

/** Fields that only some types may have. */
const shared = {
  ports: manyOf(port, 2),
  selector: words(['1', '2', ''], {'a b': 'c d'}),
  sessionAffinity: rarely(fc.constantFrom('None', 'ClientIP'), fc.constantFrom('Y', '', null)),
  sessionAffinityConfig: rarely(
    fc.constantFrom({clientIP: {timeoutSeconds: 10}}, {clientIP: {}}, {}),
    fc.constantFrom({clientIP: {timeoutSeconds: 0}}, {clientIP: {timeoutSeconds: 86401}}, null),
  ),
  externalIPs: rarely(
    fc.constantFrom(['1.2.3.4'], ['2001:DB8::1'], []),
    fc.constantFrom(['127.0.0.1'], ['x'], ['010.1.2.3'], null),
  ),
  externalName: rarely(fc.constantFrom('x.y', 'x.y.'), fc.constantFrom('X_', '')),
  internalTrafficPolicy: rarely(fc.constantFrom('Cluster', 'Local'), fc.constantFrom('Z', null)),
  externalTrafficPolicy: rarely(fc.constantFrom('Cluster', 'Cluster'), fc.constantFrom('Z', '')),
  trafficDistribution: rarely(fc.constantFrom('PreferClose', 'PreferSameZone'), fc.constantFrom('Z', '', null)),
  publishNotReadyAddresses: fc.boolean(),
  loadBalancerIP: rarely(fc.constant('1.2.3.4'), fc.constantFrom('', 'x')),
  loadBalancerClass: fc.constantFrom('e.io/lb', 'a b'),
  loadBalancerSourceRanges: fc.constantFrom(['10.0.0.0/8'], ['10.0.0.1/8'], ['x']),
  allocateLoadBalancerNodePorts: fc.boolean(),
  healthCheckNodePort: fc.constantFrom(0, 30001),
  ipFamilies: rarely(fc.constantFrom(['IPv4'], ['IPv6', 'IPv4']), fc.constantFrom(['IPv5'], ['IPv4', 'IPv4'], [])),
  ipFamilyPolicy: rarely(
    fc.constantFrom('SingleStack', 'RequireDualStack', 'PreferDualStack'),
    fc.constantFrom('Two', null),
  ),
};

/** Most of them rarely, so that most objects are valid. */
const usual = some({
  ports: shared.ports,
  selector: shared.selector,
  sessionAffinity: shared.sessionAffinity,
  internalTrafficPolicy: shared.internalTrafficPolicy,
  publishNotReadyAddresses: shared.publishNotReadyAddresses,
});
const odd = some(shared);
const more = fc.oneof({weight: 3, arbitrary: usual}, {weight: 1, arbitrary: odd});

const headless = more.map((spec): Body => ({clusterIP: 'None', ...spec}));
const named = more.map((spec): Body => ({type: 'ExternalName', externalName: 'a.b', ...spec}));
const wrong = fc
  .tuple(
    fc.constantFrom<Body>(
      {type: 'NodePort', clusterIP: 'None'},
      {type: 'LoadBalancer', clusterIP: 'None', allocateLoadBalancerNodePorts: false},
      {type: 'Other', clusterIP: 'None'},
      {clusterIP: '192.168.1.1'},
      {clusterIP: 'fd00::1'},
      {clusterIPs: ['None']},
      {clusterIP: 'None', clusterIPs: ['None', 'x']},
      {clusterIP: 'x'},
    ),
    more,
  )
  .map(([first, second]): Body => ({...second, ...first}));
const bare = more.map(spec => spec as Body);

const ingress = some({
  ip: rarely(fc.constantFrom('1.2.3.4', '2001:db8::1'), fc.constantFrom('x', '')),
  hostname: rarely(fc.constant('lb.e.io'), fc.constantFrom('1.2.3.4', 'X_')),
  ipMode: rarely(fc.constantFrom('VIP', 'Proxy'), fc.constant('Z')),
});
const condition = fc.constantFrom<Body>(
  {type: 'A', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z'},
  {type: 'B', status: 'False', reason: 'R', message: '', lastTransitionTime: '2020-01-01T00:00:00Z'},
);
const status = some({
  loadBalancer: rarely(some({ingress: manyOf(ingress, 2)}), fc.constant(null)),
  conditions: manyOf(condition, 2),
});

const spec = fc.oneof({weight: 8, arbitrary: headless}, {weight: 4, arbitrary: named}, {weight: 1, arbitrary: wrong});

export const services: Subject = {
  apiVersion: 'v1',
  kind: 'Service',
  resource: 'services',
  fields: fc
    .tuple(spec, fc.option(status, {nil: undefined, freq: 1}))
    .map(([of, is]): Body => ({spec: of, ...(is !== undefined && {status: is})})),
  valid: {spec: {clusterIP: 'None'}},
  pointers: [
    '/spec/ports',
    '/spec/ports/-',
    '/spec/ports/0',
    '/spec/ports/0/targetPort',
    '/spec/selector',
    '/spec/selector/a',
    '/spec/externalName',
    '/spec/sessionAffinity',
    '/spec/ipFamilies',
    '/status/loadBalancer',
    '/status/conditions',
  ],
  values: fc.oneof(
    fc.constantFrom('x.y', 81, {}, [], 'ClientIP', ['IPv4']),
    port,
    fc.array(port, {maxLength: 1}),
    bare,
  ),
  fieldSelectors: [
    'metadata.name=web',
    'spec.type=ClusterIP',
    'spec.clusterIP=None',
    'spec.clusterIP!=None',
    'spec.a=1',
  ],
  chosen: /\b3[0-2]\d{3}\b/g,
};

/** A status that is written to an absent one creates a Service, one without an address. */
export const servicesWithStatus: Subject = {...services, subresources: ['status']};
