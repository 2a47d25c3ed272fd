// SPDX-License-Identifier: Apache-2.0
/** `GET /v1/{endpoint}/threats/{id}`, its packets, and `palisade threats show`, in this process. */
import {mkdtemp, readdir, readFile, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';
import {createIdsClient} from '@palisade/client';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {hostRule} from '../../packages/ids/src/testing/rule-sets.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import type {ThreatRecord} from '../../packages/ids-wire/src/records.ts';
import {framesIn} from '../../packages/sensor/src/flows/frame-flow.ts';
import {pcapRecords} from '../../packages/sensor/src/flows/read-pcap.ts';
import {tcpSession} from '../../packages/sensor/src/testing/packets.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {silentLog, startTestServer, type TestServer} from './test-server.ts';

const P = 'projects/p/locations/local';
const GUARD = `${P}/endpoints/guard`;
const TIME = '2026-01-01T00:00:00Z';
const PCAP_OPEN_MAX = 16;
const REQUEST = 'GET /?q=union%20select HTTP/1.1\r\nHost: shop\r\n\r\n';
const SESSION = tcpSession({client: '192.0.2.1', server: '192.0.2.2', serverPort: 80}, [
  {from: 'client', data: REQUEST},
]);
/** The handshake and the request are before it. */
const ACK = SESSION[4] ?? Buffer.alloc(0);
const EVENT = {
  timestamp: '2026-01-01T00:00:00.000000+0000',
  event_type: 'alert',
  http: {hostname: 'shop', url: '/?q=union%20select', http_method: 'GET', protocol: 'HTTP/1.1', status: 200},
  tls: {sni: 'shop.example', ja3: {hash: 'bf82c944ebe9de774f6243b8edb7eb89'}},
  files: [{filename: 'a.exe', size: 3, sha256: 'e3b0c442'}],
  flow: {pkts_toserver: 3, pkts_toclient: 2, start: '2026-01-01T00:00:00.000000+0000'},
  community_id: '1:abc',
  payload: Buffer.from(`${REQUEST}\x1b[31m`).toString('base64'),
  stream: 1,
  packet: ACK.toString('base64'),
  packet_info: {linktype: 1},
};

const host = new FakeSensorHost();
const records = new MemoryRecordStore();
const time = new ManualTime(Date.parse(TIME) + 1000);
let server: TestServer;
let rest: RestClient;
const lines: {readonly fields: object; readonly text: string}[] = [];

const commit = (endpoint: string, i: number, evidence: string | undefined, more: Partial<ThreatRecord> = {}) =>
  records.commit({
    endpoint,
    checkpoint: undefined,
    counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
    threats: [
      {
        id: `${FILES[endpoint.split('/').at(-1) ?? '']}-${i}`,
        record: threatRecord({
          ...{threat_id: '1:7', name: 'SQL injection', alert_severity: 'HIGH', alert_time: TIME},
          ...{source_port: '40000', endpoint, repeat_count: '3', ...more},
        }),
        evidence,
      },
    ],
    traffic: [],
  });
/** Of their events. */
const FILES: Readonly<Record<string, string>> = {guard: 'aaaa', twin: 'bbbb', raw: 'cccc'};
const idOf = async (endpoint: string, i: number): Promise<string> => {
  const {body} = await rest.get(`${endpoint}/threats`);
  return body.threats[i].id;
};

beforeAll(async () => {
  host.rules.set('default', [
    hostRule(7, {rev: 2, text: 'alert http any any -> any any (msg:"SQL injection"; sid:7; rev:2;)'}),
  ]);
  server = await startTestServer({
    log: {...silentLog, info: (fields, text) => void lines.push({fields, text})},
    ...{store: await openMemoryStore(), records, sensorHost: host, clock: time, timers: time},
    authenticator: {
      authenticate: ({headers}) => {
        const name = /^Bearer (\w+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
        return name === undefined ? {outcome: 'anonymous'} : {outcome: 'user', user: {name, groups: []}};
      },
    },
    authorizer: {
      authorize: ({user, subresource}) => ({
        allowed: user.name === 'admin' || (user.name === 'lister' && subresource !== 'evidence'),
      }),
    },
  });
  rest = new RestClient(server.url, {authorization: 'Bearer admin'});
  for (const id of ['guard', 'twin']) await rest.created(P, id);
  await commit(GUARD, 1, JSON.stringify(EVENT));
  await commit(GUARD, 2, undefined, {threat_id: '1:8', alert_time: '2026-01-01T00:00:00Z'});
  await commit(`${P}/endpoints/twin`, 1, JSON.stringify({event_type: 'alert', palisade_left_out: ['packet']}));
});
beforeEach(() => {
  lines.length = 0;
  host.evidence = 'payload';
  host.frames = {frames: [], isCut: false};
});
afterAll(() => server.close());

const palisade = async (words: readonly string[], cwd = '/') => {
  const written: Record<'stdout' | 'stderr', Buffer[]> = {stdout: [], stderr: []};
  const stream = (name: keyof typeof written): Writable =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        written[name].push(chunk);
        done();
      },
    });
  const env = {PALISADE_SERVER: server.url, PALISADE_TOKEN: 'admin'};
  const io = {stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr'), env, cwd};
  const code = await main(words, io, () => {});
  const [bytes, stderr] = [Buffer.concat(written.stdout), String(Buffer.concat(written.stderr))];
  return {code, bytes, stdout: String(bytes), stderr};
};
const client = (token = 'admin') => createIdsClient({server: server.url, authorization: () => `Bearer ${token}`});

test('44-2 one threat: the record, its evidence decoded and as it was written, and its rule', async () => {
  const id = await idOf(GUARD, 0);
  const threat = await client().getThreat(GUARD, id);
  expect(threat).toMatchObject({id, threat_id: '1:7', repeat_count: '3'});
  expect(threat.evidence).toMatchObject({
    payload: {printable: `${REQUEST.replaceAll(/[\r\n]/g, '.')}.[31m`, is_stream: true},
    packet: {bytes: ACK.length, link_type: 1},
    http: {http_method: 'GET'},
    tls: {sni: 'shop.example'},
    files: [{sha256: 'e3b0c442'}],
    community_id: '1:abc',
    event: EVENT,
  });
  expect(threat.rule).toMatchObject({
    text: expect.stringContaining('rev:2'),
    revision: '2',
    changed: 'revision 1 raised the alert, and the rule set has revision 2 now',
  });
});

test('44-2 absent evidence says why; a rule that is gone says so', async () => {
  const id = await idOf(GUARD, 1);
  const {body} = await rest.get(`${GUARD}/threats/${id}`);
  expect(body.evidence).toEqual({absent: expect.stringContaining('deleted to make room')});
  expect(body.rule).toEqual({absent: expect.stringContaining('no rule 1:8')});
  host.evidence = 'none';
  const none = await rest.get(`${GUARD}/threats/${id}`);
  expect(none.body.evidence.absent).toContain('--evidence none');
  const pcap = await rest.get(`${GUARD}/threats/${id}/pcap`);
  expect([pcap.status, pcap.body.error.status]).toEqual([404, 'NOT_FOUND']);
  expect(pcap.body.error.message).toContain('start the server with --evidence pcap');
});

test('44-2 evidence needs a permission of its own: a lister gets the record without it, and no packets', async () => {
  const id = await idOf(GUARD, 0);
  const threat = await client('lister').getThreat(GUARD, id);
  expect(threat.evidence).toEqual({withheld: expect.stringContaining("'ids.threats.getEvidence' denied")});
  expect(threat.threat_id).toBe('1:7');
  await expect(client('lister').getThreatPcap(GUARD, id)).rejects.toMatchObject({code: 'PERMISSION_DENIED'});
  await expect(client('nobody').getThreat(GUARD, id)).rejects.toMatchObject({code: 'PERMISSION_DENIED'});
});

test('44-2 who reads evidence or packets is in the log; who sees none is not', async () => {
  const [first, second] = [await idOf(GUARD, 0), await idOf(GUARD, 1)];
  await client('lister').getThreat(GUARD, first);
  await client().getThreat(GUARD, second);
  await expect(client('lister').getThreatPcap(GUARD, first)).rejects.toThrow();
  expect(lines).toEqual([]);
  await client().getThreat(GUARD, first);
  await client().getThreatPcap(GUARD, first);
  const fields = {user: 'admin', endpoint: GUARD, threat: first};
  expect(lines).toEqual([
    {fields, text: 'ids: evidence of a threat read'},
    {fields: {...fields, source: 'payload'}, text: 'ids: packets of a threat read'},
  ]);
});

test('44-2 one record has one name: wildcards and malformed ids are refused, an unknown one is not found', async () => {
  const id = await idOf(GUARD, 0);
  const statusOf = async (path: string): Promise<number> => (await rest.get(path)).status;
  expect(await statusOf(`${P}/endpoints/-/threats/${id}`)).toBe(400);
  expect(await statusOf(`projects/-/locations/local/endpoints/guard/threats/${id}/pcap`)).toBe(400);
  expect(await statusOf(`${GUARD}/threats/nonsense`)).toBe(400);
  expect(await statusOf(`${GUARD}/threats/${id.slice(0, -1)}f`)).toBe(404);
});

test('44-2 payload: the capture file has the alert packet, and the payload that it does not hold in a made-up one', async () => {
  const {source, file} = await client().getThreatPcap(GUARD, await idOf(GUARD, 0));
  expect(source).toBe('payload');
  const frames = [...pcapRecords(Buffer.from(file))].map(({frame}) => frame);
  expect(frames[1]).toEqual(ACK);
  const [made = Buffer.alloc(0)] = frames;
  expect(made.includes(REQUEST)).toBe(true);
  expect([...framesIn(made)][0]?.[1]).toEqual({
    ...{protocol: 6, source: '192.0.2.1', destination: '192.0.2.2', ports: [40_000, 80]},
  });
});

test('44-2 a packet without its Ethernet header, as of a mirror that Suricata decodes, is given one', async () => {
  const name = `${P}/endpoints/raw`;
  const raw = {...EVENT, payload: undefined, packet: ACK.subarray(14).toString('base64'), packet_info: {linktype: 12}};
  await commit(name, 1, JSON.stringify(raw));
  const {source, file} = await client().getThreatPcap(name, await idOf(name, 0));
  expect(source).toBe('packet');
  const [frame = Buffer.alloc(0)] = [...pcapRecords(Buffer.from(file))].map(({frame: one}) => one);
  expect(frame.subarray(14)).toEqual(ACK.subarray(14));
  expect([...framesIn(frame)][0]?.[1].source).toBe('192.0.2.2');
});

test('44-2 pcap: the capture file has the packets of the flow, and the alert packet that is not written yet', async () => {
  const from = Date.parse(TIME) * 1000;
  const flow = SESSION.slice(0, 4);
  host.frames = {frames: flow.map((bytes, i) => ({micros: from - 10 + i, bytes})), isCut: false};
  const {source, file} = await client().getThreatPcap(GUARD, await idOf(GUARD, 0));
  expect(source).toBe('flow');
  expect([...pcapRecords(Buffer.from(file))].map(({frame}) => frame)).toEqual([...flow, ACK]);
  host.frames = {...host.frames, isCut: true};
  expect((await client().getThreatPcap(GUARD, await idOf(GUARD, 0))).source).toBe('flow-cut');
});

test('44-2 palisade threats show: found by id alone, printed without control characters, and its packets saved', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'palisade-threats-'));
  try {
    const id = await idOf(GUARD, 0);
    const {code, stdout, stderr} = await palisade(['threats', 'show', id, '--pcap', 'a.pcap'], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('a.pcap has the payload in a made-up packet')]);
    expect(stdout).toContain('request      GET /?q=union%20select HTTP/1.1\n');
    for (const text of ['TLS SNI      shop.example', 'JA3          bf82', 'sha256 e3b0c442', 'seen         3 times'])
      expect(stdout).toContain(text);
    expect(stdout).toMatch(/0000 {2}47 45 54 20 .* GET \/\?q=union%20\n/);
    expect(stdout).toContain('alert http any any -> any any (msg:"SQL injection"');
    expect(stdout).not.toContain('\x1b');
    expect([...pcapRecords(await readFile(join(folder, 'a.pcap')))]).toHaveLength(2);
    expect((await stat(join(folder, 'a.pcap'))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(folder, {recursive: true});
  }
});

test('44-2 palisade threats show --pcap -: packets alone on stdout, no file, and no report', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'palisade-threats-'));
  try {
    const id = await idOf(GUARD, 0);
    const {code, bytes, stderr} = await palisade(['threats', 'show', id, '--pcap', '-'], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('palisade: the capture has the payload')]);
    expect([...pcapRecords(bytes)]).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
    const both = await palisade(['threats', 'show', id, '--pcap', '-', '--json'], folder);
    expect([both.code, both.stdout]).toEqual([2, '']);
  } finally {
    await rm(folder, {recursive: true});
  }
});

test('44-2 palisade threats show --pcap: a file that cannot be written is named with the reason, before any report', async () => {
  const id = await idOf(GUARD, 0);
  const show = (file: string) => palisade(['threats', 'show', id, '--pcap', file], tmpdir());
  expect(await show('no-such-folder-here/a.pcap')).toMatchObject({
    ...{code: 1, stdout: ''},
    stderr:
      'palisade: --pcap no-such-folder-here/a.pcap: cannot be written: no such folder; create it first, or check the path\n',
  });
  expect(await show('.')).toMatchObject({
    ...{code: 1, stdout: ''},
    stderr: 'palisade: --pcap .: cannot be written: is a folder; give a file\n',
  });
});

test('44-2 palisade threats show: --endpoint, --json, and ids that mean nothing', async () => {
  const twin = await idOf(`${P}/endpoints/twin`, 0);
  const {stdout} = await palisade(['threats', 'show', twin, '--endpoint', 'twin', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({id: twin, evidence: {left_out: ['packet']}});
  const without = await palisade(['threats', 'show', twin, '--pcap', 'a.pcap']);
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringContaining('too long to be kept whole (left out: packet)'),
  ]);
  const noId = await palisade(['threats', 'show', 'x']);
  expect([noId.code, noId.stderr]).toEqual([2, expect.stringContaining('(column ID, "id" with --json)')]);
  expect(await palisade(['threats', 'show'])).toMatchObject({code: 2});
  const missing = await palisade(['threats', 'show', `${twin.slice(0, -1)}f`]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no threat record has the ID')]);
});

test('44-2 capture files are put together two at a time; a user with 16 of them open is refused', async () => {
  const id = await idOf(GUARD, 0);
  const real = host.flowFrames;
  const {promise, resolve} = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  host.flowFrames = async () => {
    most = Math.max(most, ++running);
    await promise;
    running--;
    return {frames: [{micros: 1, bytes: ACK}], isCut: false};
  };
  const read = (token: string): Promise<Response> =>
    fetch(`${server.url}/v1/${GUARD}/threats/${id}/pcap`, {headers: {authorization: `Bearer ${token}`}});
  try {
    const all = Array.from({length: PCAP_OPEN_MAX + 1}, () => read('admin'));
    const refused = await Promise.race(all);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({error: {status: 'RESOURCE_EXHAUSTED'}});
    expect(most).toBe(2);
    expect((await rest.get(`${GUARD}/threats/${id}`)).status).toBe(200);
    resolve();
    const statuses = (await Promise.all(all)).map(({status}) => status).sort();
    expect(statuses).toEqual([...Array.from({length: PCAP_OPEN_MAX}, () => 200), 429]);
    expect(most).toBe(2);
  } finally {
    resolve();
    host.flowFrames = real;
  }
});
