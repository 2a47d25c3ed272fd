// SPDX-License-Identifier: Apache-2.0
/** Nodes: what is filled in, what is refused and in which words, what a Table shows. Ref: kubernetes v1.36 ValidateNode, printNode. */
import {type Body, MemoryApi, type Reply, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {nodesKind} from './kind.ts';

const NOT_READY = {key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule'};

let api: MemoryApi;
let nodes: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [nodesKind], compat: 'kubernetes'});
  nodes = api.of(nodesKind);
});
afterEach(() => api[Symbol.asyncDispose]());

let serial = 0;
const post = (spec: object = {}, status: object = {}, metadata: object = {}): Promise<Reply> =>
  nodes.post({name: `n${serial++}`, ...metadata}, {spec, status});
const made = async (spec: object = {}, status: object = {}): Promise<Body> => {
  const {status: code, body} = await post(spec, status);
  if (code !== 201) throw new Error(body.message);
  return body;
};
const causes = ({body}: Reply): string[] =>
  (body.details?.causes ?? []).map(({field, message}: Body) => `${field}: ${message}`);
const cells = (object: Body): readonly unknown[] => nodesKind.strategy.table.cells(object, api.time.now());

describe('what is filled in', () => {
  test('45-1 a new node is not ready until somebody says so; an update may take the taint away', async () => {
    const {metadata, spec} = await made({taints: [{key: 'k', effect: 'NoExecute'}]});
    expect(spec.taints).toEqual([{key: 'k', effect: 'NoExecute'}, NOT_READY]);
    expect((await made({taints: [NOT_READY]})).spec.taints).toEqual([NOT_READY]);
    const {body} = await nodes.patch(metadata.name, 'merge', {spec: {taints: null}});
    expect(body.spec).not.toHaveProperty('taints');
  });

  test.each([
    [{podCIDR: '10.1.0.0/24'}, '10.1.0.0/24', ['10.1.0.0/24']],
    [{podCIDRs: ['10.1.0.0/24', '2001:db8::/64']}, '10.1.0.0/24', ['10.1.0.0/24', '2001:db8::/64']],
    [{podCIDR: '10.2.0.0/24', podCIDRs: ['10.1.0.0/24']}, '10.2.0.0/24', ['10.2.0.0/24']],
  ])('45-1 podCIDR is the first of podCIDRs: %j', async (sent, podCIDR, podCIDRs) => {
    expect((await made(sent)).spec).toMatchObject({podCIDR, podCIDRs});
  });

  test('45-1 what can be given away is all there is, in whole thousandths, unless the node says otherwise', async () => {
    const {status} = await made({}, {capacity: {cpu: '100u', memory: '15.5Gi'}});
    expect(status).toMatchObject({
      capacity: {cpu: '1m', memory: '15872Mi'},
      allocatable: {cpu: '1m', memory: '15872Mi'},
    });
    const own = await made({}, {capacity: {cpu: 4}, allocatable: {cpu: '3.5'}});
    expect(own.status).toMatchObject({capacity: {cpu: '4'}, allocatable: {cpu: '3500m'}});
    const none = await post({}, {capacity: {pods: '1.5'}, allocatable: {}});
    expect(causes(none)).toEqual(['status.capacity.pods: Invalid value: "1500m": must be an integer']);
    const stored = await made({}, {capacity: {pods: '2'}, allocatable: {}, images: [{names: []}]});
    expect(stored.status).toMatchObject({allocatable: {pods: '2'}, images: [{names: null}]});
  });

  test('45-1 how kubelets got their configuration once is dropped, from the spec and from the status', async () => {
    const {metadata, spec} = await made({configSource: {configMap: {name: 'c'}}}, {config: {error: 'x'}});
    expect(spec).not.toHaveProperty('configSource');
    const {body} = await nodes.send('patch', metadata.name, {
      subresource: 'status',
      type: 'application/merge-patch+json',
      body: {status: {config: {error: 'x'}, phase: 'Running'}},
    });
    expect(body.status.phase).toBe('Running');
    expect(body.status).not.toHaveProperty('config');
  });
});

describe('what is refused', () => {
  const LABEL_KEY =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

  test('45-1 taints: key, value and effect, and that each pair of key and effect is there once', async () => {
    const taints = [
      {key: 'bad key!', effect: 'NoExecute'},
      {key: 'k', value: 'bad value!', effect: 'Nope'},
      {key: 'k'},
      {key: 'k', effect: 'NoExecute', value: '<1>'},
      {key: 'k', effect: 'NoExecute', value: '2', timeAdded: '2020-01-01T00:00:00Z'},
    ];
    expect(causes(await post({taints}))).toEqual([
      `metadata.taints[0].key: Invalid value: "bad key!": ${LABEL_KEY}`,
      expect.stringMatching(/^metadata\.taints\[1\]\.value: Invalid value: "bad value!": a valid label must be/),
      'metadata.taints[1].effect: Unsupported value: "Nope": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'metadata.taints[2].effect: Required value',
      expect.stringMatching(/^metadata\.taints\[3\]\.value: Invalid value: "<1>"/),
      'metadata.taints[4]: Duplicate value: {"Key":"k","Value":"2","Effect":"NoExecute","TimeAdded":"2020-01-01T00:00:00Z"}: taints must be unique by key and effect pair',
    ]);
  });

  test.each([
    [
      ['10.1.0.7/24'],
      ['spec.podCIDRs[0]: Invalid value: "10.1.0.7/24": must not have bits set beyond the prefix length'],
    ],
    [['x'], ['spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
    [
      ['10.1.0.0/24', '10.2.0.0/24'],
      [
        'spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    [
      ['10.1.0.0/24', 'x'],
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
        'spec.podCIDRs: Invalid value: ["10.1.0.0/24","x"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    [
      ['::ffff:10.1.0.0/120', '10.2.0.0/24'],
      [
        'spec.podCIDRs[0]: Invalid value: "::ffff:10.1.0.0/120": must not have an IPv4-mapped IPv6 address',
        'spec.podCIDRs: Invalid value: ["::ffff:10.1.0.0/120","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
      ],
    ],
  ])('45-1 podCIDRs %j', async (podCIDRs, want) => {
    expect(causes(await post({podCIDRs}))).toEqual(want);
  });

  test('45-1 amounts are not negative, and what is counted is whole', async () => {
    const capacity = {cpu: '-1', pods: '1.5', 'e.io/gpu': '500m', 'kubernetes.io/x': '0.5', memory: '1.5Gi'};
    expect(causes(await post({}, {capacity, allocatable: {cpu: '1'}}))).toEqual([
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.capacity.pods: Invalid value: "1500m": must be an integer',
      'status.capacity.e.io/gpu: Invalid value: "500m": must be an integer',
    ]);
  });

  test('45-1 an amount that is no number is refused while it is read', async () => {
    const {status, body} = await post({}, {capacity: {cpu: 'x'}});
    expect([status, body.message]).toEqual([
      400,
      `Node in version "v1" cannot be handled as a Node: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    ]);
  });

  test('45-1 declared features are sorted, unique and well named; swap is more than nothing', async () => {
    const status = {declaredFeatures: ['B', 'A', 'A', 'bad'], nodeInfo: {swap: {capacity: 0}}};
    expect(causes(await post({}, status))).toEqual([
      'metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero',
      'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
      'status.declaredFeatures[2]: Duplicate value: "A"',
      expect.stringMatching(
        /^status\.declaredFeatures\[3\]: Invalid value: "bad": invalid feature name "bad": must start/,
      ),
    ]);
  });

  test('45-1 updates leave providerID, podCIDRs and externalID as they were; causes come twice where upstream looks twice', async () => {
    const {metadata} = await made({providerID: 'x://1', podCIDR: '10.1.0.0/24'});
    const change = {providerID: 'x://2', podCIDR: '10.2.0.0/24', podCIDRs: null, externalID: 'e', taints: [{key: 'k'}]};
    expect(causes(await nodes.patch(metadata.name, 'merge', {spec: change}))).toEqual([
      'metadata.taints[0].effect: Required value',
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
      'metadata.taints[0].effect: Required value',
      'spec.externalID: Forbidden: may not be updated',
    ]);
  });

  test('45-1 the status keeps the spec, and has each address once', async () => {
    const {metadata} = await made({}, {capacity: {cpu: '1'}});
    const put = (addresses: readonly object[]): Promise<Reply> =>
      nodes.send('update', metadata.name, {
        subresource: 'status',
        body: {metadata: {name: metadata.name}, spec: {unschedulable: true}, status: {addresses}},
      });
    const address = {type: 'InternalIP', address: '10.0.0.1'};
    expect(causes(await put([address, address]))).toEqual([
      'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
    ]);
    const {body} = await put([address]);
    expect([body.spec, body.status.addresses]).toEqual([{taints: [NOT_READY]}, [address]]);
  });
});

describe('two annotations of old', () => {
  const TAINTS = 'scheduler.alpha.kubernetes.io/taints';
  const AVOID = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
  test.each([
    [TAINTS, '[{"key":"k","EFFECT":"NoExecute"}]', []],
    [TAINTS, '[', [`metadata.annotations: Invalid value: "${TAINTS}": unexpected end of JSON input`]],
    [
      TAINTS,
      '{"a":1}',
      [
        `metadata.annotations: Invalid value: "${TAINTS}": json: cannot unmarshal object into Go value of type []core.Taint`,
      ],
    ],
    [
      TAINTS,
      '[{"key":5}]',
      [
        `metadata.annotations: Invalid value: "${TAINTS}": json: cannot unmarshal number into Go struct field Taint.Key of type string`,
      ],
    ],
    [TAINTS, '[{"key":"k"}]', [`metadata.annotations.${TAINTS}[0].effect: Required value`]],
    [AVOID, '{"preferAvoidPods":[{}]}', [`metadata.annotations.${AVOID}[0].PodSignature: Required value`]],
    [
      AVOID,
      '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":false}}}]}',
      [
        `metadata.annotations.${AVOID}[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller`,
      ],
    ],
    [AVOID, '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":true}}}]}', []],
    [
      AVOID,
      '7',
      [
        `metadata.annotations.AvoidPods: Invalid value: "${AVOID}": json: cannot unmarshal number into Go value of type v1.AvoidPods`,
      ],
    ],
  ])('45-1 %s: %s', async (name, text, want) => {
    expect(causes(await post({}, {}, {annotations: {[name]: text}}))).toEqual(want);
  });
});

describe('warnings and tables', () => {
  test('45-1 warnings: externalID, and spellings of ranges that are not the canonical one', async () => {
    const {warnings} = await post({externalID: 'e', podCIDRs: ['2001:DB8::/64']});
    expect(warnings).toEqual([
      'spec.externalID: this field is deprecated, and is unused by Kubernetes',
      'spec.podCIDRs[0]: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")',
    ]);
  });

  test('45-1 the cells of a Table', () => {
    const labels = {'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge', 'node-role.kubernetes.io/': ''};
    const nodeInfo = {kubeletVersion: 'v1', osImage: 'Linux', kernelVersion: '6.1', architecture: 'amd64'};
    const conditions = [
      {type: 'Ready', status: 'True'},
      {type: 'Ready', status: 'Unknown'},
    ];
    const addresses = [
      {type: 'ExternalIP', address: '1.2.3.4'},
      {type: 'InternalIP', address: '10.0.0.1'},
      {type: 'InternalIP', address: '10.0.0.2'},
    ];
    const node = {
      metadata: {name: 'a', labels},
      spec: {unschedulable: true},
      status: {nodeInfo, conditions, addresses},
    };
    expect(cells(node)).toEqual([
      'a',
      'NotReady,SchedulingDisabled',
      'edge,worker',
      '<unknown>',
      'v1',
      '10.0.0.1',
      '1.2.3.4',
      'Linux',
      '6.1 (amd64)',
      '<unknown>',
    ]);
    expect(cells({metadata: {name: 'a'}}).slice(1, 4)).toEqual(['Unknown', '<none>', '<unknown>']);
  });

  test('45-1 selectors know whether a node is closed to new work', async () => {
    await nodes.make({name: 'open'});
    await nodes.make({name: 'closed'}, {spec: {unschedulable: true}});
    const named = (fieldSelector: string): Promise<readonly string[]> => nodes.names({fieldSelector});
    expect([await named('spec.unschedulable=true'), await named('spec.unschedulable!=true')]).toEqual([
      ['closed'],
      ['open'],
    ]);
    const {status, body} = await nodes.send('list', '', {query: {fieldSelector: 'spec.podCIDR=x'}});
    expect([status, body.message]).toEqual([400, 'field label not supported: spec.podCIDR']);
  });

  test('45-1 a PUT of an absent node does not create it', async () => {
    expect((await nodes.put('absent', {})).status).toBe(404);
  });
});
