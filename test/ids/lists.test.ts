// SPDX-License-Identifier: Apache-2.0
/** Lists through a socket: pages, filters, orders, wildcards, locations. Ref: requirements I-110. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
let server: TestServer;
let rest: RestClient;
const store = await openMemoryStore();

beforeAll(async () => {
  server = await startTestServer({store, sensorHost: new FakeSensorHost()});
  rest = new RestClient(server.url);
  const severities = ['LOW', 'HIGH', 'CRITICAL'];
  for (const [i, id] of IDS.entries())
    await rest.created(PARENT, id, {severity: severities[i % 3], labels: {odd: String(i % 2)}});
  await rest.created('projects/p/locations/us-central1-a', 'z');
  await rest.created('projects/q/locations/local', 'y');
});
afterAll(() => server.close());

const idsOf = (body: Json): string => (body.endpoints ?? []).map((e: Json) => e.name.split('/').at(-1)).join('');

const walk = async (
  query: Record<string, string>,
  path = `${PARENT}/endpoints`,
  between = async () => {},
): Promise<string[]> => {
  const pages: string[] = [];
  for (let pageToken = ''; ; ) {
    const {status, body} = await rest.get(path, {...query, ...(pageToken === '' ? {} : {pageToken})});
    expect(status).toBe(200);
    pages.push(idsOf(body));
    if (body.nextPageToken === undefined) return pages;
    pageToken = body.nextPageToken;
    await between();
  }
};

describe('pages', () => {
  test('I-110 in name order by default, each entry once, no token on the last page', async () => {
    expect(await walk({pageSize: '3'})).toEqual(['abc', 'def', 'g']);
    expect(await walk({pageSize: '7'})).toEqual(['abcdefg']);
    expect(await walk({})).toEqual(['abcdefg']);
    expect(await walk({pageSize: '0'})).toEqual(['abcdefg']);
    expect(await walk({pageSize: '100000'})).toEqual(['abcdefg']);
  });

  test('I-110 with a filter and an order', async () => {
    expect(await walk({pageSize: '2', filter: 'labels.odd=0'})).toEqual(['ac', 'eg']);
    expect(await walk({pageSize: '2', orderBy: 'severity desc, name'})).toEqual(['cf', 'be', 'ad', 'g']);
    expect(await walk({pageSize: '4', orderBy: 'create_time desc'})).toEqual(['gfed', 'cba']);
  });

  test('I-110 no entry is repeated or lost when others come and go between pages', async () => {
    for (const orderBy of ['', 'create_time', 'labels.odd desc']) {
      let turn = 0;
      const seen = (
        await walk({pageSize: '2', orderBy, filter: 'NOT name:temporary'}, undefined, async () => {
          turn += 1;
          const {body} = await rest.create(PARENT, `temporary-${turn}`);
          await rest.done(body);
          await rest.done((await rest.delete(`${PARENT}/endpoints/temporary-${turn}`)).body);
        })
      ).join('');
      expect([...seen].sort().join('')).toBe('abcdefg');
    }
  });

  test('I-110 a page goes on after its last entry was deleted', async () => {
    const first = (await rest.get(`projects/p/locations/-/endpoints`, {pageSize: '8'})).body;
    await rest.created('projects/p/locations/us-central1-a', 'zz');
    const rest2 = await rest.get('projects/p/locations/-/endpoints', {
      pageSize: '8',
      pageToken: first.nextPageToken ?? '',
    });
    expect(rest2.status).toBe(200);
    await rest.done((await rest.delete('projects/p/locations/us-central1-a/endpoints/zz')).body);
  });

  test('I-097 tokens that are not ours, altered, or of another query are refused; another page size is not', async () => {
    const token = (await rest.get(`${PARENT}/endpoints`, {pageSize: '2', filter: 'labels.odd=0'})).body.nextPageToken;
    const ask = (path: string, query: Record<string, string>) => rest.get(path, {pageToken: token, ...query});
    const filter = 'labels.odd=0';
    expect((await ask(`${PARENT}/endpoints`, {filter, pageSize: '1'})).status).toBe(200);
    for (const answer of [
      await ask(`${PARENT}/endpoints`, {}),
      await ask(`${PARENT}/endpoints`, {filter: 'labels.odd=1'}),
      await ask(`${PARENT}/endpoints`, {filter, orderBy: 'name'}),
      await ask('projects/p/locations/-/endpoints', {filter}),
      await ask(`${PARENT}/operations`, {filter: ''}),
      await ask(`${PARENT}/endpoints`, {filter, pageToken: `${token}x`}),
      await ask(`${PARENT}/endpoints`, {filter, pageToken: 'definitely-not-a-token'}),
    ]) {
      expect([answer.status, answer.body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(answer.body.error.message).toContain('pageToken');
    }
  });

  test('I-092 I-110 a page token survives a restart', async () => {
    const before = (await rest.get(`${PARENT}/endpoints`, {pageSize: '3'})).body;
    const other = await startTestServer({store, sensorHost: new FakeSensorHost()});
    const after = await new RestClient(other.url).get(`${PARENT}/endpoints`, {
      pageSize: '3',
      pageToken: before.nextPageToken,
    });
    expect(idsOf(after.body)).toBe('def');
    await other.close();
  });

  test.each([
    {pageSize: '-1'},
    {pageSize: 'many'},
    {pageSize: '1.5'},
    {pageSize: '99999999999'},
    {filter: 'severity="LOW'},
    {filter: 'flavour=sweet'},
    {orderBy: 'flavour'},
    {orderBy: 'name sideways'},
  ])('I-097 %j is INVALID_ARGUMENT that names the parameter', async query => {
    const {status, body} = await rest.get(`${PARENT}/endpoints`, query as Record<string, string>);
    expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.error.details[0].fieldViolations[0].field).toBe(Object.keys(query)[0]);
  });
});

test('I-031 severities are ordered INFORMATIONAL < LOW < MEDIUM < HIGH < CRITICAL', async () => {
  const parent = 'projects/order/locations/local';
  for (const severity of ['MEDIUM', 'CRITICAL', 'INFORMATIONAL', 'HIGH', 'LOW'])
    await rest.created(parent, severity.toLowerCase(), {severity});
  const {body} = await rest.get(`${parent}/endpoints`, {orderBy: 'severity'});
  expect(body.endpoints.map((e: Json) => e.severity)).toEqual(['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']);
  const above = await rest.get(`${parent}/endpoints`, {filter: 'severity>=HIGH'});
  expect(above.body.endpoints.map((e: Json) => e.severity)).toEqual(['CRITICAL', 'HIGH']);
});

describe('wildcards', () => {
  test('I-109 I-110 locations/- lists all locations of the project, projects/- all projects', async () => {
    expect(await walk({}, 'projects/p/locations/-/endpoints')).toEqual(['abcdefgz']);
    expect(await walk({filter: 'NOT name:order'}, 'projects/-/locations/-/endpoints')).toEqual(['abcdefgzy']);
    expect(await walk({filter: 'NOT name:order'}, 'projects/-/locations/local/endpoints')).toEqual(['abcdefgy']);
    expect(await walk({filter: 'severity=LOW'}, 'projects/q/locations/-/endpoints')).toEqual(['y']);
  });
  test('an empty list has no member but what it must', async () => {
    expect((await rest.get('projects/none/locations/-/endpoints')).body).toEqual({});
  });
});

describe('locations', () => {
  test('I-110 list and get', async () => {
    const {body} = await rest.get('projects/p/locations');
    expect(body.locations.map((l: Json) => l.locationId)).toEqual(['local', 'us-central1-a', 'europe-west1-b']);
    for (const location of body.locations) expect((await rest.get(location.name)).body).toEqual(location);
    expect(body.locations[1].labels).toEqual({'cloud.googleapis.com/region': 'us-central1'});
    const page = (await rest.get('projects/p/locations', {pageSize: '2'})).body;
    const next = (await rest.get('projects/p/locations', {pageSize: '2', pageToken: page.nextPageToken})).body;
    expect(next.locations.map((l: Json) => l.locationId)).toEqual(['europe-west1-b']);
    const filtered = (await rest.get('projects/p/locations', {filter: 'locationId="us*"'})).body;
    expect(filtered.locations.map((l: Json) => l.locationId)).toEqual(['us-central1-a']);
    expect((await rest.get('projects/p/locations/nowhere')).status).toBe(404);
  });
  test('I-110 hundreds of locations and thousands of endpoints answer without a scan', async () => {
    const locations = Array.from({length: 300}, (_, i) => ({id: `zone${i}-a`, sensor: false}));
    const big = await startTestServer({store: await openMemoryStore(), sensorHost: new FakeSensorHost(), locations});
    const client = new RestClient(big.url);
    for (let at = 0; at < 2_000; at += 100)
      await Promise.all(
        Array.from({length: 100}, (_, i) =>
          client.create(`projects/p/locations/zone${(at + i) % 300}-a`, `e${at + i}`),
        ),
      );
    const page = (await client.get('projects/p/locations/zone7-a/endpoints')).body;
    expect(page.endpoints).toHaveLength(7);
    expect((await client.get('projects/p/locations', {pageSize: '1000'})).body.locations).toHaveLength(300);
    await big.close();
  });
});
