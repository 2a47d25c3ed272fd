// SPDX-License-Identifier: Apache-2.0
/** What a Service is, on a server of its own. Addresses and node ports: allocation/allocation.test.ts. Ref: issue 45, point 1. */
import type {KindModule} from '@palisade/apiserver';
import {type Body, MemoryApi, type MemoryApiOptions, type Reply, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {endpointsKind} from '../endpoints/kind.ts';
import {namespacesModule} from '../namespaces/index.ts';
import {DEFAULT_KIND_SETTINGS} from '../settings.ts';
import {servicesModule} from './index.ts';

const HEADLESS = {clusterIP: 'None', ports: [{port: 80}]};

let api: MemoryApi;
let services: Resource;
const open = async (options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  const modules: readonly KindModule[] = [namespacesModule, servicesModule(DEFAULT_KIND_SETTINGS)];
  const kinds = modules.flatMap(module => module.kinds);
  api = await MemoryApi.open({
    kinds: [endpointsKind, ...kinds],
    bootstraps: modules.flatMap(({bootstraps}) => bootstraps),
    controllers: modules.flatMap(({controllers}) => controllers),
    compat: 'kubernetes',
    ...options,
  });
  const kind = kinds.find(({resource}) => resource === 'services');
  if (kind !== undefined) services = api.of(kind);
};
afterEach(() => api[Symbol.asyncDispose]());

const post = (name: string, spec: object, metadata: object = {}): Promise<Reply> =>
  services.post({name, ...metadata}, {spec});
const make = async (name: string, spec: object): Promise<Body> => (await services.make({name}, {spec})).spec;
const merge = (name: string, spec: object): Promise<Reply> => services.patch(name, 'merge', {spec});
const causes = ({body}: Reply): string[] =>
  (body.details?.causes ?? []).map(({field, message}: Body) => `${field}: ${message}`);

describe('defaults and drops', () => {
  test('45-1 what is left out is filled in', async () => {
    await open();
    expect(await make('a', {...HEADLESS, sessionAffinity: 'ClientIP'})).toEqual({
      ...HEADLESS,
      ports: [{port: 80, protocol: 'TCP', targetPort: 80}],
      clusterIPs: ['None'],
      type: 'ClusterIP',
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: {clientIP: {timeoutSeconds: 10_800}},
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
      internalTrafficPolicy: 'Cluster',
    });
    expect(await make('b', {...HEADLESS, selector: {a: 'b'}})).toMatchObject({ipFamilies: ['IPv4']});
  });

  test('45-1 a change of the type takes what only the old one has, unless that was changed as well', async () => {
    await open();
    await make('a', {type: 'LoadBalancer', loadBalancerClass: 'e.io/x', ports: [{port: 80}]});
    await services.send('patch', 'a', {
      subresource: 'status',
      type: 'application/merge-patch+json',
      body: {status: {loadBalancer: {ingress: [{ip: '1.2.3.4'}]}}},
    });
    const {body} = await merge('a', {type: 'ExternalName', externalName: 'x.y'});
    expect(body.spec).toEqual({
      type: 'ExternalName',
      externalName: 'x.y',
      ports: [{port: 80, protocol: 'TCP', targetPort: 80}],
      sessionAffinity: 'None',
    });
    expect(body.status).toEqual({loadBalancer: {}});
    await make('b', {type: 'LoadBalancer', ports: [{port: 80}]});
    const refused = await merge('b', {type: 'ClusterIP', loadBalancerClass: 'e.io/y'});
    expect(causes(refused)).toEqual([
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ]);
  });

  test('45-1 the policy for inner traffic of a name is kept and not shown', async () => {
    await open();
    expect(
      await make('a', {type: 'ExternalName', externalName: 'x.y', internalTrafficPolicy: 'Local'}),
    ).not.toHaveProperty('internalTrafficPolicy');
    expect((await services.get('a')).spec).not.toHaveProperty('internalTrafficPolicy');
    const {body} = await merge('a', {type: 'ClusterIP', ...HEADLESS});
    expect(body.spec.internalTrafficPolicy).toBe('Local');
    expect(await make('b', {...HEADLESS, selector: {type: 'ExternalName'}})).toHaveProperty('internalTrafficPolicy');
  });
});

test('45-1 an address that comes with the change to a name is kept, shown in both fields, and taken by nobody', async () => {
  await open();
  await make('a', {type: 'NodePort', ports: [{port: 80}]});
  const {status, body} = await merge('a', {
    type: 'ExternalName',
    externalName: 'x.y',
    clusterIP: '10.96.0.9',
    clusterIPs: null,
  });
  expect([status, body.spec.clusterIP, body.spec.clusterIPs]).toEqual([200, '10.96.0.9', ['10.96.0.9']]);
  expect((await post('b', {clusterIP: '10.96.0.9', ports: [{port: 80}]})).status).toBe(201);
});

const REFUSED: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['without ports', {}, ['spec.ports: Required value']],
  ['of an unknown type', {type: 'X', ports: [{port: 1}]}, [
    'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ]],
  ['with a port twice', {...HEADLESS, ports: [{name: 'a', port: 80}, {name: 'b', port: 80}]}, [
    'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  ]],
  ['with a name of a port twice', {...HEADLESS, ports: [{name: 'a', port: 80}, {name: 'a', port: 81}]}, [
    'spec.ports[1].name: Duplicate value: "a"',
  ]],
  ['headless, with a node port', {...HEADLESS, ports: [{port: 80, nodePort: 30_001}]}, [
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ]],
  ['with affinity beyond a day', {...HEADLESS, sessionAffinity: 'ClientIP', sessionAffinityConfig: {clientIP: {timeoutSeconds: 86_401}}}, [
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
  ]],
  ['with families that are none', {...HEADLESS, ipFamilies: ['IPv5', 'IPv5']}, [
    'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    'spec.ipFamilies[1]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    'spec.ipFamilies[1]: Duplicate value: "IPv5"',
  ]],
  ['with a policy that is none', {...HEADLESS, ipFamilyPolicy: 'X'}, [
    'spec.ipFamilyPolicy: Unsupported value: "X": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
  ]],
  ['with a distribution that is none', {...HEADLESS, trafficDistribution: 'X'}, [
    'spec.trafficDistribution: Unsupported value: "X": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ]],
  ['with an address of another family', {clusterIP: '10.96.0.9', ipFamilies: ['IPv6'], ports: [{port: 80}]}, [
    'spec.clusterIPs[0]: Invalid value: "10.96.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`',
  ]],
]; // biome-ignore format: a table

describe('rules', () => {
  test.each(REFUSED)('45-1 one %s is refused', async (_, spec, expected) => {
    await open();
    const reply = await post('a', spec);
    expect([reply.status, causes(reply)]).toEqual([422, expected]);
  });

  test('45-1 annotations about topology must say the same, and the old one is deprecated', async () => {
    await open();
    const [hints, mode] = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'];
    const both = {annotations: {[hints]: 'Auto', [mode]: 'Disabled'}};
    expect(causes(await post('a', HEADLESS, both))).toEqual([
      `metadata.annotations[${mode}]: Invalid value: "Disabled": must match annotations[${hints}] when both are specified`,
    ]);
    const {warnings} = await post('a', HEADLESS, {annotations: {[hints]: 'Auto'}});
    expect(warnings).toEqual([`annotation ${hints} is deprecated, please use ${mode} instead`]);
  });

  test('45-1 what was stored under older rules stays valid', async () => {
    const store = await openMemoryStore();
    await open({store});
    await make('a', {type: 'LoadBalancer', ports: [{port: 80}], loadBalancerSourceRanges: ['10.0.0.0/8']});
    const key = '/kube/core/services/default/a';
    const entries = (await store.list('/', {at: undefined, after: undefined, limit: 100})).entries;
    const entry = entries.find(({key: each}) => each.endsWith('services/default/a')) ?? (await store.get(key));
    if (entry === undefined) throw new Error('not stored');
    const old = Buffer.from(entry.value).toString().replace('10.0.0.0/8', '010.0.0.1/8');
    await store.put(entry.key, Buffer.from(old), entry.modRevision);
    await api.settle();
    const one = await services.patch('a', 'merge', {metadata: {labels: {a: 'b'}}});
    expect([one.status, one.warnings.length]).toEqual([200, 2]);
    expect((await merge('a', {loadBalancerSourceRanges: ['010.0.0.1/8', '010.0.0.2/8']})).status).toBe(422);
  });

  test('45-1 warnings say what is ignored', async () => {
    await open();
    const spec = {...HEADLESS, externalIPs: ['2001:DB8::1'], loadBalancerIP: '1.2.3.4', sessionAffinity: 'ClientIP'};
    expect((await post('a', {...spec, externalName: 'x', trafficDistribution: 'PreferClose'})).warnings).toEqual([
      'spec.loadBalancerIP is ignored for headless services',
      'spec.externalIPs is ignored for headless services',
      'spec.SessionAffinity is ignored for headless services',
      'spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ]);
  });
});

describe('status', () => {
  const write = (status: object, subresource = 'status'): Promise<Reply> =>
    services.send('patch', 'a', {
      subresource,
      type: 'application/merge-patch+json',
      body: {status, spec: {selector: {a: 'b'}}},
    });
  const ingress = (...all: object[]): object => ({loadBalancer: {ingress: all}});

  test('45-1 is written by itself, and nothing else with it', async () => {
    await open();
    await make('a', {type: 'LoadBalancer', ports: [{port: 80}]});
    expect((await write(ingress({ip: '1.2.3.4'}), '')).body.status).toEqual({loadBalancer: {}});
    const reply = await write(ingress({ip: '2001:DB8::1'}, {hostname: 'lb.e.io'}));
    expect(reply.body.status).toEqual(ingress({ip: '2001:DB8::1', ipMode: 'VIP'}, {hostname: 'lb.e.io'}));
    expect(reply.warnings).toEqual([
      'status.loadBalancer.ingress[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ]);
    expect(reply.body.spec.selector).toEqual({a: 'b'}); // of the write before
  });

  test('45-1 has rules of its own', async () => {
    await open();
    await make('a', {type: 'LoadBalancer', ports: [{port: 80}]});
    expect(
      causes(await write(ingress({ip: 'x'}, {hostname: '1.2.3.4', ipMode: 'VIP'}, {ip: '1.2.3.4', ipMode: 'Z'}))),
    ).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
      'status.loadBalancer.ingress[2].ipMode: Unsupported value: "Z": supported values: "Proxy", "VIP"',
    ]);
    await merge('a', {type: 'ClusterIP'});
    expect(causes(await write(ingress({ip: '1.2.3.4', ipMode: 'VIP'})))).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });
});

describe('a Service and what is beside it', () => {
  test.each([
    ['kubernetes', undefined],
    ['spec', 'a'],
  ] as const)('45-1 --compat %s: of the Endpoints of its name %s stay', async (compat, left) => {
    await open({compat});
    const endpoints = api.of(endpointsKind);
    await make('a', HEADLESS);
    for (const name of ['a', 'b']) await endpoints.make({name});
    await services.remove('a');
    expect((await endpoints.get('a'))?.metadata.name).toBe(left);
    expect((await endpoints.get('b')).metadata.name).toBe('b');
  });

  test('45-1 the Service kubernetes has the first address, is there from the start, and comes back', async () => {
    const logged: string[] = [];
    const note = (_: unknown, text?: string): number => logged.push(text ?? '');
    const log = {debug: () => {}, info: note, warn: note, error: note};
    await open({log: log as never});
    const {metadata, spec} = await services.get('kubernetes');
    expect(metadata).toMatchObject({
      labels: {component: 'apiserver', provider: 'kubernetes'},
      managedFields: [{manager: 'kube-apiserver'}],
    });
    expect(spec).toMatchObject({
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [{name: 'https', port: 443, protocol: 'TCP'}],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    });
    await services.remove('kubernetes');
    await make('thief', {clusterIP: '10.96.0.1', ports: [{port: 80}]});
    api.time.advance(1_000);
    await api.settle();
    expect(await services.get('kubernetes')).toBeUndefined();
    for (let second = 0; second < 600; second++) {
      api.time.advance(1_000);
      await api.settle();
    }
    expect(logged).toEqual(['service kubernetes could not be made, retrying']);
    await services.remove('thief');
    api.time.advance(1_000);
    await api.settle();
    expect((await services.get('kubernetes')).spec.clusterIP).toBe('10.96.0.1');
    expect(logged.slice(1)).toEqual(['service kubernetes made']);
  });

  test('45-1 a second start leaves the Service kubernetes as it is, also beside the first one', async () => {
    const store = await openMemoryStore();
    await open({store});
    const {metadata} = await services.get('kubernetes');
    const first = api;
    await open({store});
    expect((await services.get('kubernetes')).metadata).toEqual(metadata);
    await first[Symbol.asyncDispose]();
  });

  test('45-1 a status that is written to an absent name creates a Service without addresses', async () => {
    await open();
    const ports = [{port: 80, nodePort: 30_001}];
    const sent = {apiVersion: 'v1', kind: 'Service', metadata: {name: 'a'}, spec: {type: 'NodePort', ports}};
    const put = await services.send('update', 'a', {subresource: 'status', body: sent});
    expect([put.status, put.body.spec.clusterIP]).toEqual([201, undefined]);
    const type = 'application/apply-patch+yaml';
    const body = {...sent, metadata: {name: 'b'}};
    const applied = await services.send('patch', 'b', {subresource: 'status', type, body, query: {fieldManager: 'm'}});
    expect(applied.status).toBe(201);
    expect(applied.body.metadata.managedFields).toBeUndefined(); // the spec is nobody's through it
    const merged = {subresource: 'status', type: 'application/merge-patch+json', body: {spec: {}}};
    expect((await services.send('patch', 'c', merged)).status).toBe(404);
  });

  test('45-1 a write that is the end of a Service is answered as it was written, not as it would be read', async () => {
    await open();
    await services.make({name: 'a', finalizers: ['e.io/x']}, {spec: HEADLESS});
    await services.remove('a');
    const spec = {type: 'ExternalName', externalName: 'x.y', internalTrafficPolicy: 'Local'};
    const kept = await services.patch('a', 'merge', {spec});
    expect(kept.body.spec).not.toHaveProperty('internalTrafficPolicy');
    const gone = await services.patch('a', 'merge', {metadata: {finalizers: null}, spec});
    expect([gone.body.spec.internalTrafficPolicy, await services.get('a')]).toEqual(['Local', undefined]);
  });

  test('45-1 its name is a DNS label, and a PUT of an absent name creates it', async () => {
    await open();
    expect(causes(await post('a.b', HEADLESS))).toEqual(['metadata.name: Invalid value: "a.b": must not contain dots']);
    expect((await services.put('a', {spec: HEADLESS})).status).toBe(201);
  });

  test('45-1 it is deleted with an answer of what it was', async () => {
    await open();
    await make('a', HEADLESS);
    const {status, body} = await services.remove('a');
    expect([status, body.spec.clusterIP]).toEqual([200, 'None']);
  });

  test.each<[spec: object, cells: readonly unknown[]]>([
    [{type: 'ExternalName', externalName: 'x.y'}, ['ExternalName', '<none>', 'x.y', '<none>']],
    [HEADLESS, ['ClusterIP', 'None', '<none>', '80/TCP']],
    [
      {type: 'NodePort', clusterIP: '10.96.0.9', externalIPs: ['1.2.3.4'], ports: [{port: 80, nodePort: 30_001}]},
      ['NodePort', '10.96.0.9', '1.2.3.4', '80:30001/TCP'],
    ],
    [
      {type: 'LoadBalancer', clusterIP: '10.96.0.9', ports: [{port: 80}], allocateLoadBalancerNodePorts: false},
      ['LoadBalancer', '10.96.0.9', '<pending>', '80/TCP'],
    ],
  ])('45-1 the row of %j', async (spec, cells) => {
    await open();
    const object = await services.make({name: 'a'}, {spec: {...spec, selector: {b: '2', a: '1'}}});
    const row = services.kind.strategy.table.cells(object, api.time.now());
    expect(row).toEqual(['a', ...cells, '0s', 'a=1,b=2']);
  });
});
