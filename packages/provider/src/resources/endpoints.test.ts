// SPDX-License-Identifier: Apache-2.0
import {type FakeKubeServer, startFakeKubeServer} from '@palisade/client/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {type CheckRequest, type Provider, ResourceInitError} from '../provider.ts';
import {createPlatformProvider} from '../providers/platform-provider.ts';
import {testHost, urnOf} from '../testing/test-host.ts';
import {type PropertyMap, Secret, UNKNOWN} from '../value.ts';

const urn = urnOf('platform:core/v1:Endpoints', 'web');
const randomSeed = Uint8Array.from([0xab, 0xcd, 0xef, 0x01, 0x23]);
const HELD =
  'Endpoints "web" in namespace "default" is marked for deletion but still exists: it waits for the finalizers x.y/z';
const subset = (more: PropertyMap = {}) => ({addresses: [{ip: '10.0.0.1'}], ports: [{port: 80}], ...more});

let server: FakeKubeServer;
let provider: Provider;
let host: ReturnType<typeof testHost>;
beforeEach(async () => {
  server = await startFakeKubeServer();
  host = testHost({PALISADE_SERVER: server.url});
  provider = createPlatformProvider(host);
  await provider.configure({inputs: {}});
});
afterEach(() => server[Symbol.asyncDispose]());

const check = (news: PropertyMap, more: Partial<CheckRequest> = {}) =>
  provider.check({urn, olds: {}, news, randomSeed, ...more});
const paths = async (news: PropertyMap, olds: PropertyMap = {}) =>
  (await check(news, {olds})).failures.map(failure => failure.property);
const diff = (oldInputs: PropertyMap, news: PropertyMap, olds: PropertyMap = {}) =>
  provider.diff({urn, id: 'default/web', olds, oldInputs, news});
const create = (news: PropertyMap) => provider.create({urn, news});

describe('check: names', () => {
  test('E-031 without name and generateName the name is the resource name and 7 hexadecimal characters', async () => {
    expect((await check({})).inputs).toEqual({metadata: {name: 'web-abcdef0'}});
    expect((await check({metadata: {labels: {a: '1'}}})).inputs['metadata']).toMatchObject({name: 'web-abcdef0'});
  });

  test('E-031 the automatic name is kept over updates', async () => {
    const {inputs} = await check({subsets: []}, {olds: {metadata: {name: 'web-1234567'}}});
    expect(inputs['metadata']).toEqual({name: 'web-1234567'});
  });

  test.each<[string, PropertyMap, unknown]>([
    ['a given name is used', {metadata: {name: 'shop'}}, {name: 'shop'}],
    ['generateName is left to the server', {metadata: {generateName: 'shop-'}}, {generateName: 'shop-'}],
    ['an unknown name is left alone', {metadata: {name: UNKNOWN}}, {name: UNKNOWN}],
    ['unknown metadata are left alone', {metadata: UNKNOWN}, UNKNOWN],
    ['an empty name counts as none', {metadata: {name: ''}}, {name: 'web-abcdef0'}],
  ])('%s', async (_name, news, expected) => {
    expect(await check(news)).toMatchObject({inputs: {metadata: expected}, failures: []});
  });

  test("the project's own naming is used, and can be switched off", async () => {
    const proposed = {proposedName: 'prod-web', mode: 'propose'} as const;
    expect((await check({}, {autonaming: proposed})).inputs).toEqual({metadata: {name: 'prod-web'}});
    const {failures} = await check({}, {autonaming: {proposedName: '', mode: 'disable'}});
    expect(failures).toEqual([{property: 'metadata.name', reason: expect.stringContaining('disabled')}]);
  });

  test('a resource name that no object may have still gives a valid name', async () => {
    const odd = await provider.check({
      urn: urnOf('platform:core/v1:Endpoints', 'My_Web..X'),
      olds: {},
      news: {},
      randomSeed,
    });
    expect(odd).toMatchObject({inputs: {metadata: {name: 'my-web.x-abcdef0'}}, failures: []});
  });
});

describe('check: every fault at once, with its path', () => {
  test.each<[string, PropertyMap, string[]]>([
    ['loopback', {addresses: [{ip: '127.0.0.1'}, {ip: '::1'}]}, ['addresses[0].ip', 'addresses[1].ip']],
    ['next to loopback', {addresses: [{ip: '126.255.255.255'}, {ip: '128.0.0.0'}]}, []],
    ['link-local', {addresses: [{ip: '169.254.0.1'}, {ip: 'fe80::1'}]}, ['addresses[0].ip', 'addresses[1].ip']],
    ['multicast', {addresses: [{ip: '224.0.0.9'}, {ip: 'ff02::5'}]}, ['addresses[0].ip', 'addresses[1].ip']],
    ['the same for not ready', {addresses: [], notReadyAddresses: [{ip: '127.0.0.1'}]}, ['notReadyAddresses[0].ip']],
    ['no address', {addresses: [{ip: 'web'}, {}]}, ['addresses[0].ip', 'addresses[1].ip']],
    [
      'E-045 ready and not ready',
      {notReadyAddresses: [{ip: '10.0.0.2'}, {ip: '10.0.0.1'}]},
      ['notReadyAddresses[1].ip'],
    ],
    [
      'E-045 two spellings of one address',
      {addresses: [{ip: '2001:db8::1'}], notReadyAddresses: [{ip: '2001:DB8:0::1'}]},
      ['notReadyAddresses[0].ip'],
    ],
    ['no addresses at all', {addresses: []}, ['']],
    ['hostname', {addresses: [{ip: '10.0.0.1', hostname: 'A.b'}]}, ['addresses[0].hostname']],
    ['node name', {addresses: [{ip: '10.0.0.1', nodeName: 'n_1'}]}, ['addresses[0].nodeName']],
    [
      'port numbers',
      {ports: [{name: 'a', port: 0}, {name: 'b', port: 65_536}, {name: 'c'}]},
      ['ports[0].port', 'ports[1].port', 'ports[2].port'],
    ],
    ['port names', {ports: [{port: 1, name: 'A'}]}, ['ports[0].name']],
    ['one unnamed port is fine', {ports: [{port: 1}]}, []],
    ['two need names', {ports: [{port: 1}, {port: 2, name: 'b'}]}, ['ports[0].name']],
    ['protocol', {ports: [{port: 1, protocol: 'ICMP'}]}, ['ports[0].protocol']],
    ['appProtocol', {ports: [{port: 1, appProtocol: 'a b'}]}, ['ports[0].appProtocol']],
    [
      'unknowns are fine anywhere',
      {addresses: UNKNOWN, ports: [{port: UNKNOWN}, {port: 2, name: UNKNOWN}]},
      ['ports[0].name'],
    ],
    ['an unknown list may hold addresses', {addresses: [{ip: UNKNOWN}, UNKNOWN], ports: UNKNOWN}, []],
  ])('%s', async (_name, more, expected) => {
    const at = expected.map(path => `subsets[0]${path === '' ? '' : `.${path}`}`);
    expect(await paths({subsets: [subset(more)]})).toEqual(at);
  });

  test('an address that was accepted once stays acceptable', async () => {
    const news = {subsets: [subset({addresses: [{ip: '010.0.0.1'}]})]};
    expect(await paths(news)).toEqual(['subsets[0].addresses[0].ip']);
    expect(await paths(news, news)).toEqual([]);
  });

  test.each<[string, PropertyMap, string[]]>([
    ['name', {name: 'Web_1'}, ['metadata.name']],
    ['generateName', {generateName: 'Bad_'}, ['metadata.generateName']],
    ['namespace', {namespace: 'a.b'}, ['metadata.namespace']],
    ['labels', {labels: {'-a': 'x', b: 'y z'}}, ['metadata.labels["-a"]', 'metadata.labels.b']],
    ['annotations', {annotations: {'a/b/c': 'x'}}, ['metadata.annotations["a/b/c"]']],
    ['large annotations', {annotations: {a: 'x'.repeat(262_144)}}, ['metadata.annotations']],
    ['finalizers', {finalizers: ['ok.example.com/f', 'not ok']}, ['metadata.finalizers[1]']],
    [
      'owners',
      {ownerReferences: [{kind: 'A', name: 'a'}]},
      ['metadata.ownerReferences[0].apiVersion', 'metadata.ownerReferences[0].uid'],
    ],
    [
      'two controllers',
      {
        ownerReferences: ['1', '2'].map(uid => ({apiVersion: 'v1', kind: 'A', name: uid, uid, controller: true})),
      },
      ['metadata.ownerReferences'],
    ],
  ])('%s', async (_name, metadata, expected) => {
    expect(await paths({metadata: {name: 'web', ...metadata}})).toEqual(expected);
  });

  test('a wrong type and a wrong value are told together, each once', async () => {
    const found = await paths({metadata: {labels: {a: 1}, name: 'A'}, subsets: [{addresses: [{ip: 5}], port: 1}]});
    expect(found).toEqual(['metadata.labels.a', 'subsets[0].addresses[0].ip', 'subsets[0].port', 'metadata.name']);
  });

  test('secrets are looked through and stay secret', async () => {
    const result = await check({
      metadata: {name: 'web', annotations: {token: new Secret('x')}},
      subsets: new Secret([subset()]),
    });
    expect(result.failures).toEqual([]);
    expect(result.inputs).toMatchObject({
      metadata: {annotations: {token: new Secret('x')}},
      subsets: new Secret([subset()]),
    });
  });
});

describe('diff', () => {
  const named = (metadata: PropertyMap, more: PropertyMap = {}) => ({metadata: {name: 'web', ...metadata}, ...more});

  test.each<[string, PropertyMap, PropertyMap]>([
    ['E-147 no namespace and default', named({}), named({namespace: 'default'})],
    [
      'no protocol and TCP',
      named({}, {subsets: [subset()]}),
      named({}, {subsets: [subset({ports: [{port: 80, protocol: 'TCP'}]})]}),
    ],
    ['finalizers in another order', named({finalizers: ['a.b/c', 'd.e/f']}), named({finalizers: ['d.e/f', 'a.b/c']})],
    ['generateName beside a name', named({generateName: 'a-'}), named({generateName: 'b-'})],
    ['no subsets and an empty list', named({}), named({}, {subsets: []})],
    [
      'empty strings and absence',
      named({}, {subsets: [subset({ports: [{port: 80, name: ''}]})]}),
      named({labels: {}}, {subsets: [subset()]}),
    ],
  ])('%s are equal', async (_name, before, after) => {
    expect(await diff(before, after)).toMatchObject({changes: 'none', detailedDiff: {}, replaces: []});
  });

  test('E-273 everything but name and namespace changes in place', async () => {
    const before = named({labels: {app: 'a'}, annotations: {'a/b': '1'}}, {subsets: [subset()]});
    const after = named({labels: {app: 'b'}, annotations: {}}, {subsets: [subset({ports: [{port: 81}]})]});
    const result = await diff(before, after);
    expect(result.replaces).toEqual([]);
    expect(result.diffs).toEqual(['metadata', 'subsets']);
    expect(result.detailedDiff).toEqual({
      'metadata.labels.app': {kind: 'update', inputDiff: true},
      'metadata.annotations': {kind: 'delete', inputDiff: true},
      'subsets[0].ports[0].port': {kind: 'update', inputDiff: true},
    });
  });

  test('E-144 E-149 name and namespace replace; under another name the new object can come first', async () => {
    const renamed = await diff(named({}), {metadata: {name: 'shop'}});
    expect(renamed).toMatchObject({replaces: ['metadata.name'], deleteBeforeReplace: false});
    const moved = await diff(named({}), named({namespace: 'b'}));
    expect(moved).toMatchObject({replaces: ['metadata.namespace'], deleteBeforeReplace: false});
  });

  test('a replacement under the same given name deletes first; an automatic name changes anyway', async () => {
    expect((await diff(named({labels: {a: '1'}}), named({}))).deleteBeforeReplace).toBe(true);
    const auto = {metadata: {name: 'web-0123abc'}};
    expect((await diff(auto, {...auto, subsets: [subset()]})).deleteBeforeReplace).toBe(false);
  });

  test('an empty label value is a value', async () => {
    const result = await diff(named({labels: {a: ''}}), named({}));
    expect(Object.keys(result.detailedDiff)).toEqual(['metadata.labels']);
  });

  test('to name what the server named is no change; a new prefix replaces', async () => {
    const olds = {metadata: {name: 'shop-x1', generateName: 'shop-'}};
    const before = {metadata: {generateName: 'shop-'}};
    expect(await diff(before, {metadata: {name: 'shop-x1'}}, olds)).toMatchObject({changes: 'none'});
    expect((await diff(before, {metadata: {generateName: 'web-'}}, olds)).replaces).toEqual(['metadata.generateName']);
    expect((await diff(before, before, olds)).changes).toBe('none');
  });

  test('an unknown is a change; unknown metadata are not taken for another name', async () => {
    expect((await diff(named({}), {metadata: UNKNOWN})).detailedDiff).toEqual({
      metadata: {kind: 'update', inputDiff: true},
    });
    expect((await diff(named({}), {metadata: {name: UNKNOWN}})).replaces).toEqual(['metadata.name']);
  });
});

describe('create', () => {
  test('E-032 E-147 answers id and the server values of all inputs', async () => {
    const {id, properties} = await create({metadata: {name: 'web', labels: {a: '1'}}, subsets: [subset()]});
    expect(id).toBe('default/web');
    expect(properties).toMatchObject({
      metadata: {name: 'web', namespace: 'default', uid: 'uid-1', labels: {a: '1'}},
      subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]}],
    });
    expect(Object.keys(properties)).toEqual(['metadata', 'subsets']);
  });

  test('a preview asks nobody and knows what can be known', async () => {
    const {id, properties} = await provider.create({
      urn,
      news: {metadata: {name: 'web'}, subsets: [subset()]},
      preview: true,
    });
    expect(id).toBe('');
    expect(properties).toEqual({
      metadata: {name: 'web', namespace: 'default', uid: UNKNOWN, creationTimestamp: UNKNOWN, resourceVersion: UNKNOWN},
      subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]}],
    });
    const generated = await provider.create({urn, news: {metadata: {generateName: 'w-'}}, preview: true});
    expect(generated.properties['metadata']).toMatchObject({name: UNKNOWN, generateName: 'w-'});
    expect(server.requests).toEqual([]);
  });

  test('a generated name becomes the id', async () => {
    const {id, properties} = await create({metadata: {generateName: 'w-', namespace: 'b'}});
    expect(id).toMatch(/^b\/w-./);
    expect(id).toBe(`b/${(properties['metadata'] as PropertyMap)['name']}`);
  });

  test('an existing object is never taken over', async () => {
    await create({metadata: {name: 'web'}});
    await expect(create({metadata: {name: 'web', labels: {a: '1'}}})).rejects.toMatchObject({
      code: 'already-exists',
      message: expect.stringMatching(/"web" in namespace "default" already exists.*default\/web.*deleteBeforeReplace/),
    });
    expect(server.objects.get('default/web')?.metadata.labels).toBeUndefined();
  });

  test('an empty list that was asked for is an output', async () => {
    expect((await create({metadata: {name: 'web'}, subsets: []})).properties['subsets']).toEqual([]);
    expect((await create({metadata: {name: 'web2'}})).properties).not.toHaveProperty('subsets');
  });

  test('secret inputs are secret outputs', async () => {
    const {properties} = await create({metadata: {name: 'web', annotations: {t: new Secret('x'), o: 'y'}}});
    expect(properties['metadata']).toMatchObject({annotations: {t: new Secret('x'), o: 'y'}});
  });

  test('a server that does not answer is named', async () => {
    await server[Symbol.asyncDispose]();
    await expect(create({metadata: {name: 'web'}})).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(server.url),
    });
  });
});

describe('read', () => {
  const inputs = {
    metadata: {name: 'web', labels: {a: '1'}},
    subsets: [subset({addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}]})],
  };
  const read = (state: {inputs?: PropertyMap; properties?: PropertyMap; id?: string} = {}) =>
    provider.read({urn, id: state.id ?? 'default/web', inputs: state.inputs ?? {}, properties: state.properties ?? {}});
  const live = () => {
    const object = server.objects.get('default/web');
    if (object === undefined) throw new Error('the object is missing');
    return object;
  };
  beforeEach(() => create(inputs));

  test('E-030 import and get give exactly what a user would write', async () => {
    live().metadata.annotations = {'kubectl.kubernetes.io/last-applied-configuration': '{}', own: 'x'};
    expect((await read()).inputs).toEqual({
      metadata: {name: 'web', labels: {a: '1'}, annotations: {own: 'x'}},
      subsets: [{addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}], ports: [{port: 80}]}],
    });
    await create({metadata: {name: 'x', namespace: 'b'}});
    expect((await read({id: 'b/x'})).inputs).toEqual({metadata: {name: 'x', namespace: 'b'}});
  });

  test('E-032 a name alone means the default namespace', async () => {
    expect(await read({id: 'web'})).toMatchObject({id: 'default/web', properties: {metadata: {uid: 'uid-1'}}});
  });

  test('an unchanged object gives the inputs back unchanged', async () => {
    expect((await read({inputs})).inputs).toEqual(inputs);
  });

  test('what others added is no drift; subsets in another order are none either', async () => {
    Object.assign(live().metadata, {labels: {a: '1', theirs: 'x'}, annotations: {t: '1'}, finalizers: ['x.y/z']});
    live().subsets = [{ports: [{port: 80, protocol: 'TCP'}], addresses: [{ip: '10.0.0.2'}, {ip: '10.0.0.1'}]}];
    expect((await read({inputs})).inputs).toEqual(inputs);
  });

  test('what others changed is drift', async () => {
    live().metadata.labels = {a: '2'};
    live().subsets = [{addresses: [{ip: '10.0.0.9'}], ports: [{port: 80, protocol: 'TCP'}]}];
    const result = await read({inputs});
    expect(result.inputs).toEqual({
      metadata: {name: 'web', labels: {a: '2'}},
      subsets: [{addresses: [{ip: '10.0.0.9'}], ports: [{port: 80}]}],
    });
    expect((await diff(result.inputs, inputs)).diffs).toEqual(['metadata', 'subsets']);
  });

  test('an explicit TCP stays explicit', async () => {
    const explicit = {metadata: {name: 'web'}, subsets: [subset({ports: [{port: 80, protocol: 'TCP'}]})]};
    live().subsets = [{addresses: [{ip: '10.0.0.9'}], ports: [{port: 80, protocol: 'TCP'}]}];
    const result = await read({inputs: explicit});
    expect(result.inputs['subsets']).toEqual([{addresses: [{ip: '10.0.0.9'}], ports: [{port: 80, protocol: 'TCP'}]}]);
  });

  test('an object that is being deleted is in no healthy state, and who holds it is named; an import takes it as it is', async () => {
    Object.assign(live().metadata, {deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x.y/z']});
    const error: unknown = await read({inputs}).catch(e => e);
    expect(error).toBeInstanceOf(ResourceInitError);
    expect(error).toMatchObject({id: 'default/web', reasons: [HELD], inputs: {metadata: {name: 'web'}}});
    expect((await read()).id).toBe('default/web');
  });

  test('secrecy of the state is put on what is read', async () => {
    const secret = {metadata: {name: 'web', labels: {a: new Secret('1')}}};
    const result = await read({inputs: secret, properties: {metadata: {uid: new Secret('uid-1')}}});
    expect(result.inputs).toEqual(secret);
    expect(result.properties['metadata']).toMatchObject({labels: {a: new Secret('1')}, uid: new Secret('uid-1')});
  });

  test('another object under its name is none of ours: it counts as gone, and only an import takes it', async () => {
    const {uid} = live().metadata;
    const properties = (of: string) => ({metadata: {name: 'web', uid: of}});
    expect(await read({inputs, properties: properties(uid)})).toMatchObject({id: 'default/web'});
    expect(await read({inputs, properties: properties('older')})).toEqual({id: '', inputs: {}, properties: {}});
    expect(await read()).toMatchObject({id: 'default/web'});
  });

  test('an object that is only looked up is the one that has the name now', async () => {
    const {uid} = live().metadata;
    const looked = await read({inputs: {}, properties: {metadata: {name: 'web', uid: 'older'}}});
    expect(looked).toMatchObject({id: 'default/web', inputs: {}, properties: {metadata: {uid}}});
    expect(looked.inputs).toEqual({}); // with inputs it would be owned from the next refresh on
  });

  test('a missing object is gone; an id that is none is refused', async () => {
    expect(await read({id: 'default/none'})).toEqual({id: '', inputs: {}, properties: {}});
    await expect(read({id: 'a/b/c'})).rejects.toMatchObject({code: 'invalid-argument'});
  });
});

describe('update', () => {
  const update = (oldInputs: PropertyMap, news: PropertyMap, olds: PropertyMap, preview = false) =>
    provider.update({urn, id: 'default/web', olds, oldInputs, news, preview});
  const lastPatch = () => JSON.parse(server.requests.at(-1)?.body ?? '{}') as unknown;

  test('E-112 names only what changed, so that foreign writes stay', async () => {
    const oldInputs = {
      metadata: {
        name: 'web',
        labels: {a: '1', b: '1'},
        finalizers: ['x.y/a', 'x.y/b'],
        ownerReferences: [{apiVersion: 'v1', kind: 'A', name: 'a', uid: '1', controller: true}],
      },
      subsets: [subset()],
    };
    const {properties: olds} = await create(oldInputs);
    Object.assign(server.objects.get('default/web')?.metadata ?? {}, {annotations: {theirs: 'x'}});
    const news = {
      metadata: {
        name: 'web',
        labels: {a: '2'},
        finalizers: ['x.y/b', 'x.y/c'],
        ownerReferences: [
          {apiVersion: 'v1', kind: 'A', name: 'a', uid: '1'},
          {apiVersion: 'v1', kind: 'B', name: 'b', uid: '2'},
        ],
      },
      subsets: [subset()],
    };
    const {properties} = await update(oldInputs, news, olds);
    expect(lastPatch()).toEqual({
      metadata: {
        uid: 'uid-1',
        labels: {a: '2', b: null},
        finalizers: ['x.y/c'],
        '$deleteFromPrimitiveList/finalizers': ['x.y/a'],
        ownerReferences: [
          {controller: null, uid: '1'},
          {apiVersion: 'v1', kind: 'B', name: 'b', uid: '2'},
        ],
      },
    });
    expect(server.requests.at(-1)?.headers['content-type']).toBe('application/strategic-merge-patch+json');
    expect(properties['metadata']).toMatchObject({labels: {a: '2'}, annotations: {theirs: 'x'}});
  });

  test('subsets are replaced as a whole, and cleared when dropped', async () => {
    const oldInputs = {metadata: {name: 'web'}, subsets: [subset()]};
    const {properties: olds} = await create(oldInputs);
    await update(oldInputs, {metadata: {name: 'web'}, subsets: [subset({ports: [{port: 81}]})]}, olds);
    expect(lastPatch()).toMatchObject({subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 81}]}]});
    await update(oldInputs, {metadata: {name: 'web'}}, olds);
    expect(lastPatch()).toMatchObject({subsets: null});
    expect(server.objects.get('default/web')?.subsets).toBeUndefined();
  });

  test('nothing to change asks only for the present state', async () => {
    const inputs = {metadata: {name: 'web'}};
    const {properties: olds} = await create(inputs);
    await update(inputs, {metadata: {name: 'web', namespace: 'default'}}, olds);
    expect(server.requests.at(-1)?.method).toBe('GET');
  });

  test('an object that was made anew by somebody else is left alone', async () => {
    const {properties: olds} = await create({metadata: {name: 'web'}});
    server.objects.delete('default/web');
    await create({metadata: {name: 'web'}});
    const changed = update({metadata: {name: 'web'}}, {metadata: {name: 'web', labels: {a: '1'}}}, olds);
    await expect(changed).rejects.toMatchObject({code: 'aborted', message: expect.stringContaining('refresh')});
  });

  test('nothing to change, but the object was made anew by somebody else: it does not become ours', async () => {
    const inputs = {metadata: {name: 'web'}};
    const {properties: olds} = await create(inputs);
    server.objects.delete('default/web');
    await create(inputs);
    await expect(update(inputs, inputs, olds)).rejects.toMatchObject({
      code: 'aborted',
      message:
        'Endpoints "web" in namespace "default" was deleted and created again by somebody else: refresh the stack, then update',
    });
  });

  test.each<[string, PropertyMap]>([
    ['nothing to change', {metadata: {name: 'web'}}],
    ['a change', {metadata: {name: 'web', labels: {a: '1'}}}],
  ])('%s, but the object is gone: that and the way out are told', async (_what, news) => {
    const {properties: olds} = await create({metadata: {name: 'web'}});
    server.objects.delete('default/web');
    await expect(update({metadata: {name: 'web'}}, news, olds)).rejects.toMatchObject({
      code: 'not-found',
      message: 'Endpoints "web" in namespace "default" no longer exists: refresh the stack, then update',
    });
  });

  describe('of an object that is being deleted', () => {
    const held = {metadata: {name: 'web', finalizers: ['x.y/z']}};
    let olds: PropertyMap;
    beforeEach(async () => {
      ({properties: olds} = await create(held));
      Object.assign(server.objects.get('default/web')?.metadata ?? {}, {deletionTimestamp: '2026-01-01T00:00:00Z'});
    });

    test('is no success: the change is made and kept, and who holds the object is named', async () => {
      const news = {metadata: {...held.metadata, labels: {a: '1'}}};
      const error: unknown = await update(held, news, olds).catch(e => e);
      expect(error).toBeInstanceOf(ResourceInitError);
      expect(error).toMatchObject({id: 'default/web', inputs: news, properties: {metadata: {labels: {a: '1'}}}});
      expect(error).toMatchObject({reasons: [HELD]});
    });

    test('one that takes the last finalizer off was its end, and does not tell that it waits', async () => {
      await expect(update(held, {metadata: {name: 'web'}}, olds)).rejects.toMatchObject({
        code: 'not-found',
        message: expect.stringContaining('no longer exists: refresh the stack, then update'),
      });
    });
  });

  test('a preview keeps the identity', async () => {
    const olds = {metadata: {name: 'web', uid: 'u', creationTimestamp: 't', resourceVersion: '5'}};
    const {properties} = await update(
      {metadata: {name: 'web'}},
      {metadata: {name: 'web', labels: {a: '1'}}},
      olds,
      true,
    );
    expect(properties['metadata']).toEqual({
      name: 'web',
      uid: 'u',
      creationTimestamp: 't',
      labels: {a: '1'},
      namespace: 'default',
    });
  });
});

describe('delete', () => {
  const remove = (properties: PropertyMap, timeoutSeconds = 0) =>
    provider.delete({urn, id: 'default/web', properties, oldInputs: {}, timeoutSeconds});

  test('deletes the object with the recorded uid; a missing one is success', async () => {
    const {properties} = await create({metadata: {name: 'web'}});
    await remove(properties);
    expect(server.objects.size).toBe(0);
    await remove(properties);
  });

  test('an object with another uid is not ours: it stays, and that is success', async () => {
    await create({metadata: {name: 'web'}});
    await remove({metadata: {uid: 'older'}});
    expect(server.objects.has('default/web')).toBe(true);
  });

  test('waits until finalizers have let go', async () => {
    const {properties} = await create({metadata: {name: 'web', finalizers: ['x.y/z']}});
    host.clock.onSleep = () => {
      if (host.clock.slept.length === 3) server.objects.delete('default/web');
    };
    await remove(properties);
    expect(host.clock.slept.length).toBe(3);
  });

  test('I-119 customTimeouts bound the wait, and the message names who holds the object', async () => {
    const {properties} = await create({metadata: {name: 'web', finalizers: ['x.y/z']}});
    await expect(remove(properties, 5)).rejects.toMatchObject({
      code: 'deadline-exceeded',
      message: expect.stringContaining('x.y/z'),
    });
  });

  test('a create that is on its way when the cancellation comes is waited for: what it made is known', async () => {
    const set = server.objects.set.bind(server.objects);
    server.objects.set = (key, object) => {
      provider.cancel();
      return set(key, object);
    };
    expect(await create({metadata: {name: 'web'}})).toMatchObject({id: 'default/web'});
    await expect(create({metadata: {name: 'next'}})).rejects.toMatchObject({code: 'cancelled'});
    expect([...server.objects.keys()]).toEqual(['default/web']);
  });

  test('a plugin that outlives an engine serves the next one, which configures it again', async () => {
    provider.cancel();
    await expect(create({metadata: {name: 'web'}})).rejects.toMatchObject({code: 'cancelled'});
    await provider.configure({inputs: {}});
    expect(await create({metadata: {name: 'web'}})).toMatchObject({id: 'default/web'});
  });

  test('a call that runs while the plugin is configured again is cancelled all the same', async () => {
    const {properties} = await create({metadata: {name: 'web', finalizers: ['x.y/z']}});
    host.clock.onSleep = () => {
      void provider.configure({inputs: {}});
      provider.cancel();
    };
    await expect(remove(properties)).rejects.toMatchObject({code: 'cancelled'});
  });

  test('cancel ends the wait, and refuses what comes after', async () => {
    const {properties} = await create({metadata: {name: 'web', finalizers: ['x.y/z']}});
    host.clock.onSleep = () => provider.cancel();
    await expect(remove(properties)).rejects.toMatchObject({code: 'cancelled'});
    await expect(remove(properties)).rejects.toMatchObject({code: 'cancelled'});
  });
});
