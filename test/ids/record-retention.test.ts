// SPDX-License-Identifier: Apache-2.0
/** What goes when there are too many records, in which order, and where that shows. Ref: issue 41, F-03. */
import {Readable, Writable} from 'node:stream';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import {createRecordStore, type RecordStore, type RecordStoreOptions} from '../../packages/ids/src/index.ts';
import {DyingStore} from '../../packages/ids/src/testing/dying-store.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import type {Severity, ThreatRecord, TrafficRecord} from '../../packages/ids-wire/src/records.ts';
import {createMetrics} from '../../packages/server/src/parts/metrics.ts';
import type {AnyRequest, AnyResponse} from '../../packages/server/src/port/listeners.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import type {Store} from '../../packages/store/src/index.ts';
import {A, B, bootRecords, iso, PARENT, T0, trafficRecord} from './record-bench.ts';
import type {Json, RestClient} from './rest-client.ts';
import {silentLog, type TestServer} from './test-server.ts';

const DAY_MS = 86_400_000;

let store: Store;
let time: ManualTime;
let records: RecordStore;
let server: TestServer;
let rest: RestClient;

const boot = async (limits: Partial<RecordStoreOptions> = {}): Promise<void> => {
  ({records, server, rest} = await bootRecords(store, time, limits));
};
const reboot = async (limits: Partial<RecordStoreOptions>): Promise<void> => {
  await server.close();
  await boot(limits);
};
beforeEach(async () => {
  store = await openMemoryStore();
  time = new ManualTime(T0);
  await boot();
  await rest.created(PARENT, 'a');
  await rest.created(PARENT, 'b');
});
afterEach(() => server.close());

const threat = (endpoint: string, severity: Severity, i: number, repeatCount = 1): ThreatRecord =>
  threatRecord({
    threat_id: `1:${i}`,
    name: `threat ${i}`,
    alert_severity: severity,
    alert_time: iso(T0 + i * 1000),
    source_port: '40000',
    repeat_count: String(repeatCount),
    endpoint,
  });
const NO_ALERTS = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};
const commit = (
  sink: RecordStore,
  endpoint: string,
  {threats = [], traffic = []}: {threats?: readonly ThreatRecord[]; traffic?: readonly TrafficRecord[]},
): Promise<void> =>
  sink.commit({
    endpoint,
    checkpoint: {device: 'd', inode: 'i', offset: 1},
    counters: NO_ALERTS,
    threats: threats.map(record => ({id: `f-${record.threat_id.slice(2)}`, record})),
    traffic: traffic.map(record => ({id: `f-${record.source_port}`, record})),
  });
const range = <T>(from: number, to: number, make: (i: number) => T): T[] =>
  Array.from({length: to - from}, (_, i) => make(from + i));
/** Threats of one severity with the numbers `from` to before `to`, in batches as a sensor sends them. */
const flood = async (endpoint: string, severity: Severity, from: number, to: number): Promise<void> => {
  for (let at = from; at < to; at += 20)
    await commit(records, endpoint, {threats: range(at, Math.min(at + 20, to), i => threat(endpoint, severity, i))});
};
const flows = (endpoint: string, from: number, to: number): Promise<void> =>
  commit(records, endpoint, {traffic: range(from, to, i => trafficRecord(endpoint, i))});

const numbersOf = async (endpoint: string, severity: Severity): Promise<number[]> => {
  const {body} = await rest.get(`${endpoint}/threats`, {filter: `alert_severity=${severity}`, pageSize: '1000'});
  return (body.threats ?? []).map((record: Json) => Number(record.threat_id.slice(2)));
};
const keptOf = async (endpoint: string, severity: Severity): Promise<number> =>
  (await numbersOf(endpoint, severity)).length;
const describeOf = async (endpoint: string): Promise<string> => {
  let text = '';
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  const env = {PALISADE_SERVER: server.url};
  await main(['describe', endpoint], {stdin: Readable.from([]), stdout, stderr: stdout, env, cwd: '/'}, () => {});
  return text;
};
const healthOf = async (endpoint: string): Promise<Json> => (await rest.get(`${endpoint}/health`)).body;

test('F-03 a flood of LOW alerts evicts LOW ones, oldest first, and no CRITICAL one', async () => {
  await reboot({perEndpointMax: 100});
  await flood(A, 'CRITICAL', 0, 40);
  await flood(A, 'LOW', 40, 400);
  expect(await keptOf(A, 'CRITICAL')).toBe(40);
  const low = await numbersOf(A, 'LOW');
  expect(low).toEqual(range(400 - low.length, 400, i => i));
  expect(low.length).toBeGreaterThan(50);
});

test('43-5 another maximum and another age count from the next records on, without a restart', async () => {
  await reboot({perEndpointMax: 100});
  await flood(A, 'LOW', 0, 100);
  records.setRetention({perEndpointMax: 150});
  await flood(A, 'LOW', 100, 150);
  expect(await keptOf(A, 'LOW')).toBe(150);
  records.setRetention({perEndpointMax: 20, ageMaxMs: 60_000});
  await flood(A, 'LOW', 150, 151);
  expect(await keptOf(A, 'LOW')).toBeLessThanOrEqual(20);
  expect(records.maximum.perEndpoint).toBe(20);
  time.advance(3_600_000);
  await records.tidy();
  expect(await keptOf(A, 'LOW')).toBe(0);
});

test('F-03 lower severities go before higher ones, CRITICAL last', async () => {
  await reboot({perEndpointMax: 100});
  const order: readonly Severity[] = ['HIGH', 'INFORMATIONAL', 'MEDIUM', 'LOW'];
  for (const [i, severity] of order.entries()) await flood(A, severity, i * 25, i * 25 + 25);
  await flood(A, 'CRITICAL', 100, 160);
  expect(await keptOf(A, 'CRITICAL')).toBe(60);
  expect(await keptOf(A, 'HIGH')).toBe(25);
  expect(await keptOf(A, 'INFORMATIONAL')).toBe(0);
  expect(await keptOf(A, 'LOW')).toBe(0);
  await flood(A, 'CRITICAL', 160, 260);
  expect([await keptOf(A, 'HIGH'), await keptOf(A, 'MEDIUM')]).toEqual([0, 0]);
  const critical = await numbersOf(A, 'CRITICAL');
  expect(critical).toEqual(range(260 - critical.length, 260, i => i));
});

test('F-03 where all share a cap traffic records go first, then LOW ones of any endpoint, and CRITICAL ones stay', async () => {
  await reboot({totalMax: 200});
  await flood(A, 'CRITICAL', 0, 120); // the longest list
  await flows(A, 0, 30);
  await flood(B, 'LOW', 0, 50);
  await flood(B, 'LOW', 50, 75);
  expect((await records.counts(A)).trafficDropped).toBe(30);
  expect((await records.counts(B)).threats).toBe(75);
  await flood(B, 'LOW', 75, 300);
  expect(await keptOf(A, 'CRITICAL')).toBe(120);
  const low = await numbersOf(B, 'LOW');
  expect(low).toEqual(range(300 - low.length, 300, i => i));
  expect(120 + low.length).toBeLessThanOrEqual(200);
});

test('F-03 two writers at once evict no more than one batch beyond what is too much', async () => {
  await reboot({totalMax: 200});
  await flood(A, 'LOW', 0, 100);
  await flood(B, 'LOW', 0, 100);
  await Promise.all([flood(A, 'LOW', 100, 110), flood(B, 'LOW', 100, 110)]);
  const kept = (await records.counts(A)).threats + (await records.counts(B)).threats;
  expect(kept).toBeLessThanOrEqual(200);
  expect(kept).toBeGreaterThan(160);
});

test('F-03 health is DEGRADED with the figures while records are evicted, and clears a minute after', async () => {
  await reboot({perEndpointMax: 100});
  await flood(A, 'CRITICAL', 0, 40);
  await flood(A, 'LOW', 40, 100);
  expect(await healthOf(A)).toMatchObject({status: 'READY', reasons: []});
  await flood(A, 'LOW', 100, 400);
  const evicted = (await records.counts(A)).threatsDropped;
  expect(evicted).toBe(400 - (await records.counts(A)).threats);
  const health = await healthOf(A);
  expect(health).toMatchObject({status: 'DEGRADED', recordsEvicted: {LOW: evicted}});
  expect(health.reasons).toEqual([
    `records evicted: ${evicted} LOW in the last minute, because at most 100 threats and 100 traffic records per endpoint ` +
      'and 400,000 records in all are kept; raise the severity of the endpoint, list noisy signatures in threatExceptions, ' +
      'or keep a copy with "palisade threats --follow"',
  ]);
  expect(await healthOf(B)).toMatchObject({status: 'READY', reasons: []});
  time.advance(59_000);
  expect((await healthOf(A)).status).toBe('DEGRADED');
  time.advance(2_000);
  expect(await healthOf(A)).toMatchObject({status: 'READY', reasons: [], recordsEvicted: {LOW: evicted}});
});

test('F-03 evicted traffic records show with their own way out', async () => {
  await reboot({perEndpointMax: 100});
  await flows(A, 0, 60);
  await flows(A, 60, 120);
  const {trafficDropped} = await records.counts(A);
  expect(trafficDropped).toBeGreaterThan(0);
  const health = await healthOf(A);
  expect(health).toMatchObject({status: 'DEGRADED', recordsEvicted: {TRAFFIC: trafficDropped}});
  expect(health.reasons.join()).toContain(`records evicted: ${trafficDropped} TRAFFIC in the last minute`);
  expect(health.reasons.join()).toContain('turn trafficLogs off');
});

test('F-03 what was evicted is known after a restart; records that became too old are counted apart, and health stays READY', async () => {
  await reboot({perEndpointMax: 100});
  await flood(A, 'LOW', 0, 120);
  const {LOW: evicted} = (await healthOf(A)).recordsEvicted;
  expect(evicted).toBeGreaterThanOrEqual(20);
  await reboot({perEndpointMax: 100});
  expect(await healthOf(A)).toMatchObject({status: 'READY', recordsEvicted: {LOW: evicted}});
  expect(records.dropped()).toMatchObject({evicted: {LOW: evicted}, expired: {LOW: 0}});
  const kept = 120 - evicted;
  time.advance(31 * DAY_MS);
  await records.tidy();
  expect(records.dropped()).toMatchObject({evicted: {LOW: evicted}, expired: {LOW: kept}});
  expect(await healthOf(A)).toMatchObject({
    status: 'READY',
    reasons: [],
    records: {threats: 0, threatsDropped: 120},
    recordsEvicted: {LOW: evicted},
  });
});

test('F-03 records that are too old go whatever their severity', async () => {
  await flood(A, 'CRITICAL', 0, 5);
  await flood(A, 'LOW', 5, 10);
  await flows(A, 0, 10);
  time.advance(30 * DAY_MS + 7_000);
  await records.tidy();
  expect([await numbersOf(A, 'CRITICAL'), await numbersOf(A, 'LOW')]).toEqual([[], [7, 8, 9]]);
  expect(records.dropped().expired).toMatchObject({TRAFFIC: 7, INFORMATIONAL: 0, LOW: 2, CRITICAL: 5});
});

test.each([0, 1, 2, 3])(
  'F-03 a server that dies in an eviction (write %i) leaves counts that are right',
  async extra => {
    const inner = await openMemoryStore();
    const options = {clock: time, log: silentLog, totalMax: 200};
    const before = createRecordStore({store: inner, ...options});
    await commit(before, A, {threats: range(0, 100, i => threat(A, 'CRITICAL', i))});
    await commit(before, B, {
      threats: range(0, 60, i => threat(B, 'LOW', i)),
      traffic: range(0, 40, i => trafficRecord(B, i)),
    });
    const dying = new DyingStore(inner, {afterTxns: extra, written: true});
    const flooded = createRecordStore({store: dying, ...options});
    await commit(flooded, B, {threats: range(60, 180, i => threat(B, 'LOW', i))}).catch(() => {});
    const after = createRecordStore({store: inner, ...options});
    await commit(after, B, {threats: [threat(B, 'LOW', 180)]});
    const there = async (prefix: string): Promise<number> => (await inner.list(prefix, {limit: 1_000})).entries.length;
    const [a, b] = [await after.counts(A), await after.counts(B)];
    expect([a.threats, a.threatsDropped]).toEqual([100, 0]);
    expect(await there('/ids-records/threats/')).toBe(a.threats + b.threats);
    expect(await there('/ids-records/traffic/')).toBe(b.traffic);
    expect([b.threats + b.threatsDropped, b.traffic + b.trafficDropped]).toEqual([181, 40]);
    expect(a.threats + b.threats + b.traffic).toBeLessThanOrEqual(200);
  },
);

test('F-03 a record whose repeat count grows stays one record, also when its severity is judged otherwise', async () => {
  await reboot({perEndpointMax: 100});
  await flood(A, 'CRITICAL', 0, 60);
  await commit(records, A, {threats: [threat(A, 'LOW', 60)]});
  await commit(records, A, {threats: [threat(A, 'LOW', 60, 7)]});
  expect(await records.counts(A)).toMatchObject({threats: 61, threatsDropped: 0});
  await commit(records, A, {threats: [threat(A, 'HIGH', 60, 8)]});
  await flood(A, 'LOW', 61, 180);
  expect([await keptOf(A, 'CRITICAL'), await numbersOf(A, 'HIGH')]).toEqual([60, [60]]);
  const {threats, threatsDropped} = await records.counts(A);
  expect(threats + threatsDropped).toBe(180);
});

test('F-03 a LOW alert that comes late is found and evicted like any other', async () => {
  await reboot({perEndpointMax: 100});
  await flood(A, 'CRITICAL', 0, 50);
  await flood(A, 'LOW', 100, 300);
  await flood(A, 'LOW', 50, 60); // older than everything that was evicted
  await flood(A, 'LOW', 300, 400);
  expect(await keptOf(A, 'CRITICAL')).toBe(50);
  const low = await numbersOf(A, 'LOW');
  expect(low).toEqual(range(400 - low.length, 400, i => i));
});

test('F-03 evictions are in /metrics by kind and severity, and in palisade describe', async () => {
  await reboot({perEndpointMax: 100});
  await flood(A, 'CRITICAL', 0, 40);
  await flood(A, 'LOW', 40, 120);
  const metrics = createMetrics();
  metrics.showRecords(records);
  const {promise, resolve} = Promise.withResolvers<string>();
  await metrics.open({} as AnyRequest, {setHeader: () => {}, end: resolve} as unknown as AnyResponse);
  const text = await promise;
  const evicted = (await healthOf(A)).recordsEvicted.LOW;
  expect(text).toContain(`palisade_records_evicted_total{kind="threats",severity="LOW"} ${evicted}\n`);
  expect(text).toContain('palisade_records_evicted_total{kind="threats",severity="CRITICAL"} 0\n');
  expect(text).toContain('palisade_records_evicted_total{kind="traffic",severity="none"} 0\n');
  const stdout = await describeOf(A);
  expect(stdout).toMatch(/^ {2}Health: +DEGRADED$/m);
  expect(stdout).toMatch(new RegExp(`^  - records evicted: ${evicted} LOW in the last minute, `, 'm'));
  expect(stdout).toMatch(new RegExp(`^  Records evicted: +LOW ${evicted}$`, 'm'));
});

test('F-03 records of a version that did not count by severity are refused at the start', async () => {
  const old = {counts: {threats: 1, traffic: 0, threatsDropped: 0, trafficDropped: 0}};
  await store.put(`/ids-records/meta/${A}`, new TextEncoder().encode(JSON.stringify(old)));
  await expect(createRecordStore({store, clock: time, log: silentLog}).start()).rejects.toMatchObject({
    code: 'format',
    message: expect.stringContaining('use another data folder'),
  });
});
