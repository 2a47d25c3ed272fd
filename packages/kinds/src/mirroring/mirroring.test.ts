// SPDX-License-Identifier: Apache-2.0
/** Endpoints to EndpointSlices on the memory store, with a manual clock. Ref: requirements E-100, E-254, E-259. */
import {garbageCollection, silentLog} from '@palisade/apiserver';
import {type Body, MemoryApi, type MemoryApiOptions, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {endpointSlicesKind} from '../endpoint-slices/kind.ts';
import {endpointsKind} from '../endpoints/kind.ts';
import {eventsKind} from '../events/kind.ts';
import {namespacesModule} from '../namespaces/index.ts';
import {servicesKindOf} from '../services/kind.ts';
import {DEFAULT_KIND_SETTINGS, type KindSettings} from '../settings.ts';
import {endpointSliceMirroring} from './controller.ts';

const servicesKind = servicesKindOf(DEFAULT_KIND_SETTINGS);
const KINDS = [endpointsKind, servicesKind, endpointSlicesKind, eventsKind];
const OWNED = {
  'kubernetes.io/service-name': 'a',
  'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
};

let api: MemoryApi;
let endpoints: Resource;
let services: Resource;
let slices: Resource;
type Options = Partial<MemoryApiOptions> & Pick<KindSettings, 'mirror'>;
const open = async ({mirror, ...options}: Options = {mirror: undefined}): Promise<void> => {
  const controllers = [garbageCollection, endpointSliceMirroring({...DEFAULT_KIND_SETTINGS, mirror})];
  api = await MemoryApi.open({kinds: KINDS, controllers, ...options});
  endpoints = api.of(endpointsKind);
  services = api.of(servicesKind);
  slices = api.of(endpointSlicesKind);
  await api.settle();
};
const openUpstream = (options: Partial<Options> = {}): Promise<void> =>
  open({compat: 'kubernetes', mirror: undefined, ...options});
afterEach(() => api[Symbol.asyncDispose]());

const all = async (resource: Resource, query = {}): Promise<Body[]> =>
  (await resource.send('list', '', {query})).body.items;
const slicesOf = async (name = 'a'): Promise<Body[]> => {
  await api.settle();
  return all(slices, {labelSelector: `kubernetes.io/service-name=${name}`});
};
const addressesOf = async (name = 'a'): Promise<string[]> =>
  (await slicesOf(name)).flatMap(({endpoints: list}) => (list ?? []).map(({addresses}: Body) => addresses[0]));
const ips = (count: number, from = 0): {ip: string}[] =>
  Array.from({length: count}, (_, i) => ({
    ip: `10.${(from + i) >> 16}.${((from + i) >> 8) & 255}.${(from + i) & 255}`,
  }));
const subset = (addresses: readonly object[], ...ports: readonly object[]): object => ({addresses, ports});
const WEB = {subsets: [subset([{ip: '10.1.0.1'}], {port: 80})]};
const make = async (content: object = WEB, metadata: object = {name: 'a'}): Promise<Body> =>
  endpoints.make(metadata, content);
const service = async (spec: object = {ports: [{port: 80}]}): Promise<void> => {
  await services.make({name: 'a'}, {spec});
  await api.settle();
};

describe('45-2 a slice', () => {
  test('has labels and annotations of the Endpoints, which own it', async () => {
    await open();
    const {metadata} = await make(WEB, {
      name: 'a',
      labels: {app: 'x', 'kubernetes.io/service-name': 'liar', 'endpointslice.kubernetes.io/managed-by': 'me'},
      annotations: {
        note: 'n',
        'endpoints.kubernetes.io/last-change-trigger-time': '2020-01-01T00:00:00Z',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      },
    });
    expect(await slicesOf()).toEqual([
      {
        metadata: {
          name: expect.stringMatching(/^a-.{5}$/),
          generateName: 'a-',
          namespace: 'default',
          uid: expect.any(String),
          resourceVersion: expect.any(String),
          generation: 1,
          creationTimestamp: '2026-01-01T00:00:00Z',
          labels: {app: 'x', ...OWNED},
          annotations: {note: 'n'},
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Endpoints',
              name: 'a',
              uid: metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
          managedFields: [expect.objectContaining({manager: 'palisade-mirroring-controller', operation: 'Update'})],
        },
        addressType: 'IPv4',
        endpoints: [{addresses: ['10.1.0.1'], conditions: {ready: true}}],
        ports: [{name: '', protocol: 'TCP', port: 80}],
      },
    ]);
  });

  test('follows labels and annotations', async () => {
    await open();
    await make(WEB, {name: 'a', labels: {app: 'x'}, annotations: {note: 'n'}});
    const [before] = await slicesOf();
    await endpoints.merge('a', {labels: {app: null, tier: 'y'}, annotations: {note: null}});
    const [{metadata}] = (await slicesOf()) as [Body];
    expect([metadata.uid, metadata.generation, metadata.labels, metadata.annotations]).toEqual([
      before.metadata.uid,
      2,
      {tier: 'y', ...OWNED},
      undefined,
    ]);
  });

  test('has one family of addresses, ready and not', async () => {
    await open();
    const target = {kind: 'Pod', namespace: 'default', name: 'p', uid: 'u', resourceVersion: '7'};
    await make({
      subsets: [
        {
          addresses: [{ip: '10.1.0.1', hostname: 'h', nodeName: 'n', targetRef: target}, {ip: '2001:DB8:0::1'}],
          notReadyAddresses: [{ip: '10.1.0.2'}],
          ports: [{port: 80}],
        },
      ],
    });
    const found = (await slicesOf()).map(({addressType, endpoints: list}) => [addressType, list]);
    expect(found.toSorted()).toEqual([
      [
        'IPv4',
        [
          {addresses: ['10.1.0.1'], conditions: {ready: true}, hostname: 'h', nodeName: 'n', targetRef: target},
          {addresses: ['10.1.0.2'], conditions: {ready: false}},
        ],
      ],
      ['IPv6', [{addresses: ['2001:db8::1'], conditions: {ready: true}}]],
    ]);
  });

  test('is for one set of ports: equal ones share it', async () => {
    await open();
    await make({
      subsets: [
        subset([{ip: '10.1.0.1'}], {port: 80}),
        subset([{ip: '10.1.0.2'}], {port: 80}),
        subset([{ip: '10.1.0.3'}], {port: 81, name: 'b'}, {port: 80, name: 'a'}),
        subset([{ip: '10.1.0.4'}]),
      ],
    });
    const found = (await slicesOf()).map(({ports, endpoints: list}) => [
      (ports ?? []).map(({port}: Body) => port).join(),
      list.map(({addresses}: Body) => addresses[0]).join(),
    ]);
    expect(found.toSorted()).toEqual([
      ['', '10.1.0.4'],
      ['80', '10.1.0.1,10.1.0.2'],
      ['80,81', '10.1.0.3'],
    ]);
  });

  test('stays the same one when all of it changes', async () => {
    await open();
    await make();
    const [before] = await slicesOf();
    await endpoints.put('a', {subsets: [subset([{ip: '10.1.0.2'}], {port: 90})]});
    const after = await slicesOf();
    expect(after).toMatchObject([{metadata: {uid: before.metadata.uid, generation: 2}, ports: [{port: 90}]}]);
  });

  test('E-096 E-097 E-098 E-100 has the names of protocols that consumers act on', async () => {
    await open();
    const names = ['platform.io/h2c', 'platform.io/ws', 'platform.io/wss', 'kubernetes.io/h2c', 'example.com/x'];
    const ports = names.map((appProtocol, i) => ({name: `p${i}`, port: 80 + i, appProtocol}));
    await make({subsets: [subset([{ip: '10.1.0.1'}], ...ports)]});
    const [slice] = await slicesOf();
    expect(slice.ports.map(({appProtocol}: Body) => appProtocol)).toEqual([
      'kubernetes.io/h2c',
      'kubernetes.io/ws',
      'kubernetes.io/wss',
      'kubernetes.io/h2c',
      'example.com/x',
    ]);
    expect((await endpoints.get('a')).subsets[0].ports[0].appProtocol).toBe('platform.io/h2c');
  });

  test('is one of several when ports share a name, which a slice cannot hold', async () => {
    await open();
    await make({
      subsets: [subset([{ip: '10.1.0.1'}], {name: 'dns', port: 53}, {name: 'dns', port: 53, protocol: 'UDP'})],
    });
    const found = (await slicesOf()).map(({ports}) => ports);
    expect(found.toSorted((a, b) => (a[0].protocol < b[0].protocol ? -1 : 1))).toEqual([
      [{name: 'dns', protocol: 'TCP', port: 53}],
      [{name: 'dns', protocol: 'UDP', port: 53}],
    ]);
  });
});

test('45-2 with --compat kubernetes slices belong to kube-controller-manager, field by field', async () => {
  await open({compat: 'kubernetes', mirror: 'always'});
  const {metadata} = await make({subsets: [subset([{ip: '10.1.0.1'}])]});
  const fields = {
    'f:addressType': {},
    'f:endpoints': {},
    'f:metadata': {
      'f:labels': {
        '.': {},
        'f:endpointslice.kubernetes.io/managed-by': {},
        'f:kubernetes.io/service-name': {},
      },
      'f:ownerReferences': {'.': {}, [`k:{"uid":"${metadata.uid}"}`]: {}},
    },
  };
  const entry = {manager: 'kube-controller-manager', operation: 'Update', apiVersion: 'discovery.k8s.io/v1'};
  const entries = async (): Promise<Body[]> => (await slicesOf())[0].metadata.managedFields;
  const named = {...fields, 'f:metadata': {'f:generateName': {}, ...fields['f:metadata']}};
  expect(await entries()).toMatchObject([{...entry, fieldsV1: named}]);
  await endpoints.put('a', WEB);
  expect(await entries()).toEqual([expect.objectContaining({...entry, fieldsV1: {...fields, 'f:ports': {}}})]);
});

describe('45-2 E-259 what is mirrored', () => {
  test.each([
    ['the label skip-mirror', {labels: {'endpointslice.kubernetes.io/skip-mirror': 'true'}}],
    ['a leader election', {annotations: {'control-plane.alpha.kubernetes.io/leader': '{}'}}],
  ])('not Endpoints with %s', async (_, metadata: Record<string, object>) => {
    await open();
    await make(WEB, {name: 'a', ...metadata});
    expect(await slicesOf()).toEqual([]);
    const [[field, mark]] = Object.entries(metadata) as [[string, object]];
    const without = {[field]: Object.fromEntries(Object.keys(mark).map(key => [key, null]))};
    await endpoints.merge('a', without);
    expect(await slicesOf()).toHaveLength(1);
    await endpoints.merge('a', metadata);
    expect(await slicesOf()).toEqual([]);
  });

  test('with --mirror always: Endpoints without a Service, or with one that has a selector', async () => {
    await open();
    await make();
    expect(await slicesOf()).toHaveLength(1);
    await service({ports: [{port: 80}], selector: {x: 'y'}});
    expect(await slicesOf()).toHaveLength(1);
  });

  test.each([
    ['--mirror services', {mirror: 'services' as const}],
    ['--compat kubernetes', {mirror: undefined, compat: 'kubernetes' as const}],
  ])('with %s: those of a Service without a selector', async (_, options) => {
    await open(options);
    await make();
    expect(await slicesOf()).toEqual([]);
    await service();
    expect(await slicesOf()).toHaveLength(1);
    await services.patch('a', 'merge', {spec: {selector: {x: 'y'}}});
    expect(await slicesOf()).toEqual([]);
    await services.patch('a', 'merge', {spec: {selector: null}});
    expect(await slicesOf()).toHaveLength(1);
    await services.remove('a');
    expect(await slicesOf()).toEqual([]);
  });

  test('slices go with their Endpoints, and with their addresses', async () => {
    await open();
    await make();
    await slicesOf();
    await endpoints.put('a', {subsets: []});
    expect(await slicesOf()).toEqual([]);
    await endpoints.put('a', WEB);
    expect(await slicesOf()).toHaveLength(1);
    await endpoints.remove('a');
    expect(await slicesOf()).toEqual([]);
  });

  test.each(['Foreground', 'Background', 'Orphan'])(
    'slices go with Endpoints that are deleted with the policy %s',
    async propagationPolicy => {
      await open();
      await make();
      await slicesOf();
      await endpoints.remove('a', {propagationPolicy});
      expect(await slicesOf()).toEqual([]);
      expect(await endpoints.get('a')).toBeUndefined();
    },
  );

  test('Endpoints that wait for a finalizer keep their slices up to date, and get no new ones', async () => {
    await open();
    await make(WEB, {name: 'a', finalizers: ['e.io/x']});
    await slicesOf();
    await endpoints.remove('a');
    await endpoints.patch('a', 'merge', {subsets: [subset([{ip: '10.1.0.9'}], {port: 80})]});
    const [{metadata, endpoints: list}] = (await slicesOf()) as [Body];
    expect(list).toMatchObject([{addresses: ['10.1.0.9']}]);
    await slices.remove(metadata.name);
    expect(await slicesOf()).toEqual([]);
  });

  test('a name that no label can hold is reported, for nobody could find the slices', async () => {
    await open();
    const name = `${'a'.repeat(63)}.b`;
    await make(WEB, {name});
    await api.settle();
    expect(await all(slices)).toEqual([]);
    expect(await all(api.of(eventsKind))).toMatchObject([
      {
        involvedObject: {kind: 'Endpoints', name},
        reason: 'FailedToUpdateEndpointSlices',
        message: 'Error mirroring to EndpointSlices: the name is no label: must be no more than 63 bytes',
      },
    ]);
  });

  test('a name that no label can hold is no matter while there is nothing to mirror', async () => {
    await open();
    await make({subsets: []}, {name: `${'a'.repeat(63)}.b`});
    await api.settle();
    expect(await all(api.of(eventsKind))).toEqual([]);
  });

  test('a name that no label can hold is logged alone with --compat kubernetes --mirror always, as a refused slice is upstream', async () => {
    const warned: [object, string][] = [];
    const log = {...silentLog, warn: (fields: object, text: string) => warned.push([fields, text])};
    await open({compat: 'kubernetes', mirror: 'always', log});
    const name = `${'a'.repeat(63)}.b`;
    await make(WEB, {name});
    await api.settle();
    expect([await all(slices), await all(api.of(eventsKind)), api.time.pending]).toEqual([[], [], 0]);
    expect(warned).toEqual([
      [expect.objectContaining({endpoints: name}), 'endpoint slice refused, waiting for a change'],
    ]);
  });
});

describe('45-2 E-254 many addresses', () => {
  test('need further slices, of at most 1,000 each', async () => {
    await open();
    await make({subsets: [subset(ips(2_500), {port: 80})]});
    const found = await slicesOf();
    expect(found.map(({endpoints: list}) => list.length).toSorted()).toEqual([1_000, 1_000, 500]);
    expect(new Set(await addressesOf())).toEqual(new Set(ips(2_500).map(({ip}) => ip)));
  });

  test('one change in 20,000 writes one slice', async () => {
    await open();
    await make({subsets: [subset(ips(20_000), {port: 80})]});
    await api.settle();
    const written: string[] = [];
    api.api.services
      .registryOf(endpointSlicesKind)
      .cache.onEvent(({type, object}) => written.push(`${type} ${object.name}`));
    await endpoints.put('a', {subsets: [subset([...ips(20_000).toSpliced(7_777, 1), {ip: '10.9.9.9'}], {port: 80})]});
    const now = await addressesOf();
    expect([now.length, now.includes('10.9.9.9')]).toEqual([20_000, true]);
    expect(written).toEqual([expect.stringMatching(/^MODIFIED /)]);
  }, 30_000);

  test('with --compat kubernetes stop at 1,000 of a set of ports, as an Event reports and counts', async () => {
    await openUpstream();
    await service();
    const {metadata} = await make({
      subsets: [subset(ips(1_003), {port: 80, appProtocol: 'platform.io/h2c'}), subset([{ip: '10.9.9.9'}], {port: 81})],
    });
    const found = await slicesOf();
    expect(found.map(({endpoints: list}) => list.length).toSorted()).toEqual([1, 1_000]);
    expect(found.map(({ports}) => ports[0].appProtocol).toSorted()).toEqual(['platform.io/h2c', undefined]);
    const event = {
      metadata: {name: expect.stringMatching(/^a\.[0-9a-f]{16}$/)},
      involvedObject: {kind: 'Endpoints', namespace: 'default', name: 'a', uid: metadata.uid, apiVersion: 'v1'},
      reason: 'TooManyAddressesToMirror',
      message:
        'A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 3 addresses were skipped',
      source: {component: 'endpoint-slice-mirroring-controller'},
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
      type: 'Warning',
      eventTime: null,
      reportingComponent: 'endpoint-slice-mirroring-controller',
      reportingInstance: '',
    };
    expect(await all(api.of(eventsKind))).toMatchObject([event]);
    api.time.advance(60_000);
    await endpoints.merge('a', {annotations: {x: 'y'}});
    await api.settle();
    expect(await all(api.of(eventsKind))).toMatchObject([{...event, count: 2, lastTimestamp: '2026-01-01T00:01:00Z'}]);
  });

  test('that go leave no row of nearly empty slices', async () => {
    await open();
    await make({subsets: [subset(ips(5_000), {port: 80})]});
    expect(await slicesOf()).toHaveLength(5);
    await endpoints.put('a', {
      subsets: [
        subset(
          ips(5_000).filter((_, i) => i % 100 === 0),
          {port: 80},
        ),
      ],
    });
    expect((await slicesOf()).map(({endpoints: list}) => list.length)).toEqual([50]);
  });
});

test.each([
  ['spec', ['', '80']],
  ['kubernetes', ['80']],
] as const)(
  '45-2 E-047 with --compat %s addresses without ports beside the same ones with ports have slices for %j',
  async (compat, wanted) => {
    await open({compat, mirror: 'always'});
    await make({subsets: [subset([{ip: '10.1.0.1'}], {port: 80}), subset([{ip: '10.1.0.1'}])]});
    const found = (await slicesOf()).map(({ports}) => (ports ?? []).map(({port}: Body) => port).join());
    expect(found.toSorted()).toEqual(wanted);
  },
);

describe('45-2 slices of others', () => {
  const HAND_MADE = {addressType: 'IPv4', endpoints: [{addresses: ['10.1.0.5']}], ports: [{port: 80}]};

  test.each([
    ['nobody', {}],
    ['somebody', {'endpointslice.kubernetes.io/managed-by': 'me'}],
  ])('managed by %s are left alone', async (_, labels) => {
    await open();
    const mine = await slices.make({name: 'mine', labels: {'kubernetes.io/service-name': 'a', ...labels}}, HAND_MADE);
    await make();
    expect(await slicesOf()).toHaveLength(2);
    await endpoints.remove('a');
    expect(await slicesOf()).toEqual([mine]);
  });

  test('a changed slice is put right, a deleted one comes back', async () => {
    await open();
    await make();
    const [before] = await slicesOf();
    const {name} = before.metadata;
    for (const patch of [
      {endpoints: [{addresses: ['10.6.6.6']}]},
      {endpoints: [{addresses: ['10.1.0.1'], conditions: {ready: false}}]},
      {ports: [{port: 99}]},
      {metadata: {labels: {more: 'x'}}},
      {metadata: {ownerReferences: null}},
    ]) {
      expect((await slices.patch(name, 'merge', patch)).status).toBe(200);
      const [after, ...more] = await slicesOf();
      const {resourceVersion: _, generation: __, managedFields: ___, generateName: ____, ...metadata} = after.metadata;
      expect(more).toEqual([]);
      expect({...after, metadata}).toEqual({...before, metadata: expect.objectContaining(metadata)});
      expect(metadata.ownerReferences).toEqual(before.metadata.ownerReferences);
    }
    await slices.remove(name);
    expect(await addressesOf()).toEqual(['10.1.0.1']);
  });

  test('a slice that is changed while others are written is put right, too', async () => {
    await open();
    const {cache} = api.api.services.registryOf(endpointSlicesKind);
    let patched: Promise<unknown> | undefined;
    cache.onEvent(({type, object}) => {
      if (type === 'ADDED') patched ??= slices.patch(object.name, 'merge', {endpoints: null});
    });
    await make({subsets: [subset(ips(20_000), {port: 80})]});
    await api.settle();
    expect(await patched).toMatchObject({status: 200});
    expect((await addressesOf()).toSorted()).toEqual(
      ips(20_000)
        .map(({ip}) => ip)
        .toSorted(),
    );
  }, 30_000);

  test('a slice that is taken over stays as its new owner wrote it, and another one replaces it', async () => {
    await open();
    await make();
    const [{metadata}] = (await slicesOf()) as [Body];
    await slices.merge(metadata.name, {labels: {'endpointslice.kubernetes.io/managed-by': 'me'}});
    const taken = await slices.get(metadata.name);
    expect(await slicesOf()).toHaveLength(2);
    expect(await slices.get(metadata.name)).toEqual(taken);
  });

  test('a slice that moves to another Service is removed there', async () => {
    await open();
    await make();
    const [{metadata}] = (await slicesOf()) as [Body];
    await slices.merge(metadata.name, {labels: {'kubernetes.io/service-name': 'b'}});
    expect(await slicesOf()).toHaveLength(1);
    expect(await slicesOf('b')).toEqual([]);
  });
});

describe('45-2 restarts', () => {
  test('a start finishes what a crash left, and writes nothing when all is well', async () => {
    const store = await openMemoryStore();
    await open({mirror: undefined, store});
    await make({subsets: [subset(ips(2_500), {port: 80})]});
    await make(WEB, {name: 'gone'});
    await slicesOf();
    await api[Symbol.asyncDispose]();
    await open({mirror: undefined, store, controllers: []});
    const [first, second] = await slicesOf();
    await slices.remove(first.metadata.name);
    await slices.patch(second.metadata.name, 'merge', {endpoints: second.endpoints.slice(0, 10)});
    await endpoints.remove('gone');
    await api[Symbol.asyncDispose]();
    await open({mirror: undefined, store});
    expect((await addressesOf()).toSorted()).toEqual(
      ips(2_500)
        .map(({ip}) => ip)
        .toSorted(),
    );
    expect(await slicesOf('gone')).toEqual([]);
    const settled = await slicesOf();
    await api[Symbol.asyncDispose]();
    await open({mirror: undefined, store});
    expect(await slicesOf()).toEqual(settled);
  });

  test('Endpoints that were replaced get slices of the new ones', async () => {
    const store = await openMemoryStore();
    await open({mirror: undefined, store, controllers: [endpointSliceMirroring(DEFAULT_KIND_SETTINGS)]});
    await make();
    await slicesOf();
    await api[Symbol.asyncDispose]();
    await open({mirror: undefined, store, controllers: []});
    await endpoints.remove('a');
    const {metadata} = await make();
    await api[Symbol.asyncDispose]();
    await open({mirror: undefined, store});
    expect(await slicesOf()).toMatchObject([{metadata: {ownerReferences: [{uid: metadata.uid}]}}]);
  });
});

test('45-2 with --compat kubernetes ports that share a name are refused once, and tried again with the next change', async () => {
  await openUpstream();
  await service();
  await make({subsets: [subset([{ip: '10.1.0.1'}], {name: 'x', port: 80}, {name: 'x', port: 81})]});
  expect(await slicesOf()).toEqual([]);
  expect(api.time.pending).toBe(0);
  await endpoints.put('a', WEB);
  expect(await slicesOf()).toHaveLength(1);
});

test('45-2 a namespace that is being deleted gets no more slices, and nothing is tried again', async () => {
  const {kinds, controllers, bootstraps} = namespacesModule;
  await open({
    mirror: undefined,
    kinds: [...kinds, ...KINDS],
    bootstraps,
    controllers: [...controllers, garbageCollection, endpointSliceMirroring(DEFAULT_KIND_SETTINGS)],
  });
  await api.of(kinds[0] as (typeof kinds)[0]).make({name: 'one'});
  const inside = api.of(endpointsKind, 'one');
  await inside.make({name: 'a', finalizers: ['e.io/x']}, WEB);
  await api.settle();
  expect(await all(slices.in('one'))).toHaveLength(1);
  await api.of(kinds[0] as (typeof kinds)[0]).remove('one');
  await api.settle();
  expect(await all(slices.in('one'))).toEqual([]);
  await inside.merge('a', {finalizers: null});
  await api.settle();
  expect(await inside.get('a')).toBeUndefined();
});

test('45-2 an object with too many pairs of an address and a port is not mirrored, and an Event says why', async () => {
  await open();
  await make();
  expect(await addressesOf()).toEqual(['10.1.0.1']);
  const ports = Array.from({length: 600}, (_, n) => ({name: `p${n}`, port: n + 1}));
  await endpoints.patch('a', 'merge', {subsets: [subset(ips(1_000), ...ports)]});
  expect(await slicesOf()).toEqual([]);
  const [event] = await all(api.of(eventsKind));
  expect(event?.['message']).toBe(
    'Error mirroring to EndpointSlices: 600000 pairs of an address and a port, at most 500000 are mirrored; use fewer ports, or several Endpoints',
  );
  await endpoints.patch('a', 'merge', WEB);
  expect(await addressesOf()).toEqual(['10.1.0.1']);
});
