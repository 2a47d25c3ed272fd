// SPDX-License-Identifier: Apache-2.0
/** Threat and traffic records through a socket: lists, exports, follow, retention, restart. Ref: requirements I-008, I-115, I-116. */
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {createIdsClient, keepFollowing} from '../../packages/client/src/index.ts';
import type {RecordStore} from '../../packages/ids/src/index.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {encodePageToken} from '../../packages/ids-wire/src/index.ts';
import type {ThreatRecord, TrafficRecord} from '../../packages/ids-wire/src/records.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import type {Store} from '../../packages/store/src/index.ts';
import {A, B, bootRecords, iso, PARENT, T0, trafficRecord} from './record-bench.ts';
import type {Json, RestClient} from './rest-client.ts';
import type {TestServer} from './test-server.ts';

const EVERYWHERE = 'projects/-/locations/-/endpoints/-';
let store: Store;
let time: ManualTime;
let records: RecordStore;
let server: TestServer;
let rest: RestClient;

const boot = async (): Promise<void> => {
  ({server, rest} = await bootRecords(store, time, records));
};
beforeEach(async () => {
  store = await openMemoryStore();
  time = new ManualTime(T0);
  records = new MemoryRecordStore();
  await boot();
  await rest.created(PARENT, 'a');
  await rest.created(PARENT, 'b');
});
afterEach(() => server.close());

const threat = (endpoint: string, i: number, more: Partial<ThreatRecord> = {}): ThreatRecord =>
  threatRecord({
    threat_id: `1:${i}`,
    name: `threat ${i}`,
    alert_severity: i % 2 === 0 ? 'LOW' : 'HIGH',
    alert_time: iso(T0 + i * 1000),
    source_port: String(40_000 + i),
    details: 'details',
    endpoint,
    ...more,
  });
const flow = (endpoint: string, i: number) => trafficRecord(endpoint, i, {total_bytes: String(i * 100)});

const counters = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};
/** Writes threats as a sensor does, in batches; ids are offsets in its file. */
const write = async (
  endpoint: string,
  threats: readonly ThreatRecord[],
  traffic: readonly TrafficRecord[] = [],
): Promise<void> => {
  for (let at = 0; at === 0 || at < threats.length; at += 100)
    await records.commit({
      endpoint,
      checkpoint: {device: 'd', inode: 'i', offset: 1},
      counters: {...counters, seen: threats.length, stored: threats.length},
      threats: threats
        .slice(at, at + 100)
        .map(record => ({id: `f-${Number(record.threat_id.slice(2)) * 100}`, record})),
      traffic: at > 0 ? [] : traffic.map(record => ({id: `f-${record.source_port}`, record})),
    });
};
const many = (endpoint: string, from: number, to: number): ThreatRecord[] =>
  Array.from({length: to - from}, (_, i) => threat(endpoint, from + i));

/** Without their ids, which come with every record of a list. */
const bare = (lines: readonly Json[]): Json[] => lines.map(({id: _, ...record}) => record);
const idsOf = (body: Json): number[] => (body.threats ?? []).map((t: Json) => Number(t.threat_id.slice(2)));
const list = async (name: string, query: Record<string, string> = {}): Promise<number[]> =>
  idsOf((await rest.get(`${name}/threats`, query)).body);

describe('lists', () => {
  test('I-116 a record comes back with every field, all numbers as strings', async () => {
    const record = threat(A, 1, {cves: ['CVE-2014-6271']});
    await write(A, [record], [flow(A, 2)]);
    expect(bare((await rest.get(`${A}/threats`)).body.threats)).toEqual([record]);
    expect(bare((await rest.get(`${A}/traffic`)).body.traffic)).toEqual([flow(A, 2)]);
    expect((await rest.get(`${B}/threats`)).body).toEqual({});
  });

  test('in time order, whatever the order of writing; pages neither repeat nor lose, also while more is written', async () => {
    await write(A, many(A, 100, 150));
    await write(A, many(A, 50, 100));
    await write(B, many(B, 50, 150));
    const seen: number[] = [];
    for (let pageToken = '', page = 0; ; page += 1) {
      const {body} = await rest.get(`${EVERYWHERE}/threats`, {pageSize: '7', ...(pageToken === '' ? {} : {pageToken})});
      seen.push(...idsOf(body));
      pageToken = body.nextPageToken ?? '';
      if (pageToken === '') break;
      await write(A, [threat(A, page)]); // before everything that is listed
    }
    const expected = Array.from({length: 100}, (_, i) => [50 + i, 50 + i]).flat();
    expect(seen).toEqual(expected);
  });

  test('filter, order, since and until', async () => {
    await write(A, many(A, 0, 10));
    await write(A, [], [flow(A, 9), flow(A, 10)]);
    expect(await list(A, {filter: 'alert_severity>=MEDIUM'})).toEqual([1, 3, 5, 7, 9]);
    expect(await list(A, {filter: 'threat_id=1:4'})).toEqual([4]);
    expect(await list(A, {filter: 'sourcePort>40007'})).toEqual([8, 9]);
    expect(await list(A, {orderBy: 'alert_time desc', pageSize: '3'})).toEqual([9, 8, 7]);
    expect(await list(A, {orderBy: 'alert_severity desc,alert_time', pageSize: '2'})).toEqual([1, 3]);
    expect(await list(A, {since: iso(T0 + 7000)})).toEqual([7, 8, 9]);
    expect(await list(A, {until: iso(T0 + 2000)})).toEqual([0, 1]);
    expect(await list(A, {filter: `alert_time>="${iso(T0 + 8000)}"`})).toEqual([8, 9]);
    expect((await rest.get(`${A}/traffic`, {filter: 'total_bytes>900'})).body.traffic).toMatchObject([flow(A, 10)]);
    const {body} = await rest.get(`${A}/threats`, {orderBy: 'alert_time desc', pageSize: '4'});
    const next = await rest.get(`${A}/threats`, {
      orderBy: 'alert_time desc',
      pageSize: '4',
      pageToken: body.nextPageToken,
    });
    expect(idsOf(next.body)).toEqual([5, 4, 3, 2]);
    expect((await rest.get(`${A}/threats`, {fields: 'threats/threat_id', pageSize: '1'})).body.threats).toEqual([
      {threat_id: '1:0'},
    ]);
  });

  test.each([
    {filter: 'colour=1'},
    {orderBy: 'colour'},
    {since: 'yesterday'},
    {until: 'x'},
    {format: 'xml'},
    {pageToken: 'x'},
    {pageSize: '-1'},
    {format: 'csv', orderBy: 'name'},
    {format: 'csv', follow: '1'},
    {colour: '1'},
  ])('I-097 %j is INVALID_ARGUMENT', async query => {
    const {status, body} = await rest.get(`${A}/threats`, query as unknown as Record<string, string>);
    expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  });
});

describe('formats', () => {
  test('I-115 a log entry as Cloud Logging has it', async () => {
    await write(A, [threat(A, 1)], [flow(A, 1)]);
    const {
      endpoint: _,
      event_time: _time,
      rule_revision: _rev,
      rule_priority: _priority,
      ...jsonPayload
    } = threat(A, 1);
    expect((await rest.get(`${A}/threats`, {format: 'logentry'})).body.entries).toEqual([
      {
        insertId: expect.stringMatching(/^[0-9a-f]{13}-f-[0-9a-f]{8}@a$/),
        logName: 'projects/p/logs/ids.googleapis.com%2Fthreat',
        resource: {
          type: 'ids.googleapis.com/Endpoint',
          labels: {id: 'a', location: 'local', resource_container: 'projects/p'},
        },
        timestamp: '2026-01-01T00:00:01Z',
        jsonPayload,
      },
    ]);
    const {body} = await rest.get(`${A}/traffic`, {format: 'logentry'});
    expect(body.entries[0].logName).toBe('projects/p/logs/ids.googleapis.com%2Ftraffic');
  });

  test('I-115 CSV and NDJSON give everything that matches', async () => {
    await write(A, many(A, 0, 300));
    const csv = await rest.get(`${A}/threats`, {format: 'csv', filter: 'alert_severity=HIGH'});
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines[0]?.startsWith('alert_time,endpoint,threat_id,')).toBe(true);
    expect(lines[0]?.endsWith(',id')).toBe(true);
    expect(lines[1]?.split(',').at(-1)).not.toBe('');
    expect(lines).toHaveLength(151);
    const ndjson = await rest.get(`${A}/threats`, {format: 'ndjson'});
    expect(
      bare(
        ndjson.text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line)),
      ),
    ).toEqual(many(A, 0, 300));
    expect((await rest.get(`${A}/threats`, {format: 'ndjson', pageSize: '2'})).text.trimEnd().split('\n')).toHaveLength(
      2,
    );
  });
});

describe('follow', () => {
  const open = async (name: string, query: Record<string, string> = {}) => {
    const abort = new AbortController();
    const response = await fetch(`${server.url}/v1/${name}/threats?${new URLSearchParams({follow: '1', ...query})}`, {
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    const lines: Json[] = [];
    const more = async (): Promise<boolean> => {
      const {value, done} = (await reader?.read()) ?? {done: true, value: undefined};
      if (done) return false;
      const parts = (rest + value).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts.filter(line => line !== '').map(line => JSON.parse(line)));
      return true;
    };
    return {
      /** The next `count` lines. */
      take: async (count: number): Promise<Json[]> => {
        while (lines.length < count) if (!(await more())) break;
        return lines.splice(0, count);
      },
      /** Resolves when the stream stands: records written from now on come. */
      standing: more,
      close: () => abort.abort(),
    };
  };

  test('I-115 gives new records as they come, each once; stored ones only when asked for', async () => {
    await write(A, many(A, 0, 3));
    const stream = await open(A, {filter: 'alert_severity=HIGH'});
    await stream.standing();
    await write(A, many(A, 3, 8));
    await write(A, [threat(A, 5, {repeat_count: '9'})]);
    await write(B, many(B, 9, 12));
    await write(A, [threat(A, 13)]);
    expect(bare(await stream.take(4))).toEqual([threat(A, 3), threat(A, 5), threat(A, 7), threat(A, 13)]);
    stream.close();
    const withStored = await open(A, {since: iso(T0 + 5000)});
    expect((await withStored.take(4)).map(t => t.threat_id)).toEqual(['1:5', '1:6', '1:7', '1:13']);
    await write(A, [threat(A, 14)]);
    expect(bare(await withStored.take(1))).toEqual([threat(A, 14)]);
    withStored.close();
  });

  test('growing repeat counts come when asked for', async () => {
    const stream = await open(A, {updates: '1'});
    await stream.standing();
    await write(A, [threat(A, 1)]);
    await write(A, [threat(A, 1, {repeat_count: '2'})]);
    expect((await stream.take(2)).map(t => t.repeat_count)).toEqual(['1', '2']);
    stream.close();
  });

  test.each([
    'abc',
    ['x'],
    null,
    5,
    ['h', 1],
    ['1', -1],
    [1, 1],
    ['1', 8.64e15],
    ['h', '1', 1],
    [1, 1, 1],
    ['h', 1, -1],
    ['h', -1, 1],
    ['h', 1, 8.64e15],
  ])('a cursor that was made up of %j is refused', async position => {
    const cursor = encodePageToken(['cursor', 'threats', A], position);
    const {status, body} = await rest.get(`${A}/threats`, {follow: '1', cursor});
    expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  });

  test('a stream goes on exactly after its cursor', async () => {
    const first = await open(EVERYWHERE, {cursors: '1'});
    await first.take(1);
    await write(A, many(A, 1, 3));
    const [one, two, {cursor}] = await first.take(3);
    expect(bare([one, two])).toEqual(many(A, 1, 3));
    first.close();
    await write(A, many(A, 3, 6));
    await write(B, many(B, 6, 7));
    const second = await open(EVERYWHERE, {cursor});
    expect((await second.take(4)).map(t => t.threat_id)).toEqual(['1:3', '1:4', '1:5', '1:6']);
    await write(B, many(B, 7, 8));
    expect((await second.take(1)).map(t => t.threat_id)).toEqual(['1:7']);
    second.close();
    expect((await rest.get(`${A}/threats`, {follow: '1', cursor})).status).toBe(400); // of another stream
  });

  test('44-1 a stream goes on after a cursor of the version before, with what is younger than its time', async () => {
    await write(A, many(A, 0, 6));
    const cursor = encodePageToken(['cursor', 'threats', A], ['4711', T0 + 2_000]);
    const stream = await open(A, {cursor});
    expect(bare(await stream.take(3))).toEqual(many(A, 3, 6));
    await write(A, many(A, 6, 7));
    expect(bare(await stream.take(1))).toEqual([threat(A, 6)]);
    stream.close();
  });

  test.each([
    ['has not come as far as the cursor', 0],
    ['has come further', 100],
  ])(
    'after a restore the stream begins with what was made since the cursor, in a history that %s',
    async (_how, more) => {
      const first = await open(A, {cursors: '1'});
      await write(A, many(A, 0, 2));
      const lines = await first.take(4);
      const {cursor} = lines.at(-1) as {cursor: string};
      first.close();
      await write(A, many(A, 2, 3)); // lost with the data
      await server.close();
      store = await openMemoryStore();
      records = new MemoryRecordStore('another');
      await boot();
      await write(A, many(A, 0, 2)); // of the backup
      await write(A, many(A, 10, 12));
      for (let i = 0; i < more; i += 1) await write(B, [], [flow(B, i)]);
      const second = await open(A, {cursors: '1', cursor});
      const [ten, eleven, at] = await second.take(3);
      expect(bare([ten, eleven])).toEqual(many(A, 10, 12));
      await write(A, many(A, 12, 13));
      expect(bare(await second.take(1))).toEqual([threat(A, 12)]);
      second.close();
      const third = await open(A, {cursors: '1', cursor: String(at?.cursor)});
      expect(await third.take(2)).toMatchObject([at ?? {}, threat(A, 12)]);
      third.close();
    },
  );

  test('a client that keeps following goes over a restart: no record twice, none lost', async () => {
    await write(A, many(A, 0, 3));
    const told: string[] = [];
    let isBack = Promise.resolve();
    const following = keepFollowing(
      {followRecords: (...words) => createIdsClient({server: server.url}).followRecords(...words)},
      EVERYWHERE,
      'threats',
      {since: iso(T0 + 1000)},
      {
        clock: {now: () => 0, sleep: () => isBack}, // no time goes by until the server is back
        awayMsMax: 60_000,
        signal: new AbortController().signal,
        onLost: () => told.push('lost'),
        onBack: () => told.push('back'),
      },
    );
    const take = async (count: number): Promise<Json[]> =>
      bare(await Promise.all(Array.from({length: count}, async () => (await following.next()).value)));
    expect(await take(2)).toEqual([threat(A, 1), threat(A, 2)]);
    const next = take(2);
    await write(A, [threat(A, 3)]);
    const {promise, resolve} = Promise.withResolvers<void>();
    isBack = promise;
    await server.close();
    await write(B, [threat(B, 4, {repeat_count: '2'})]);
    await boot();
    resolve();
    expect(await next).toEqual([threat(A, 3), threat(B, 4, {repeat_count: '2'})]);
    await write(A, [threat(A, 3, {repeat_count: '5'}), threat(A, 5)]);
    expect(await take(1)).toEqual([threat(A, 5)]);
    expect(told).toEqual(['lost', 'back']);
    await following.return(undefined);
  });

  test('the server ends its streams when it stops', async () => {
    const stream = await open(A);
    await stream.standing();
    await server.api.stop();
    expect(await stream.take(1)).toEqual([]);
  });
});

describe('the sink', () => {
  test('position and counters come back, also after a restart; forget drops them and keeps the records', async () => {
    await write(A, many(A, 0, 2));
    const position = {checkpoint: {device: 'd', inode: 'i', offset: 1}, counters: {...counters, seen: 2, stored: 2}};
    expect(await records.load(A)).toEqual(position);
    await server.close();
    await boot();
    expect(await records.load(A)).toEqual(position);
    expect(await records.load(B)).toBeUndefined();
    await records.forget(A);
    expect(await records.load(A)).toBeUndefined();
    expect(await list(A)).toEqual([0, 1]);
  });

  test('the same id written again replaces, in the store once', async () => {
    await write(A, [threat(A, 1)]);
    await write(A, [threat(A, 1, {repeat_count: '4'}), threat(A, 2), threat(A, 2, {repeat_count: '3'})]);
    const {body} = await rest.get(`${A}/threats`);
    expect(body.threats.map((t: Json) => t.repeat_count)).toEqual(['4', '3']);
    expect((await rest.get(`${A}/health`)).body.records.threats).toBe(2);
  });

  const batchOf = (size: number) => ({
    endpoint: A,
    checkpoint: {device: 'd', inode: 'i', offset: size},
    counters: {...counters, seen: size, stored: size},
    threats: many(A, 0, size).map((record, i) => ({id: `f-${i}`, record})),
    traffic: [],
  });

  test('a batch that does not fit into one transaction is refused whole', async () => {
    const size = records.batchRecordsMax + 1;
    await expect(records.commit(batchOf(size))).rejects.toMatchObject({
      code: 'too-large',
      message: `a batch of ${size} records; at most ${size - 1} go into one`,
    });
    expect([await records.load(A), await list(A)]).toEqual([undefined, []]);
  });
});
