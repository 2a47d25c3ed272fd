// SPDX-License-Identifier: Apache-2.0
/** `GET /v1/{endpoint}/threats:aggregate` and `/traffic:aggregate`: sums by time and by group. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import type {ThreatRecord} from '../../packages/ids-wire/src/records.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {A, B, bootRecords, iso, PARENT, T0, trafficRecord} from './record-bench.ts';
import type {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const COUNTERS = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};
const HOUR_S = 3_600;

let server: TestServer;
let rest: RestClient;

const threat = (endpoint: string, second: number, more: Partial<ThreatRecord>): ThreatRecord =>
  threatRecord({
    threat_id: '1:1',
    name: 'scan',
    alert_severity: 'LOW',
    alert_time: iso(T0 + second * 1000),
    source_port: '40000',
    endpoint,
    ...more,
  });

beforeAll(async () => {
  const bench = await bootRecords(await openMemoryStore());
  ({server, rest} = bench);
  await rest.created(PARENT, 'a');
  await rest.created(PARENT, 'b');
  const write = (endpoint: string, threats: readonly ThreatRecord[]): Promise<void> =>
    bench.records.commit({
      endpoint,
      checkpoint: undefined,
      counters: COUNTERS,
      threats: threats.map((record, i) => ({id: `f-${i}`, record})),
      traffic: [0, 1].map(i => ({id: `f-${i}`, record: trafficRecord(endpoint, i)})),
    });
  await write(A, [
    threat(A, 1, {source_ip_address: '10.0.0.1', repeat_count: '3'}),
    threat(A, HOUR_S, {source_ip_address: '10.0.0.2', alert_severity: 'HIGH'}),
    threat(A, 3 * HOUR_S, {threat_id: '1:2', name: 'exploit', alert_severity: 'CRITICAL'}),
  ]);
  await write(B, [threat(B, 2, {source_ip_address: '2001:db8::1'})]);
});
afterAll(() => server.close());

const ask = (query: Record<string, string>, name = `${PARENT}/endpoints/-`, kind = 'threats') =>
  rest.get(`${name}/${kind}:aggregate`, query);

test('44-3 sums all, by time and severity, and by group with name and highest severity', async () => {
  const {body} = await ask({histogram: '1h', groupBy: 'threat'});
  expect(body).toEqual({
    total: {records: 4, alerts: 6},
    histogram: [
      {startTime: iso(T0), records: 2, alerts: 4, severities: {LOW: 4}},
      {startTime: iso(T0 + HOUR_S * 1000), records: 1, alerts: 1, severities: {HIGH: 1}},
      {startTime: iso(T0 + 3 * HOUR_S * 1000), records: 1, alerts: 1, severities: {CRITICAL: 1}},
    ],
    groups: [
      {
        ...{key: '1:1', name: 'scan', highestSeverity: 'HIGH', records: 3, alerts: 5},
        ...{firstTime: '2026-01-01T00:00:01.000000Z', lastTime: '2026-01-01T01:00:00.000000Z'},
      },
      {
        ...{key: '1:2', name: 'exploit', highestSeverity: 'CRITICAL', records: 1, alerts: 1},
        ...{firstTime: '2026-01-01T03:00:00.000000Z', lastTime: '2026-01-01T03:00:00.000000Z'},
      },
    ],
  });
});

test('44-3 a filter, an endpoint and a time narrow the sums; addresses are compared as addresses', async () => {
  expect((await ask({filter: 'source_ip_address="10.0.0.0/8"'})).body).toEqual({total: {records: 2, alerts: 4}});
  expect((await ask({}, B)).body).toEqual({total: {records: 1, alerts: 1}});
  const since = iso(T0 + HOUR_S * 1000);
  expect((await ask({since, until: iso(T0 + 2 * HOUR_S * 1000)})).body.total).toEqual({records: 1, alerts: 1});
  const {body} = await ask({groupBy: 'source', groupsMax: '1', filter: 'threat_id="1:1"'});
  expect([body.groups.length, body.groups[0].key, body.moreGroups]).toEqual([1, '10.0.0.1', 2]);
});

test('44-3 traffic has flows only, and groups of its own', async () => {
  expect((await ask({groupBy: 'destination', histogram: '1d'}, undefined, 'traffic')).body).toEqual({
    total: {records: 4},
    histogram: [{startTime: iso(T0), records: 4}],
    groups: [
      {
        ...{key: '192.0.2.2', records: 4, bytes: 400},
        ...{firstTime: '2026-01-01T00:00:00.000000Z', lastTime: '2026-01-01T00:00:01.000000Z'},
      },
    ],
  });
  const {body} = await ask({groupBy: 'severity'}, undefined, 'traffic');
  expect(body.error.details[0].fieldViolations).toEqual([
    {field: 'groupBy', description: '"severity" is not one of source, destination, endpoint, application, protocol'},
  ]);
});

test('44-3 every fault of a request is named at once', async () => {
  const query = {filter: 'nope=1', since: 'now', until: 'x', histogram: '1w', groupBy: 'port', groupsMax: '1001'};
  const {status, body} = await ask(query);
  expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  expect(body.error.details[0].fieldViolations.map(({field}: {field: string}) => field)).toEqual(Object.keys(query));
  const alone = (await ask({groupsMax: '5'})).body.error.details[0].fieldViolations;
  expect(alone).toEqual([{field: 'groupsMax', description: 'needs groupBy'}]);
  expect((await ask({bars: '1'})).status).toBe(400);
});

test('44-3 a histogram has at most 5,000 bars, by the times asked for or by those of the records', async () => {
  const [since, until] = [iso(T0), iso(T0 + 5_000_000)];
  expect((await ask({histogram: '1s', since, until})).status).toBe(200);
  const {body} = await ask({histogram: '1s', since, until: iso(T0 + 5_001_000)});
  expect(body.error.details[0].fieldViolations[0]).toEqual({
    field: 'histogram',
    description: expect.stringMatching(/^would have 5001 bars from .*; at most 5000 are returned: ask for wider bars/),
  });
  const open = await ask({histogram: '1s'});
  expect([open.status, open.body.error.message]).toEqual([400, expect.stringContaining('would have 10800 bars')]);
});

test('44-3 sums need the permission of the list, and an endpoint that nobody knows is not found', async () => {
  expect((await ask({}, `${PARENT}/endpoints/nobody`)).status).toBe(404);
  const denied = await startTestServer({
    store: await openMemoryStore(),
    sensorHost: new FakeSensorHost(),
    authorizer: {authorize: ({subresource}) => ({allowed: subresource === 'traffic'})},
  });
  try {
    const status = async (kind: string): Promise<number> =>
      (await fetch(`${denied.url}/v1/${PARENT}/endpoints/-/${kind}:aggregate`)).status;
    expect([await status('threats'), await status('traffic')]).toEqual([403, 200]);
  } finally {
    await denied.close();
  }
});

test('44-3 a histogram is as long as what the filter leaves', async () => {
  expect((await ask({histogram: '1s'})).status).toBe(400);
  for (const filter of [
    `alert_time<"${iso(T0 + 10_000)}"`,
    'threat_id="1:2"',
    `eventTime>"${iso(T0 + HOUR_S * 1000)}"`,
  ]) {
    const {status, body} = await ask({histogram: '1s', filter});
    expect([filter, status]).toEqual([filter, 200]);
    expect(body.histogram.length).toBeGreaterThan(0);
  }
  const {body} = await ask({histogram: '1s', filter: `alert_time>"${iso(T0 + 1_000)}"`});
  expect(body.error.message).toMatch(/^histogram: would have \d+ bars/);
});
