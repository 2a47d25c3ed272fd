// SPDX-License-Identifier: Apache-2.0
/** What is of a group alone; names, metadata, patches and deletion are those of all kinds (endpoints.test.ts). */
import {type FakeKubeServer, type FakeObject, startFakeKubeServer} from '@palisade/client/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {type Provider, ResourceInitError} from '../provider.ts';
import {createPlatformProvider} from '../providers/platform-provider.ts';
import {testHost, urnOf} from '../testing/test-host.ts';
import {type PropertyMap, Secret, UNKNOWN} from '../value.ts';

const urn = urnOf('platform:discovery/v1alpha1:EndpointGroup', 'web');
const id = 'default/web';
const metadata = {name: 'web'};
const CHECK = {httpGet: {path: '/healthz'}, periodSeconds: 5};
const spec = {members: [{ip: '10.0.0.1'}], ports: [{port: 80, check: CHECK}]};
/** As the server stores it. */
const STORED = {
  members: [{ip: '10.0.0.1'}],
  ports: [
    {
      port: 80,
      protocol: 'TCP',
      check: {...CHECK, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3, jitterPercent: 10},
    },
  ],
};
const NAME_CONFLICT = {type: 'Composed', status: 'False', reason: 'NameConflict', message: 'Endpoints "web" exist'};
const CONFLICT =
  'EndpointGroup "web" in namespace "default" is not composed: NameConflict: Endpoints "web" exist (Endpoints of this stack: take them out of the program, deploy, then add the group)';

const statusWith =
  (...conditions: readonly PropertyMap[]) =>
  ({metadata: {generation}}: FakeObject) => ({observedGeneration: generation, ready: 1, total: 2, conditions});
const composed = statusWith({type: 'Composed', status: 'True', reason: 'Composed'});

let server: FakeKubeServer;
let provider: Provider;
let host: ReturnType<typeof testHost>;
beforeEach(async () => {
  server = await startFakeKubeServer();
  server.behaviour.status = composed;
  host = testHost({PALISADE_SERVER: server.url});
  provider = createPlatformProvider(host);
  await provider.configure({inputs: {}});
});
afterEach(() => server[Symbol.asyncDispose]());

const create = (news: PropertyMap = {metadata, spec}, more: {preview?: boolean; timeoutSeconds?: number} = {}) =>
  provider.create({urn, news, ...more});
const update = (news: PropertyMap, olds: PropertyMap, more: {preview?: boolean} = {}) =>
  provider.update({urn, id, olds, oldInputs: {metadata, spec}, news, ...more});
const read = (inputs: PropertyMap = {}, properties: PropertyMap = {}) => provider.read({urn, id, inputs, properties});
const diff = (before: PropertyMap, after: PropertyMap) =>
  provider.diff({urn, id, olds: {}, oldInputs: {metadata, spec: before}, news: {metadata, spec: after}});
const group = (): FakeObject => {
  const found = server.groups.get(id);
  if (found === undefined) throw new Error('there is no group');
  return found;
};
const failed = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );

describe('46-5 check', () => {
  const check = (news: PropertyMap) =>
    provider.check({urn, olds: {}, news, randomSeed: Uint8Array.from([0xab, 0xcd, 0xef, 0x01])});

  test('a name is made as for Endpoints; a resource name without letters gives one of the kind', async () => {
    expect((await check({spec})).inputs).toEqual({metadata: {name: 'web-abcdef0'}, spec});
    const odd = urnOf('platform:discovery/v1alpha1:EndpointGroup', '__');
    const {inputs} = await provider.check({urn: odd, olds: {}, news: {}, randomSeed: Uint8Array.from([1])});
    expect(inputs).toEqual({metadata: {name: 'endpointgroup-0100000'}});
  });

  test('names and types are checked with their path, metadata by its rules; values of the spec are left to the server', async () => {
    const news = {
      metadata: {name: 'Bad_', labels: {'-a': 'x'}},
      spec: {ports: [{port: '80', check: {httpget: {}}}], members: [{ip: 'nonsense'}], panicThresholdPercent: 900},
    };
    expect((await check(news)).failures.map(({property}) => property)).toEqual([
      'spec.ports[0].port',
      'spec.ports[0].check.httpget',
      'metadata.name',
      'metadata.labels["-a"]',
    ]);
  });

  test('unknowns at any depth are taken', async () => {
    const news = {metadata, spec: {members: UNKNOWN, ports: [{port: UNKNOWN, check: {tcpSocket: {}}}]}};
    expect(await check(news)).toEqual({inputs: news, failures: []});
  });
});

describe('46-5 diff', () => {
  const ports = (check: PropertyMap, more: PropertyMap = {}): PropertyMap => ({ports: [{port: 80, check, ...more}]});

  test.each<[string, PropertyMap, PropertyMap]>([
    ['defaults and nothing', ports({}), ports({periodSeconds: 10, jitterPercent: 10, failureThreshold: 3})],
    ['0 and a default that has no 0', ports({periodSeconds: 0}), ports({})],
    ['false, 0 and nothing', ports({grpc: {tls: false}, initialDelaySeconds: 0}), ports({grpc: {}})],
    ['no protocol and TCP', ports({}), ports({}, {protocol: 'TCP'})],
    ['no members and an empty list', {members: []}, {}],
    ['a panic threshold of 0 and none', {panicThresholdPercent: 0}, {}],
  ])('%s are equal', async (_name, before, after) => {
    expect(await diff(before, after)).toMatchObject({changes: 'none', detailedDiff: {}});
  });

  test.each<[string, PropertyMap, PropertyMap, string]>([
    ['an empty selector selects all, a missing one nothing', {}, {selector: {}}, 'spec'],
    ['an empty check is a check', {ports: [{port: 80}]}, ports({}), 'spec.ports[0].check'],
    ['a method without settings is one', ports({}), ports({tls: {}}), 'spec.ports[0].check.tls'],
    ['no jitter is not the default', ports({}), ports({jitterPercent: 0}), 'spec.ports[0].check.jitterPercent'],
    [
      'a label that is there and empty',
      {selector: {}},
      {selector: {matchLabels: {a: ''}}},
      'spec.selector.matchLabels',
    ],
  ])('%s', async (_name, before, after, path) => {
    const result = await diff(before, after);
    expect(Object.keys(result.detailedDiff)).toEqual([path]);
    expect(result.replaces).toEqual([]);
  });

  test('a pointer that is 0 or false is a value', async () => {
    const result = await diff(ports({}), ports({jitterPercent: 0}));
    expect(result.detailedDiff).toEqual({'spec.ports[0].check.jitterPercent': {kind: 'update', inputDiff: true}});
  });

  test('E-149 name and namespace replace, the rest changes in place', async () => {
    const replaced = await provider.diff({
      urn,
      id,
      olds: {},
      oldInputs: {metadata, spec},
      news: {metadata: {name: 'web', namespace: 'shop'}, spec: {}},
    });
    expect(replaced.replaces).toEqual(['metadata.namespace']);
  });
});

describe('46-5 create', () => {
  test('sends the inputs as they are, and answers the status without the last checks', async () => {
    const results = [{time: 't', passed: true}];
    const members = [{ip: '10.0.0.1', ports: [{port: 80, state: 'Ready', results}]}];
    server.behaviour.status = object => ({...composed(object), members});
    const {properties} = await create();
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      apiVersion: 'platform.io/v1alpha1',
      kind: 'EndpointGroup',
      spec,
    });
    expect(properties).toMatchObject({
      metadata: {name: 'web', namespace: 'default', uid: 'uid-1'},
      spec,
      status: {ready: 1, total: 2, members: [{ip: '10.0.0.1', ports: [{port: 80, state: 'Ready'}]}]},
    });
    expect(JSON.stringify(properties)).not.toContain('results');
  });

  test('waits until the condition is known for this generation, whatever the members do', async () => {
    const stale = {observedGeneration: 0, conditions: [{type: 'Composed', status: 'True'}]};
    const statuses = [{}, stale, statusWith({type: 'Composed', status: 'Unknown'})(group0)];
    server.behaviour.status = object => statuses.shift() ?? {...composed(object), ready: 0};
    const {properties} = await create();
    expect(properties['status']).toMatchObject({ready: 0, total: 2});
    expect(host.clock.slept.length).toBe(3);
  });
  const group0: FakeObject = {metadata: {name: 'web', uid: 'u', generation: 1}};

  test('a name that other Endpoints have fails with the reason, and the group stays in the state', async () => {
    server.behaviour.status = statusWith(NAME_CONFLICT);
    const error = await failed(create());
    expect(error).toBeInstanceOf(ResourceInitError);
    expect(error).toMatchObject({id, reasons: [CONFLICT], inputs: {spec}, properties: {metadata: {uid: 'uid-1'}}});
    expect(host.now()).toBeGreaterThanOrEqual(3_000);
    expect(host.now()).toBeLessThan(10_000);
  });

  test('a conflict with what is being deleted is no failure', async () => {
    server.behaviour.status = object => (host.now() < 1_000 ? statusWith(NAME_CONFLICT)(object) : composed(object));
    expect(await create()).toMatchObject({id});
    server.behaviour.status = object =>
      host.now() < 30_000 ? statusWith({...NAME_CONFLICT, reason: 'Deleting'})(object) : composed(object);
    expect(await create({metadata: {name: 'next'}, spec})).toMatchObject({id: 'default/next'});
  });

  test('customTimeouts bound the wait; the group stays in the state', async () => {
    server.behaviour.status = () => ({});
    const error = await failed(create({metadata, spec}, {timeoutSeconds: 20}));
    expect(error).toBeInstanceOf(ResourceInitError);
    expect(error).toMatchObject({
      id,
      reasons: ['EndpointGroup "web" in namespace "default" is not composed yet: its condition Composed is not known'],
    });
    expect(host.now()).toBeLessThan(25_000);
  });

  test('a cancellation ends the wait, and what exists is known', async () => {
    server.behaviour.status = () => ({});
    host.clock.onSleep = () => provider.cancel();
    expect(await failed(create())).toMatchObject({id, reasons: [expect.stringContaining('not composed yet')]});
  });

  test('a server that fails during the wait leaves the group in the state', async () => {
    server.behaviour.status = () => ({});
    host.clock.onSleep = () => {
      server.behaviour.hasGroups = false;
    };
    expect(await failed(create())).toMatchObject({id, reasons: [expect.stringContaining('does not serve')]});
  });

  test('a group that is deleted during the wait is gone', async () => {
    server.behaviour.status = () => ({});
    host.clock.onSleep = () => server.groups.clear();
    expect(await failed(create())).toMatchObject({code: 'not-found'});
  });

  test('a server without groups is no missing object', async () => {
    server.behaviour.hasGroups = false;
    const words = 'the server does not serve endpointgroups of platform.io/v1alpha1: use a Palisade server that does';
    for (const call of [create(), read(), read({metadata, spec})])
      expect(await failed(call)).toMatchObject({code: 'failed-precondition', message: words});
  });

  test('the refusal of the server is shown with its field paths', async () => {
    server.behaviour.refusal = 'EndpointGroup "web" is invalid: spec.ports[0].port: Invalid value: 0';
    expect(await failed(create())).toMatchObject({
      code: 'invalid-argument',
      message: `web: ${server.behaviour.refusal}`,
    });
  });

  test('secret inputs are secret outputs', async () => {
    const check = {httpGet: {httpHeaders: [{name: 'authorization', value: new Secret('x')}]}};
    const {properties} = await create({metadata, spec: {ports: [{port: 80, check}]}});
    expect(properties['spec']).toMatchObject({ports: [{check}]});
  });
});

describe('46-5 a preview', () => {
  test('lets the server judge by a dry run, makes nothing, and knows what can be known', async () => {
    const {properties, id: made} = await create({metadata, spec}, {preview: true});
    expect({made, properties}).toMatchObject({
      made: '',
      properties: {metadata: {name: 'web', uid: UNKNOWN}, spec: STORED, status: UNKNOWN},
    });
    expect(server.groups.size).toBe(0);
    server.behaviour.refusal = 'spec.ports[0].port: Invalid value: 0';
    expect(await failed(create({metadata, spec}, {preview: true}))).toMatchObject({code: 'invalid-argument'});
    expect(server.requests.filter(({method}) => method === 'POST').map(({query}) => query.get('dryRun'))).toEqual([
      'All',
      'All',
    ]);
  });

  test('of an update judges the change', async () => {
    const {properties} = await create();
    const next = await update({metadata, spec: {}}, properties, {preview: true});
    expect(next.properties).toMatchObject({metadata: {uid: 'uid-1'}, status: UNKNOWN});
    expect(group().spec).toEqual(spec);
    server.behaviour.refusal = 'spec.members: Too many';
    expect(await failed(update({metadata, spec: {}}, properties, {preview: true}))).toMatchObject({
      code: 'invalid-argument',
    });
  });

  test('asks nothing where inputs are unknown; a server that cannot be asked is no fault', async () => {
    await create({metadata, spec: {members: UNKNOWN}}, {preview: true});
    expect(server.requests.filter(({method}) => method === 'POST')).toEqual([]);
    server.behaviour.hasGroups = false;
    await create({metadata, spec}, {preview: true});
    await server[Symbol.asyncDispose]();
    await create({metadata, spec}, {preview: true});
  });
});

describe('46-5 read', () => {
  test('E-030 import gives what a user would write: no defaults of the server', async () => {
    await create();
    group().spec = structuredClone(STORED);
    expect((await read()).inputs).toEqual({metadata, spec});
  });

  test('what the server filled in is no drift, and explicit defaults stay', async () => {
    await create();
    group().spec = structuredClone(STORED);
    expect((await read({metadata, spec})).inputs).toEqual({metadata, spec});
    const explicit = {...spec, ports: [{...STORED.ports[0], protocol: 'TCP'}]};
    expect((await read({metadata, spec: explicit})).inputs).toEqual({metadata, spec: explicit});
  });

  test('E-112 what others changed or added to the spec is drift, labels of others are not', async () => {
    await create();
    group().spec = {...structuredClone(STORED), members: [{ip: '10.0.0.1'}, {ip: '10.0.0.9'}]};
    group().metadata.labels = {theirs: 'x'};
    const {inputs} = await read({metadata, spec});
    expect(inputs).toEqual({metadata, spec: {...spec, members: [{ip: '10.0.0.1'}, {ip: '10.0.0.9'}]}});
    expect((await diff(inputs['spec'] as PropertyMap, spec)).detailedDiff).toEqual({
      'spec.members[1]': {kind: 'delete', inputDiff: true},
    });
  });

  test('E-112 a default that the program writes stays written when something else drifts', async () => {
    await create();
    group().spec = {...structuredClone(STORED), members: []};
    const explicit = {...spec, ports: [{...spec.ports[0], protocol: 'TCP', check: {...CHECK, timeoutSeconds: 1}}]};
    expect((await read({metadata, spec: explicit})).inputs).toEqual({metadata, spec: {...explicit, members: []}});
  });

  test('a group that is not composed is in no healthy state; one that is only imported is taken as it is', async () => {
    const {properties} = await create();
    server.behaviour.status = statusWith(NAME_CONFLICT);
    expect(await failed(read({metadata, spec}, properties))).toMatchObject({id, reasons: [CONFLICT], inputs: {spec}});
    expect(await read()).toMatchObject({id});
  });
});

describe('46-5 update', () => {
  const lastPatch = () => {
    const patches = server.requests.filter(({method}) => method === 'PATCH');
    return JSON.parse(patches.at(-1)?.body ?? '{}') as unknown;
  };

  test('replaces the spec as a whole, and waits for the new generation', async () => {
    const {properties} = await create();
    const next = {members: [{ip: '10.0.0.2'}], selector: {}};
    const seen: unknown[] = [];
    server.behaviour.status = object => {
      seen.push(object.metadata['generation']);
      return seen.length < 3
        ? {observedGeneration: 1, conditions: [{type: 'Composed', status: 'True'}]}
        : composed(object);
    };
    const updated = await update({metadata, spec: next}, properties);
    expect(lastPatch()).toEqual({metadata: {uid: 'uid-1'}, spec: {...next, $patch: 'replace'}});
    expect(updated.properties['status']).toMatchObject({observedGeneration: 2});
    expect(seen).toEqual([2, 2, 2]);
  });

  test('a label alone leaves the spec alone; a spec that is gone from the program is emptied', async () => {
    const {properties} = await create();
    await update({metadata: {...metadata, labels: {a: '1'}}, spec}, properties);
    expect(lastPatch()).toEqual({metadata: {uid: 'uid-1', labels: {a: '1'}}});
    await update({metadata}, properties);
    expect(lastPatch()).toEqual({metadata: {uid: 'uid-1'}, spec: null});
  });

  test('after the conflict is solved the next deployment, which changes nothing, is a success', async () => {
    server.behaviour.status = statusWith(NAME_CONFLICT);
    const error = (await failed(create())) as ResourceInitError;
    expect(await failed(update({metadata, spec}, error.properties))).toMatchObject({reasons: [CONFLICT]});
    server.behaviour.status = composed;
    expect((await update({metadata, spec}, error.properties)).properties).toMatchObject({status: {ready: 1}});
  });
});

test('46-5 a deletion waits for the Endpoints, too', async () => {
  const {properties} = await create();
  await provider.delete({urn, id, properties, oldInputs: {}});
  expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toMatchObject({
    propagationPolicy: 'Foreground',
    preconditions: {uid: 'uid-1'},
  });
  expect(server.groups.size).toBe(0);
});

describe('46-5 getEndpointGroup', () => {
  const token = 'platform:discovery/v1alpha1:getEndpointGroup';

  test('E-030 answers spec and status, and names what is missing', async () => {
    await create();
    expect((await provider.invoke?.({token, args: {name: 'web'}}))?.result).toMatchObject({
      id,
      metadata: {uid: 'uid-1'},
      spec,
      status: {ready: 1, total: 2},
    });
    expect(await failed(Promise.resolve(provider.invoke?.({token, args: {name: 'none'}})))).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('EndpointGroup "none" in namespace "default" does not exist'),
    });
  });

  test('refuses a name that no object has', async () => {
    const answer = await provider.invoke?.({token, args: {name: 'A_', namespace: 'a.b'}});
    expect(answer?.failures.map(({property}) => property)).toEqual(['name', 'namespace']);
  });
});
