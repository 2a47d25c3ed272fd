// SPDX-License-Identifier: Apache-2.0
/** Request ids through a socket, over restarts and with a clock of the test. Ref: requirements I-037 to I-039, I-090 to I-094. */
import {randomUUID} from 'node:crypto';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import type {Store} from '../../packages/store/src/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const NAME = `${PARENT}/endpoints/e`;
const MINUTE = 60_000;
let store: Store;
let time: ManualTime;
let server: TestServer;
let rest: RestClient;

const boot = async (): Promise<void> => {
  server = await startTestServer({store, sensorHost: new FakeSensorHost(), clock: time, timers: time});
  rest = new RestClient(server.url);
};
beforeEach(async () => {
  store = await openMemoryStore();
  time = new ManualTime();
  await boot();
});
afterEach(() => server.close());

const operationsOn = async (name: string): Promise<Json[]> =>
  (await rest.get(`${PARENT}/operations`, {filter: `metadata.target="${name}"`})).body.operations ?? [];

describe('the id', () => {
  test.each([
    ['no UUID', 'not-a-uuid'],
    ['a UUID without hyphens', '0f3c2f6e8d5f4c1e9a9e2f1f5f7a1b2c'],
    ['a UUID with braces', '{0f3c2f6e-8d5f-4c1e-9a9e-2f1f5f7a1b2c}'],
    ['I-038 the all-zero UUID', '00000000-0000-0000-0000-000000000000'],
  ])('I-037 %s is INVALID_ARGUMENT on create, update and delete, and nothing happens', async (_, requestId) => {
    const before = await rest.created(PARENT, 'e');
    for (const answer of [
      await rest.create(PARENT, 'other', {}, {requestId}),
      await rest.patch(NAME, {updateMask: 'labels', requestId}, {labels: {a: 'b'}}),
      await rest.delete(NAME, {requestId}),
    ]) {
      expect([answer.status, answer.body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(answer.body.error.message).toContain('requestId');
    }
    expect((await rest.get(NAME)).body).toEqual(before);
    expect((await rest.get(`${PARENT}/endpoints/other`)).status).toBe(404);
  });
});

describe('replay', () => {
  test('I-039 I-090 a repeated create gives the same operation, running or finished, and makes nothing', async () => {
    const requestId = randomUUID();
    const first = (await rest.create(PARENT, 'e', {}, {requestId})).body;
    const again = (await rest.create(PARENT, 'e', {}, {requestId: requestId.toUpperCase()})).body;
    expect(again.name).toBe(first.name);
    const done = await rest.done(first);
    expect((await rest.create(PARENT, 'e', {}, {requestId})).body).toEqual(done);
    expect(await operationsOn(NAME)).toEqual([done]);
  });

  test('I-090 50 concurrent equal requests make one endpoint and one operation', async () => {
    const requestId = randomUUID();
    const answers = await Promise.all(Array.from({length: 50}, () => rest.create(PARENT, 'e', {}, {requestId})));
    expect(new Set(answers.map(a => a.status))).toEqual(new Set([200]));
    expect(new Set(answers.map(a => a.body.name)).size).toBe(1);
    await rest.done(answers[0]?.body);
    expect(await operationsOn(NAME)).toHaveLength(1);
    expect((await rest.get(`${PARENT}/endpoints`)).body.endpoints).toHaveLength(1);
  });

  test('I-094 50 concurrent equal updates, then deletes, are one each', async () => {
    await rest.created(PARENT, 'e');
    for (const send of [
      (requestId: string) => rest.patch(NAME, {updateMask: 'description', requestId}, {description: 'x'}),
      (requestId: string) => rest.delete(NAME, {requestId}),
    ]) {
      const requestId = randomUUID();
      const answers = await Promise.all(Array.from({length: 50}, () => send(requestId)));
      expect(new Set(answers.map(a => a.status))).toEqual(new Set([200]));
      expect(new Set(answers.map(a => a.body.name)).size).toBe(1);
      const done = await rest.done(answers[0]?.body);
      expect((await send(requestId)).body).toEqual(done);
    }
    expect(await operationsOn(NAME)).toHaveLength(3);
  });

  test('I-039 a replay after the endpoint was deleted, and after the operation was, recreates nothing', async () => {
    const requestId = randomUUID();
    const first = (await rest.create(PARENT, 'e', {}, {requestId})).body;
    const done = await rest.done(first);
    await rest.done((await rest.delete(NAME)).body);
    expect((await rest.create(PARENT, 'e', {}, {requestId})).body).toEqual(done);
    await rest.delete(done.name);
    expect((await rest.create(PARENT, 'e', {}, {requestId})).body.name).toBe(first.name);
    expect((await rest.get(NAME)).status).toBe(404);
  });

  test('I-093 the same id with other content is refused and says so', async () => {
    const requestId = randomUUID();
    await rest.done((await rest.create(PARENT, 'e', {}, {requestId})).body);
    for (const answer of [
      await rest.create(PARENT, 'e', {severity: 'HIGH'}, {requestId}),
      await rest.create(PARENT, 'f', {}, {requestId}),
    ]) {
      expect([answer.status, answer.body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(answer.body.error.message).toContain('other content');
    }
    const update = randomUUID();
    await rest.done((await rest.patch(NAME, {updateMask: 'labels', requestId: update}, {labels: {a: 'b'}})).body);
    const other = await rest.patch(NAME, {updateMask: 'labels', requestId: update}, {labels: {a: 'c'}});
    expect(other.status).toBe(400);
    expect((await rest.get(NAME)).body).toMatchObject({severity: 'LOW', labels: {a: 'b'}});
  });

  test('the order of members and both spellings are the same content', async () => {
    const requestId = randomUUID();
    const query = {endpointId: 'e', requestId};
    const a = await rest.post(`${PARENT}/endpoints`, query, {
      network: 'n',
      severity: 'HIGH',
      trafficLogs: true,
      labels: {x: '1', y: '2'},
    });
    const b = await rest.post(`${PARENT}/endpoints`, query, {
      labels: {y: '2', x: '1'},
      traffic_logs: true,
      severity: 4,
      network: 'n',
    });
    expect(b.body.name).toBe(a.body.name);
  });

  test('an id whose first request was refused is not remembered', async () => {
    const requestId = randomUUID();
    expect((await rest.create(PARENT, 'e', {severity: 'NONE'}, {requestId})).status).toBe(400);
    expect((await rest.create(PARENT, 'e', {}, {requestId})).status).toBe(200);
  });

  test('I-093 without an id a second create is ALREADY_EXISTS', async () => {
    await rest.created(PARENT, 'e');
    expect((await rest.create(PARENT, 'e')).body.error.status).toBe('ALREADY_EXISTS');
  });
});

describe('the window', () => {
  test('I-091 I-099 at 59:59 the request is recognised', async () => {
    const requestId = randomUUID();
    const first = (await rest.create(PARENT, 'e', {}, {requestId})).body;
    await rest.done(first);
    time.advance(60 * MINUTE - 1_000);
    expect((await rest.create(PARENT, 'e', {}, {requestId})).body.name).toBe(first.name);
  });

  test('I-092 the window survives a restart; after 24 h the id is new again', async () => {
    const requestId = randomUUID();
    const first = (await rest.create(PARENT, 'e', {}, {requestId})).body;
    await rest.done(first);
    await server.close();
    time.advance(24 * 60 * MINUTE - 1_000);
    await boot();
    expect((await rest.create(PARENT, 'e', {}, {requestId})).body.name).toBe(first.name);
    time.advance(1_000);
    expect((await rest.create(PARENT, 'e', {}, {requestId})).body.error.status).toBe('ALREADY_EXISTS');
    await rest.done((await rest.delete(NAME)).body);
    const second = (await rest.create(PARENT, 'e', {}, {requestId})).body;
    expect(second.name).not.toBe(first.name);
    expect((await rest.done(second)).response.state).toBe('READY');
  });

  test('I-092 ids that are no longer kept leave the store', async () => {
    await rest.done((await rest.create(PARENT, 'e', {}, {requestId: randomUUID()})).body);
    const kept = async (): Promise<number> => (await store.list('/ids/requests/', {limit: 10})).entries.length;
    expect(await kept()).toBe(1);
    while ((await kept()) > 0) {
      time.advance(60 * MINUTE);
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(time.now() - Date.UTC(2026, 0, 1)).toBeGreaterThanOrEqual(24 * 60 * MINUTE);
  });
});
