// SPDX-License-Identifier: Apache-2.0
/** Many requests of one user over HTTP: what others get meanwhile. Counts, no times. */
import {type ClientRequest, request as httpRequest} from 'node:http';
import {type Authenticator, Fairness, systemClock, systemTimers} from '@palisade/apiserver';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {ENDPOINTS, freshName, startWire, type Wire} from './support.ts';

/** `Bearer NAME`: the user NAME; `admin` is an administrator. */
const authenticator: Authenticator = {
  authenticate: ({headers}) => {
    const name = /^Bearer (\S+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
    if (name === undefined) return {outcome: 'anonymous'};
    const groups = ['system:authenticated', ...(name === 'admin' ? ['system:masters'] : [])];
    return {outcome: 'user', user: {name, groups}, byCredential: true};
  },
};
const as = (name: string) => ({headers: {authorization: `Bearer ${name}`}});

/** Global-default has four seats then: three for one user. */
const SEATS = 40;
const limits = {watchersMax: 40, watchersPerUserMax: 3, queuedPerUserMax: 500};
/** A list is longer than what a connection takes without a reader. */
const OBJECTS = 60;
const FILLER = 'x'.repeat(200_000);

let fairness: Fairness;
let wire: Wire;

const lane = (schema: string) => fairness.levels.flatMap(({lanes}) => lanes).find(counts => counts.schema === schema);
const waiting = (): number => lane('global-default')?.waiting ?? 0;
const executing = (): number => lane('global-default')?.executing ?? 0;

const open = async (more: {listsPerUserMax?: number} = {}): Promise<void> => {
  fairness = new Fairness({seats: SEATS, clock: systemClock, timers: systemTimers, limits});
  wire = await startWire({
    authenticator,
    authorizer: {authorize: () => ({allowed: true})},
    limits: {...limits, ...more},
    fairness,
  });
};

const fill = async (): Promise<void> => {
  for (let i = 0; i < OBJECTS; i++) {
    const body = {metadata: {name: freshName(), annotations: {filler: FILLER}}};
    expect((await wire.send('POST', ENDPOINTS, {body, ...as('admin')})).status).toBe(201);
  }
};

describe('47-6 one user with 500 expensive requests', () => {
  let requests: ClientRequest[] = [];
  /** Of the first user, heads that came. */
  let begun: number;

  beforeAll(async () => {
    await open();
    await fill();
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  beforeEach(async () => {
    begun = 0;
    // Nobody reads these lists: they hold their seats until the end of the test.
    requests = Array.from({length: 500}, () => {
      const request = httpRequest(wire.url + ENDPOINTS, as('heavy'));
      request.on('error', () => {});
      request.on('response', () => begun++);
      return request.end();
    });
    await expect.poll(() => [waiting(), begun], {interval: 5, timeout: 20_000}).toEqual([497, 3]);
  });
  afterEach(async () => {
    const cancelled = lane('global-default')?.rejected.cancelled ?? 0;
    for (const request of requests) request.destroy();
    await expect.poll(() => [waiting(), executing()], {interval: 5, timeout: 20_000}).toEqual([0, 0]);
    expect((lane('global-default')?.rejected.cancelled ?? 0) - cancelled).toBe(497); // those that waited left the queue
  });

  test('the request of another user is served before the queue of the first is done', async () => {
    const answer = await wire.send('GET', ENDPOINTS, as('light'));
    expect([answer.status, answer.body.items.length]).toEqual([200, OBJECTS]);
    expect([waiting(), begun]).toEqual([497, 3]);
  });

  test('administrators, health and heartbeats do not wait, although every seat is taken', async () => {
    const another = httpRequest(wire.url + ENDPOINTS, as('second')); // takes the last seat
    another.on('error', () => {});
    requests.push(another.end());
    await expect.poll(executing, {interval: 5}).toBe(4);
    const lease = {metadata: {name: freshName()}, spec: {holderIdentity: 'm', leaseDurationSeconds: 15}};
    const statuses = await Promise.all([
      wire.send('GET', ENDPOINTS, {query: {limit: '1'}, ...as('admin')}),
      wire.send('GET', '/livez'),
      wire.send('GET', '/readyz', as('heavy')),
      wire.send('POST', '/apis/coordination.k8s.io/v1/namespaces/one/leases', {body: lease, ...as('heavy')}),
    ]);
    expect(statuses.map(({status}) => status)).toEqual([200, 200, 200, 201]);
    expect(waiting()).toBe(497);
  });

  test('a full queue is 429 with Retry-After and the names of level and schema', async () => {
    const more = Array.from({length: 3}, () => {
      const request = httpRequest(wire.url + ENDPOINTS, as('heavy'));
      request.on('error', () => {});
      return request.end();
    });
    requests.push(...more);
    await expect.poll(waiting, {interval: 5}).toBe(500);
    const {status, headers, body} = await wire.send('GET', `${ENDPOINTS}/x`, as('heavy'));
    expect([status, headers['retry-after'], body.reason]).toEqual([429, '1', 'TooManyRequests']);
    expect(body.message).toBe(
      'too many requests of user "heavy" wait: limit is 500 (priority level global-default); try again later',
    );
    expect(headers['x-kubernetes-pf-prioritylevel-uid']).toBe('global-default');
    expect(headers['x-kubernetes-pf-flowschema-uid']).toBe('global-default');
    for (const request of more) request.destroy();
    await expect.poll(waiting, {interval: 5}).toBe(497);
    const counts = lane('global-default');
    if (counts !== undefined) counts.rejected.cancelled -= 3; // not of the 500
  });
});

describe('47-6 bounds of a user', () => {
  beforeEach(() => open());
  afterEach(() => wire[Symbol.asyncDispose]());

  test('one user has so many watches; others and administrators open theirs; an end makes room', async () => {
    const headers = (name: string) => as(name).headers;
    const watches = [];
    for (let i = 0; i < 3; i++) watches.push(await wire.watch(ENDPOINTS, {}, headers('jane')));
    const refused = await wire.send('GET', ENDPOINTS, {query: {watch: '1'}, ...as('jane')});
    expect([refused.status, refused.headers['retry-after'], refused.body.message]).toEqual([
      429,
      '1',
      'too many watches of user "jane": limit is 3; close some, then try again',
    ]);
    expect(fairness.refusals.watches).toBe(1);
    for (let i = 0; i < 5; i++) watches.push(await wire.watch(ENDPOINTS, {}, headers('admin')));
    watches.push(await wire.watch(ENDPOINTS, {}, headers('bob')));
    expect(watches.map(({response}) => response.statusCode)).toEqual(Array.from({length: 9}, () => 200));
    expect(executing()).toBe(0); // an open watch holds no seat
    watches[0]?.close();
    const again = async (): Promise<number | undefined> => {
      const {response} = await wire.watch(ENDPOINTS, {}, headers('jane'));
      watches.push({close: () => response.destroy(), response} as never);
      return response.statusCode;
    };
    await expect.poll(again, {interval: 5}).toBe(200);
    for (const watch of watches) watch.close();
  });

  test('one user has so many long lists that nobody reads; another user gets the next one', async () => {
    await wire[Symbol.asyncDispose]();
    await open({listsPerUserMax: 2});
    await fill();
    const requests: ClientRequest[] = [];
    for (let i = 0; i < 2; i++) {
      const request = httpRequest(wire.url + ENDPOINTS, as('jane'));
      request.on('error', () => {});
      requests.push(request.end());
      await new Promise(resolve => request.once('response', resolve));
    }
    const {status, headers, body} = await wire.send('GET', ENDPOINTS, as('jane'));
    expect([status, headers['retry-after'], body.message]).toEqual([
      429,
      '1',
      'too many long lists of user "jane": limit is 2; close some, then try again',
    ]);
    expect((await wire.send('GET', ENDPOINTS, as('bob'))).body.items).toHaveLength(OBJECTS);
    expect((await wire.send('GET', ENDPOINTS, {query: {limit: '1'}, ...as('jane')})).status).toBe(200);
    for (const request of requests) request.destroy();
    const again = async (): Promise<number> => (await wire.send('GET', ENDPOINTS, as('jane'))).status;
    await expect.poll(again, {interval: 20}).toBe(200);
  });

  test('a client that has left holds no seat', async () => {
    const {status} = await wire.send('GET', ENDPOINTS, as('jane'));
    expect([status, executing(), fairness.inflight.readOnly.executing]).toEqual([200, 0, 0]);
  });

  test('clients without a credential share few seats, by address', async () => {
    const before = lane('catch-all')?.dispatched ?? 0;
    await wire.send('GET', ENDPOINTS);
    expect((lane('catch-all')?.dispatched ?? 0) - before).toBe(1);
    expect(fairness.levels.at(-1)?.level.seats).toBe(1);
  });
});
