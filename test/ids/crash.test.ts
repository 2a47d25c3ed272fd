// SPDX-License-Identifier: Apache-2.0
/**
 * A server that dies around each of its writes, and a store that fails for a while. After a restart every operation ends, the repeated
 * request finds it, and nothing is left over. Ref: requirements I-073, design invariants 1 and 5.
 */
import {afterEach, describe, expect, test} from 'vitest';
import {DyingStore} from '../../packages/ids/src/testing/dying-store.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Store, StoreError} from '../../packages/store/src/index.ts';
import {type Answer, type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const NAME = `${PARENT}/endpoints/e`;
const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const boot = async (store: Store, sensorHost: FakeSensorHost): Promise<RestClient> => {
  const server = await startTestServer({store, sensorHost});
  open.push(server);
  return new RestClient(server.url);
};

type Step = {readonly verb: string; readonly send: (rest: RestClient) => Promise<Answer>};
const STEPS: readonly Step[] = [
  {
    verb: 'create',
    send: rest => rest.create(PARENT, 'e', {labels: {a: 'b'}}, {requestId: '11111111-2222-4333-8444-555555555555'}),
  },
  {
    verb: 'update',
    send: rest =>
      rest.patch(NAME, {updateMask: 'severity', requestId: '11111111-2222-4333-8444-666666666666'}, {severity: 'HIGH'}),
  },
  {verb: 'delete', send: rest => rest.delete(NAME, {requestId: '11111111-2222-4333-8444-777777777777'})},
];

/** Sends a step until it is answered and done; undefined: the server died meanwhile. */
const carryOut = async (rest: RestClient, store: DyingStore, step: Step): Promise<Json> => {
  const answer = await step.send(rest);
  if (store.isDead) return undefined;
  expect(answer.status).toBe(200);
  for (;;) {
    const {body} = await rest.get(answer.body.name);
    if (body?.done === true) return body;
    if (store.isDead) return undefined;
  }
};

const leftovers = async (store: Store): Promise<string[]> =>
  (
    await Promise.all(['endpoints', 'addresses', 'vnis'].map(kind => store.list(`/ids/${kind}/`, {limit: 100})))
  ).flatMap(page => page.entries.map(entry => entry.key));

/** The allocation keys fit the endpoints exactly. */
const demandConsistent = async (store: Store, rest: RestClient, host: FakeSensorHost): Promise<void> => {
  const endpoints = (await rest.get(`${PARENT}/endpoints`)).body.endpoints ?? [];
  const ips = (await store.list('/ids/addresses/', {limit: 100})).entries.map(e => e.key.split('/').at(-1));
  expect(ips.sort()).toEqual(endpoints.map((e: Json) => e.endpointIp).sort());
  expect([...host.endpoints()].sort()).toEqual(endpoints.map((e: Json) => e.name).sort());
};

describe('kill -9 around each write of create, update, delete', () => {
  test.each([false, true])('I-073 I-092 the fatal write reached the disk: %s', async written => {
    let afterTxns = 0;
    for (let finished = false; !finished; afterTxns += 1) {
      const inner = await openMemoryStore();
      const dying = new DyingStore(inner, {afterTxns, written});
      let host = new FakeSensorHost();
      let rest = await boot(dying, host);
      finished = true;
      for (const step of STEPS) {
        let done = await carryOut(rest, dying, step);
        if (done === undefined) {
          finished = false;
          await open.pop()?.close();
          host = new FakeSensorHost(); // its processes died with the server
          rest = await boot(inner, host);
          // Whatever was under way ends without anybody asking.
          const running = (await rest.get(`${PARENT}/operations`, {filter: 'done=false'})).body.operations ?? [];
          for (const operation of running) await rest.done(operation);
          // The client asks again with the same id, and finds its one operation.
          done = await rest.done((await step.send(rest)).body);
        }
        expect(done.metadata.verb).toBe(step.verb);
        expect(done.error).toBeUndefined();
      }
      const all = (await rest.get(`${PARENT}/operations`)).body.operations;
      expect(all.map((o: Json) => [o.metadata.verb, o.done])).toEqual(STEPS.map(({verb}) => [verb, true]));
      expect(await leftovers(inner)).toEqual([]);
      expect(host.endpoints()).toEqual([]);
      await open.pop()?.close();
    }
    expect(afterTxns).toBeGreaterThan(6); // each of the writes was hit
  });

  test('I-073 a READY endpoint gets its sensor back after a restart, with the settings in force', async () => {
    const store = await openMemoryStore();
    const rest = await boot(store, new FakeSensorHost());
    const before = await rest.created(PARENT, 'e', {severity: 'HIGH', threatExceptions: ['7']});
    await open.pop()?.close();
    const host = new FakeSensorHost();
    const again = await boot(store, host);
    await until(() => host.running.has(NAME));
    expect(host.running.get(NAME)).toMatchObject({severity: 'HIGH', threatExceptions: ['7'], ip: before.endpointIp});
    const after = (await again.get(NAME)).body;
    // The port of the test server is another one, so the rule's address is, too; its path stays.
    expect({...after, endpointForwardingRule: ''}).toEqual({...before, endpointForwardingRule: ''});
    expect(new URL(after.endpointForwardingRule).pathname).toBe(new URL(before.endpointForwardingRule).pathname);
    expect((await again.get(new URL(after.endpointForwardingRule).pathname)).status).toBe(200);
  });
});

describe('faults of the store', () => {
  test('a write that the store refuses is 503 and changes nothing; when it answers again, so do we', async () => {
    const store = new DyingStore(await openMemoryStore());
    const rest = await boot(store, new FakeSensorHost());
    store.refusing = new StoreError('unavailable', {message: 'disk full'});
    const refused = await rest.create(PARENT, 'e');
    expect([refused.status, refused.body.error.status]).toEqual([503, 'UNAVAILABLE']);
    expect(refused.body.error.details).toEqual([
      {'@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s'},
    ]);
    expect(refused.text).not.toContain('disk full'); // what is inside stays inside
    expect((await rest.get(NAME)).status).toBe(404);
    store.refusing = undefined;
    expect((await rest.created(PARENT, 'e')).state).toBe('READY');
  });

  test('I-073 a store that fails between the steps of an operation: the operation goes on when it answers', async () => {
    const inner = await openMemoryStore();
    const store = new DyingStore(inner);
    const host = new FakeSensorHost();
    const rest = await boot(store, host);
    host.before = call => {
      if (call === 'start') store.refusing = new StoreError('unavailable', {message: 'disk full'});
    };
    const {body: running} = await rest.create(PARENT, 'e');
    await until(async () => ((await rest.get(running.name)).body.metadata.statusMessage ?? '').includes('retrying'));
    expect((await rest.get(NAME)).body.state).toBe('CREATING');
    host.before = undefined;
    store.refusing = undefined;
    expect((await rest.done(running)).response.state).toBe('READY');
    await demandConsistent(inner, rest, host);
  });
});

describe('many', () => {
  test('100 endpoints created, changed and deleted in random order leave nothing behind', async () => {
    const seed = Math.trunc(Math.random() * 2 ** 31);
    const random = mulberry(seed);
    const store = await openMemoryStore();
    const host = new FakeSensorHost();
    const rest = await boot(store, host);
    const jobs = Array.from({length: 100}, (_, i) => async () => {
      const id = `e${i}`;
      const name = `${PARENT}/endpoints/${id}`;
      const created = await rest.create(PARENT, id);
      if (random() < 0.3) await rest.post(`${created.body.name}:cancel`, {});
      const done = await rest.done(created.body);
      if (done.error !== undefined) return;
      if (random() < 0.5)
        await rest.done((await rest.patch(name, {updateMask: 'description'}, {description: id})).body);
      if (random() < 0.5) await demandConsistentAddress(rest, host, name);
      await rest.done((await rest.delete(name)).body);
    });
    jobs.sort(() => random() - 0.5);
    const lanes = Array.from({length: 10}, async () => {
      for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await job();
    });
    await Promise.all(lanes);
    expect({seed, left: await leftovers(store), sensors: host.endpoints()}).toEqual({seed, left: [], sensors: []});
    expect((await store.list('/ids-records/', {limit: 10})).entries).toEqual([]);
    const rules = await rest.get('/compute/v1/projects/any-tp/regions/local/forwardingRules');
    expect(rules.body.items).toEqual([]);
  });
});

const demandConsistentAddress = async (rest: RestClient, host: FakeSensorHost, name: string): Promise<void> => {
  expect(host.running.get(name)?.ip).toBe((await rest.get(name)).body.endpointIp);
};

const mulberry = (seed: number) => {
  let a = seed;
  return (): number => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise(resolve => setImmediate(resolve));
};
