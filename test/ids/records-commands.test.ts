// SPDX-License-Identifier: Apache-2.0
/** `palisade threats`, `traffic`, `describe` and `replay` against the IDS API, in this process. */
import {spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {Readable, Writable} from 'node:stream';
import {manualClock, startJsonServer} from '@palisade/client/testing';
import type {ThreatRecord} from '@palisade/ids-wire';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import {runRecords} from '../../packages/cli/src/commands/records.ts';
import {blocks, pcap, udpFrame} from '../../packages/cli/src/replay/testing/capture-bytes.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {PALISADE, scratch} from '../support/palisade.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const CAPTURE = resolve('examples/shop/traffic/attack.pcap');
/** Of an IPv4 packet. */
const sllPacket = Buffer.concat([Buffer.from('00000001000602000000000100000800', 'hex'), udpFrame().subarray(14)]);
const PCAP_HEADER_BYTES = 24;
const TIME = '2026-01-01T00:00:00Z';
const threat = (endpoint: string, id: string): ThreatRecord =>
  threatRecord({
    threat_id: id,
    name: 'threat',
    alert_severity: 'HIGH',
    alert_time: TIME,
    source_port: '40000',
    endpoint,
  });
const [P, Q] = ['projects/p/locations/local', 'projects/q/locations/local'];

let server: TestServer;
beforeAll(async () => {
  const store = await openMemoryStore();
  const time = new ManualTime(Date.parse(TIME));
  const records = new MemoryRecordStore();
  server = await startTestServer({
    store,
    records,
    sensorHost: new FakeSensorHost(),
    clock: time,
    timers: time,
    authenticator: {
      authenticate: ({headers}) => {
        const token = /^Bearer (\w+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
        return token === undefined ? {outcome: 'anonymous'} : {outcome: 'user', user: {name: token, groups: []}};
      },
    },
    authorizer: {authorize: ({user, namespace}) => ({allowed: user.name === 'admin' || namespace === 'p'})},
  });
  const rest = new RestClient(server.url, {authorization: 'Bearer admin'});
  await rest.created(P, 'guard');
  await rest.created(P, 'edge', {trafficLogs: true});
  await rest.created(P, 'gone');
  await rest.created(Q, 'guard');
  for (const [i, endpoint] of [`${P}/endpoints/guard`, `${P}/endpoints/edge`, `${P}/endpoints/gone`].entries())
    await records.commit({
      endpoint,
      checkpoint: {device: 'd', inode: 'i', offset: 1},
      counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
      threats: [{id: 'f-1', record: threat(endpoint, `1:${i}`)}],
      traffic: [],
    });
  await rest.done((await rest.delete(`${P}/endpoints/gone`)).body);
});
afterAll(() => server.close());

const terminal = (env: Record<string, string>) => {
  const texts = {stdout: '', stderr: ''};
  const stream = (name: keyof typeof texts): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
  const io = {stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr'), env, cwd: '/'};
  return {io, texts};
};
const palisade = async (words: readonly string[], token = 'admin', input: Buffer = Buffer.alloc(0)) => {
  const {io: quiet, texts} = terminal({PALISADE_SERVER: server.url, PALISADE_TOKEN: token});
  const io = {...quiet, stdin: Readable.from([input])};
  return {code: await main(words, io, () => {}), ...texts};
};

describe('palisade threats', () => {
  test('of several endpoints says whose each row is: the id, the full name where two have it', async () => {
    const {stdout, code} = await palisade(['threats']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^TIME +SEVERITY +THREAT ID +TIMES +STATE +CONNECTION +ENDPOINT +SESSION +ID +NAME\n/);
    expect(stdout).toMatch(/\.000000Z {2}HIGH {11}1:1 .* edge {14}7 .* [0-9a-f]{13}-f-00000001 +threat\n/);
    expect(stdout).toMatch(/\.000000Z {2}HIGH {11}1:2 .* gone {14}7 /);
    expect(stdout).toContain(` ${P}/endpoints/guard  7 `);
    expect((await palisade(['threats', '--endpoint', `${P}/endpoints/-`])).stdout).toMatch(/ guard {13}7 /);
    expect((await palisade(['threats', '--endpoint', 'edge'])).stdout).toMatch(/ edge {14}7 /);
  });

  test('of an endpoint that was deleted says that the full name finds its records, and finds them', async () => {
    const byId = await palisade(['threats', '--endpoint', 'gone']);
    expect(byId).toMatchObject({code: 1, stdout: ''});
    expect(byId.stderr).toContain('for records of a deleted endpoint give its full name');
    expect(byId.stderr).toContain('projects/PROJECT/locations/LOCATION/endpoints/gone');
    expect((await palisade(['threats', '--endpoint', `${P}/endpoints/gone`])).stdout).toContain('1:2');
    expect((await palisade(['describe', 'gone'])).stderr).not.toContain('records');
  });

  test('44-3 times and widths that mean nothing are usage, and named', async () => {
    const usage = async (...words: string[]) => {
      const {code, stderr} = await palisade(['threats', ...words]);
      return [code, stderr.split('\n')[0]];
    };
    expect(await usage('--histogram', 'foo')).toEqual([
      2,
      'palisade: --histogram foo: must be a width such as 5m or 1h: a number, and s, m, h or d',
    ]);
    expect(await usage('--since', '1h', '--until', '2h')).toEqual([
      2,
      'palisade: --since 1h is later than --until 2h: there is no time between them',
    ]);
  });

  test('44-3 the fields of a filter are in the help, and one with a slip is named with the right one', async () => {
    const {stdout} = await palisade(['threats', '--help']);
    for (const field of ['alert_severity', 'source_ip_address', 'mitre_techniques', 'comments'])
      expect(stdout).toMatch(new RegExp(`^Fields of --filter:[^.]*\\s${field}[,.]`, 'm'));
    expect((await palisade(['traffic', '--help'])).stdout).toMatch(/^Fields of --filter:[^.]*\ssample_rate\./m);
    const {code, stderr} = await palisade(['threats', '--filter', 'alert_severty=HIGH']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean alert_severity?')]);
  });

  test('--since that no time can be is usage', async () => {
    const {code, stderr} = await palisade(['threats', '--since', '99999999999d']);
    expect(code).toBe(2);
    expect(stderr).toContain('--since 99999999999d: is before the year 1: give a time such as');
  });
});

describe('palisade threats --histogram and --group-by', () => {
  test('44-3 draw a bar of alerts, list groups, and print the JSON of the API', async () => {
    const {stdout} = await palisade(['threats', '--histogram', '--until', '2026-01-02']);
    expect(stdout).toContain('2026-01-01T00:00:00Z       3  HHH\n');
    const json = await palisade(['threats', '--histogram', '1h', '--group-by', 'endpoint', '--limit', '2', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      total: {records: 3, alerts: 3},
      histogram: [{startTime: TIME, records: 3, alerts: 3, severities: {HIGH: 3}}],
      groups: [{key: `${P}/endpoints/edge`, alerts: 1, highestSeverity: 'HIGH'}, {key: `${P}/endpoints/gone`}],
      moreGroups: 1,
    });
    const {stdout: groups} = await palisade(['threats', '--group-by', 'threat', '--filter', 'threat_id="1:1"']);
    expect(groups).toMatch(/^THREAT +ALERTS +RECORDS +HIGHEST +FIRST +LAST +NAME\n1:1 +1 +1 +HIGH .* threat\n$/);
    const nothing = await palisade(['traffic', '--group-by', 'source']);
    expect(nothing).toMatchObject({code: 0, stdout: '', stderr: expect.stringContaining('no traffic logs')});
  });

  test('44-3 --limit prints the newest ones, --order newest the newest first', async () => {
    const ids = async (...words: string[]): Promise<string[]> =>
      (await palisade(['threats', '--json', ...words])).stdout.match(/"threat_id":"[^"]+"/g) ?? [];
    const all = await ids();
    expect(all).toHaveLength(3);
    expect(await ids('--limit', '2')).toHaveLength(2);
    expect(new Set(await ids('--order', 'newest'))).toEqual(new Set(all));
    const {code, stderr} = await palisade(['threats', '--follow', '--group-by', 'threat']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--group-by cannot be combined with --follow')]);
  });
});

describe('who has rights in one project only', () => {
  const id = '644a1b2c3d4e5-3f2a9c11-00004932';
  test.each([
    ['describe', ''],
    ['describe edge', ''],
    ['threats --endpoint edge', '--endpoint '],
    ['traffic', '--endpoint '],
    [`threats show ${id}`, '--endpoint '],
    [`threats ack ${id}`, '--endpoint '],
    [`replay ${CAPTURE} --endpoint edge`, '--endpoint '],
  ])('is told to give the full name: %s', async (words, flag) => {
    const {code, stderr} = await palisade(words.split(' '), 'one');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^palisade: Permission 'ids\.\w+\.\w+' denied on resource '\/\/ids\.googleapis\.com\/projects\/-\//,
    );
    expect(stderr).toContain(`give the full name: ${flag}projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT`);
  });

  test('and gets what the full name names; a refusal there has no such hint', async () => {
    expect((await palisade(['threats', '--endpoint', `${P}/endpoints/edge`], 'one')).stdout).toContain('1:1');
    expect((await palisade(['threats', '--endpoint', `${P}/endpoints/-`], 'one')).stdout).toContain('1:1');
    const {stderr} = await palisade(['describe', `${Q}/endpoints/guard`], 'one');
    expect(stderr).toContain('denied');
    expect(stderr).not.toContain('full name');
  });
});

describe('palisade replay', () => {
  const folder = scratch();
  afterAll(() => folder[Symbol.dispose]());
  const {section, interface: interfaceOf, enhanced, simple, obsolete} = blocks('little');
  const replayed = async (...parts: readonly Buffer[]) => {
    const file = join(folder.dir, 'capture');
    writeFileSync(file, Buffer.concat(parts));
    const {code, stdout, stderr} = await palisade(['replay', file, '--endpoint', `${P}/endpoints/guard`, '--json']);
    return {code, stderr, ...(stdout === '' ? {} : (JSON.parse(stdout) as object))};
  };

  test.each([
    ['simple packet blocks', [section(), interfaceOf(), simple(udpFrame()), simple(udpFrame())]],
    ['obsolete packet blocks', [section(), interfaceOf(), obsolete(udpFrame()), obsolete(udpFrame())]],
    [
      'an unused interface of PPP',
      [section(), interfaceOf(9), interfaceOf(), enhanced(udpFrame(), 1), enhanced(udpFrame(), 1)],
    ],
    ['a Linux cooked capture', [pcap([sllPacket, sllPacket], {linkType: 113})]],
  ])('F-15 sends every frame: %s', async (_, parts) => {
    expect(await replayed(...parts)).toMatchObject({code: 0, stderr: '', frames: 2, sent: 2, skipped: []});
  });

  test('F-15 sends the whole frames of a file cut in its last one, says so and fails', async () => {
    const cut = pcap([udpFrame(), udpFrame()]).subarray(0, -1);
    const damage = 'cut off in a packet of 42 bytes at byte 82';
    expect(await replayed(cut)).toMatchObject({
      code: 1,
      stderr: `palisade: the capture is ${damage}; only the frames before that were read\n`,
      frames: 1,
      sent: 1,
      damage,
    });
  });

  test('F-15 reads the capture from stdin', async () => {
    const {code, stdout} = await palisade(
      ['replay', '-', '--endpoint', `${P}/endpoints/guard`],
      'admin',
      pcap([udpFrame(), udpFrame()]),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sent 2 of 2 frames to 127\.\d+\.\d+\.\d+:4789, VNI \d+\n$/);
  });

  test('43-1 --geneve sends to UDP 6081', async () => {
    const words = ['replay', '-', '--endpoint', `${P}/endpoints/guard`, '--geneve'];
    const {code, stdout} = await palisade(words, 'admin', pcap([udpFrame()]));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sent 1 of 1 frames to 127\.\d+\.\d+\.\d+:6081, VNI \d+\n$/);
  });

  test('Ctrl-C while it reads stdin: the rest of the pipe is sent, and the count is printed', async () => {
    const flags = [
      '--endpoint',
      `${P}/endpoints/guard`,
      '--rate',
      '100000',
      '--server',
      server.url,
      '--token',
      'admin',
    ];
    const child = spawn(PALISADE, ['replay', '-', ...flags], {stdio: 'pipe'});
    const texts = {stdout: '', stderr: ''};
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', chunk => (texts[name] += String(chunk)));
    child.stdin.write(pcap(Array.from({length: 10_000}, () => udpFrame())));
    await expect.poll(() => texts.stderr, {timeout: 20_000}).toContain('10000 frames sent');
    child.kill('SIGINT');
    child.stdin.end(pcap([udpFrame()]).subarray(PCAP_HEADER_BYTES));
    const code = await new Promise(resolve => child.once('close', resolve));
    expect([code, texts.stdout.split(' frames')[0]]).toEqual([0, 'sent 10001 of 10001']);
  });

  test('F-15 counts what it skips by reason, and fails', async () => {
    const ppp = [enhanced(udpFrame()), enhanced(udpFrame())];
    const capture = [section(), interfaceOf(9), interfaceOf(), ...ppp, enhanced(udpFrame(), 1)];
    expect(await replayed(...capture, enhanced(Buffer.alloc(65_500), 1))).toMatchObject({
      code: 1,
      stderr:
        'palisade: frames skipped: 2; reason: link type 9 (PPP)\npalisade: frames skipped: 1; reason: longer than 65499 bytes, the most that fits in one UDP packet of a mirror\n',
      frames: 4,
      sent: 1,
      skipped: [
        {reason: 'link type 9 (PPP)', frames: 2},
        {reason: 'longer than 65499 bytes, the most that fits in one UDP packet of a mirror', frames: 1},
      ],
    });
  });
});

describe('palisade traffic', () => {
  test('of an endpoint that does not report traffic logs says so, with the way out', async () => {
    const {code, stdout, stderr} = await palisade(['traffic', '--endpoint', `${P}/endpoints/guard`]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`${P}/endpoints/guard does not report traffic logs: set trafficLogs: true`);
    const json = await palisade(['traffic', '--endpoint', `${P}/endpoints/guard`, '--json']);
    expect(json).toEqual({code, stdout, stderr});
    // The line with curl works as it is printed.
    const [, url = '', type = '', body = ''] =
      /^ {2}curl -X PATCH '(.+)' -H 'Content-Type: (.+)' -d '(.+)'$/m.exec(stderr) ?? [];
    const headers = {'content-type': type, authorization: 'Bearer admin'};
    expect((await fetch(url, {method: 'PATCH', headers, body})).status).toBe(200);
    await expect
      .poll(async () => (await palisade(['traffic', '--endpoint', `${P}/endpoints/guard`])).stderr)
      .toMatch(/^palisade: no traffic logs; /);
  });

  test('of one that reports them says when they come', async () => {
    const {stderr} = await palisade(['traffic', '--endpoint', 'edge']);
    expect(stderr).toBe(
      'palisade: no traffic logs; a record is written when its flow ends: see palisade traffic --help\n',
    );
  });

  test('of threats that a filter leaves out says which flags did', async () => {
    const {stderr} = await palisade(['threats', '--since', '1s', '--filter', 'alert_severity=LOW']);
    expect(stderr).toBe('palisade: no threat logs match --filter and --since\n');
  });
});

test('threats --follow goes on behind the last record when the server is back, and fails when it stays away', async () => {
  const name = `${P}/endpoints/a`;
  const entry = (id: string): string => JSON.stringify({id, ...threat(name, id)});
  const streams = [
    {lines: ['{"cursor":"c0"}', entry('1:1')], end: 'break'},
    {lines: ['{"cursor":"c0"}', entry('1:1'), entry('1:2'), '{"cursor":"c2"}'], end: 'close'},
  ] as const;
  const waiting = streams.map(stream => ({status: 200, body: '', ...stream}));
  await using fake = await startJsonServer(() => waiting.shift() ?? {status: 503, body: 'away'});
  const {io, texts} = terminal({PALISADE_SERVER: fake.url});
  const clock = manualClock(60_001);
  const failed = runRecords('threats', ['--endpoint', name, '--follow', '--json'], io, clock);
  await expect(failed).rejects.toThrow('the server did not come back within 60 s: the server answered 503: away');
  expect(
    texts.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).threat_id),
  ).toEqual(['1:1', '1:2']);
  expect(fake.requests.slice(0, 3).map(({query}) => query.get('cursor'))).toEqual([null, 'c0', 'c2']);
  expect(clock.now()).toBeGreaterThan(60_000);
  expect(texts.stderr.split('\n')).toEqual([
    `palisade: ${fake.url} closed the connection in the middle of an answer; retrying for up to 60 s`,
    'palisade: the server is back; continuing after the last record',
    'palisade: the server ended the stream; retrying for up to 60 s',
    '',
  ]);
});

test('F-17 threats --follow prints why the server ended the stream, fails, and does not ask again', async () => {
  const name = `${P}/endpoints/a`;
  const entry = JSON.stringify({id: '1:1', ...threat(name, '1:1')});
  const reason = "stream ended: Permission 'ids.threats.list' denied on resource 'a'";
  const error = JSON.stringify({error: {code: 403, message: reason, status: 'PERMISSION_DENIED'}});
  await using fake = await startJsonServer(() => ({
    status: 200,
    body: '',
    lines: ['{"cursor":"c0"}', entry, error],
    end: 'close',
  }));
  const {io, texts} = terminal({PALISADE_SERVER: fake.url});
  expect(await main(['threats', '--endpoint', name, '--follow', '--json'], io, () => {})).toBe(1);
  expect(JSON.parse(texts.stdout).threat_id).toBe('1:1');
  expect(texts.stderr).toBe(`palisade: ${reason}\n`);
  expect(fake.requests).toHaveLength(1);
});
