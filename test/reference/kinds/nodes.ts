// SPDX-License-Identifier: Apache-2.0
/** Without an empty `allocatable`: the reference stores the amounts of `capacity` for it only with the next write, which then counts as a change. */
import fc from 'fast-check';
import {type Body, manyOf, rarely, type Subject, some} from '../steps.ts';

const taint = some(
  {
    key: rarely(fc.constantFrom('k1', 'k2', 'e.io/k'), fc.constantFrom('', 'bad key!', null, 'a/b/c')),
    value: rarely(fc.constantFrom('1', '2', ''), fc.constantFrom('bad value!', 'x'.repeat(64))),
    effect: rarely(fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute'), fc.constantFrom('Nope', '', null)),
    timeAdded: rarely(fc.constantFrom('2020-01-01T00:00:00Z', '2020-01-01T01:00:00+01:00'), fc.constant('noon')),
  },
  'key',
  'effect',
);
const cidr = rarely(
  fc.constantFrom('10.1.0.0/24', '10.2.0.0/24', '2001:db8::/64'),
  fc.constantFrom('10.1.0.7/24', '10.01.0.0/24', '2001:DB8::/64', '::ffff:10.1.0.0/120', 'x', '10.1.0.0/33', ''),
);
const spec = some({
  unschedulable: rarely(fc.boolean(), fc.constant(null)),
  podCIDR: cidr,
  podCIDRs: rarely(fc.uniqueArray(cidr, {maxLength: 2}), fc.constant(null)),
  providerID: fc.constantFrom('x://1', 'x://2', ''),
  externalID: rarely(fc.constant(''), fc.constantFrom('e1', 'e2')),
  taints: manyOf(taint, 3),
  configSource: rarely(fc.constant(null), fc.constantFrom({configMap: {name: 'c'}}, {})),
});

const amount = rarely(
  fc.constantFrom('4', '3500m', '16Gi', '15.5Gi', '0.1', '110', '1e3', '0', 2, 1.5, '1Ki', '+5', '1.500', '100u', '.5'),
  fc.constantFrom('-1', 'x', '', null, '1.5n', '9999999999999999999', '1kk', true, '12345678901234567890123'),
);
const resources = rarely(
  fc.dictionary(fc.constantFrom('cpu', 'memory', 'pods', 'e.io/gpu', 'Bad Name'), amount, {maxKeys: 1}),
  fc.constantFrom(null, {}),
);
const condition = some(
  {
    type: fc.constantFrom('Ready', 'DiskPressure'),
    status: fc.constantFrom('True', 'False', 'Unknown'),
    reason: fc.constantFrom('R', ''),
    lastHeartbeatTime: fc.constantFrom('2020-01-01T00:00:00Z', null),
  },
  'type',
  'status',
);
const address = some(
  {
    type: fc.constantFrom('InternalIP', 'ExternalIP', 'Hostname'),
    address: fc.constantFrom('10.9.0.1', '10.9.0.2', 'n1'),
  },
  'type',
  'address',
);
const status = some({
  capacity: resources,
  allocatable: resources.filter(made => made === null || Object.keys(made as object).length > 0),
  conditions: rarely(fc.uniqueArray(condition, {maxLength: 2, selector: ({type}) => type}), fc.constant(null)),
  addresses: manyOf(address, 2),
  phase: fc.constantFrom('Running', ''),
  nodeInfo: some({
    kubeletVersion: fc.constantFrom('v1.36.3', ''),
    osImage: fc.constantFrom('Linux', ''),
    architecture: fc.constantFrom('amd64', ''),
    kernelVersion: fc.constantFrom('6.1', ''),
    swap: fc.constantFrom(null, {}, {capacity: 5}, {capacity: 0}),
  }),
  daemonEndpoints: fc.constantFrom({}, {kubeletEndpoint: {Port: 10250}}),
  images: manyOf(fc.constantFrom({names: ['a:b'], sizeBytes: 12}, {names: []}, {}), 2),
  volumesInUse: manyOf(fc.constantFrom('v1', 'v2'), 2),
  features: fc.constantFrom(null, {}, {supplementalGroupsPolicy: true}),
  declaredFeatures: manyOf(fc.constantFrom('A', 'B', 'A/b', 'bad'), 2),
});

/** Annotations that hold JSON, whose fields are named as in Go or as in JSON, and are matched in any case. */
const annotationTaint = some({
  Key: fc.constantFrom('k1', 'e.io/k', '', 'bad key!'),
  key: fc.constantFrom('k2', 7),
  Value: fc.constantFrom('1', 'bad value!'),
  Effect: fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute', 'Nope', ''),
  TimeAdded: fc.constantFrom('2020-01-01T00:00:00Z', 'noon', null),
});
const avoided = some({
  podSignature: fc.oneof(
    fc.constantFrom<unknown>({}, null, [], {podController: null}),
    fc.record({
      podController: some(
        {
          controller: rarely(fc.boolean(), fc.constantFrom('true', 1)),
          kind: fc.constantFrom('ReplicaSet', 7),
          uid: fc.constantFrom('u', null),
        },
        'controller',
      ),
    }),
  ),
  evictionTime: fc.constantFrom('2020-01-01T00:00:00Z', 'noon', null),
  reason: fc.constantFrom('r', 1),
});
const noList = fc.constantFrom(
  '',
  '{',
  '[',
  '{}',
  '[]',
  'null',
  '"x"',
  '7',
  '[7]',
  '[null]',
  'true',
  '[{}] x',
  '[{"Key":"k1"},]',
);
const json = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof({weight: 4, arbitrary: value.map(made => JSON.stringify(made))}, {weight: 1, arbitrary: noList});
const annotations = some({
  'scheduler.alpha.kubernetes.io/taints': json(fc.array(annotationTaint, {maxLength: 3})),
  'scheduler.alpha.kubernetes.io/preferAvoidPods': json(
    fc.record({preferAvoidPods: fc.array(avoided, {maxLength: 2})}),
  ),
}) as fc.Arbitrary<Body>;

export const nodes: Subject = {
  annotations,
  apiVersion: 'v1',
  kind: 'Node',
  resource: 'nodes',
  namespaced: false,
  fields: some({spec: rarely(spec, fc.constantFrom(null, {})), status: rarely(status, fc.constantFrom(null, {}))}).map(
    fields => fields as Body,
  ),
  valid: {},
  subresources: ['status'],
  fieldSelectors: ['spec.unschedulable=true', 'spec.unschedulable!=true', 'metadata.namespace=x', 'spec.podCIDR=x'],
  pointers: [
    '/spec',
    '/spec/taints',
    '/spec/taints/-',
    '/spec/taints/0',
    '/spec/podCIDR',
    '/spec/unschedulable',
    '/status',
    '/status/capacity',
    '/status/capacity/cpu',
    '/status/addresses/-',
    '/status/conditions/0/status',
  ],
  values: fc.oneof(fc.constantFrom('10.3.0.0/24', true, {}, [], '500m', '1.5'), taint, address, amount, resources),
};
