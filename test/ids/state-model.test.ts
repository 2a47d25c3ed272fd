// SPDX-License-Identifier: Apache-2.0
/**
 * Random requests, sensors and restarts against a model: no illegal jump is ever seen, every answer is the one that the state calls
 * for, every operation ends. Ref: requirements I-070, I-072, I-073.
 */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FakeSensorError, FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import type {Store} from '../../packages/store/src/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const IDS = ['a', 'b'] as const;
const nameOf = (id: string): string => `${PARENT}/endpoints/${id}`;

/** What is seen from outside: state by endpoint, with `none` for one that is not there. */
type Seen = Map<string, string>;
const LEGAL = new Set([
  'none→CREATING',
  'CREATING→READY',
  'CREATING→none',
  'READY→UPDATING',
  'UPDATING→READY',
  'READY→DELETING',
  'DELETING→none',
]);

/** Every state of every endpoint in the order of the store's revisions. */
const watchStates = (store: Store, signal: AbortSignal, history: string[]): void => {
  const states: Seen = new Map();
  void (async () => {
    for await (const batch of store.watch('/ids/endpoints/', 0n, signal)) {
      for (const event of batch) {
        const key = event.type === 'put' ? event.entry.key : event.key;
        const before = states.get(key) ?? 'none';
        const after = event.type === 'put' ? JSON.parse(Buffer.from(event.entry.value).toString()).state : 'none';
        if (before !== after) history.push(`${before}→${after}`);
        states.set(key, after);
      }
    }
  })();
};

class World {
  readonly store: Store;
  host = new FakeSensorHost();
  server: TestServer | undefined;
  rest = new RestClient('');
  #blocked: (() => void)[] = [];
  #mode: 'go' | 'block' | 'fail' = 'go';

  constructor(store: Store) {
    this.store = store;
  }

  async boot(): Promise<void> {
    this.host = new FakeSensorHost();
    this.host.before = call => {
      if (this.#mode === 'block') return new Promise(resolve => this.#blocked.push(resolve));
      if (this.#mode === 'fail' && call === 'start') throw new FakeSensorError('start-failed', 'Suricata ended');
      return undefined;
    };
    this.server = await startTestServer({store: this.store, sensorHost: this.host});
    this.rest = new RestClient(this.server.url);
  }

  sensors(mode: 'go' | 'block' | 'fail'): void {
    this.#mode = mode;
    if (mode !== 'block') for (const release of this.#blocked.splice(0)) release();
  }

  async restart(): Promise<void> {
    const mode = this.#mode;
    this.sensors('go');
    await this.server?.close();
    this.#mode = mode;
    await this.boot();
  }

  async state(id: string): Promise<string> {
    const {status, body} = await this.rest.get(nameOf(id));
    return status === 404 ? 'none' : body.state;
  }
}

type Command = {readonly name: string; readonly run: (world: World) => Promise<void>};

/** Sends a request in a known state and demands the answer that belongs to it; the state may move on by itself between the two. */
const request = (
  name: string,
  send: (world: World) => Promise<{status: number; body: Json}>,
  id: string,
  allowed: Readonly<Record<string, readonly number[]>>,
): Command => ({
  name: `${name} ${id}`,
  run: async world => {
    const before = await world.state(id);
    const {status} = await send(world);
    const after = await world.state(id);
    const possible = new Set([
      ...(allowed[before] ?? []),
      ...(allowed[after] ?? []),
      ...(before === after ? [] : (allowed['READY'] ?? [])),
    ]);
    expect(possible, `${name} in ${before}, then ${after}`).toContain(status);
  },
});

const id = fc.constantFrom(...IDS);
const command: fc.Arbitrary<Command> = fc.oneof(
  id.map(i =>
    request('create', w => w.rest.create(PARENT, i), i, {
      none: [200],
      CREATING: [409, 200],
      READY: [409, 200],
      UPDATING: [409],
      DELETING: [409],
    }),
  ),
  id.map(i =>
    request('patch', w => w.rest.patch(nameOf(i), {updateMask: 'labels'}, {labels: {x: 'y'}}), i, {
      none: [404],
      CREATING: [409],
      READY: [200],
      UPDATING: [409, 200],
      DELETING: [409],
    }),
  ),
  id.map(i =>
    request('delete', w => w.rest.delete(nameOf(i)), i, {
      none: [404, 200],
      CREATING: [409],
      READY: [200],
      UPDATING: [409],
      DELETING: [409, 200],
    }),
  ),
  fc.constant<Command>({
    name: 'cancel all',
    run: async w => {
      const {body} = await w.rest.get(`${PARENT}/operations`, {filter: 'done=false'});
      for (const o of body.operations ?? []) expect((await w.rest.post(`${o.name}:cancel`, {})).status).toBe(200);
    },
  }),
  fc
    .constantFrom('go', 'block', 'fail')
    .map(mode => ({name: `sensors ${mode}`, run: async (w: World) => w.sensors(mode as 'go')})),
  fc.constant<Command>({name: 'restart', run: w => w.restart()}),
);

test('I-070 I-072 I-073 any mix of requests, sensors and restarts makes legal moves only, and everything ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, {minLength: 5, maxLength: 25}), async commands => {
      const world = new World(await openMemoryStore());
      const stop = new AbortController();
      const history: string[] = [];
      watchStates(world.store, stop.signal, history);
      await world.boot();
      try {
        for (const {run} of commands) await run(world);
        world.sensors('go');
        const {body} = await world.rest.get(`${PARENT}/operations`, {pageSize: '1000'});
        for (const operation of body.operations ?? []) {
          const done = await world.rest.done(operation);
          expect((done.error === undefined) !== (done.response === undefined)).toBe(true);
        }
        for (const i of IDS) expect(['none', 'READY']).toContain(await world.state(i));
        expect(history.filter(jump => !LEGAL.has(jump))).toEqual([]);
        const endpoints = (await world.rest.get(`${PARENT}/endpoints`)).body.endpoints ?? [];
        const addresses = (await world.store.list('/ids/addresses/', {limit: 10})).entries;
        expect(addresses.map(e => e.key.split('/').at(-1)).sort()).toEqual(
          endpoints.map((e: Json) => e.endpointIp).sort(),
        );
      } finally {
        world.sensors('go');
        await world.server?.close();
        stop.abort();
      }
    }),
    {numRuns: 40},
  );
});
