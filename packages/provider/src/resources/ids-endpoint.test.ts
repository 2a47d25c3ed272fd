// SPDX-License-Identifier: Apache-2.0
import {type FakeIdsServer, startFakeIdsServer} from '@palisade/client/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {type Provider, ResourceInitError} from '../provider.ts';
import {createCloudnativeProvider} from '../providers/cloudnative-provider.ts';
import {testHost, urnOf} from '../testing/test-host.ts';
import {type PropertyMap, type PropertyValue, Secret, UNKNOWN} from '../value.ts';

const urn = urnOf('cloudnative:intrusion/v1:Endpoint', 'guard');
const id = 'projects/p1/locations/zone-a/endpoints/guard';
const INPUTS = {endpointId: 'guard', project: 'p1', location: 'zone-a', network: 'n1', severity: 'LOW'};
const UUID = '5b2d3c1e-7f52-4e5a-9a54-0c7a4c8a3f10';

let server: FakeIdsServer;
let provider: Provider;
let host: ReturnType<typeof testHost>;
beforeEach(async () => {
  server = await startFakeIdsServer();
  host = testHost({PALISADE_SERVER: server.url});
  provider = createCloudnativeProvider(host);
  await provider.configure({inputs: {}});
});
afterEach(() => server[Symbol.asyncDispose]());

const check = (news: PropertyMap) => provider.check({urn, olds: {}, news, randomSeed: new Uint8Array(8)});
const faults = async (news: PropertyMap) =>
  (await check(news)).failures.map(({property, reason}) => `${property}: ${reason}`);
const diff = (oldInputs: PropertyMap, news: PropertyMap) => provider.diff({urn, id, olds: {}, oldInputs, news});
const create = (news: PropertyMap, timeoutSeconds = 0) => provider.create({urn, news, timeoutSeconds});
const update = (oldInputs: PropertyMap, news: PropertyMap, timeoutSeconds = 0) =>
  provider.update({urn, id, olds: {}, oldInputs, news, timeoutSeconds});

describe('check', () => {
  test.each(['a', 'a1', 'ids-endpoint-1', `a${'b'.repeat(62)}`])('I-022 I-023 takes the id %s', async endpointId => {
    expect(await faults({...INPUTS, endpointId})).toEqual([]);
  });

  test.each(['1a', '-a', 'A', 'a-', 'a_b', 'a.b', 'aB', `a${'b'.repeat(63)}`])(
    'I-025 refuses the id %s',
    async endpointId => {
      const [fault = ''] = await faults({...INPUTS, endpointId});
      expect(fault).toMatch(/^endpointId: invalid value ".*": must start with .* \(INVALID_ARGUMENT\)$/);
    },
  );

  test('I-003 without an id it is an error, and none is invented', async () => {
    const {endpointId: _left, ...rest} = INPUTS;
    expect(await check(rest)).toEqual({
      inputs: rest,
      failures: [{property: 'endpointId', reason: 'missing required property'}],
    });
  });

  test.each<[string, PropertyMap, RegExp]>([
    ['severity', {severity: 'SEVERE'}, /^severity: unsupported value "SEVERE".*CRITICAL/],
    ['request id', {requestId: 'x'}, /^requestId: "x" must be a UUID$/],
    [
      'zero request id',
      {requestId: '00000000-0000-0000-0000-000000000000'},
      /^requestId: must not be the all-zero UUID$/,
    ],
    ['all locations', {location: '-'}, /^location: invalid value "-"/],
    ['label key', {labels: {A: 'x'}}, /^labels.A: the key/],
    ['label value', {labels: {a: 'x'.repeat(64)}}, /^labels.a: the value/],
    ['empty exception', {threatExceptions: ['1', '']}, /^threatExceptions\[1\]: must not be empty/],
    [
      'too many exceptions',
      {threatExceptions: Array.from({length: 100}, (_, i) => String(i))},
      /: too many: 100, at most 99/,
    ],
    ['type', {trafficLogs: 'yes'}, /^trafficLogs: expected a boolean/],
    ['unknown name', {threat_exceptions: []}, /did you mean threatExceptions/],
  ])('%s', async (_name, more, expected) => {
    const found = await faults({...INPUTS, ...more});
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test.each<[string, PropertyMap, RegExp]>([
    ['a network', {network: 'foo/bar'}, /^network: "foo\/bar" is not the name of a network: use NAME, projects\//],
    [
      'a network of another kind',
      {network: 'projects/p1/networks/n1'},
      /^network: "projects\/p1\/networks\/n1" is not/,
    ],
    ['a network of 2000 characters', {network: 'n'.repeat(2000)}, /^network: must be no longer than 1024 characters$/],
    [
      'an exception',
      {threatExceptions: ['1', 'foo']},
      /^threatExceptions\[1\]: "foo" is not a threat id .*: use gid:sid/,
    ],
    ['a blank exception', {threatExceptions: [' ']}, /^threatExceptions\[0\]: must not be empty/],
    [
      'an exception that no sid reaches',
      {threatExceptions: ['4294967296']},
      /^threatExceptions\[0\]: "4294967296" is not/,
    ],
    ['a description', {description: 'x'.repeat(65_537)}, /^description: must be no longer than 65536 characters$/],
    ['an exception with a colon', {threatExceptions: ['1:2:3']}, /^threatExceptions\[0\]: "1:2:3" is not a threat id/],
    ['a project with a blank', {project: 'my project'}, /^project: invalid value "my project": must be the id of one/],
    ['a project of 129 characters', {project: 'p'.repeat(129)}, /^project: invalid value "p+": must be the id of one/],
    [
      'a location with a blank',
      {location: 'zone a'},
      /^location: invalid value "zone a": must be the id of one location$/,
    ],
  ])('F-28 a preview refuses %s by its field, as a create does', async (_name, more, expected) => {
    const found = await faults({...INPUTS, ...more});
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test('43-6 what the server warns of when a create or an update is done is shown, without secrets', async () => {
    server.behaviour.warning = 'warning: threatExceptions: "1:999" matches no signature';
    const threatExceptions = ['1:999'];
    const warnings = [{property: '', reason: 'threatExceptions: "1:999" matches no signature'}];
    expect((await create({...INPUTS, threatExceptions})).warnings).toEqual(warnings);
    expect((await update(INPUTS, {...INPUTS, threatExceptions})).warnings).toEqual(warnings);
    const secret = {...INPUTS, threatExceptions: [new Secret('1:999')]};
    expect(JSON.stringify((await update(INPUTS, secret)).warnings)).not.toContain('1:999');
    server.behaviour.warning = 'starting the sensor'; // of a server that leaves its last progress there
    expect((await update(INPUTS, {...INPUTS, threatExceptions})).warnings).toBeUndefined();
  });

  test('F-28 an exception that may be an id of another product is accepted with a warning', async () => {
    const {failures, warnings} = await check({...INPUTS, threatExceptions: ['1', 'T-1']});
    expect(failures).toEqual([]);
    expect(warnings).toEqual([
      {
        property: 'threatExceptions[1]',
        reason: expect.stringMatching(/^"T-1" is not a threat id and matches nothing: use/),
      },
    ]);
    const secret = await check({...INPUTS, threatExceptions: [new Secret('T-1')]});
    expect(JSON.stringify(secret.warnings)).not.toContain('T-1');
  });

  test('F-28 what the API counts in characters is not refused for being counted otherwise', async () => {
    expect(await faults({...INPUTS, labels: {a: '🛡'.repeat(63)}})).toEqual([]);
  });

  test('F-28 the network of the environment is judged, too', async () => {
    const other = createCloudnativeProvider(testHost({PALISADE_NETWORK: 'foo/bar'}));
    await other.configure({inputs: {}});
    const {network: _left, ...news} = INPUTS;
    const {failures} = await other.check({urn, olds: {}, news, randomSeed: new Uint8Array(0)});
    expect(failures).toEqual([{property: 'network', reason: expect.stringContaining('"foo/bar" is not the name')}]);
  });

  test('all faults are told at once; unknowns are none', async () => {
    const found = await faults({
      endpointId: 'X',
      severity: 'x',
      requestId: '1',
      project: 'p',
      location: 'l',
      network: UNKNOWN,
    });
    expect(found.map(fault => fault.split(':')[0])).toEqual(['severity', 'endpointId', 'requestId']);
    expect(await faults({...INPUTS, endpointId: UNKNOWN, threatExceptions: UNKNOWN, labels: UNKNOWN})).toEqual([]);
  });

  test('repeated exceptions count once', async () => {
    expect(await faults({...INPUTS, threatExceptions: Array.from({length: 120}, () => '1')})).toEqual([]);
  });
});

describe('defaults', () => {
  test('I-036 I-044 what is left out comes from the configuration, then from the environment', async () => {
    const env = {
      CLOUDSDK_CORE_PROJECT: 'pe',
      CLOUDSDK_COMPUTE_ZONE: 'ze',
      PALISADE_NETWORK: 'ne',
      PALISADE_SEVERITY: 'HIGH',
    };
    const other = createCloudnativeProvider(testHost(env));
    await other.configure({inputs: {project: 'pc', severity: new Secret('LOW')}});
    const request = {urn, olds: {}, news: {endpointId: 'a'}, randomSeed: new Uint8Array(0)};
    expect((await other.check(request)).inputs).toEqual({
      endpointId: 'a',
      project: 'pc',
      location: 'ze',
      network: 'ne',
      severity: 'LOW',
    });
    const own = await other.check({
      ...request,
      news: {endpointId: 'a', project: 'own', severity: 'SEVERITY_UNSPECIFIED'},
    });
    expect(own.inputs).toMatchObject({project: 'own', severity: 'LOW'});
  });

  test('I-030 I-036 none anywhere is an error that says how to set it', async () => {
    const found = await faults({endpointId: 'a', severity: 'SEVERITY_UNSPECIFIED'});
    expect(found.map(fault => fault.split(':')[0])).toEqual(['project', 'location', 'network', 'severity']);
    expect(found[0]).toContain('cloudnative:project');
    expect(found[0]).toContain('CLOUDSDK_CORE_PROJECT');
  });

  test('a default that is known only later is tolerated', async () => {
    await provider.configure({inputs: {project: UNKNOWN, location: 'l', network: 'n', severity: 'LOW'}});
    expect(await check({endpointId: 'a'})).toMatchObject({failures: [], inputs: {project: UNKNOWN}});
  });
});

describe('diff', () => {
  test.each<[string, PropertyMap, PropertyMap]>([
    ['I-112 another request id', {requestId: UUID}, {requestId: 'other'}],
    [
      'I-027 two forms of one network',
      {network: 'n1'},
      {network: 'https://h/compute/v1/projects/p1/global/networks/n1'},
    ],
    ['I-041 exceptions in another order', {threatExceptions: ['1', '2', '1']}, {threatExceptions: ['2', '1']}],
    ['I-043 defaults and absence', {}, {trafficLogs: false, description: '', labels: {}, threatExceptions: []}],
  ])('%s is no change', async (_name, before, after) => {
    expect(await diff({...INPUTS, ...before}, {...INPUTS, ...after})).toMatchObject({changes: 'none', replaces: []});
  });

  test.each(['endpointId', 'project', 'location', 'network'])('I-112 %s replaces, and deletes first', async key => {
    const result = await diff(INPUTS, {...INPUTS, [key]: 'other'});
    expect(result.deleteBeforeReplace).toBe(true);
    expect(result.replaces).toContain(key);
    expect(result.detailedDiff[key]).toEqual({kind: 'update-replace', inputDiff: true});
  });

  test('a bare network name belongs to the project', async () => {
    const result = await diff({...INPUTS, network: 'n1'}, {...INPUTS, network: 'projects/p2/global/networks/n1'});
    expect(result.replaces).toEqual(['network']);
  });

  test.each<[string, PropertyValue]>([
    ['severity', 'HIGH'],
    ['description', 'x'],
    ['labels', {a: 'b'}],
    ['trafficLogs', true],
    ['threatExceptions', ['1']],
  ])('I-112 %s changes in place', async (key, value) => {
    const result = await diff(INPUTS, {...INPUTS, [key]: value});
    expect(result).toMatchObject({changes: 'some', diffs: [key], replaces: []});
  });
});

describe('create', () => {
  test('I-050 I-054 I-059 waits until the endpoint is ready; all inputs and outputs are set', async () => {
    server.behaviour.instant = false;
    host.clock.onSleep = () => {
      if (host.clock.slept.length === 3) server.finishAll();
    };
    const result = await create({...INPUTS, requestId: UUID, threatExceptions: ['1', '1', '2']});
    expect(result.id).toBe(id);
    expect(result.properties).toEqual({
      ...INPUTS,
      requestId: UUID,
      description: '',
      labels: {},
      threatExceptions: ['1', '2'],
      trafficLogs: false,
      name: id,
      state: 'READY',
      createTime: expect.stringMatching(/Z$/),
      updateTime: expect.stringMatching(/Z$/),
      endpointIp: expect.stringMatching(/^10\./),
      endpointForwardingRule: expect.stringContaining('forwardingRules'),
    });
    expect(server.requests[0]?.query.get('requestId')).toBe(UUID);
    expect(host.clock.slept).toHaveLength(3);
  });

  test('a preview makes nothing and leaves what only the server knows unknown', async () => {
    const {id: none, properties} = await provider.create({urn, news: INPUTS, preview: true});
    expect(none).toBe('');
    expect(properties).toMatchObject({...INPUTS, trafficLogs: false, name: id, state: UNKNOWN, endpointIp: UNKNOWN});
    expect(server.requests.filter(({method}) => method !== 'GET')).toEqual([]);
    expect(server.endpoints.size).toBe(0);
  });

  test('I-059 a failed creation carries the error of the operation, and nothing is kept', async () => {
    server.behaviour.failCreates = 'the pool has no address left';
    await expect(create(INPUTS)).rejects.toMatchObject({
      code: 'resource-exhausted',
      message: expect.stringContaining('the pool has no address left'),
    });
  });

  test('an existing endpoint is never taken over', async () => {
    await create(INPUTS);
    await expect(create({...INPUTS, severity: 'HIGH'})).rejects.toMatchObject({
      code: 'already-exists',
      message: `${id} already exists: give another endpointId, adopt it with the import option and id ${id}, or, if it is the object to replace, set the option deleteBeforeReplace`,
    });
  });

  test('I-039 the same request id finds the creation that went through', async () => {
    const first = await create({...INPUTS, requestId: UUID});
    expect(await create({...INPUTS, requestId: UUID})).toEqual(first);
    expect(server.endpoints.size).toBe(1);
  });

  test('a request id whose endpoint is gone does not stand in the way of a new creation', async () => {
    const news = {...INPUTS, requestId: UUID};
    const first = await create(news);
    await provider.delete({urn, id, properties: first.properties, oldInputs: news});
    const second = await create(news);
    expect(second.properties['createTime']).not.toBe(first.properties['createTime']);
    expect(second.properties['requestId']).toBe(UUID);
  });

  test('a request id that was used for another content does not either', async () => {
    await create({...INPUTS, requestId: UUID});
    const second = await create({...INPUTS, endpointId: 'guard2', requestId: UUID});
    expect(second.id).toBe('projects/p1/locations/zone-a/endpoints/guard2');
  });

  test('a server that is busy for a while is asked again with the same request id', async () => {
    server.behaviour.unavailable = 2;
    await create(INPUTS);
    const ids = server.requests.filter(({method}) => method === 'POST').map(({query}) => query.get('requestId'));
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  test('I-119 customTimeouts bound the wait; the endpoint that exists is kept as not finished', async () => {
    server.behaviour.instant = false;
    const error = await create(INPUTS, 5).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResourceInitError);
    expect(error).toMatchObject({id, inputs: INPUTS, properties: {name: id, state: 'CREATING'}});
    expect((error as ResourceInitError).reasons[0]).toMatch(/CREATING.*within 5 s.*starting the sensor/);
  });

  test('cancel ends the wait at once, and the endpoint is kept as not finished', async () => {
    server.behaviour.instant = false;
    host.clock.onSleep = () => provider.cancel();
    const error = await create({...INPUTS, description: new Secret('hush')}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResourceInitError);
    expect((error as ResourceInitError).properties['description']).toEqual(new Secret('hush'));
    expect(host.clock.slept).toHaveLength(1);
  });

  test('a create that is on its way when the cancellation comes is waited for, and the endpoint kept', async () => {
    server.behaviour.instant = false;
    const set = server.endpoints.set.bind(server.endpoints);
    server.endpoints.set = (name, endpoint) => {
      provider.cancel();
      return set(name, endpoint);
    };
    await expect(create(INPUTS)).rejects.toMatchObject({id, properties: {name: id, state: 'CREATING'}});
  });

  test('without a server the message says how to name one', async () => {
    const lost = createCloudnativeProvider(testHost());
    await lost.configure({inputs: {}});
    await expect(lost.create({urn, news: INPUTS})).rejects.toMatchObject({
      code: 'failed-precondition',
      message: expect.stringMatching(/cloudnative:endpoint.*PALISADE_SERVER/),
    });
  });
});

describe('read', () => {
  const read = (inputs: PropertyMap = {}, at = id) => provider.read({urn, id: at, inputs, properties: {}});

  test('import and get give exactly what a user would write', async () => {
    await create({...INPUTS, threatExceptions: ['1'], requestId: UUID});
    expect((await read()).inputs).toEqual({...INPUTS, threatExceptions: ['1']});
    expect((await diff((await read()).inputs, {...INPUTS, threatExceptions: ['1'], requestId: UUID})).changes).toBe(
      'none',
    );
  });

  test('an unchanged endpoint gives the inputs back unchanged, whatever their form', async () => {
    const inputs = {
      ...INPUTS,
      network: 'projects/p1/global/networks/n1',
      threatExceptions: ['2', '1', '2'],
      requestId: UUID,
    };
    await create(inputs);
    Object.assign(server.endpoints.get(id) ?? {}, {network: 'n1', description: 'set by somebody'});
    const result = await read(inputs);
    expect(result.inputs).toEqual(inputs);
    expect(result.properties).toMatchObject({requestId: UUID, description: 'set by somebody'});
  });

  test('a changed value is drift', async () => {
    const inputs = {...INPUTS, description: new Secret('a'), trafficLogs: true};
    await create(inputs);
    Object.assign(server.endpoints.get(id) ?? {}, {description: 'b', trafficLogs: undefined, severity: 'HIGH'});
    const drifted = (await read(inputs)).inputs;
    expect(drifted).toEqual({...INPUTS, description: new Secret('b'), trafficLogs: false, severity: 'HIGH'});
    expect((await diff(drifted, inputs)).diffs).toEqual(['severity', 'description', 'trafficLogs']);
  });

  test('a missing endpoint is gone; an id that is none is refused', async () => {
    expect(await read()).toEqual({id: '', inputs: {}, properties: {}});
    await expect(read({}, 'guard')).rejects.toMatchObject({code: 'invalid-argument'});
  });
});

describe('update', () => {
  test('I-112 patches exactly the fields that changed; a dropped one is cleared', async () => {
    const before = {...INPUTS, description: 'a', threatExceptions: ['1'], labels: {a: 'b'}};
    await create(before);
    const {properties} = await update(before, {...INPUTS, severity: 'HIGH', threatExceptions: ['1'], labels: {a: 'c'}});
    const patch = server.requests.find(({method}) => method === 'PATCH');
    expect(patch?.query.get('updateMask')).toBe('description,labels,severity');
    expect(JSON.parse(patch?.body ?? '')).toEqual({severity: 'HIGH', labels: {a: 'c'}});
    expect(properties).toMatchObject({description: '', severity: 'HIGH', labels: {a: 'c'}, threatExceptions: ['1']});
  });

  test('after an interrupted creation an update without a change waits until the endpoint is ready', async () => {
    server.behaviour.instant = false;
    await create(INPUTS, 5).catch(() => undefined);
    host.clock.onSleep = () => server.finishAll();
    const {properties} = await update(INPUTS, INPUTS);
    expect(properties['state']).toBe('READY');
    expect(server.requests.some(({method}) => method === 'PATCH')).toBe(false);
  });

  test('another operation in the way is waited for', async () => {
    await create(INPUTS);
    server.behaviour.instant = false;
    const first = update(INPUTS, {...INPUTS, description: 'a'});
    host.clock.onSleep = () => server.finishAll();
    await first;
    expect(server.endpoints.get(id)).toMatchObject({description: 'a', state: 'READY'});
  });

  test('an endpoint that is gone is named', async () => {
    await expect(update(INPUTS, {...INPUTS, description: 'a'})).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/guard no longer exists: refresh/),
    });
  });
});

describe('delete', () => {
  const remove = (properties: PropertyMap) => provider.delete({urn, id, properties, oldInputs: INPUTS});

  test('waits for the end of the operation; a missing endpoint is success', async () => {
    const {properties} = await create(INPUTS);
    server.behaviour.instant = false;
    host.clock.onSleep = () => server.finishAll();
    await remove(properties);
    expect(server.endpoints.size).toBe(0);
    await remove(properties);
  });

  test('an endpoint that was made anew by somebody else stays, and that is success', async () => {
    await create(INPUTS);
    await remove({createTime: '2020-01-01T00:00:00Z'});
    expect(server.endpoints.size).toBe(1);
  });
});

describe('look-up', () => {
  const invoke = (args: PropertyMap) => provider.invoke?.({token: 'cloudnative:intrusion/v1:getEndpoint', args});

  test('finds by id, project and location; faults are told', async () => {
    await create(INPUTS);
    const found = await invoke({endpointId: 'guard', project: 'p1', location: 'zone-a'});
    expect(found).toMatchObject({failures: [], result: {id, state: 'READY', severity: 'LOW', endpointId: 'guard'}});
    expect((await invoke({endpointId: 'A'}))?.failures.map(failure => failure.property)).toEqual([
      'endpointId',
      'project',
      'location',
    ]);
    const missing = invoke({endpointId: 'none', project: 'p1', location: 'zone-a'});
    await expect(missing).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('endpoints/none'),
    });
  });
});
