// SPDX-License-Identifier: Apache-2.0
/** Groups on the memory store, with a prober whose results the test chooses. Ref: requirements E-005, E-006, E-042. */
import {garbageCollection} from '@palisade/apiserver';
import {type Body, MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {FakeProber} from '../checks/testing/fake-prober.ts';
import {createKubeModule} from '../index.ts';
import {DEFAULT_KIND_SETTINGS} from '../settings.ts';

let store: Awaited<ReturnType<typeof openMemoryStore>>;
let prober: FakeProber;
let api: MemoryApi;
let groups: Resource;
let endpoints: Resource;
let registrations: Resource;
let events: Resource;

const open = async (): Promise<void> => {
  prober = new FakeProber();
  const {kinds, controllers, bootstraps} = createKubeModule(DEFAULT_KIND_SETTINGS, {prober});
  api = await MemoryApi.open({store, kinds, bootstraps, controllers: [...controllers, garbageCollection]});
  const of = (resource: string): Resource => {
    const kind = kinds.find(each => each.resource === resource && each.group !== 'events.k8s.io');
    if (kind === undefined) throw new Error(resource);
    return api.of(kind, 'default');
  };
  groups = of('endpointgroups');
  endpoints = of('endpoints');
  registrations = of('endpointregistrations');
  events = of('events');
  await settle();
};
/** Until nothing is to be done, whatever rests are due. */
const settle = async (): Promise<void> => {
  await api.settle();
  for (let i = 0; i < 3; i++) {
    api.time.advance(350);
    await api.settle();
  }
};
beforeEach(async () => {
  store = await openMemoryStore();
  await open();
});
afterEach(() => api[Symbol.asyncDispose]());

const HTTP = {name: 'http', port: 80, check: {httpGet: {path: '/healthz'}}};
const group = async (spec: object, name = 'web', metadata: object = {}): Promise<Body> => {
  const made = await groups.make({name, ...metadata}, {spec});
  await settle();
  return made;
};
const subsets = async (name = 'web'): Promise<Body> => (await endpoints.get(name))?.subsets;
const conditions = async (): Promise<Body> =>
  Object.fromEntries(
    ((await groups.get('web')).status.conditions ?? []).map(({type, status, reason}: Body) => [type, [status, reason]]),
  );
const ips = (...list: readonly string[]): {ip: string}[] => list.map(ip => ({ip}));

describe('46-1 a group', () => {
  test('E-042 makes the Endpoints of its name, which it owns; members are not ready before the first check', async () => {
    const {metadata} = await group({members: ips('10.0.0.1', '10.0.0.2'), ports: [HTTP]}, 'web', {labels: {app: 'x'}});
    const made = await endpoints.get('web');
    expect(made).toMatchObject({
      metadata: {
        labels: {app: 'x'},
        ownerReferences: [
          {
            apiVersion: 'platform.io/v1alpha1',
            kind: 'EndpointGroup',
            name: 'web',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
        managedFields: [{manager: 'palisade-endpoint-group', operation: 'Apply'}],
      },
      subsets: [{notReadyAddresses: ips('10.0.0.1', '10.0.0.2'), ports: [{name: 'http', port: 80, protocol: 'TCP'}]}],
    });
    expect([...prober.targets.values()].map(({ip, port}) => `${ip}:${port}`)).toEqual(['10.0.0.1:80', '10.0.0.2:80']);
    prober.report('10.0.0.1');
    await settle();
    expect(await subsets()).toEqual([
      {
        addresses: ips('10.0.0.1'),
        notReadyAddresses: ips('10.0.0.2'),
        ports: [{name: 'http', port: 80, protocol: 'TCP'}],
      },
    ]);
    expect((await groups.get('web')).status).toMatchObject({observedGeneration: 1, ready: 1, total: 2});
  });

  test('E-005 E-006 shows an address in different subsets for ports that differ', async () => {
    await group({members: ips('10.0.0.1', '10.0.0.2'), ports: [HTTP, {name: 'dns', port: 53, check: {tcpSocket: {}}}]});
    prober.report('');
    await settle();
    prober.report('10.0.0.1:53', 'connection refused', {times: 3});
    await settle();
    const dns = {name: 'dns', port: 53, protocol: 'TCP'};
    const http = {name: 'http', port: 80, protocol: 'TCP'};
    expect(await subsets()).toEqual([
      {addresses: ips('10.0.0.1', '10.0.0.2'), ports: [http]},
      {addresses: ips('10.0.0.2'), notReadyAddresses: ips('10.0.0.1'), ports: [dns]},
    ]);
  });

  test('NameConflict: Endpoints of somebody else are untouched until they are gone', async () => {
    const before = await endpoints.make({name: 'web'}, {subsets: [{addresses: ips('10.9.9.9')}]});
    await group({members: ips('10.0.0.1'), ports: [{port: 80}]});
    expect((await conditions()).Composed).toEqual(['False', 'NameConflict']);
    expect(await endpoints.get('web')).toEqual(before);
    await endpoints.remove('web');
    await settle();
    expect((await conditions()).Composed).toEqual(['True', 'Composed']);
    expect((await subsets())[0].addresses).toEqual(ips('10.0.0.1'));
  });

  test('takes registrations by their labels, with their own numbers, and out when they are gone', async () => {
    await group({selector: {matchLabels: {app: 'x'}}, ports: [{name: 'http', port: 80}]});
    expect(await subsets()).toBeUndefined();
    await registrations.make(
      {name: 'm1', labels: {app: 'x'}},
      {spec: {group: 'web', addresses: ['10.0.0.7'], ports: [{name: 'http', port: 8080}]}},
    );
    await registrations.make({name: 'm2', labels: {app: 'y'}}, {spec: {group: 'web', addresses: ['10.0.0.8']}});
    await settle();
    expect(await subsets()).toEqual([
      {addresses: ips('10.0.0.7'), ports: [{name: 'http', port: 8080, protocol: 'TCP'}]},
    ]);
    await registrations.remove('m1');
    await settle();
    expect(await subsets()).toBeUndefined();
  });

  test('goes with its Endpoints, and its checks end', async () => {
    await group({members: ips('10.0.0.1'), ports: [HTTP]});
    await groups.remove('web');
    await settle();
    expect([await endpoints.get('web'), prober.targets.size]).toEqual([undefined, 0]);
  });
});

test('46-2 a restart keeps states and writes nothing', async () => {
  await group({members: ips('10.0.0.1', '10.0.0.2', '10.0.0.3'), ports: [HTTP], panicThresholdPercent: 10});
  prober.report('10.0.0.1');
  prober.report('10.0.0.2', 'HTTP 503', {times: 3});
  await settle();
  const written = async (): Promise<Body> =>
    Promise.all([groups, endpoints, events].map(async each => (await each.send('list', '')).body.items));
  const before = await written();
  await api[Symbol.asyncDispose]();
  await open();
  await settle();
  expect(await written()).toEqual(before);
  expect(prober.targets.size).toBe(3);
});
