// SPDX-License-Identifier: Apache-2.0
/** Which server an object is on: remembered in its outputs, compared before anything is done. */
import {
  type FakeIdsServer,
  type FakeKubeServer,
  startFakeIdsServer,
  startFakeKubeServer,
} from '@palisade/client/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {Provider} from './provider.ts';
import {createCloudnativeProvider} from './providers/cloudnative-provider.ts';
import {createPlatformProvider} from './providers/platform-provider.ts';
import {testHost, urnOf} from './testing/test-host.ts';
import {type PropertyMap, Secret} from './value.ts';

const urn = urnOf('platform:core/v1:Endpoints', 'web');
const INPUTS: PropertyMap = {metadata: {name: 'web'}};
const CHANGED: PropertyMap = {metadata: {name: 'web', labels: {a: '1'}}};
const ID = 'default/web';

let old: FakeKubeServer;
let other: FakeKubeServer;
beforeEach(async () => {
  [old, other] = await Promise.all([startFakeKubeServer(), startFakeKubeServer()]);
  old.behaviour.identity = 'uid-old';
  other.behaviour.identity = 'uid-other';
});
afterEach(async () => {
  await Promise.all([old[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
});

const providerAt = async (url: string): Promise<Provider> => {
  const provider = createPlatformProvider(testHost({PALISADE_SERVER: url}));
  await provider.configure({inputs: {}});
  return provider;
};
const made = async (): Promise<PropertyMap> => {
  const {properties} = await (await providerAt(old.url)).create({urn, news: INPUTS});
  expect(properties['__server']).toEqual({uid: 'uid-old', address: old.url});
  return properties;
};
const writes = ({requests}: FakeKubeServer): string[] =>
  requests.filter(({method}) => method !== 'GET').map(({method}) => method);
const states = {urn, id: ID, oldInputs: INPUTS, inputs: INPUTS, news: CHANGED};

test('F-04 what is created, read or updated is remembered with its server, its address without a password', async () => {
  await made();
  const named = new URL(old.url);
  Object.assign(named, {username: 'me', password: 'hush', pathname: '/'});
  const provider = await providerAt(named.href);
  const read = await provider.read({...states, properties: {}});
  expect(read.properties['__server']).toEqual({uid: 'uid-old', address: old.url});
  const updated = await provider.update({...states, olds: read.properties});
  expect(updated.properties['__server']).toEqual({uid: 'uid-old', address: old.url});
});

test.each<[string, (provider: Provider, outputs: PropertyMap) => Promise<unknown>]>([
  ['diff, so a preview too', (provider, olds) => provider.diff({...states, olds})],
  ['update', (provider, olds) => provider.update({...states, olds})],
  ['read, so a refresh', (provider, properties) => provider.read({...states, properties})],
  ['delete', (provider, properties) => provider.delete({...states, properties})],
  [
    'what is made beside it',
    (provider, properties) => Promise.resolve(provider.assertSameServer?.([{urn, properties}])),
  ],
])('F-04 an object of another server is refused, with both addresses and the ways out: %s', async (_, act) => {
  const outputs = await made();
  other.objects.set(ID, structuredClone(old.objects.get(ID))!); // of the same name, and even the same uid
  const refused = act(await providerAt(other.url), outputs);
  await expect(refused).rejects.toMatchObject({
    code: 'failed-precondition',
    message: [
      `this object is on the server at ${old.url} (uid uid-old); ${other.url} is another server (uid uid-other), so nothing was changed`,
      'to keep working there, name that server again (PALISADE_SERVER, KUBECONFIG, platform:server or platform:kubeconfig)',
      `to leave that server, run \`palisade destroy\` against it first, or remove its objects from the state: palisade state delete '${urn}'`,
    ].join('\n'),
  });
  expect(writes(other)).toEqual([]);
});

test('F-04 another server at the same address is reported as such', async () => {
  const outputs = await made();
  old.behaviour.identity = 'uid-new';
  await expect((await providerAt(old.url)).delete({...states, properties: outputs})).rejects.toThrow(
    'another server is there now (uid uid-new), so nothing was changed\nto keep working on it, start the server on its own data again',
  );
});

test('F-04 many objects are one refusal, which names some of them', async () => {
  const properties = await made();
  const objects = Array.from({length: 7}, (_, i) => ({urn: `${urn}${i}`, properties}));
  const refused = (await providerAt(other.url)).assertSameServer?.(objects);
  await expect(refused).rejects.toThrow(/^7 objects of the stack are on .*(?:'urn:\S+web\d' ){5}\(and 2 more\)$/s);
});

test('F-04 the same data at another address is the same server, and the new address is remembered', async () => {
  const outputs = await made();
  other.behaviour.identity = 'uid-old';
  other.objects.set(ID, structuredClone(old.objects.get(ID))!);
  const provider = await providerAt(other.url);
  expect((await provider.diff({...states, news: INPUTS, olds: outputs})).changes).toBe('none');
  const {properties} = await provider.update({...states, olds: outputs});
  expect(properties['__server']).toEqual({uid: 'uid-old', address: other.url});
});

test('F-04 a state without a server is accepted, and has one after the next write', async () => {
  const {__server: _, ...outputs} = await made();
  const provider = await providerAt(old.url);
  expect((await provider.diff({...states, olds: outputs})).changes).toBe('some');
  const {properties} = await provider.update({...states, olds: outputs});
  expect(properties['__server']).toMatchObject({uid: 'uid-old'});
  await provider.delete({...states, properties: outputs});
  expect(old.objects.size).toBe(0);
});

test.each([403, 404] as const)(
  'F-04 where the identity cannot be read (%i) nothing is compared, and what was remembered stays',
  async code => {
    const outputs = await made();
    old.behaviour.identity = code;
    const provider = await providerAt(old.url);
    expect((await provider.diff({...states, olds: outputs})).changes).toBe('some');
    const {properties} = await provider.update({...states, olds: outputs});
    expect(properties['__server']).toEqual(outputs['__server']);
    await provider.delete({...states, properties});
    expect(old.objects.size).toBe(0);
  },
);

test('F-04 a server that does not say which it is gets no write of an object that may be on another one', async () => {
  const outputs = await made();
  other.behaviour.identity = 503;
  const provider = await providerAt(other.url);
  expect((await provider.diff({...states, olds: outputs})).changes).toBe('some'); // changes nothing there
  await expect(provider.delete({...states, properties: outputs})).rejects.toMatchObject({code: 'unavailable'});
  await expect(provider.update({...states, olds: outputs})).rejects.toMatchObject({code: 'unavailable'});
  expect(writes(other)).toEqual([]);
});

test('F-04 an import and a look-up take what is on the server of now', async () => {
  const outputs = await made();
  other.objects.set(ID, structuredClone(old.objects.get(ID))!);
  const provider = await providerAt(other.url);
  const imported = await provider.read({urn, id: ID, inputs: {}, properties: {}});
  expect(imported.properties['__server']).toMatchObject({uid: 'uid-other'});
  expect(imported.inputs).toEqual(INPUTS);
  const again = await provider.read({urn, id: ID, inputs: {}, properties: outputs});
  expect(again.properties['__server']).toMatchObject({uid: 'uid-other'});
});

test('F-04 the server is no difference, in no schema, and found where the outputs are secret', async () => {
  const outputs = await made();
  const provider = await providerAt(old.url);
  const {__server: _, ...bare} = outputs;
  for (const olds of [outputs, bare])
    expect(await provider.diff({...states, olds})).toMatchObject({diffs: ['metadata']});
  expect(provider.getSchema()).not.toContain('__server');
  const hidden = {...outputs, __server: new Secret(outputs['__server'] ?? null)};
  const foreign = await providerAt(other.url);
  await expect(foreign.delete({...states, properties: hidden})).rejects.toMatchObject({code: 'failed-precondition'});
});

describe('on the IDS side', () => {
  const NEWS = {endpointId: 'guard', project: 'p1', location: 'l', network: 'n', severity: 'LOW'};
  const NAME = 'projects/p1/locations/l/endpoints/guard';
  const idsUrn = urnOf('cloudnative:intrusion/v1:Endpoint', 'guard');
  let [first, second]: FakeIdsServer[] = [];
  beforeEach(async () => {
    [first, second] = await Promise.all([startFakeIdsServer(), startFakeIdsServer()]);
  });
  afterEach(async () => {
    await Promise.all([first?.[Symbol.asyncDispose](), second?.[Symbol.asyncDispose]()]);
  });
  const idsAt = async (server: FakeIdsServer | undefined): Promise<Provider> => {
    const provider = createCloudnativeProvider(testHost({PALISADE_SERVER: server?.url ?? ''}));
    await provider.configure({inputs: {}});
    return provider;
  };

  test('F-04 an endpoint of another server is refused, and stays where it is', async () => {
    first!.behaviour.serverUid = 'uid-first';
    second!.behaviour.serverUid = 'uid-second';
    const {properties} = await (await idsAt(first)).create({urn: idsUrn, news: NEWS});
    expect(properties['__server']).toEqual({uid: 'uid-first', address: first?.url});
    const provider = await idsAt(second);
    const refusal = {
      code: 'failed-precondition',
      message: expect.stringContaining(`${second?.url} is another server (uid uid-second), so nothing was changed`),
    };
    const at = {urn: idsUrn, id: NAME, oldInputs: NEWS, inputs: NEWS, news: NEWS};
    await expect(provider.delete({...at, properties})).rejects.toMatchObject(refusal);
    await expect(provider.read({...at, properties})).rejects.toMatchObject(refusal);
    await expect(provider.diff({...at, olds: properties})).rejects.toMatchObject(refusal);
    expect(first?.endpoints.size).toBe(1);
  });

  test('F-04 Cloud IDS says nothing of itself: nothing is remembered, nothing compared', async () => {
    const provider = await idsAt(first);
    const {properties} = await provider.create({urn: idsUrn, news: NEWS});
    expect(properties).not.toHaveProperty('__server');
    const remembered = {...properties, __server: {uid: 'uid-second', address: 'x'}};
    await provider.delete({urn: idsUrn, id: NAME, oldInputs: NEWS, properties: remembered});
    expect(first?.endpoints.size).toBe(0);
  });
});
