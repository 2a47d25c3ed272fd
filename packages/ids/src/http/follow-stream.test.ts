// SPDX-License-Identifier: Apache-2.0
/** The end of a stream of records over HTTP/2, whose responses do not say themselves that their reader has gone. */
import {EventEmitter, once} from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {DEFAULT_LIMITS, type HttpResponse, RIGHTS, UnreadAnswers} from '@palisade/apiserver';
import type {ThreatRecord} from '@palisade/ids-wire';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {openAuthenticator} from '../auth.ts';
import {createIdsApi, type IdsApi} from '../ids-api/create-ids-api.ts';
import {FOLLOW_END_MS, FOLLOW_HEARTBEAT_MS, FOLLOWERS_PER_USER_MAX, RECORDS_PAGE} from '../limits.ts';
import type {Log} from '../system.ts';
import {FakeSensorHost} from '../testing/fake-sensor-host.ts';
import {ManualTime} from '../testing/manual-time.ts';
import {MemoryRecordStore} from '../testing/memory-record-store.ts';
import {rangeOf} from '../testing/range-of.ts';
import {threatRecord} from '../testing/threat-record.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/e';
const SINCE = '2026-01-01T00:00:00Z';
/** A page of these is more than a reader takes who does not read: its window is 64 KiB. */
const DETAILS = 'x'.repeat(1024);
/** An end that nobody notices never comes. */
const PATIENCE_MS = 10_000;

const ignore = (): void => undefined;
/** What was logged as an error. */
let errors: unknown[];
const log: Log = {debug: ignore, info: ignore, warn: ignore, error: fields => errors.push(fields)};

const threat = (i: number): ThreatRecord =>
  threatRecord({
    threat_id: `1:${i}`,
    name: `threat ${i}`,
    alert_severity: 'HIGH',
    alert_time: SINCE,
    source_port: '1',
    details: DETAILS,
    endpoint: ENDPOINT,
  });

let time: ManualTime;
let unread: UnreadAnswers;
let api: IdsApi;
let server: Http2Server;
let client: ClientHttp2Session;
/** What a request waits for before anything is looked up. */
let admitted: Promise<void>;
let isRefused: boolean;
/** What the check of a credential fails with. */
let failure: Error | undefined;
/** As long as nobody follows. */
let timersAtRest: number;

beforeEach(async () => {
  time = new ManualTime();
  admitted = Promise.resolve();
  isRefused = false;
  failure = undefined;
  errors = [];
  const store = await openMemoryStore();
  const records = new MemoryRecordStore();
  const pages = 3 * RECORDS_PAGE;
  for (let from = 0; from < pages; from += records.batchRecordsMax) {
    const count = Math.min(records.batchRecordsMax, pages - from);
    await records.commit({
      endpoint: ENDPOINT,
      checkpoint: {device: 'd', inode: 'i', offset: from + count},
      counters: {seen: from + count, stored: from + count, filtered: 0, excepted: 0, lost: 0},
      threats: Array.from({length: count}, (_, i) => ({id: `f-${from + i}`, record: threat(from + i)})),
      traffic: [],
    });
  }
  unread = new UnreadAnswers({limits: DEFAULT_LIMITS, timers: {after: () => ({cancel: () => {}})}, log});
  api = createIdsApi({
    store,
    records,
    sensorHost: new FakeSensorHost(),
    clock: time,
    timers: time,
    random: {bytes: count => new Uint8Array(count)},
    log,
    locations: [{id: 'local', sensor: true}],
    pool: rangeOf('127.77.0.0/16'),
    publicUrl: 'http://localhost',
    unread,
    authenticator: {
      authenticate: async credentials => {
        await admitted;
        if (failure !== undefined) throw failure;
        if (isRefused) return {outcome: 'refused'};
        return openAuthenticator.authenticate(credentials);
      },
    },
  });
  await api.start();
  timersAtRest = time.pending;
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  client.destroy();
  await new Promise(closed => server.close(closed));
  await api.stop();
});

type Following = {
  readonly reader: ClientHttp2Stream;
  readonly response: Http2ServerResponse;
  /** The server's side of the stream has closed. */
  readonly gone: Promise<unknown>;
  /** The API has let go of the request. */
  readonly ended: Promise<boolean>;
};

/** The API has the request when it resolves. */
const follow = (query = ''): Promise<Following> => get(`follow=1${query}`);
const get = async (query: string): Promise<Following> => {
  const came = once(server, 'request') as Promise<[Http2ServerRequest, Http2ServerResponse]>;
  const reader = client.request({':path': `/v1/${ENDPOINT}/threats?${query}`});
  const [request, response] = await came;
  return {
    reader,
    response,
    gone: new Promise(resolve => response.stream.once('close', resolve)),
    ended: api.handle(request, response),
  };
};

test(
  'a reader that vanishes while there is nothing to tell is noticed',
  async () => {
    const {reader, ended} = await follow();
    await once(reader, 'data'); // the stream stands
    expect(time.pending).toBe(timersAtRest + 2); // the next sign of life, the next look at the right
    client.destroy();
    expect(await ended).toBe(true);
    expect(time.pending).toBe(timersAtRest);
  },
  PATIENCE_MS,
);

test(
  'a reader that vanishes while more waits for it than it took is noticed',
  async () => {
    const {reader, ended} = await follow(`&since=${SINCE}`);
    await once(reader, 'readable'); // the first page is written, and nothing of it read
    client.destroy();
    expect(await ended).toBe(true);
    expect(time.pending).toBe(timersAtRest);
  },
  PATIENCE_MS,
);

test(
  'a reader who stands still is not told again that the stream stands, until it has read',
  async () => {
    const {reader, response, ended} = await follow(`&since=${SINCE}`);
    await once(reader, 'readable'); // the first page is written, and nothing of it read
    time.advance(FOLLOW_HEARTBEAT_MS);
    const waiting = response.listenerCount('drain');
    time.advance(10 * FOLLOW_HEARTBEAT_MS);
    expect([waiting > 0, response.listenerCount('drain')]).toEqual([true, waiting]);
    client.destroy();
    expect(await ended).toBe(true);
  },
  PATIENCE_MS,
);

test.each(['', `&since=${SINCE}`])(
  'a reader that vanished before its stream stands is noticed (follow=1%s)',
  async query => {
    const {promise, resolve} = Promise.withResolvers<void>();
    admitted = promise;
    const {gone, ended} = await follow(query);
    client.destroy();
    await gone;
    resolve();
    expect(await ended).toBe(true);
    expect(time.pending).toBe(timersAtRest);
  },
  PATIENCE_MS,
);

test(
  'F-18 a reader that vanished before its stream was refused takes no place of a stream',
  async () => {
    const big = Object.assign(new EventEmitter(), {destroyed: false, writableLength: 0});
    const reader = {user: 'system:admin', path: '/'};
    unread.hold(big as unknown as HttpResponse, reader, DEFAULT_LIMITS.unreadBytesPerUserMax);
    for (let i = 0; i < FOLLOWERS_PER_USER_MAX; i++) {
      const {promise, resolve} = Promise.withResolvers<void>();
      admitted = promise;
      const vanished = await follow();
      vanished.reader.close(constants.NGHTTP2_CANCEL);
      await vanished.gone;
      resolve();
      await vanished.ended;
    }
    big.emit('close');
    const {reader: next} = await follow();
    const [headers] = await once(next, 'response');
    expect(headers[':status']).toBe(200);
  },
  PATIENCE_MS,
);

test(
  'a server that drains ends its streams, whole, and begins no other',
  async () => {
    const {reader, ended} = await follow();
    await once(reader, 'readable'); // the stream stands
    api.endStreams();
    expect(await text(reader)).toBe('\n');
    expect([await ended, reader.rstCode, time.pending]).toEqual([true, 0, timersAtRest]);
    const late = await follow();
    const [headers] = await once(late.reader, 'response');
    expect([headers[':status'], JSON.parse(await text(late.reader)).error.status]).toEqual([503, 'UNAVAILABLE']);
  },
  PATIENCE_MS,
);

test(
  'F-17 a reader that takes nothing is let go when its right is gone, and cut off when it still takes nothing',
  async () => {
    const {reader, gone, ended} = await follow(`&since=${SINCE}`);
    await once(reader, 'readable'); // the first page is written, and nothing of it read
    isRefused = true;
    time.advance(RIGHTS.roundMs);
    expect(await ended).toBe(true);
    const error = new Promise(resolve => reader.once('error', resolve));
    time.advance(FOLLOW_END_MS);
    await gone;
    reader.resume();
    await error;
    expect([reader.rstCode, time.pending]).toEqual([constants.NGHTTP2_INTERNAL_ERROR, timersAtRest]);
  },
  PATIENCE_MS,
);

test(
  'F-17 a reader that reads on when its right is gone gets what was written, and the reason',
  async () => {
    const {reader, ended} = await follow(`&since=${SINCE}`);
    await once(reader, 'readable');
    isRefused = true;
    time.advance(RIGHTS.roundMs);
    expect(await ended).toBe(true);
    const lines = (await text(reader)).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '').error.status).toBe('UNAUTHENTICATED');
    expect(lines.length).toBeLessThan(3 * RECORDS_PAGE);
    expect([reader.rstCode, time.pending]).toEqual([0, timersAtRest]);
  },
  PATIENCE_MS,
);

test(
  'F-17 a right that cannot be checked in any of some rounds ends the stream, and the log says why, once',
  async () => {
    const {reader, ended} = await follow(`&since=${SINCE}`);
    await once(reader, 'readable');
    failure = new Error('the directory does not answer');
    for (let rounds = 0; rounds < RIGHTS.failedRoundsMax; rounds++) {
      time.advance(RIGHTS.roundMs);
      await new Promise(resolve => setImmediate(resolve)); // the check is over
    }
    expect(await ended).toBe(true);
    const lines = (await text(reader)).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '').error.status).toBe('UNAVAILABLE');
    expect(errors).toEqual([{path: `/v1/${ENDPOINT}/threats`, err: failure}]);
  },
  PATIENCE_MS,
);

test.each(['ndjson', 'csv'])(
  'F-17 an export (%s) whose reader is slow is cut off when its right is gone',
  async format => {
    const {reader, ended} = await get(`format=${format}`);
    await once(reader, 'readable');
    isRefused = true;
    time.advance(RIGHTS.roundMs);
    await new Promise(resolve => setImmediate(resolve)); // the look at the right is over
    const error = new Promise(resolve => reader.once('error', resolve));
    reader.resume();
    await error;
    expect(await ended).toBe(true);
    expect([reader.rstCode, time.pending]).toEqual([constants.NGHTTP2_INTERNAL_ERROR, timersAtRest]);
  },
  PATIENCE_MS,
);
