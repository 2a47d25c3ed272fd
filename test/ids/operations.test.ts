// SPDX-License-Identifier: Apache-2.0
/** States, operations and changes in place through a socket. Ref: requirements I.4, I-110 to I-112. */
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {FakeSensorError, FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {rangeOf} from '../../packages/ids/src/testing/range-of.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import type {Store} from '../../packages/store/src/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, systemRandom, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const NAME = `${PARENT}/endpoints/e`;
let store: Store;
let host: FakeSensorHost;
let time: ManualTime;
let server: TestServer;
let rest: RestClient;

/** Random but for single bytes, which say where to look for another address: never where one was refused before. */
const jumping = () => {
  let place = 0;
  return {
    bytes: (count: number): Uint8Array => {
      place = (place + 24) % 256;
      return count === 1 ? Uint8Array.of(place) : systemRandom.bytes(count);
    },
  };
};

beforeEach(async () => {
  store = await openMemoryStore();
  host = new FakeSensorHost();
  time = new ManualTime();
  server = await startTestServer({store, sensorHost: host, clock: time, timers: time, random: jumping()});
  rest = new RestClient(server.url);
});
afterEach(() => server.close());

const state = async (): Promise<string> => (await rest.get(NAME)).body.state;
const keys = async (prefix: string): Promise<string[]> =>
  (await store.list(prefix, {limit: 1000})).entries.map(entry => entry.key);

/** Blocks calls of one kind until `release`. */
const block = (call: 'start' | 'update' | 'stop') => {
  let release = (): void => {};
  const gate = new Promise<void>(resolve => {
    release = resolve;
  });
  host.before = kind => (kind === call ? gate : undefined);
  return {release};
};

describe('create', () => {
  test('I-056 I-070 I-071 I-072 I-111 CREATING until the sensor is up, then READY; the operation tells both', async () => {
    const {release} = block('start');
    const {body: running} = await rest.create(PARENT, 'e', {description: 'd'});
    expect(running.name).toMatch(
      /^projects\/p\/locations\/local\/operations\/operation-\d+-[0-9a-f]{13}-[0-9a-f]{8}-[0-9a-f]{8}$/,
    );
    expect(running).toEqual({
      name: running.name,
      metadata: {
        '@type': 'type.googleapis.com/google.cloud.ids.v1.OperationMetadata',
        createTime: '2026-01-01T00:00:00Z',
        target: NAME,
        verb: 'create',
        requestedCancellation: false,
        apiVersion: 'v1',
        ...(running.metadata.statusMessage === undefined ? {} : {statusMessage: running.metadata.statusMessage}),
      },
      done: false,
    });
    const {body: creating} = await rest.get(NAME);
    expect(creating.state).toBe('CREATING');
    expect(creating).not.toHaveProperty('endpointIp');
    expect(creating).not.toHaveProperty('endpointForwardingRule');
    expect((await rest.get(`${PARENT}/endpoints`)).body.endpoints).toEqual([creating]);
    time.advance(1000);
    release();
    const done = await rest.done(running);
    const {body: ready} = await rest.get(NAME);
    expect(done.response).toEqual({'@type': 'type.googleapis.com/google.cloud.ids.v1.Endpoint', ...ready});
    expect(done.metadata.endTime).toBe('2026-01-01T00:00:01Z');
    expect([ready.state, ready.updateTime]).toEqual(['READY', '2026-01-01T00:00:01Z']);
    expect((await rest.get(`${PARENT}/operations`)).body.operations).toEqual([done]);
  });

  test('I-111 the status message says what is being done', async () => {
    host.progress = ['verifying 24 rules'];
    const {release} = block('start');
    const {body: running} = await rest.create(PARENT, 'e');
    await until(() => host.calls.length === 1);
    expect((await rest.get(running.name)).body.metadata.statusMessage).toBe('verifying 24 rules');
    expect((await rest.get(`${NAME}/health`)).body).toMatchObject({
      status: 'STARTING',
      reasons: ['verifying 24 rules'],
    });
    release();
    expect((await rest.done(running)).metadata).not.toHaveProperty('statusMessage');
  });

  test('I-071 a failed create ends the operation with the sensor error and leaves nothing', async () => {
    host.before = call => {
      if (call === 'start')
        throw new FakeSensorError('rule-error', 'rules/a.rules line 3: unknown keyword; mend the rule');
    };
    const done = await rest.done((await rest.create(PARENT, 'e')).body);
    expect(done.error).toEqual({code: 9, message: 'rules/a.rules line 3: unknown keyword; mend the rule'});
    expect(done).not.toHaveProperty('response');
    expect((await rest.get(NAME)).status).toBe(404);
    expect(await keys('/ids/addresses/')).toEqual([]);
    expect(await keys('/ids/vnis/')).toEqual([]);
    expect(host.endpoints()).toEqual([]);
    host.before = undefined;
    expect((await rest.created(PARENT, 'e')).state).toBe('READY');
  });

  test('I-097 no address left: the operation fails with RESOURCE_EXHAUSTED, nothing leaks, and an address that is freed is taken', async () => {
    const small = await startTestServer({
      store: await openMemoryStore(),
      sensorHost: host,
      clock: time,
      timers: time,
      pool: rangeOf('127.78.0.0/30'),
    });
    const client = new RestClient(small.url);
    const [first] = [await client.created(PARENT, 'a'), await client.created(PARENT, 'b')];
    const done = await client.done((await client.create(PARENT, 'c')).body);
    expect(done.error.code).toBe(8);
    expect(done.error.message).toContain('all 2 addresses');
    expect((await client.get(`${PARENT}/endpoints/c`)).status).toBe(404);
    await client.done((await client.delete(first.name)).body);
    expect((await client.created(PARENT, 'c')).endpointIp).toBe(first.endpointIp);
    await small.close();
  });

  test('an address that is in use outside is exchanged; nothing of it is kept', async () => {
    const refused: string[] = [];
    host.before = (call, spec) => {
      const ip = String(Reflect.get(spec, 'ip'));
      if (call !== 'start' || refused.length === 2) return;
      refused.push(ip);
      throw new FakeSensorError('address', `${ip}: in use by another program`);
    };
    const endpoint = await rest.created(PARENT, 'e');
    expect(new Set([...refused, endpoint.endpointIp]).size).toBe(3);
    expect(await keys('/ids/addresses/')).toEqual([`/ids/addresses/${endpoint.endpointIp}`]);
    expect(await keys('/ids/vnis/')).toHaveLength(1);
    host.before = call => {
      if (call === 'start') throw new FakeSensorError('address', 'no such address on this host');
    };
    const done = await rest.done((await rest.create(PARENT, 'f')).body);
    expect(done.error).toEqual({code: 9, message: 'no such address on this host'});
    expect(host.calls.filter(c => c === `start ${PARENT}/endpoints/f`)).toHaveLength(8);
    expect(await keys('/ids/addresses/')).toHaveLength(1);
  });

  test('I-074 a sensor that does not come up after a restart: READY stays, health says FAILED and why, and it is tried again', async () => {
    await rest.created(PARENT, 'e');
    await server.close();
    host = new FakeSensorHost();
    host.before = () => {
      throw new FakeSensorError('rule-error', 'line 3: unknown keyword');
    };
    server = await startTestServer({store, sensorHost: host, clock: time, timers: time});
    rest = new RestClient(server.url);
    const health = async (): Promise<Json> => (await rest.get(`${NAME}/health`)).body;
    await until(async () => (await health()).status === 'FAILED');
    expect((await health()).reasons).toEqual(['retrying: line 3: unknown keyword']);
    expect(await state()).toBe('READY');
    host.before = undefined;
    await until(async () => {
      time.advance(30_000);
      return (await health()).status === 'READY';
    });
  });

  test('I-073 a location without a sensor: CREATING, and the operation says why; a cancel undoes it', async () => {
    const parent = 'projects/p/locations/europe-west1-b';
    const {body: running} = await rest.create(parent, 'e');
    const waiting = (await rest.get(running.name)).body;
    expect(waiting.done).toBe(false);
    expect(waiting.metadata.statusMessage).toContain('no sensor is attached to the location "europe-west1-b"');
    const health = (await rest.get(`${parent}/endpoints/e/health`)).body;
    expect(health).toMatchObject({state: 'CREATING', status: 'WAITING'});
    expect(await keys('/ids/addresses/')).toEqual([]);
    const refused = await rest.delete(`${parent}/endpoints/e`);
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain('cancel');
    expect((await rest.post(`${running.name}:cancel`, {})).body).toEqual({});
    expect((await rest.done(running)).error.code).toBe(1);
    expect((await rest.get(`${parent}/endpoints/e`)).status).toBe(404);
  });

  test('I-074 a sensor host that cannot run: CREATING with its reason, READY once it can', async () => {
    host.unavailable = 'Suricata is not installed: run make setup';
    const {body: running} = await rest.create(PARENT, 'e');
    expect((await rest.get(running.name)).body.metadata.statusMessage).toContain('run make setup');
    time.advance(10_000);
    expect(await state()).toBe('CREATING');
    host.unavailable = undefined;
    time.advance(10_000);
    expect((await rest.done(running)).response.state).toBe('READY');
  });
});

describe('conflicts', () => {
  test.each([
    ['CREATING', 'start'],
    ['UPDATING', 'update'],
    ['DELETING', 'stop'],
  ] as const)('I-072 I-097 update and delete while %s are ABORTED and name the operation', async (during, call) => {
    if (during !== 'CREATING') await rest.created(PARENT, 'e');
    const {release} = block(call);
    const begin = {
      CREATING: () => rest.create(PARENT, 'e'),
      UPDATING: () => rest.patch(NAME, {updateMask: 'description'}, {description: 'x'}),
      DELETING: () => rest.delete(NAME),
    }[during];
    const {body: running} = await begin();
    expect(await state()).toBe(during);
    for (const answer of [await rest.delete(NAME), await rest.patch(NAME, {updateMask: 'labels'}, {labels: {}})]) {
      expect([answer.status, answer.body.error.status]).toEqual([409, 'ABORTED']);
      expect(answer.body.error.message).toContain(running.name);
    }
    expect((await rest.create(PARENT, 'e')).body.error.status).toBe('ALREADY_EXISTS');
    release();
    expect((await rest.done(running)).error).toBeUndefined();
  });

  test('of 20 concurrent deletes one is accepted', async () => {
    await rest.created(PARENT, 'e');
    const {release} = block('stop');
    const answers = await Promise.all(Array.from({length: 20}, () => rest.delete(NAME)));
    expect(answers.map(a => a.status).sort()).toEqual([200, ...Array.from({length: 19}, () => 409)]);
    release();
  });
});

describe('update', () => {
  test('I-112 severity, exceptions, description, labels and traffic logs change in place', async () => {
    const before = await rest.created(PARENT, 'e', {severity: 'LOW', threatExceptions: ['5'], labels: {old: '1'}});
    const change = {
      severity: 'HIGH',
      threatExceptions: ['1', '2'],
      description: 'd',
      labels: {fresh: '2'},
      trafficLogs: true,
    };
    const {body: operation} = await rest.patch(
      NAME,
      {updateMask: 'severity,threat_exceptions,description,labels,traffic_logs'},
      change,
    );
    expect(operation.metadata).toMatchObject({verb: 'update', target: NAME});
    time.advance(1);
    const done = await rest.done(operation);
    const after = (await rest.get(NAME)).body;
    expect(after).toEqual({...before, ...change, updateTime: after.updateTime});
    expect(done.response).toEqual({'@type': 'type.googleapis.com/google.cloud.ids.v1.Endpoint', ...after});
    expect(host.calls).toEqual([`start ${NAME}`, `update ${NAME}`]); // no restart of detection
    expect(host.running.get(NAME)).toMatchObject({severity: 'HIGH', threatExceptions: ['1', '2'], trafficLogs: true});
  });

  test('I-109 I-112 a masked field that the body leaves out is cleared, others are not touched', async () => {
    await rest.created(PARENT, 'e', {threatExceptions: ['5'], labels: {a: 'b'}, description: 'd'});
    await rest.done((await rest.patch(NAME, {updateMask: 'threat_exceptions'}, {name: NAME})).body);
    expect((await rest.get(NAME)).body).toMatchObject({labels: {a: 'b'}, description: 'd'});
    expect((await rest.get(NAME)).body).not.toHaveProperty('threatExceptions');
    await rest.done((await rest.patch(NAME, {updateMask: 'labels'}, {labels: {}})).body);
    expect((await rest.get(NAME)).body).not.toHaveProperty('labels');
  });

  test('without a mask all updatable fields are replaced; with * the required ones must be there', async () => {
    await rest.created(PARENT, 'e', {threatExceptions: ['5'], labels: {a: 'b'}, severity: 'HIGH'});
    await rest.done((await rest.patch(NAME, {}, {description: 'new'})).body);
    const after = (await rest.get(NAME)).body;
    expect(after).toMatchObject({description: 'new', severity: 'HIGH', network: 'net'});
    expect(after).not.toHaveProperty('labels');
    expect((await rest.patch(NAME, {updateMask: '*'}, {description: 'x'})).status).toBe(400);
    await rest.done((await rest.patch(NAME, {updateMask: '*'}, {network: 'net', severity: 'LOW'})).body);
    expect((await rest.get(NAME)).body).not.toHaveProperty('description');
  });

  test.each([
    ['another network', 'network', {network: 'other'}, 'network'],
    ['a network cleared', 'network', {}, 'network'],
    ['another network without a mask', undefined, {network: 'other', severity: 'LOW'}, 'network'],
    ['a severity cleared', 'severity', {}, 'severity'],
    ['a severity unset', 'severity', {severity: 'SEVERITY_UNSPECIFIED'}, 'severity'],
    ['an unknown path', 'flavour', {}, 'flavour'],
    ['a path below a field', 'labels.k', {}, 'labels.k'],
    ['an unknown field of the body', 'labels', {colour: 1}, 'colour'],
    [
      'too many exceptions',
      'threatExceptions',
      {threatExceptions: Array.from({length: 100}, (_, i) => `${i}`)},
      'threatExceptions',
    ],
  ])('I-097 I-112 %s is refused by name and changes nothing', async (_, updateMask, body, named) => {
    const before = await rest.created(PARENT, 'e', {labels: {a: 'b'}});
    const answer = await rest.patch(NAME, updateMask === undefined ? {} : {updateMask}, body);
    expect([answer.status, answer.body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(answer.body.error.message).toContain(named);
    expect((await rest.get(NAME)).body).toEqual(before);
  });

  test('I-112 the same network in the mask and output-only paths are no faults', async () => {
    const before = await rest.created(PARENT, 'e');
    const {body} = await rest.patch(NAME, {updateMask: 'network,state,create_time'}, {network: 'net'});
    await rest.done(body);
    expect((await rest.get(NAME)).body).toEqual({...before, updateTime: expect.any(String)});
  });

  test('I-072 an update that the sensor refuses is rolled back, and the operation says so', async () => {
    const before = await rest.created(PARENT, 'e', {severity: 'LOW'});
    host.before = (call, spec) => {
      if (call === 'update' && Reflect.get(spec, 'severity') === 'HIGH')
        throw new FakeSensorError('command-failed', 'no answer');
    };
    const done = await rest.done((await rest.patch(NAME, {updateMask: 'severity'}, {severity: 'HIGH'})).body);
    expect(done.error).toMatchObject({code: 13, message: 'no answer'});
    expect((await rest.get(NAME)).body).toEqual(before);
    expect(host.running.get(NAME)?.severity).toBe('LOW');
  });
});

describe('delete', () => {
  test('I-072 I-111 DELETING, then gone; the operation outlives the endpoint', async () => {
    await rest.created(PARENT, 'e');
    const {release} = block('stop');
    const {body: running} = await rest.delete(NAME);
    expect(running.metadata).toMatchObject({verb: 'delete', target: NAME});
    expect(await state()).toBe('DELETING');
    release();
    const done = await rest.done(running);
    expect(done.response).toEqual({'@type': 'type.googleapis.com/google.protobuf.Empty'});
    expect((await rest.get(NAME)).status).toBe(404);
    expect((await rest.get(`${PARENT}/endpoints`)).body).toEqual({});
    expect((await rest.get(running.name)).body).toEqual(done);
    expect([
      ...(await keys('/ids/addresses/')),
      ...(await keys('/ids/vnis/')),
      ...(await keys('/ids/endpoints/')),
    ]).toEqual([]);
  });

  test('I-073 a sensor that cannot be stopped is tried again until it can; the operation says why it takes long', async () => {
    await rest.created(PARENT, 'e');
    let failures = 3;
    host.before = call => {
      if (call !== 'stop' || failures === 0) return;
      failures -= 1;
      throw new Error('device is busy');
    };
    const {body: running} = await rest.delete(NAME);
    await until(() => failures === 2);
    await until(async () =>
      ((await rest.get(running.name)).body.metadata.statusMessage ?? '').includes('device is busy'),
    );
    await until(async () => {
      time.advance(60_000);
      return (await rest.get(running.name)).body.done === true;
    });
    expect(failures).toBe(0);
    expect((await rest.done(running)).response).toBeDefined();
  });
});

describe('operations', () => {
  test('I-110 cancel of a blocked create undoes it: CANCELLED, endpoint gone, start aborted', async () => {
    block('start');
    const {body: running} = await rest.create(PARENT, 'e');
    await until(() => host.calls.length > 0);
    expect((await rest.post(`${running.name}:cancel`, {})).body).toEqual({});
    const done = await rest.done(running);
    expect(done.error).toMatchObject({code: 1, message: expect.stringContaining('cancelled')});
    expect(done.metadata.requestedCancellation).toBe(true);
    expect((await rest.get(NAME)).status).toBe(404);
    expect(await keys('/ids/addresses/')).toEqual([]);
  });

  test('I-110 cancel of an update or a delete is noted, and it completes', async () => {
    await rest.created(PARENT, 'e');
    const {release} = block('update');
    const {body: running} = await rest.patch(NAME, {updateMask: 'description'}, {description: 'x'});
    await rest.post(`${running.name}:cancel`, {});
    expect((await rest.get(running.name)).body.metadata.requestedCancellation).toBe(true);
    release();
    expect((await rest.done(running)).response.description).toBe('x');
  });

  test('I-110 cancel of a finished operation changes nothing', async () => {
    const done = await rest.done((await rest.create(PARENT, 'e')).body);
    expect((await rest.post(`${done.name}:cancel`, {})).body).toEqual({});
    expect((await rest.get(done.name)).body).toEqual(done);
  });

  test('I-110 delete forgets a finished operation, refuses a running one', async () => {
    const {release} = block('start');
    const {body: running} = await rest.create(PARENT, 'e');
    const refused = await rest.delete(running.name);
    expect([refused.status, refused.body.error.status]).toEqual([400, 'FAILED_PRECONDITION']);
    release();
    await rest.done(running);
    expect((await rest.delete(running.name)).body).toEqual({});
    expect((await rest.get(running.name)).status).toBe(404);
    expect((await rest.get(`${PARENT}/operations`)).body).toEqual({});
    expect((await rest.delete(running.name)).status).toBe(404);
    expect(await state()).toBe('READY');
  });

  test('I-110 list filters, and takes locations/-', async () => {
    await rest.created(PARENT, 'e');
    await rest.created('projects/p/locations/us-central1-a', 'f');
    await rest.done((await rest.delete(NAME)).body);
    const targets = async (filter: string, parent = 'projects/p/locations/-'): Promise<string[]> =>
      ((await rest.get(`${parent}/operations`, {filter})).body.operations ?? []).map(
        (o: Json) => `${o.metadata.verb} ${o.metadata.target.split('/').at(-1)}`,
      );
    expect((await targets('')).sort()).toEqual(['create e', 'create f', 'delete e']);
    expect(await targets('metadata.verb=delete')).toEqual(['delete e']);
    expect((await targets(`metadata.target="${NAME}" AND done=true`)).sort()).toEqual(['create e', 'delete e']);
    expect(await targets('', 'projects/p/locations/us-central1-a')).toEqual(['create f']);
    expect((await rest.get(`${PARENT}/operations`, {filter: 'colour=1'})).status).toBe(400);
  });

  test('I-110 finished operations are kept 30 days, then dropped', async () => {
    const done = await rest.done((await rest.create(PARENT, 'e')).body);
    const day = 86_400_000;
    time.advance(30 * day - 61_000);
    await settled();
    expect((await rest.get(done.name)).status).toBe(200);
    time.advance(180_000);
    await until(async () => {
      time.advance(60_000);
      return (await rest.get(done.name)).status === 404;
    });
    expect(await state()).toBe('READY');
  });
});

describe('quota', () => {
  test('I-100 no quota by default; one per project can be set: 429 RESOURCE_EXHAUSTED, also under concurrency', async () => {
    const limited = await startTestServer({
      store: await openMemoryStore(),
      sensorHost: new FakeSensorHost(),
      quota: {endpointsPerProject: 3},
    });
    const client = new RestClient(limited.url);
    const answers = await Promise.all(Array.from({length: 12}, (_, i) => client.create(PARENT, `e${i}`)));
    expect(answers.filter(a => a.status === 200)).toHaveLength(3);
    for (const {status, body} of answers.filter(a => a.status !== 200)) {
      expect([status, body.error.status]).toEqual([429, 'RESOURCE_EXHAUSTED']);
      expect(body.error.details[0]['@type']).toBe('type.googleapis.com/google.rpc.QuotaFailure');
    }
    expect((await client.create('projects/q/locations/local', 'e')).status).toBe(200);
    await limited.close();
  });
});

/** Lets everything that is ready run. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise(resolve => setImmediate(resolve));
};

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise(resolve => setImmediate(resolve));
};
