// SPDX-License-Identifier: Apache-2.0
/** Who gets which address and which port, and when they are free again. Ref: issue 45, point 1. */
import {garbageCollection, type KindModule} from '@palisade/apiserver';
import {type Body, MemoryApi, type MemoryApiOptions, type Reply, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {endpointsKind} from '../../endpoints/kind.ts';
import {namespacesModule} from '../../namespaces/index.ts';
import {namespacesKind} from '../../namespaces/kind.ts';
import {DEFAULT_KIND_SETTINGS, type KindSettings} from '../../settings.ts';
import {servicesModule} from '../index.ts';

const PORTS = [{port: 80}];
const SMALL: Partial<KindSettings> = {serviceIpRanges: ['10.0.0.0/29'], nodePorts: {first: 30_000, last: 30_003}};
const DUAL: Partial<KindSettings> = {serviceIpRanges: ['10.0.0.0/24', 'fd00::/120']};

let api: MemoryApi;
let services: Resource;
const open = async (settings: Partial<KindSettings> = {}, options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  const modules: readonly KindModule[] = [namespacesModule, servicesModule({...DEFAULT_KIND_SETTINGS, ...settings})];
  api = await MemoryApi.open({
    kinds: [endpointsKind, ...modules.flatMap(({kinds}) => kinds)],
    bootstraps: modules.flatMap(({bootstraps}) => bootstraps),
    controllers: [...modules.flatMap(({controllers}) => controllers), garbageCollection],
    compat: 'kubernetes',
    ...options,
  });
  const [kind] = api.api.kinds.filter(({resource}) => resource === 'services');
  if (kind !== undefined) services = api.of(kind);
};
afterEach(() => api[Symbol.asyncDispose]());

const make = async (name: string, spec: object = {}): Promise<Body> =>
  (await services.make({name}, {spec: {ports: PORTS, ...spec}})).spec;
const post = (name: string, spec: object = {}, query: Record<string, string> = {}): Promise<Reply> =>
  services.post({name}, {spec: {ports: PORTS, ...spec}}, query);
const answerOf = ({status, body}: Reply): readonly [number, string] => [status, body.message];
const DRY = {dryRun: 'All'};

describe('damaged Services', () => {
  test.each([
    {what: 'is no JSON', damage: (text: string) => text.replace('"spec":{', '"spec":{{')},
    {
      what: 'has addresses of another type',
      damage: (text: string) => text.replace(/"clusterIPs":\[/, '"clusterIPs":[7,'),
    },
    {what: 'has no specification', damage: (text: string) => text.replace('"spec":{', '"kept":{')},
  ])('45-1 one that $what keeps no server from starting, and its address and port go to nobody', async ({damage}) => {
    const store = await openMemoryStore();
    await open({}, {store});
    const spec = {type: 'NodePort', clusterIP: '10.96.0.9', ports: [{port: 80, nodePort: 30_100}]};
    await make('broken', spec);
    await make('whole', {clusterIP: '10.96.0.8'});
    await api.api.stop();
    const key = '/kube/core/services/default/broken';
    const text = Buffer.from((await store.get(key))?.value ?? []).toString();
    expect(damage(text)).not.toBe(text);
    await store.put(key, Buffer.from(damage(text)));
    const logged: object[] = [];
    const log = {debug: () => {}, info: () => {}, warn: () => {}, error: (fields: object) => logged.push(fields)};
    await open({}, {store, log});
    expect(logged).toMatchObject([{resource: 'services', namespace: 'default', name: 'broken', damaged: 1}]);
    for (const clusterIP of ['10.96.0.9', '10.96.0.8'])
      expect(answerOf(await post('a', {clusterIP}))[1]).toMatch(/provided IP is already allocated$/);
    expect(answerOf(await post('a', {type: 'NodePort', ports: spec.ports}))[1]).toMatch(
      /provided port is already allocated$/,
    );
    expect((await post('a', {clusterIP: '10.96.0.7'})).status).toBe(201);
  });
});

describe('addresses', () => {
  test('45-1 are chosen above the band for fixed ones, and no two writers get the same', async () => {
    await open();
    const replies = await Promise.all(Array.from({length: 60}, (_, i) => post(`s${i}`)));
    const ips: string[] = replies.map(({body}) => body.spec.clusterIP);
    expect(new Set(ips).size).toBe(60);
    expect(ips.filter(ip => ip.startsWith('10.96.0.'))).toEqual([]);
  });

  test('45-1 one that is asked for by several at once goes to one of them', async () => {
    await open();
    const replies = await Promise.all(Array.from({length: 8}, (_, i) => post(`s${i}`, {clusterIP: '10.96.0.9'})));
    expect(replies.filter(({status}) => status === 201)).toHaveLength(1);
    expect(answerOf(replies.find(({status}) => status !== 201) as Reply)[1]).toMatch(
      /spec\.clusterIPs: Invalid value: \["10\.96\.0\.9"\]: failed to allocate IP 10\.96\.0\.9: provided IP is already allocated$/,
    );
  });

  test('45-1 the range ends: all of it is used, the lower band last, and then there is none', async () => {
    await open(SMALL);
    const ips = [];
    for (let i = 0; i < 5; i++) ips.push((await make(`s${i}`)).clusterIP);
    expect([...ips].sort()).toEqual(['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6']);
    expect(answerOf(await post('last'))).toEqual([
      500,
      'Internal error occurred: failed to allocate a serviceIP for Service "last": range is full',
    ]);
  });

  test.each<[what: string, leave: () => Promise<unknown>]>([
    ['a delete', () => services.remove('a')],
    ['a delete of all', () => services.send('deletecollection', '')],
    ['a change to a name', () => services.patch('a', 'merge', {spec: {type: 'ExternalName', externalName: 'x.y'}})],
    [
      'its last finalizer, after a delete',
      async () => {
        await services.merge('a', {finalizers: ['e.io/x']});
        await services.remove('a');
        expect((await post('b', {clusterIP: '10.96.0.9'})).status).toBe(422);
        await services.merge('a', {finalizers: null});
      },
    ],
    [
      'its last finalizer, by its status',
      async () => {
        await services.merge('a', {finalizers: ['e.io/x']});
        await services.remove('a');
        const type = 'application/merge-patch+json';
        await services.send('patch', 'a', {subresource: 'status', type, body: {metadata: {finalizers: null}}});
      },
    ],
    [
      'the end of its owner',
      async () => {
        const owner = await services.make({name: 'owner'}, {spec: {type: 'ExternalName', externalName: 'x.y'}});
        await services.merge('a', {ownerReferences: [services.refTo(owner.metadata)]});
        await services.remove('owner');
        await api.settle();
      },
    ],
  ])('45-1 %s gives the address back at once', async (_, leave) => {
    await open();
    await make('a', {clusterIP: '10.96.0.9'});
    await leave();
    expect((await post('b', {clusterIP: '10.96.0.9'})).status).toBe(201);
  });

  test('45-1 the end of a namespace gives the addresses of its Services back', async () => {
    await open({}, {compat: 'spec'});
    await api.of(namespacesKind).make({name: 'one'});
    await services.in('one').make({name: 'a'}, {spec: {ports: PORTS, clusterIP: '10.96.0.9'}});
    await api.of(namespacesKind).remove('one');
    await api.settle();
    expect((await post('b', {clusterIP: '10.96.0.9'})).status).toBe(201);
  });

  test.each<[what: string, fail: () => Promise<Reply>, status: number]>([
    ['invalid', () => post('a', {clusterIP: '10.96.0.9', ports: [{port: 0}]}), 422],
    ['one too many of its name', () => post('kubernetes', {clusterIP: '10.96.0.9'}), 409],
    ['a dry run', () => post('a', {clusterIP: '10.96.0.9'}, DRY), 201],
    ['refused for its node port', () => post('a', {clusterIP: '10.96.0.9', ...nodePort(1)}), 422],
  ])('45-1 a write that is %s leaves the address free', async (_, fail, status) => {
    await open();
    expect((await fail()).status).toBe(status);
    expect((await post('b', {clusterIP: '10.96.0.9'})).status).toBe(201);
  });

  test('45-1 a dry run looks at the range, not at who has what, and makes up what it would choose', async () => {
    await open();
    await make('a', {clusterIP: '10.96.0.9'});
    expect((await post('b', {clusterIP: '10.96.0.9'}, DRY)).status).toBe(201);
    expect((await post('b', {}, DRY)).body.spec.clusterIP).toBe('10.96.0.0');
    expect(answerOf(await post('b', {clusterIP: '10.0.0.1'}, DRY))[1]).toMatch(
      /the provided IP \(10\.0\.0\.1\) is not in the valid range\. The range of valid IPs is 10\.96\.0\.0\/16$/,
    );
  });

  test('45-1 a start knows from what is stored who has what', async () => {
    const store = await openMemoryStore();
    await open({}, {store});
    await make('a', {clusterIP: '10.96.0.9', ...nodePort(30_001)});
    await api.api.stop();
    await open({}, {store});
    expect((await post('b', {clusterIP: '10.96.0.9'})).status).toBe(422);
    expect((await post('b', nodePort(30_001))).status).toBe(422);
    await services.remove('a');
    expect((await post('b', {clusterIP: '10.96.0.9', ...nodePort(30_001)})).status).toBe(201);
  });

  test('45-1 the same document can be written again, and keeps what the server chose', async () => {
    await open();
    const {clusterIP, ports} = await make('a', {type: 'NodePort'});
    const {body} = await services.put('a', {spec: {ports: [{port: 81}], type: 'NodePort'}});
    expect([body.spec.clusterIP, body.spec.ports[0].nodePort]).toEqual([clusterIP, ports[0].nodePort]);
    expect(answerOf(await services.patch('a', 'merge', {spec: {clusterIP: '10.96.0.9'}}))[1]).toMatch(
      /may not change once set/,
    );
  });
});

describe('two families', () => {
  test('45-1 the policy says how many addresses there are', async () => {
    await open(DUAL);
    expect(await make('one')).toMatchObject({ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack'});
    const {clusterIPs, ipFamilies} = await make('both', {ipFamilyPolicy: 'PreferDualStack'});
    expect(ipFamilies).toEqual(['IPv4', 'IPv6']);
    expect(clusterIPs.map((ip: string) => ip.includes(':'))).toEqual([false, true]);
    const other = await make('other', {ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6']});
    expect(other.ipFamilies).toEqual(['IPv6', 'IPv4']);
    expect(other.clusterIP).toBe(other.clusterIPs[0]);
  });

  test('45-1 a second address is added and released with the policy, the first one stays', async () => {
    await open(DUAL);
    const {clusterIP} = await make('a');
    const policy = (ipFamilyPolicy: string): Promise<Reply> => services.patch('a', 'merge', {spec: {ipFamilyPolicy}});
    const two = (await policy('RequireDualStack')).body.spec;
    expect([two.clusterIPs.length, two.clusterIP]).toEqual([2, clusterIP]);
    const second: string = two.clusterIPs[1];
    const steal = (): Promise<Reply> => post('b', {clusterIP: second});
    expect((await steal()).status).toBe(422);
    expect((await policy('SingleStack')).body.spec.clusterIPs).toEqual([clusterIP]);
    expect((await steal()).status).toBe(201);
  });

  test('45-1 one family alone: a second one cannot be required, and a list of two is refused', async () => {
    await open();
    expect(answerOf(await post('a', {ipFamilyPolicy: 'RequireDualStack'}))[1]).toMatch(
      /spec\.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services$/,
    );
    expect(answerOf(await post('a', {ipFamilies: ['IPv6']}))[1]).toMatch(
      /spec\.ipFamilies\[0\]: Invalid value: "IPv6": not configured on this cluster$/,
    );
    expect((await make('b', {ipFamilyPolicy: 'PreferDualStack'})).ipFamilies).toEqual(['IPv4']);
  });
});

const nodePort = (number: number, port = 80): object => ({type: 'NodePort', ports: [{port, nodePort: number}]});

test('45-1 an address cannot be given up, also where a second one would be preferred', async () => {
  await open();
  await make('a', {ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4']});
  const reply = await services.patch('a', 'merge', {spec: {clusterIP: 'None'}});
  expect(answerOf(reply)).toEqual([422, expect.stringMatching(/spec\.clusterIPs\[0\]: .*: may not change once set/)]);
});

test('45-1 one that would become headless is offered an address of its second family, if that has a range', async () => {
  const spec = {clusterIP: 'None', ipFamilyPolicy: 'RequireDualStack'};
  await open();
  await make('a', {ipFamilies: ['IPv4']});
  expect(answerOf(await services.patch('a', 'merge', {spec}))[1]).toMatch(/\["None"\]: may not change once set/);
  await api[Symbol.asyncDispose]();
  await open(DUAL);
  await make('a', {ipFamilies: ['IPv4']});
  expect(answerOf(await services.patch('a', 'merge', {spec}))[1]).toMatch(
    /spec\.clusterIPs: Invalid value: \["None","fd00::[0-9a-f]+"\]: 'None' must be the first and only value/,
  );
});

describe('node ports', () => {
  test('45-1 each is given once, in the range alone, and is free with the end of its Service', async () => {
    await open(SMALL);
    await make('a', nodePort(30_001));
    const fault = 'spec.ports[0].nodePort: Invalid value:';
    expect(answerOf(await post('b', nodePort(30_001)))).toEqual([
      422,
      `Service "b" is invalid: ${fault} 30001: provided port is already allocated`,
    ]);
    expect(answerOf(await post('b', nodePort(1)))[1]).toBe(
      `Service "b" is invalid: ${fault} 1: provided port is not in the valid range. The range of valid ports is 30000-30003`,
    );
    await services.remove('a');
    expect((await post('b', nodePort(30_001))).status).toBe(201);
  });

  test('45-1 equal ports of two protocols share one, and the range ends', async () => {
    await open(SMALL);
    const two = [
      {name: 'a', port: 53},
      {name: 'b', port: 53, protocol: 'UDP'},
    ];
    const {ports} = await make('dns', {type: 'NodePort', ports: two});
    expect(ports[0].nodePort).toBe(ports[1].nodePort);
    for (const name of ['x', 'y', 'z']) await make(name, {type: 'NodePort'});
    expect(answerOf(await post('last', {type: 'NodePort'}))).toEqual([
      500,
      'Internal error occurred: failed to allocate a nodePort: range is full',
    ]);
    expect((await services.patch('dns', 'merge', {spec: {type: 'ClusterIP'}})).body.spec.ports[0]).not.toHaveProperty(
      'nodePort',
    );
    expect((await post('last', {type: 'NodePort'})).status).toBe(201);
  });

  test('45-1 a load balancer for local traffic has one for health checks, until its traffic is no longer local', async () => {
    await open();
    const local = {type: 'LoadBalancer', externalTrafficPolicy: 'Local'};
    const {healthCheckNodePort} = await make('a', {...local, healthCheckNodePort: 30_001});
    expect(healthCheckNodePort).toBe(30_001);
    expect(answerOf(await post('b', {...local, healthCheckNodePort: 30_001}))).toEqual([
      500,
      'Internal error occurred: failed to allocate requested HealthCheck NodePort 30001: provided port is already allocated',
    ]);
    expect(answerOf(await services.patch('a', 'merge', {spec: {healthCheckNodePort: 30_002}}))[1]).toMatch(
      /spec\.healthCheckNodePort: Forbidden: field is immutable$/,
    );
    await services.patch('a', 'merge', {spec: {externalTrafficPolicy: 'Cluster'}});
    expect((await post('b', {...local, healthCheckNodePort: 30_001})).status).toBe(201);
  });

  test('45-1 two ports of one protocol cannot come to have the same one, which stays free', async () => {
    await open();
    const ports = [
      {name: 'a', port: 80, nodePort: 30_001},
      {name: 'b', port: 81, nodePort: 30_001},
    ];
    await make('a', {type: 'NodePort'});
    expect(answerOf(await services.patch('a', 'merge', {spec: {ports}}))).toEqual([
      500,
      'duplicate nodePort: {TCP 30001}',
    ]);
    expect((await post('b', nodePort(30_001))).status).toBe(201);
  });

  test('45-1 a Service that is only a name holds none; when it is more, it has those in its ports, unasked as upstream', async () => {
    await open();
    await make('a', {type: 'ExternalName', externalName: 'x.y', ports: [{port: 80, nodePort: 30_001}]});
    await make('b', nodePort(30_001));
    const become = (): Promise<Reply> => services.patch('a', 'merge', {spec: {type: 'NodePort'}});
    expect((await become()).status).toBe(200);
    await services.remove('b');
    expect((await post('b', nodePort(30_001))).status).toBe(422);
    await services.remove('a');
    expect((await post('b', nodePort(30_001))).status).toBe(201);
  });

  test('45-1 a dry run takes none and makes them up', async () => {
    await open();
    const {body} = await post('a', {type: 'NodePort'}, DRY);
    expect(body.spec.ports[0].nodePort).toBe(32_769);
    expect((await post('a', nodePort(30_001), DRY)).status).toBe(201);
    expect((await post('a', nodePort(30_001))).status).toBe(201);
    expect((await post('b', nodePort(30_001), DRY)).status).toBe(422);
  });
});
