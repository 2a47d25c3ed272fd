// SPDX-License-Identifier: Apache-2.0
/** Where it shows that records were dropped: health, `palisade describe` and metrics, over the record store in files. */
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import {openSqliteRecordStore, type RecordStore} from '../../packages/ids/src/index.ts';
import {RECORD_BUDGETS_DEFAULT} from '../../packages/ids/src/limits.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {createMetrics} from '../../packages/server/src/metrics/metrics.ts';
import {RecordWrites} from '../../packages/server/src/metrics/record-metrics.ts';
import type {AnyRequest, AnyResponse} from '../../packages/server/src/port/listeners.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {A, B, bootRecords, iso, PARENT, T0} from './record-bench.ts';
import type {Json, RestClient} from './rest-client.ts';
import {silentLog, type TestServer} from './test-server.ts';

const DAY_MS = 86_400_000;

let folder: string;
let time: ManualTime;
let records: RecordStore;
let server: TestServer;
let rest: RestClient;

beforeEach(async () => {
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'palisade-retention-'));
  time = new ManualTime(T0);
  const store = openSqliteRecordStore({
    folder: join(folder, 'records'),
    budgets: RECORD_BUDGETS_DEFAULT,
    clock: time,
    log: silentLog,
  });
  ({records, server, rest} = await bootRecords(await openMemoryStore(), time, store));
  await rest.created(PARENT, 'a');
  await rest.created(PARENT, 'b');
});
afterEach(async () => {
  await server.close();
  await records.close();
  rmSync(folder, {recursive: true, force: true});
});

const flood = (endpoint: string, alert_severity: 'LOW' | 'CRITICAL', count: number): Promise<void> =>
  records.commit({
    endpoint,
    checkpoint: undefined,
    counters: {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0},
    traffic: [],
    threats: Array.from({length: count}, (_, i) => ({
      id: `f-${i}`,
      record: threatRecord({
        ...{threat_id: `1:${i}`, name: `threat ${i}`, alert_severity, endpoint},
        ...{alert_time: iso(T0 + i * 1000), source_port: '40000'},
      }),
    })),
  });
const healthOf = async (endpoint: string): Promise<Json> => (await rest.get(`${endpoint}/health`)).body;
/** The LOW records of A go. */
const evict = async (): Promise<void> => {
  await flood(A, 'LOW', 80);
  await flood(A, 'CRITICAL', 20);
  await records.tidy(); // logs go into their files, which makes them smaller
  const {usedBytes} = (await records.usage()).threats;
  const {threats} = RECORD_BUDGETS_DEFAULT;
  records.setBudgets({...RECORD_BUDGETS_DEFAULT, threats: {...threats, bytes: usedBytes - 1}});
  await records.tidy();
};

test('F-03 health is DEGRADED with the figures while records are evicted, and clears a minute after', async () => {
  expect(await healthOf(A)).toMatchObject({status: 'READY', reasons: []});
  await evict();
  const health = await healthOf(A);
  expect(health).toMatchObject({
    status: 'DEGRADED',
    recordsEvicted: {LOW: 80},
    records: {threats: 20, threatsDropped: 80},
  });
  expect(health.reasons.join()).toContain('records evicted: 80 LOW in the last minute');
  expect(health.reasons.join()).toContain('raise --threats-bytes');
  expect(await healthOf(B)).toMatchObject({status: 'READY', reasons: []});
  time.advance(59_000);
  expect((await healthOf(A)).status).toBe('DEGRADED');
  time.advance(2_000);
  expect(await healthOf(A)).toMatchObject({status: 'READY', reasons: [], recordsEvicted: {LOW: 80}});
});

test('F-03 records beyond the age are not shown, and go with their files; health stays READY', async () => {
  await flood(A, 'LOW', 10);
  time.advance(90 * DAY_MS + 5_500);
  expect((await rest.get(`${A}/threats`)).body.threats).toHaveLength(4);
  time.advance(DAY_MS);
  await records.tidy();
  expect(await healthOf(A)).toMatchObject({status: 'READY', records: {threats: 0, threatsDropped: 10}});
  expect(records.dropped()).toMatchObject({evicted: {LOW: 0}, expired: {LOW: 10}, lost: {LOW: 0}});
});

test('44-1 records of damaged files are in the health of their endpoint', async () => {
  const evictions = await records.evictions(A);
  records.evictions = async endpoint => ({...evictions, lost: endpoint === A ? {LOW: 1_200} : {}});
  const health = await healthOf(A);
  expect(health.status).toBe('DEGRADED');
  expect(health.reasons).toEqual([
    expect.stringContaining('1,200 records lost: record files were damaged and set aside'),
  ]);
  expect((await healthOf(B)).status).toBe('READY');
});

test('F-03 evictions and space are in /metrics, and in palisade describe', async () => {
  await evict();
  const metrics = createMetrics();
  metrics.showRecords(records, new RecordWrites());
  const {promise, resolve} = Promise.withResolvers<string>();
  await metrics.open({} as AnyRequest, {setHeader: () => {}, end: resolve} as unknown as AnyResponse);
  const text = await promise;
  expect(text).toContain('palisade_records_evicted_total{kind="threats",severity="LOW"} 80\n');
  expect(text).toContain('palisade_records_evicted_total{kind="threats",severity="CRITICAL"} 0\n');
  expect(text.match(/^palisade_record_writes_total\{.*\} 0$/gm)).toHaveLength(6);
  expect(text).toContain('palisade_records_evicted_total{kind="traffic",severity="none"} 0\n');
  expect(text).toMatch(/^palisade_records_used_bytes\{budget="threats"\} [1-9]\d*$/m);
  let stdout = '';
  const out = new Writable({
    write: (chunk, _encoding, done) => {
      stdout += String(chunk);
      done();
    },
  });
  const env = {PALISADE_SERVER: server.url};
  await main(['describe', A], {stdin: Readable.from([]), stdout: out, stderr: out, env, cwd: '/'}, () => {});
  expect(stdout).toMatch(/^ {2}Health: +DEGRADED$/m);
  expect(stdout).toMatch(/^ {2}Records deleted: +80 threats, 0 of traffic\n {4}to make room: +LOW 80$/m);
});
