// SPDX-License-Identifier: Apache-2.0
/** Addresses in filters and orders, wherever one may be given: lists, exports, streams, endpoints, REST and gRPC. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openSqliteRecordStore, type RecordStore} from '../../packages/ids/src/index.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import type {ThreatRecord, TrafficRecord} from '../../packages/ids-wire/src/records.ts';
import {Tally, ZERO_COUNTERS} from '../../packages/sensor/src/eve/tally.ts';
import {alertLine} from '../../packages/sensor/src/testing/eve-lines.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {A, bootRecords, PARENT, T0, trafficRecord} from './record-bench.ts';
import type {Json, RestClient} from './rest-client.ts';
import {silentLog, type TestServer} from './test-server.ts';

const SOURCES = ['9.0.0.1', '10.0.0.1', '2001:db8::9', '2001:db8::10'];

let records: RecordStore;
let server: TestServer;
let rest: RestClient;

const threat = (source: string, i: number): ThreatRecord =>
  threatRecord({
    threat_id: `1:${i}`,
    name: 'threat',
    alert_severity: 'HIGH',
    alert_time: `2026-01-01T00:00:0${i}Z`,
    source_port: '40000',
    endpoint: A,
    source_ip_address: source,
  });
const flow = (destination: string, i: number): TrafficRecord =>
  trafficRecord(A, i, {destination_ip_address: destination});
const commit = (sources: readonly string[], from: number): Promise<void> =>
  records.commit({
    endpoint: A,
    checkpoint: undefined,
    counters: ZERO_COUNTERS,
    threats: sources.map((source, i) => ({id: `f-${from + i}`, record: threat(source, from + i)})),
    traffic: sources.map((source, i) => ({id: `f-${from + i}`, record: flow(source, from + i)})),
  });

const LONG_MS = 1_000 * 365 * 86_400_000;
const KEEP_ALL = {bytes: 2 ** 30, ageMs: LONG_MS};

describe.each(['in memory', 'in SQLite files'])('records %s', where => {
  let folder: string | undefined;

  beforeAll(async () => {
    const time = new ManualTime(T0);
    if (where === 'in SQLite files') {
      folder = mkdtempSync(join(tmpdir(), 'palisade-filters-'));
      records = openSqliteRecordStore({
        folder: join(folder, 'records'),
        budgets: {threats: KEEP_ALL, traffic: KEEP_ALL, evidence: KEEP_ALL},
        clock: time,
        log: silentLog,
      });
      await records.start();
    } else records = new MemoryRecordStore();
    ({server, rest} = await bootRecords(await openMemoryStore(), time, records));
    await rest.created(PARENT, 'a');
    await commit(SOURCES, 0);
  });
  afterAll(async () => {
    await server.close();
    await records.close();
    if (folder !== undefined) rmSync(folder, {recursive: true});
  });

  const threats = async (query: Record<string, string>): Promise<string[]> =>
    ((await rest.get(`${A}/threats`, query)).body.threats ?? []).map((record: Json) => record.source_ip_address);

  test('F-14 lists of threats and of traffic, and exports, compare addresses by value', async () => {
    expect(await threats({filter: 'source_ip_address="2001:0DB8:0:0:0:0:0:9"'})).toEqual(['2001:db8::9']);
    expect(await threats({filter: 'source_ip_address=2001:db8::/32'})).toEqual(['2001:db8::9', '2001:db8::10']);
    const {body} = await rest.get(`${A}/traffic`, {filter: 'destinationIpAddress="10.0.0.0/8"'});
    expect(body.traffic.map((record: Json) => record.destination_ip_address)).toEqual(['10.0.0.1']);
    const csv = await rest.get(`${A}/threats`, {format: 'csv', filter: 'source_ip_address=2001:DB8::10'});
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(2);
  });

  test('F-14 pages in the order of addresses are in the order of their values', async () => {
    const orderBy = 'source_ip_address';
    expect(await threats({orderBy})).toEqual(SOURCES);
    const first = (await rest.get(`${A}/threats`, {orderBy: `${orderBy} desc`, pageSize: '3'})).body;
    const pageToken = first.nextPageToken;
    const second = (await rest.get(`${A}/threats`, {orderBy: `${orderBy} desc`, pageSize: '3', pageToken})).body;
    expect([...first.threats, ...second.threats].map(record => record.source_ip_address)).toEqual(SOURCES.toReversed());
  });

  test('F-14 a stream that is followed compares addresses by value', async () => {
    const abort = new AbortController();
    const query = new URLSearchParams({follow: '1', filter: 'source_ip_address="2001:DB8:f::/48"'});
    const response = await fetch(`${server.url}/v1/${A}/threats?${query}`, {signal: abort.signal});
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    await commit(['2001:db8:e::1', '2001:db8:f::1'], 5);
    const {value} = (await reader?.read()) ?? {};
    expect(JSON.parse(String(value)).source_ip_address).toBe('2001:db8:f::1');
    abort.abort();
    await reader?.closed.catch(() => {});
  });

  test('F-14 endpointIp is compared as an address over REST and gRPC, and a bad block is INVALID_ARGUMENT', async () => {
    const {endpointIp} = (await rest.get(A)).body;
    const client = createClient(IDS, createGrpcTransport({baseUrl: `http://${server.grpc}`}));
    for (const filter of ['endpoint_ip="127.77.0.0/16"', `endpointIp="::ffff:${endpointIp}"`]) {
      expect((await rest.get(`${PARENT}/endpoints`, {filter})).body.endpoints).toHaveLength(1);
      expect((await client.listEndpoints({parent: PARENT, filter})).endpoints).toHaveLength(1);
    }
    expect((await rest.get(`${PARENT}/endpoints`, {filter: 'endpointIp=10.0.0.0/8'})).body.endpoints ?? []).toEqual([]);
    const filter = 'endpointIp=10.0.0.0/99';
    const {status, body} = await rest.get(`${PARENT}/endpoints`, {filter});
    expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.error.details[0].fieldViolations).toEqual([
      {
        field: 'filter',
        description: expect.stringMatching(/^"endpointIp" is an IP address: "10\.0\.0\.0\/99" is neither/),
      },
    ]);
    await expect(client.listEndpoints({parent: PARENT, filter})).rejects.toThrow(/10\.0\.0\.0\/99/);
  });

  test.each(['json', 'ndjson', 'csv', 'logentry', 'follow'])(
    'F-14 %s refuses a value that can never match',
    async format => {
      const query = format === 'follow' ? {follow: '1'} : {format};
      const {status, body} = await rest.get(`${A}/threats`, {...query, filter: 'source_ip_address=shop'});
      expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    },
  );
});

test('F-14 records carry the text of RFC 5952 for what Suricata writes in full', () => {
  const spec = {
    endpoint: A,
    network: 'net',
    ip: '127.0.0.1',
    vni: 1,
    severity: 'INFORMATIONAL',
    threatExceptions: [],
    trafficLogs: false,
  } as const;
  const tally = new Tally({
    spec,
    counters: ZERO_COUNTERS,
    signature: () => undefined,
    repeatWindowMs: 5_000,
    repeatWindowsMax: 10,
  });
  tally.line(alertLine({sid: 1, ms: 0, source: '2001:0db8:0000:0000:0000:0000:0000:0001'}), 'a');
  expect(tally.take()?.threats[0]?.record.source_ip_address).toBe('2001:db8::1');
});
