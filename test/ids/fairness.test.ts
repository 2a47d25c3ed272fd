// SPDX-License-Identifier: Apache-2.0
/** Many searches through records by one user: what others get meanwhile, over REST and gRPC. Counts, no times. */
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {Fairness} from '@palisade/apiserver';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {afterEach, beforeEach, expect, test} from 'vitest';
import type {RecordStore} from '../../packages/ids/src/index.ts';
import {FOLLOWERS_MAX, FOLLOWERS_PER_USER_MAX} from '../../packages/ids/src/limits.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const THREATS = `${PARENT}/endpoints/a/threats`;
/** Global-default has four seats then: three for one user, one for a search. */
const SEATS = 40;

let time: ManualTime;
let fairness: Fairness;
let server: TestServer;
/** Searches that the record store works on, by user: each ends when it is called. */
let open: {readonly end: () => void}[];
let isHeld: boolean;

const as = (name: string): RestClient => new RestClient(server.url, {authorization: `Bearer ${name}`});
const lane = () => fairness.levels.flatMap(({lanes}) => lanes).find(({schema}) => schema === 'global-default');
const waiting = (): number => lane()?.waiting ?? 0;
const executing = (): number => lane()?.executing ?? 0;

/** A record store whose pages are held until a test lets them go. */
const heldRecords = (): RecordStore => {
  const records = new MemoryRecordStore();
  const page = records.page.bind(records);
  records.page = async request => {
    if (isHeld) await new Promise<void>(resolve => open.push({end: resolve}));
    return page(request);
  };
  return records;
};

beforeEach(async () => {
  time = new ManualTime();
  open = [];
  isHeld = false;
  fairness = new Fairness({seats: SEATS, clock: time, timers: time, limits: {queuedPerUserMax: 497}});
  server = await startTestServer({
    store: await openMemoryStore(),
    records: heldRecords(),
    sensorHost: new FakeSensorHost(),
    fairness,
    clock: time,
    timers: time,
    authenticator: {
      authenticate: ({headers}) => {
        const name = /^Bearer (\S+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
        if (name === undefined) return {outcome: 'refused'};
        const groups = ['system:authenticated', ...(name === 'admin' ? ['system:masters'] : [])];
        return {outcome: 'user', user: {name, groups}};
      },
    },
    authorizer: {authorize: () => ({allowed: true})},
  });
  await as('admin').created(PARENT, 'a');
  isHeld = true;
});
afterEach(async () => {
  isHeld = false;
  for (const {end} of open) end();
  await server.close();
});

/** 500 searches: three run, the others wait. */
const searchMuch = async () => {
  const answers = Array.from({length: 500}, () => as('heavy').get(THREATS));
  let done = 0;
  for (const answer of answers)
    void answer.then(
      () => done++,
      () => {},
    );
  await expect.poll(() => [open.length, waiting()], {interval: 5, timeout: 20_000}).toEqual([3, 497]);
  return {answers, done: () => done};
};

test("47-6 one user with 500 searches: another's search is served before the queue of the first is done", async () => {
  const heavy = await searchMuch();
  const other = as('light').get(THREATS);
  await expect.poll(() => open.length, {interval: 5}).toBe(4); // it has not waited behind 497 others
  open.splice(3, 1)[0]?.end();
  expect((await other).status).toBe(200);
  expect([heavy.done(), waiting()]).toEqual([0, 497]);
  isHeld = false;
  for (const {end} of open.splice(0)) end();
  const statuses = (await Promise.all(heavy.answers)).map(({status}) => status);
  expect(statuses).toEqual(Array.from({length: 500}, () => 200));
});

test('47-6 when all seats are taken, the other user is next, and administrators do not wait', async () => {
  const heavy = await searchMuch();
  const last = as('second').get(THREATS);
  await expect.poll(() => open.length, {interval: 5}).toBe(4);
  const other = as('light').get(`${PARENT}/endpoints`);
  await expect.poll(waiting, {interval: 5}).toBe(498);
  const admin = as('admin').get(THREATS);
  await expect.poll(() => open.length, {interval: 5}).toBe(5);
  open.pop()?.end();
  expect((await admin).status).toBe(200);
  expect(waiting()).toBe(498);
  open.shift()?.end(); // one of the first user's
  expect((await other).status).toBe(200);
  expect(waiting()).toBeGreaterThanOrEqual(496);
  isHeld = false;
  for (const {end} of open.splice(0)) end();
  expect((await last).status).toBe(200);
  await Promise.all(heavy.answers);
  expect(executing()).toBe(0);
});

test('47-6 a full queue is 429 with Retry-After, and RESOURCE_EXHAUSTED with RetryInfo over gRPC', async () => {
  const heavy = await searchMuch();
  const {status, headers, body} = await as('heavy').get(`${PARENT}/endpoints`);
  const message =
    'too many requests of user "heavy" wait: limit is 497 (priority level global-default); try again later';
  expect([status, headers.get('retry-after'), body.error.status, body.error.message]).toEqual([
    429,
    '1',
    'RESOURCE_EXHAUSTED',
    message,
  ]);
  const ids = createClient(IDS, createGrpcTransport({baseUrl: `http://${server.grpc}`}));
  const list = (name: string) => ids.listEndpoints({parent: PARENT}, {headers: {authorization: `Bearer ${name}`}});
  const error = await list('heavy').then(
    () => undefined,
    (thrown: unknown) => ConnectError.from(thrown),
  );
  expect([error?.code, error?.rawMessage]).toEqual([Code.ResourceExhausted, message]);
  expect(error?.details.map(detail => ('type' in detail ? detail.type : ''))).toEqual(['google.rpc.RetryInfo']);
  expect((await list('light')).endpoints).toHaveLength(1);
  isHeld = false;
  for (const {end} of open.splice(0)) end();
  await Promise.all(heavy.answers);
});

test('47-6 a search that waits for 15 s is 429; one whose client leaves is forgotten', async () => {
  const heavy = await searchMuch();
  const leaving = new AbortController();
  const gone = fetch(`${server.url}/v1/${THREATS}`, {
    headers: {authorization: 'Bearer second'},
    signal: leaving.signal,
  }).catch(() => {});
  await expect.poll(() => open.length, {interval: 5}).toBe(4);
  const late = as('light').get(THREATS);
  const alsoGone = new AbortController();
  void fetch(`${server.url}/v1/${THREATS}`, {
    headers: {authorization: 'Bearer third'},
    signal: alsoGone.signal,
  }).catch(() => {});
  await expect.poll(waiting, {interval: 5}).toBe(499);
  alsoGone.abort();
  await expect.poll(waiting, {interval: 5}).toBe(498);
  expect(lane()?.rejected.cancelled).toBe(1);
  time.advance(15_000);
  const {status, headers} = await late;
  expect([status, headers.get('retry-after'), waiting()]).toEqual([429, '1', 0]);
  leaving.abort();
  isHeld = false;
  for (const {end} of open.splice(0)) end();
  await gone;
  const statuses = (await Promise.all(heavy.answers)).map(answer => answer.status);
  expect([200, 429].map(code => statuses.filter(other => other === code).length)).toEqual([3, 497]);
});

test('47-6 followed streams hold no seat; a part of their total is kept for administrators', async () => {
  const follow = (name: string) =>
    fetch(`${server.url}/v1/${THREATS}?follow=1`, {headers: {authorization: `Bearer ${name}`}});
  const others = FOLLOWERS_MAX - Math.floor(FOLLOWERS_MAX / 20);
  const streams: Response[] = [];
  for (let i = 0; i < others; i++) streams.push(await follow(`u${Math.floor(i / FOLLOWERS_PER_USER_MAX)}`));
  expect(streams.every(({status}) => status === 200)).toBe(true);
  expect(executing()).toBe(0);
  const refused = await follow('late');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.text()).toContain('streams are already open, the maximum');
  const admin = await follow('admin');
  expect(admin.status).toBe(200);
  expect(fairness.refusals.follows).toBe(1);
  for (const {body} of [...streams, admin]) await body?.cancel();
});
