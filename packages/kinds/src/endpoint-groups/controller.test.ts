// SPDX-License-Identifier: Apache-2.0
/** Which Endpoints a group has, and what it leaves alone. Ref: requirements E-005, E-006, E-042. */
import type {Body} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {endpointSlicesKind} from '../endpoint-slices/kind.ts';
import {mirroringModule} from '../mirroring/index.ts';
import {DEFAULT_KIND_SETTINGS} from '../settings.ts';
import {GroupsApi, ips, manyIps} from './testing/groups-api.ts';

let api: GroupsApi;
beforeEach(async () => {
  api = await GroupsApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const HTTP = {name: 'http', port: 80, check: {httpGet: {path: '/healthz'}}};
const PLAIN = {name: 'http', port: 80};
const http = {name: 'http', port: 80, protocol: 'TCP'};
const SELECTED = {selector: {matchLabels: {app: 'x'}}, ports: [PLAIN]};

describe('46-1 a group', () => {
  test('E-042 makes the Endpoints of its name, which it owns; members are not ready before the first check', async () => {
    const {metadata} = await api.group({members: ips('10.0.0.1', '10.0.0.2'), ports: [HTTP]}, {labels: {app: 'x'}});
    expect(await api.endpoints.get('web')).toMatchObject({
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
      subsets: [{notReadyAddresses: ips('10.0.0.1', '10.0.0.2'), ports: [http]}],
    });
    api.prober.report('10.0.0.1');
    await api.settle();
    expect(await api.subsets()).toEqual([
      {addresses: ips('10.0.0.1'), notReadyAddresses: ips('10.0.0.2'), ports: [http]},
    ]);
    expect(await api.status()).toMatchObject({observedGeneration: 1, ready: 1, total: 2});
  });

  test('E-005 E-006 shows an address in different subsets for ports that differ', async () => {
    const dns = {name: 'dns', port: 53, check: {tcpSocket: {}}};
    await api.group({members: ips('10.0.0.1', '10.0.0.2'), ports: [HTTP, dns]});
    api.prober.report('');
    await api.settle();
    expect(await api.subsets()).toMatchObject([
      {addresses: ips('10.0.0.1', '10.0.0.2'), ports: [{port: 53}, {port: 80}]},
    ]);
    api.prober.report('10.0.0.1:53', 'connection refused', {times: 3});
    await api.settle();
    expect(await api.subsets()).toEqual([
      {addresses: ips('10.0.0.1', '10.0.0.2'), ports: [http]},
      {
        addresses: ips('10.0.0.2'),
        notReadyAddresses: ips('10.0.0.1'),
        ports: [{name: 'dns', port: 53, protocol: 'TCP'}],
      },
    ]);
  });

  test('gives members the hostname, the node and the target that they have', async () => {
    const member = {ip: '10.0.0.1', hostname: 'h', nodeName: 'n', targetRef: {kind: 'Pod', name: 'p', uid: 'u'}};
    await api.group({members: [member], ports: [PLAIN]});
    expect(await api.subsets()).toEqual([{addresses: [member], ports: [http]}]);
  });

  test('E-047 without ports has members without a port', async () => {
    await api.group({members: ips('10.0.0.1')});
    expect(await api.subsets()).toEqual([{addresses: ips('10.0.0.1')}]);
    expect(await api.status()).toMatchObject({ready: 1, total: 1});
  });

  test('leaves Endpoints of somebody else untouched, and says so, until they are gone', async () => {
    const before = await api.endpoints.make({name: 'web'}, {subsets: [{addresses: ips('10.9.9.9')}]});
    await api.group({members: ips('10.0.0.1'), ports: [PLAIN]});
    expect((await api.conditions()).Composed).toEqual(['False', 'NameConflict']);
    await api.groups.merge('web', {labels: {a: 'b'}});
    await api.settle();
    expect(await api.endpoints.get('web')).toEqual(before);
    expect(await api.eventTexts()).toEqual([
      'NameConflict: Endpoints "web" exist and are not of this group, so they are left as they are; delete them, or give the group another name',
    ]);
    await api.endpoints.remove('web');
    await api.settle();
    expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
    expect(await api.addresses()).toEqual([['10.0.0.1'], []]);
  });

  test('never takes over Endpoints that somebody else creates in the same moment', async () => {
    const made = api.endpoints.make({name: 'web'}, {subsets: [{addresses: ips('10.9.9.9')}]});
    const group = api.groups.make({name: 'web'}, {spec: {members: ips('10.0.0.1')}});
    await Promise.all([made, group]);
    await api.settle();
    expect(await api.addresses()).toEqual([['10.9.9.9'], []]);
    expect((await api.conditions()).Composed).toEqual(['False', 'NameConflict']);
  });

  test('believes nothing that Endpoints of somebody else say', async () => {
    await api.endpoints.make({name: 'web'}, {subsets: [{addresses: ips('10.0.0.1'), ports: [http]}]});
    await api.group({members: ips('10.0.0.1'), ports: [HTTP]});
    expect((await api.status()).members[0].ports[0].state).toBe('Starting');
  });

  /** Calls once, while a round is between the Endpoints and the status. */
  const amidRound = (action: () => void): void => {
    const {cache} = api.memory.api.services.registryOf(api.endpoints.kind);
    const stop = cache.onEvent(() => {
      stop();
      action();
    });
  };

  test('misses no edit of its Endpoints in the middle of a round', async () => {
    await api.group({members: ips('10.0.0.1'), ports: [HTTP]});
    amidRound(() => void api.endpoints.patch('web', 'merge', {subsets: [{addresses: ips('10.9.9.9')}]}));
    api.prober.report('');
    await api.settle();
    expect(await api.addresses()).toEqual([['10.0.0.1'], []]);
  });

  test('misses no edit of its spec in the middle of a round', async () => {
    await api.group({members: ips('10.0.0.1'), ports: [HTTP]});
    amidRound(() => void api.groups.patch('web', 'merge', {spec: {members: ips('10.0.0.2')}}));
    api.prober.report('');
    await api.settle();
    expect(await api.addresses()).toEqual([[], ['10.0.0.2']]);
    expect((await api.status()).observedGeneration).toBe(2);
  });

  test('puts back what somebody edits, and leaves labels and annotations of others', async () => {
    await api.group({members: ips('10.0.0.1'), ports: [PLAIN]}, {labels: {app: 'x', tier: 'y'}});
    const wanted = await api.subsets();
    await api.endpoints.patch('web', 'merge', {
      metadata: {labels: {app: 'changed', mine: 'z'}, annotations: {note: 'n'}},
      subsets: [{addresses: ips('10.9.9.9')}],
    });
    await api.settle();
    await api.groups.merge('web', {labels: {tier: null}});
    await api.settle();
    const {metadata, subsets} = await api.endpoints.get('web');
    expect([subsets, metadata.labels, metadata.annotations]).toEqual([wanted, {app: 'x', mine: 'z'}, {note: 'n'}]);
    await api.endpoints.remove('web');
    await api.settle();
    expect(await api.subsets()).toEqual(wanted);
  });

  test('goes with its Endpoints, and its checks end', async () => {
    await api.group({members: ips('10.0.0.1'), ports: [HTTP]});
    await api.groups.remove('web');
    await api.settle();
    expect([await api.endpoints.get('web'), api.prober.targets.size]).toEqual([undefined, 0]);
  });

  test('that is made again has new Endpoints, and believes nothing of those of the one before', async () => {
    await api.group({members: ips('10.0.0.1', '10.0.0.2'), ports: [HTTP]});
    api.prober.report('10.0.0.1');
    await api.settle();
    const before = await api.endpoints.get('web');
    await api.groups.remove('web');
    const {metadata} = await api.groups.make({name: 'web'}, {spec: {members: ips('10.0.0.1'), ports: [HTTP]}});
    await api.settle();
    const found = await api.endpoints.get('web');
    expect(found.metadata.uid).not.toBe(before.metadata.uid);
    expect(found.metadata.ownerReferences).toMatchObject([{uid: metadata.uid}]);
    expect(await api.addresses()).toEqual([[], ['10.0.0.1']]);
    expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
    expect(await api.eventTexts()).not.toContainEqual(expect.stringMatching(/NameConflict/));
  });

  test('leaves Endpoints alone that the garbage collector has not yet taken, and says so, until they are gone', async () => {
    const held = {finalizers: ['e.io/x']};
    await api.group({members: ips('10.0.0.1'), ports: [HTTP]});
    await api.endpoints.merge('web', held);
    api.prober.report('');
    await api.settle();
    await api.groups.remove('web');
    const {metadata} = await api.group({members: ips('10.0.0.2'), ports: [HTTP]});
    await api.restart();
    expect(await api.addresses()).toEqual([['10.0.0.1'], []]);
    const {conditions, members} = await api.status();
    expect(conditions[0]).toMatchObject({status: 'False', reason: 'Deleting'});
    expect(conditions[0].message).toMatch(/^Endpoints "web" are of a group of this name that was deleted/);
    expect(members[0].ports[0].state).toBe('Starting');
    await api.endpoints.merge('web', {finalizers: null});
    await api.settle();
    expect(await api.addresses()).toEqual([[], ['10.0.0.2']]);
    expect((await api.endpoints.get('web')).metadata.ownerReferences).toMatchObject([{uid: metadata.uid}]);
    expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
    expect(await api.eventTexts()).not.toContainEqual(expect.stringMatching(/NameConflict/));
  });

  test('is not taken in by Endpoints that name it as their owner with another uid', async () => {
    const owner = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', name: 'web', uid: 'made-up'};
    const ownerReferences = [{...owner, controller: true}];
    const group = api.groups.make({name: 'web'}, {spec: {members: ips('10.0.0.1'), ports: [HTTP]}});
    const made = api.endpoints.make(
      {name: 'web', ownerReferences},
      {subsets: [{addresses: ips('10.0.0.1'), ports: [http]}]},
    );
    await Promise.all([made, group]);
    await api.settle();
    expect((await api.status()).members[0].ports[0].state).toBe('Starting');
    expect(await api.addresses()).toEqual([[], ['10.0.0.1']]);
  });

  test('that waits for a finalizer stays up to date, and makes no new Endpoints', async () => {
    await api.group({members: ips('10.0.0.1'), ports: [HTTP]}, {finalizers: ['e.io/x']});
    await api.groups.remove('web');
    api.prober.report('');
    await api.settle();
    expect(await api.addresses()).toEqual([['10.0.0.1'], []]);
    await api.endpoints.remove('web');
    await api.settle();
    expect(await api.endpoints.get('web')).toBeUndefined();
  });
});

describe('46-1 46-3 registrations', () => {
  test('are members by their labels, with their own numbers, until they are gone', async () => {
    await api.group(SELECTED);
    expect(await api.subsets()).toBeUndefined();
    await api.register('m1', {addresses: ['10.0.0.7'], ports: [{name: 'http', port: 8080}]});
    await api.register('m2', {addresses: ['10.0.0.8']}, {app: 'y'});
    expect(await api.subsets()).toEqual([{addresses: ips('10.0.0.7'), ports: [{...http, port: 8080}]}]);
    expect((await api.status()).members).toMatchObject([{ip: '10.0.0.7', registration: 'm1'}]);
    await api.registrations.merge('m2', {labels: {app: 'x'}});
    await api.settle();
    expect(await api.subsets()).toHaveLength(2);
    await api.registrations.remove('m1');
    await api.registrations.remove('m2');
    await api.settle();
    expect(await api.subsets()).toBeUndefined();
  });

  test('that drain are not ready; those that are expired are out', async () => {
    await api.group(SELECTED);
    await api.register('m1', {addresses: ['10.0.0.1']});
    await api.register('m2', {addresses: ['10.0.0.2']});
    await api.registrations.patch('m1', 'merge', {spec: {draining: true}});
    await api.settle();
    expect(await api.addresses()).toEqual([['10.0.0.2'], ['10.0.0.1']]);
    expect(await api.status()).toMatchObject({ready: 1, total: 2, members: [{draining: true}, {ip: '10.0.0.2'}]});
    const status = {subresource: 'status', type: 'application/merge-patch+json'};
    await api.registrations.send('patch', 'm2', {...status, body: {status: {state: 'Expired'}}});
    await api.settle();
    expect(await api.addresses()).toEqual([[], ['10.0.0.1']]);
    expect(await api.status()).toMatchObject({ready: 0, total: 1});
  });

  test('of one address drain if one of them does, in whatever order they came', async () => {
    await api.group(SELECTED);
    await api.register('m2', {addresses: ['10.0.0.1'], draining: true});
    await api.register('m1', {addresses: ['10.0.0.1']});
    expect([await api.addresses(), (await api.status()).members[0].draining]).toEqual([[[], ['10.0.0.1']], true]);
    await api.registrations.patch('m2', 'merge', {spec: {draining: false}});
    await api.settle();
    expect(await api.addresses()).toEqual([['10.0.0.1'], []]);
    await api.registrations.patch('m1', 'merge', {spec: {draining: true}});
    await api.settle();
    expect(await api.addresses()).toEqual([[], ['10.0.0.1']]);
  });

  test('of one address: the oldest gives hostname, node and check', async () => {
    await api.group({selector: {}});
    const check = (path: string) => [{name: 'http', port: 80, check: {httpGet: {path}}}];
    await api.register('z', {addresses: ['10.0.0.1'], hostname: 'old', nodeName: 'n', ports: check('/old')});
    api.time.advance(1_000);
    await api.register('a', {addresses: ['10.0.0.1'], hostname: 'new', nodeName: 'm', ports: check('/new')});
    expect((await api.subsets())[0].notReadyAddresses).toEqual([{ip: '10.0.0.1', hostname: 'old', nodeName: 'n'}]);
    expect([...api.prober.targets.values()]).toMatchObject([{method: {path: '/old'}}]);
    expect((await api.status()).members[0].registration).toBe('z');
  });

  test('E-084 of one address with several ports without a name are in a subset each', async () => {
    await api.group({selector: {}});
    await api.register('m1', {addresses: ['10.0.0.1'], ports: [{port: 80}]});
    await api.register('m2', {addresses: ['10.0.0.1'], ports: [{port: 81}]});
    expect((await api.subsets()).map(({ports}: Body) => ports)).toEqual([
      [{port: 80, protocol: 'TCP'}],
      [{port: 81, protocol: 'TCP'}],
    ]);
    expect((await api.status()).total).toBe(1);
  });

  test('of an inline address add their ports, and the inline member wins where both have one', async () => {
    await api.group({...SELECTED, members: [{ip: 'fd00::1', hostname: 'inline'}]});
    await api.register('m1', {addresses: ['FD00:0::1'], hostname: 'other', draining: true});
    await api.register('m2', {addresses: ['fd00::1'], ports: [{name: 'http', port: 8080}]});
    const address = {ip: 'fd00::1', hostname: 'inline'};
    expect(await api.subsets()).toEqual([{addresses: [address], ports: [http, {...http, port: 8080}]}]);
  });
});

test('E-259 46-1 what is composed is mirrored to EndpointSlices', async () => {
  await api[Symbol.asyncDispose]();
  const {controllers} = mirroringModule({...DEFAULT_KIND_SETTINGS, mirror: 'always'});
  api = await GroupsApi.open({kinds: [endpointSlicesKind], controllers});
  await api.group({members: ips('10.0.0.1', '10.0.0.2'), ports: [HTTP]}, {labels: {app: 'x'}});
  api.prober.report('10.0.0.1');
  await api.settle();
  const [slice, ...more] = (await api.memory.of(endpointSlicesKind).send('list', '')).body.items;
  expect([slice.metadata.labels, slice.endpoints, slice.ports, more]).toMatchObject([
    {app: 'x', 'kubernetes.io/service-name': 'web'},
    [
      {addresses: ['10.0.0.1'], conditions: {ready: true}},
      {addresses: ['10.0.0.2'], conditions: {ready: false}},
    ],
    [http],
    [],
  ]);
});

test('46-1 Endpoints that are too large are not written, and the status says why, itself without members', async () => {
  await api[Symbol.asyncDispose]();
  api = await GroupsApi.open({limits: {objectBytesMax: 12_000}});
  // At one port ready and at the other not: each address is in the Endpoints twice.
  const members = manyIps(30).map(({ip}) => ({ip, nodeName: Array.from({length: 4}, () => 'n'.repeat(60)).join('.')}));
  await api.group({members, selector: {}, ports: [{name: 'x', port: 1}, HTTP]});
  await api.register('m', {addresses: ['10.9.0.1']});
  expect((await api.conditions()).Composed).toEqual(['False', 'TooLarge']);
  expect(await api.status()).toMatchObject({ready: 0, total: 30});
  expect((await api.status()).members).toBeUndefined();
  const before = await api.stored();
  await api.settle();
  expect(await api.stored()).toEqual(before);
});

test('46-1 a status that does not fit leaves out results first, then members that are ready, and says so', async () => {
  await api[Symbol.asyncDispose]();
  api = await GroupsApi.open({limits: {objectBytesMax: 13_000}});
  const of = {members: manyIps(40), ports: [HTTP]};
  const {metadata} = await api.group(of);
  const {objects} = api.memory.api.services.registryOf(api.groups.kind).cache;
  const fails = (...failing: readonly string[]): Promise<void> => {
    for (const socket of failing) api.prober.report(socket, 'refused', {times: 3});
    return api.settle();
  };
  const stored = (name = 'web'): Body => {
    const {status = {}}: Body = objects.get(metadata.namespace, name)?.decode() ?? {};
    const {ready, total, conditions, members = []} = status;
    const failing = members.find(({ip}: Body) => ip === '10.0.0.39')?.ports[0];
    const words = /leaves out (.*?), so/.exec(conditions[0].message)?.[1];
    return [ready, total, members.length, failing?.state, failing?.lastError, failing?.results?.length, words];
  };
  await fails('10.0.0.39');
  expect(stored()).toEqual([0, 40, 40, 'NotReady', 'refused', 3, undefined]);
  api.prober.report('', '', {times: 20});
  await fails('10.0.0.39');
  expect(stored()).toEqual([39, 40, 40, 'NotReady', 'refused', undefined, 'the results of checks']);
  await api.group(of, {name: 'long', annotations: {long: 'x'.repeat(7_000)}});
  expect(stored('long')).toEqual([0, 40, 0, undefined, undefined, undefined, 'all members']);
  api.prober.report('');
  await fails('10.0.0.39');
  expect(stored('long')).toEqual([
    39,
    40,
    1,
    'NotReady',
    'refused',
    undefined,
    'members that are ready, and the results of checks',
  ]);
  const before = await api.stored();
  await api.restart();
  expect(await api.stored()).toEqual(before);
  expect((await api.addresses('long'))[1]).toEqual(['10.0.0.39']);
});
