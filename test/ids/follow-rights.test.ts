// SPDX-License-Identifier: Apache-2.0
/** Streams of records end when the right to them is gone, and one user cannot take all of them. */
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {Operations} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {Health, HealthCheckResponse_ServingStatus} from '@palisade/ids-wire/gen/grpc/health/v1/health_pb.ts';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {RIGHTS} from '../../packages/apiserver/src/index.ts';
import {createIdsClient, keepFollowing} from '../../packages/client/src/index.ts';
import type {RecordStore} from '../../packages/ids/src/index.ts';
import {
  FOLLOWERS_MAX,
  FOLLOWERS_PER_USER_MAX,
  HEALTH_WATCHES_MAX,
  OPERATION_WAIT_DEFAULT_MS,
} from '../../packages/ids/src/limits.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const A = `${PARENT}/endpoints/a`;
const NO_ALERTS = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};

let time: ManualTime;
let records: RecordStore;
let host: FakeSensorHost;
let server: TestServer;
/** Users that may read, tokens that are good, and pairs that may impersonate. */
let readers: Set<string>;
let tokens: Set<string>;
let impersonators: Set<string>;
let broken: Error | undefined;
/** Called with the user of every question to the authorizer. */
let onAsked: (user: string) => void;

beforeEach(async () => {
  time = new ManualTime();
  readers = new Set(['jane', 'bob']);
  tokens = new Set(['admin', 'jane', 'bob', 'proxy']);
  impersonators = new Set(['proxy']);
  broken = undefined;
  onAsked = () => {};
  host = new FakeSensorHost();
  const store = await openMemoryStore();
  records = new MemoryRecordStore();
  server = await startTestServer({
    store,
    records,
    sensorHost: host,
    clock: time,
    timers: time,
    authenticator: {
      authenticate: ({headers}) => {
        const token = /^Bearer (\w+)$/.exec(String(headers['authorization'] ?? ''))?.[1] ?? '';
        return tokens.has(token) ? {outcome: 'user', user: {name: token, groups: []}} : {outcome: 'refused'};
      },
    },
    authorizer: {
      authorize: ({user, verb}) => {
        onAsked(user.name);
        if (broken !== undefined) throw broken;
        if (verb.startsWith('impersonate')) return {allowed: verb === 'impersonate' && impersonators.has(user.name)};
        return {allowed: user.name === 'admin' || (readers.has(user.name) && verb !== 'delete')};
      },
    },
  });
  await new RestClient(server.url, {authorization: 'Bearer admin'}).created(PARENT, 'a');
});
afterEach(() => server.close());

const write = (id: number): Promise<void> =>
  records.commit({
    endpoint: A,
    checkpoint: undefined,
    counters: NO_ALERTS,
    threats: [
      {
        id: `f-${id}`,
        record: threatRecord({
          threat_id: `1:${id}`,
          name: 'threat',
          alert_severity: 'HIGH',
          alert_time: '2026-01-01T00:00:00Z',
          source_port: '40000',
          endpoint: A,
        }),
      },
    ],
    traffic: [],
  });

type Stream = {readonly status: number; readonly lines: () => Promise<Json[]>; readonly close: () => void};
/** `lines`: all to the end. Resolves when the stream is open. */
const follow = async (token: string, headers: Record<string, string> = {}, query = ''): Promise<Stream> => {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/v1/${A}/threats?follow=1${query}`, {
    headers: {authorization: `Bearer ${token}`, ...headers},
    signal: abort.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = response.status === 200 ? String((await reader?.read())?.value) : '';
  const lines = async (): Promise<Json[]> => {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
    return text
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line));
  };
  return {status: response.status, lines, close: () => abort.abort()};
};

describe('the right is gone', () => {
  test.each(['', '&format=logentry', '&cursors=1'])(
    'F-17 a stream (%s) gives what came before, then the reason, and ends within 5 s',
    async query => {
      const stream = await follow('jane', {}, query);
      await write(1);
      readers.delete('jane');
      time.advance(5_000);
      const all = await stream.lines();
      expect(all.at(-1)).toEqual({
        error: {
          code: 403,
          status: 'PERMISSION_DENIED',
          message: expect.stringMatching(/^stream ended: Permission 'ids\.threats\.list' denied on resource /),
        },
      });
      expect(JSON.stringify(all)).toContain('1:1');
      await write(2);
    },
  );

  test('F-17 a token that is good no longer ends its stream with 401', async () => {
    const stream = await follow('jane');
    tokens.delete('jane');
    time.advance(5_000);
    expect((await stream.lines()).at(-1)).toMatchObject({error: {code: 401, status: 'UNAUTHENTICATED'}});
  });

  test('F-17 a user that may no longer be impersonated, or lost his rights, ends the stream of the impersonator', async () => {
    const [one, two] = [
      await follow('proxy', {'impersonate-user': 'jane'}),
      await follow('proxy', {'impersonate-user': 'bob'}),
    ];
    readers.delete('bob');
    time.advance(5_000);
    expect((await two.lines()).at(-1)).toMatchObject({error: {code: 403}});
    impersonators.delete('proxy');
    time.advance(5_000);
    expect((await one.lines()).at(-1)).toMatchObject({
      error: {code: 403, message: expect.stringContaining('User "proxy" cannot impersonate user "jane"')},
    });
  });

  test('F-17 a check that keeps failing ends the stream with a code that says to try again', async () => {
    const stream = await follow('jane');
    broken = new Error('the back end is away');
    for (let i = 0; i < RIGHTS.failedRoundsMax; i += 1) {
      time.advance(RIGHTS.roundMs);
      await new Promise(resolve => setImmediate(resolve)); // the check is over
    }
    expect((await stream.lines()).at(-1)).toMatchObject({error: {code: 503, status: 'UNAVAILABLE'}});
  });

  test('F-17 a stream whose right stays goes on, also when its endpoint is deleted', async () => {
    const stream = await follow('jane');
    for (let i = 0; i < 5; i += 1) {
      time.advance(RIGHTS.roundMs);
      await new Promise(resolve => setImmediate(resolve)); // the check is over
    }
    const admin = new RestClient(server.url, {authorization: 'Bearer admin'});
    await admin.done((await admin.delete(A)).body);
    await write(3);
    readers.delete('jane');
    time.advance(5_000);
    expect((await stream.lines()).map(line => line.threat_id ?? line.error.code)).toEqual(['1:3', 403]);
  });

  test('F-17 the client reports it, and does not ask again', async () => {
    const lost: string[] = [];
    const following = keepFollowing(
      createIdsClient({server: server.url, authorization: () => 'Bearer jane'}),
      A,
      'threats',
      {since: '2026-01-01T00:00:00Z'},
      {
        clock: {now: () => 0, sleep: () => Promise.reject(new Error('asked again'))},
        awayMsMax: 60_000,
        signal: new AbortController().signal,
        onLost: why => lost.push(why),
      },
    );
    await write(1);
    expect((await following.next()).value).toMatchObject({threat_id: '1:1'});
    const next = following.next();
    readers.delete('jane');
    time.advance(5_000);
    await expect(next).rejects.toMatchObject({code: 'PERMISSION_DENIED'});
    expect(lost).toEqual([]);
  });
});

describe('streams of one user', () => {
  const fill = async (token: string, count: number, headers: Record<string, string> = {}): Promise<Stream[]> =>
    Promise.all(Array.from({length: count}, () => follow(token, headers)));

  test('F-17 are bounded, and leave room for others; one that was closed makes room', async () => {
    const streams = await fill('jane', FOLLOWERS_PER_USER_MAX);
    expect(streams.map(({status}) => status)).toEqual(streams.map(() => 200));
    const refused = await new RestClient(server.url, {authorization: 'Bearer jane'}).get(`${A}/threats`, {follow: '1'});
    expect([refused.status, refused.body.error]).toEqual([
      429,
      {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: `user "jane" follows ${FOLLOWERS_PER_USER_MAX} streams already, as many as one user may; close some, then try again`,
        details: [{'@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s'}],
      },
    ]);
    const other = await follow('bob');
    expect(other.status).toBe(200);
    readers.delete('jane');
    time.advance(5_000);
    await Promise.all(streams.map(stream => stream.lines()));
    readers.add('jane');
    const again = await follow('jane');
    expect(again.status).toBe(200);
    for (const stream of [other, again]) stream.close();
  });

  test('F-17 count for the user that is acted as, not for the one that impersonates', async () => {
    const streams = await fill('proxy', FOLLOWERS_PER_USER_MAX, {'impersonate-user': 'jane'});
    expect((await follow('proxy', {'impersonate-user': 'bob'})).status).toBe(200);
    expect((await follow('jane')).status).toBe(429);
    expect((await follow('proxy', {'impersonate-user': 'jane'})).status).toBe(429);
    for (const stream of streams) stream.close();
  });

  test('F-17 of all users together are bounded; a part is kept for administrators', async () => {
    const users = Math.ceil(FOLLOWERS_MAX / FOLLOWERS_PER_USER_MAX);
    for (let i = 0; i < users; i += 1) {
      tokens.add(`user${i}`);
      readers.add(`user${i}`);
      await fill(`user${i}`, FOLLOWERS_PER_USER_MAX);
    }
    const {status, body} = await new RestClient(server.url, {authorization: 'Bearer bob'}).get(`${A}/threats`, {
      follow: '1',
    });
    expect([status, body.error.message]).toEqual([
      429,
      `${FOLLOWERS_MAX - Math.floor(FOLLOWERS_MAX / 20)} streams are already open, the maximum; close some, then try again`,
    ]);
  });
});

/** A wait of jane for an operation that ends when `release` is called; it has begun. */
const slowWait = async () => {
  const gate = Promise.withResolvers<void>();
  host.before = call => (call === 'start' ? gate.promise : undefined);
  const {body} = await new RestClient(server.url, {authorization: 'Bearer admin'}).create(PARENT, 'slow');
  const operations = createClient(Operations, createGrpcTransport({baseUrl: `http://${server.grpc}`}));
  const asked = new Promise<void>(resolve => {
    onAsked = user => {
      if (user === 'jane') resolve();
    };
  });
  const waiting = operations
    .waitOperation({name: body.name}, {headers: {authorization: 'Bearer jane'}})
    .catch(error => ConnectError.from(error));
  await asked;
  return {name: body.name, waiting, release: gate.resolve};
};

test('F-17 a wait for an operation that outlives its token is refused at its end', async () => {
  const {waiting, release} = await slowWait();
  await new Promise(resolve => setImmediate(resolve)); // it waits
  tokens.delete('jane');
  time.advance(OPERATION_WAIT_DEFAULT_MS);
  expect(await waiting).toMatchObject({code: Code.Unauthenticated});
  release();
});

describe('watches of grpc.health.v1', () => {
  const client = () => createClient(Health, createGrpcTransport({baseUrl: `http://${server.grpc}`}));
  const watch = (abort: AbortController) =>
    client().watch({service: ''}, {signal: abort.signal})[Symbol.asyncIterator]();

  test('F-17 need no user, are bounded, and take no place of followers', async () => {
    const abort = new AbortController();
    const all = Array.from({length: HEALTH_WATCHES_MAX}, () => watch(abort));
    await Promise.all(all.map(each => each.next()));
    const refused = await watch(abort)
      .next()
      .catch(error => ConnectError.from(error));
    expect(refused).toMatchObject({
      code: Code.ResourceExhausted,
      rawMessage: `${HEALTH_WATCHES_MAX} streams are already open, the maximum; close some, then try again`,
    });
    const stream = await follow('jane');
    expect(stream.status).toBe(200);
    stream.close();
    abort.abort();
  });

  test('48-5 end with NOT_SERVING and UNAVAILABLE when the server stops', async () => {
    const each = watch(new AbortController());
    await each.next();
    server.api.endStreams();
    const {NOT_SERVING} = HealthCheckResponse_ServingStatus;
    expect(await each.next()).toMatchObject({value: {status: NOT_SERVING}});
    expect(await each.next().catch(error => ConnectError.from(error))).toMatchObject({code: Code.Unavailable});
  });
});

test('48-5 a wait for an operation ends with the operation as it is when the server stops', async () => {
  const {name, waiting, release} = await slowWait();
  server.api.endStreams();
  expect(await waiting).toMatchObject({name, done: false});
  release();
});
