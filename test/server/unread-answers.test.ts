// SPDX-License-Identifier: Apache-2.0
/** Answers of both APIs that nobody reads: their memory is bounded, and they are ended. */
import {once} from 'node:events';
import {type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders} from 'node:http2';
import {connect as connectTcp} from 'node:net';
import {createKubeApi, everyoneIsMaster, mastersOnly, UnreadAnswers} from '@palisade/apiserver';
import {createIdsApi} from '@palisade/ids';
import {MemoryRecordStore} from '@palisade/ids/memory-record-store';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {rangeOf} from '../../packages/ids/src/testing/range-of.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {type Listener, listenPlain} from '../../packages/server/src/port/listeners.ts';
import {route, type Sides} from '../../packages/server/src/port/router.ts';
import {systemTimers} from '../../packages/server/src/process/system.ts';
import {grpcSide} from '../../packages/server/src/root/grpc-side.ts';
import {connectRaw} from '../../packages/server/src/testing/raw-client.ts';
import {silentLog, systemRandom} from '../ids/test-server.ts';
import {quiet, type RunningServer, scratch, serve} from '../support/palisade.ts';

const MIB = 1024 * 1024;
const LIMITS = {unreadBytesMax: 4 * MIB, unreadBytesPerUserMax: 2 * MIB, unreadMsMax: 60_000};
/** Node ends a session of which more than 10 MB wait. */
const STREAMS_PER_SESSION = 20;
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const PARENT = '/v1/projects/p/locations/local';
const OBJECTS = 150;
const FILLER = 'x'.repeat(4_000);

const time = new ManualTime();
const unread = new UnreadAnswers({limits: LIMITS, timers: time, log: silentLog});
let listener: Listener;
let url = '';
const closers: (() => Promise<unknown>)[] = [];

const post = async (path: string, body: object): Promise<void> => {
  const headers = {'content-type': 'application/json'};
  const response = await fetch(`${url}${path}`, {method: 'POST', headers, body: JSON.stringify(body)});
  if (!response.ok) throw new Error(await response.text());
};

/** A version at which all objects were there and which is no longer the newest. */
let oldVersion = '';

beforeAll(async () => {
  const store = await openMemoryStore();
  const kube = createKubeApi({
    ...{store, ...kubeModule, compat: 'spec', authenticator: everyoneIsMaster, authorizer: mastersOnly},
    unread,
  });
  await kube.start();
  const records = new MemoryRecordStore();
  const ids = createIdsApi({
    ...{store, records, unread, timers: systemTimers, clock: time, random: systemRandom, log: silentLog},
    sensorHost: new FakeSensorHost(),
    locations: [{id: 'local', sensor: true}],
    pool: rangeOf('127.77.0.0/16'),
    publicUrl: () => url,
  });
  await ids.start();
  const log = {error: () => {}};
  const sides: Sides = {
    kubernetes: (q, s) => kube.handle(q, s),
    ids: async (q, s) => void (await ids.handle(q, s)),
    grpc: await grpcSide(ids, log),
    token: undefined,
    metrics: undefined,
    health: undefined,
    console: undefined,
  };
  listener = await listenPlain({host: '127.0.0.1', port: 0}, 'http', route(sides, log));
  url = `http://127.0.0.1:${listener.address.port}`;
  closers.push(
    () => ids.stop(),
    () => kube.stop(),
    () => store.close(),
  );
  for (let i = 0; i < OBJECTS; i++) await post(ENDPOINTS, {metadata: {name: `e${i}`, annotations: {filler: FILLER}}});
  const list = (await (await fetch(`${url}${ENDPOINTS}?limit=1`)).json()) as {metadata: {resourceVersion: string}};
  oldVersion = list.metadata.resourceVersion;
  await post(ENDPOINTS, {metadata: {name: 'later'}});
  for (let i = 0; i < 30; i++)
    await post(`${PARENT}/endpoints?endpointId=guard${i}`, {network: 'n', description: FILLER, severity: 'LOW'});
  await records.commit({
    endpoint: 'projects/p/locations/local/endpoints/guard0',
    checkpoint: {device: 'd', inode: 'i', offset: 1},
    counters: {seen: 100, stored: 100, filtered: 0, excepted: 0, lost: 0},
    threats: Array.from({length: 100}, (_, i) => ({
      id: `r${i}`,
      record: threatRecord({
        ...{threat_id: `1:${i}`, name: FILLER, alert_severity: 'HIGH', alert_time: '2026-01-01T00:00:00Z'},
        ...{source_port: '1', endpoint: 'projects/p/locations/local/endpoints/guard0'},
      }),
    })),
    traffic: [],
  });
});
afterAll(async () => {
  const closed = listener.close();
  listener.force();
  await closed;
  for (const close of closers) await close();
});

let sessions: ClientHttp2Session[] = [];
beforeEach(() => {
  sessions = [];
});
afterEach(async () => {
  for (const session of sessions) session.destroy();
  await expect.poll(() => unread.bytes, {interval: 5}).toBe(0);
});

const openSession = (to: string, windowBytes = 0): ClientHttp2Session => {
  const session = connect(to, {settings: {initialWindowSize: windowBytes}});
  session.on('error', () => {});
  sessions.push(session);
  return session;
};

/** However it ends. */
const closed = (stream: ClientHttp2Stream): Promise<void> =>
  new Promise(resolve => (stream.closed ? resolve() : stream.once('close', () => resolve())));

type Asked = {readonly stream: ClientHttp2Stream; readonly status: number; readonly retryAfter: string | undefined};
const askUnread = async (to: string, count: number, headers: OutgoingHttpHeaders, body?: Buffer): Promise<Asked[]> => {
  const asked: Promise<Asked>[] = [];
  for (let i = 0; i < count; i++) {
    if (i % STREAMS_PER_SESSION === 0) openSession(to);
    const stream = (sessions.at(-1) as ClientHttp2Session).request(headers, {endStream: body === undefined});
    stream.on('error', () => {});
    stream.resume(); // nothing comes while the window is 0
    if (body !== undefined) stream.end(body);
    asked.push(
      once(stream, 'response').then(([head]) => ({
        stream,
        status: Number(head[':status']),
        retryAfter: head['retry-after'] as string | undefined,
      })),
    );
  }
  return Promise.all(asked);
};

/** What still waits 65 s later. */
const advanced = (): number => {
  time.advance(65_000);
  return unread.bytes;
};

const read = async (headers: OutgoingHttpHeaders): Promise<{status: number; bytes: number}> => {
  const stream = openSession(url, MIB).request(headers);
  const [head] = await once(stream, 'response');
  let bytes = 0;
  for await (const chunk of stream) bytes += (chunk as Buffer).length;
  return {status: Number(head[':status']), bytes};
};

describe('F-18 over HTTP/2, of answers that nobody reads', () => {
  test.each([
    ['a list', {':path': ENDPOINTS}],
    ['a list by a label', {':path': `${ENDPOINTS}?labelSelector=!none`}],
    ['an indented list', {':path': `${ENDPOINTS}?pretty=1`}],
    ['a list in gzip', {':path': ENDPOINTS, 'accept-encoding': 'gzip'}],
    ['a list in protobuf', {':path': ENDPOINTS, accept: 'application/vnd.kubernetes.protobuf'}],
    ['a list as YAML', {':path': ENDPOINTS, accept: 'application/yaml'}],
    ['a table', {':path': ENDPOINTS, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'}],
    ['one object', {':path': `${ENDPOINTS}/e1`}],
    ['OpenAPI', {':path': '/openapi/v2', 'accept-encoding': 'gzip'}],
    ['discovery', {':path': '/apis'}],
    ['endpoints of the IDS API', {':path': `${PARENT}/endpoints`}],
    ['records', {':path': `${PARENT}/endpoints/guard0/threats?pageSize=100`}],
    ['records that are exported', {':path': `${PARENT}/endpoints/guard0/threats?format=ndjson`}],
  ])('%s: memory is bounded, beyond it is 429, and they are ended', async (_, headers) => {
    const asked = await askUnread(url, 140, headers);
    const [answered, refused] = [200, 429].map(code => asked.filter(({status}) => status === code));
    expect([answered?.length, refused?.length].map(Number)).toEqual([
      expect.toSatisfy(n => n > 0 && n <= 127),
      expect.toSatisfy(n => n >= 13),
    ]);
    expect(new Set(refused?.map(({retryAfter}) => retryAfter))).toEqual(new Set(['1']));
    expect(unread.bytes).toBeGreaterThan(LIMITS.unreadBytesPerUserMax / 2);
    expect(unread.bytes).toBeLessThanOrEqual(LIMITS.unreadBytesPerUserMax * 1.25);
    time.advance(65_000);
    await Promise.all((answered ?? []).map(({stream}) => closed(stream)));
    expect(unread.bytes).toBe(0);
    expect(await read({':path': `${ENDPOINTS}/e1`})).toMatchObject({status: 200});
  });

  test('records that are followed: they count, and are ended', async () => {
    const path = `${PARENT}/endpoints/guard0/threats?follow=1&since=2020-01-01T00:00:00Z`;
    const asked = await askUnread(url, 3, {':path': path});
    expect(asked.map(({status}) => status)).toEqual([200, 200, 200]);
    expect(unread.bytes).toBeGreaterThan(3 * 64 * 1024);
    await expect.poll(advanced, {interval: 5}).toBe(0);
    await Promise.all(asked.map(({stream}) => closed(stream)));
  });

  test.each([ENDPOINTS, `${PARENT}/endpoints?endpointId=late`])(
    'bodies that never become whole, to %s: memory is bounded, beyond it is 429, and they are ended',
    async path => {
      const headers = {':method': 'POST', ':path': path, 'content-type': 'application/json'};
      const streams = Array.from({length: 60}, (_, i) => {
        if (i % STREAMS_PER_SESSION === 0) openSession(url, MIB);
        const stream = (sessions.at(-1) as ClientHttp2Session).request(headers);
        stream.on('error', () => {}).resume();
        stream.write(Buffer.alloc(60_000, ' '));
        return stream;
      });
      const refused = streams.map(
        stream => new Promise<number>(r => stream.once('response', h => r(Number(h[':status'])))),
      );
      expect(await Promise.race(refused)).toBe(429);
      expect(unread.bytes).toBeLessThanOrEqual(LIMITS.unreadBytesPerUserMax * 1.25);
      const waits = streams.filter(stream => !stream.closed);
      expect(waits.length).toBeGreaterThan(10);
      await expect.poll(advanced, {interval: 5}).toBe(0);
      for (const stream of waits) stream.end();
      await Promise.all(waits.map(closed));
      expect(await read({':path': `${ENDPOINTS}/e1`})).toMatchObject({status: 200});
    },
  );

  test('a list that is read from history counts all of its objects', async () => {
    const path = `${ENDPOINTS}?resourceVersion=${oldVersion}&resourceVersionMatch=Exact`;
    const [asked] = await askUnread(url, 1, {':path': path});
    expect(asked?.status).toBe(200);
    expect(unread.bytes).toBeGreaterThan(OBJECTS * FILLER.length);
  });

  test('gRPC: beyond the bound it is RESOURCE_EXHAUSTED, and they are ended', async () => {
    const parent = Buffer.from('\x0a\x1bprojects/p/locations/local', 'latin1');
    parent[1] = parent.length - 2;
    const call = Buffer.concat([Buffer.from([0, 0, 0, 0, parent.length]), parent]);
    const headers = {
      ':method': 'POST',
      ':path': '/google.cloud.ids.v1.IDS/ListEndpoints',
      'content-type': 'application/grpc',
      te: 'trailers',
    };
    const asked = await askUnread(url, 25, headers, call);
    expect(new Set(asked.map(({status}) => status))).toEqual(new Set([200]));
    expect(unread.bytes).toBeGreaterThan(LIMITS.unreadBytesPerUserMax / 2);
    expect(unread.bytes).toBeLessThanOrEqual(LIMITS.unreadBytesPerUserMax * 1.25);
    const refused = openSession(url, MIB).request(headers);
    refused.end(call);
    refused.resume();
    const [trailers] = await once(refused, 'trailers');
    expect(trailers).toMatchObject({'grpc-status': '8'});
    time.advance(65_000);
    await Promise.all(asked.map(({stream}) => closed(stream)));
    expect(unread.bytes).toBe(0);
  });

  test('what the client has read does not count', async () => {
    const {status, bytes} = await read({':path': ENDPOINTS});
    expect(status).toBe(200);
    expect(bytes).toBeGreaterThan(OBJECTS * FILLER.length);
    await expect.poll(() => unread.bytes, {interval: 5}).toBe(0);
  });
});

test('F-18 over HTTP/1.1 an answer that nobody reads is ended with its connection', async () => {
  const socket = connectTcp(listener.address.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${ENDPOINTS} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(60));
  const before = unread.ended;
  const ended = (): number => {
    time.advance(65_000);
    return unread.ended;
  };
  await expect.poll(ended, {interval: 5}).toBeGreaterThan(before);
  await expect.poll(() => unread.bytes, {interval: 5}).toBe(0);
  socket.resume();
  await new Promise(resolve => socket.once('close', resolve));
});

describe('palisade serve', () => {
  const folder = scratch();
  let server: RunningServer;
  beforeAll(async () => {
    server = await serve([...quiet(folder.dir), '--apis', 'kubernetes']);
  });
  afterAll(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  test('F-18 refuses lists once 64 MiB of one user wait, and answers when they are given up', async () => {
    url = server.ready.http;
    const filler = 'x'.repeat(200_000);
    for (let i = 0; i < 3; i++) await post(ENDPOINTS, {metadata: {name: `e${i}`, annotations: {filler}}});
    const asked = await askUnread(url, 240, {':path': ENDPOINTS});
    const answered = asked.filter(({status}) => status === 200).length;
    expect(answered).toBeGreaterThan(100);
    expect(answered).toBeLessThan(170);
    expect(asked.filter(({status}) => status === 429)).toHaveLength(240 - answered);
    for (const session of sessions) session.destroy();
    await expect.poll(async () => (await fetch(`${url}${ENDPOINTS}`)).status, {interval: 20}).toBe(200);
  });
});

test('requests that were sent ahead with an upgrade behind them hold nothing when their connection is gone', async () => {
  const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
  for (const last of [get(`${ENDPOINTS}?watch=1`, upgrade), 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n']) {
    const client = await connectRaw(listener.address.port);
    client.socket.pause();
    await client.send(get(ENDPOINTS).repeat(900) + last);
    if (!client.peer.destroyed) await expect.poll(() => unread.bytes, {interval: 5}).toBeGreaterThan(0);
    client.reset();
    await client.closed;
    await expect.poll(() => unread.bytes, {interval: 5}).toBe(0);
  }
});
