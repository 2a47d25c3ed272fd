// SPDX-License-Identifier: Apache-2.0
/** `palisade threats ack | unack | escalate | deescalate | comment` against the IDS API, in this process. */
import {Readable, Writable} from 'node:stream';
import type {Severity} from '@palisade/ids-wire';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import {TRIAGE_EVENTS_MAX} from '../../packages/ids/src/limits.ts';
import {recordIdOf} from '../../packages/ids/src/records/record-id.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const START = '2026-01-01T00:00:00Z';
const P = 'projects/p/locations/local';
const GUARD = `${P}/endpoints/guard`;
let server: TestServer;
let records: MemoryRecordStore;

beforeAll(async () => {
  const time = new ManualTime(Date.parse(START));
  records = new MemoryRecordStore();
  server = await startTestServer({
    store: await openMemoryStore(),
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
    authorizer: {authorize: ({user, verb}) => ({allowed: user.name === 'ann' || ['get', 'list'].includes(verb)})},
  });
  await new RestClient(server.url, {authorization: 'Bearer ann'}).created(P, 'guard');
});
afterAll(() => server.close());

const recordOf = (severity: Severity, alertTime = START) =>
  threatRecord({
    threat_id: '1:1',
    name: `${severity} thing`,
    alert_severity: severity,
    alert_time: alertTime,
    source_port: '40000',
    endpoint: GUARD,
  });
const SEVERITIES = ['HIGH', 'LOW', 'LOW'] as const;
const [high = '', low = ''] = SEVERITIES.map((severity, i) => recordIdOf(`0f0f0f0f-${i}`, recordOf(severity)));

const commit = (threats: readonly {readonly id: string; readonly record: ReturnType<typeof recordOf>}[]) =>
  records.commit({
    endpoint: GUARD,
    checkpoint: {device: 'd', inode: 'i', offset: 1},
    counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
    threats,
    traffic: [],
  });
beforeEach(async () => {
  records.drop(GUARD, 'expired', () => true);
  await commit(SEVERITIES.map((severity, i) => ({id: `0f0f0f0f-${i}`, record: recordOf(severity)})));
});

type Typed = {readonly answer?: string; readonly onQuestion?: () => Promise<void>; readonly token?: string};

/** `answer`: there is a terminal, and somebody who types that. */
const palisade = async (words: readonly string[], {answer, onQuestion, token = 'ann'}: Typed = {}) => {
  const texts = {stdout: '', stderr: ''};
  const stdin = new Readable({read: () => {}});
  const stream = (name: keyof typeof texts): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        if (answer !== undefined && String(chunk).includes('[y/N]'))
          void (onQuestion?.() ?? Promise.resolve()).then(() => stdin.push(`${answer}\n`));
        done();
      },
    });
  if (answer !== undefined) Object.assign(stdin, {isTTY: true});
  else stdin.push(null);
  const env = {PALISADE_SERVER: server.url, PALISADE_TOKEN: token};
  const io = {stdin, stdout: stream('stdout'), stderr: stream('stderr'), env, cwd: '/'};
  return {code: await main(['threats', ...words], io, () => {}), ...texts};
};
const shown = async (filter: string): Promise<readonly Record<string, unknown>[]> => {
  const {stdout} = await palisade(['--json', '--filter', filter]);
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
};

describe('49-3 palisade threats escalate, comment and the others with --filter', () => {
  test('49-3 ask first with the number that they change, and change that', async () => {
    const asked = await palisade(['escalate', '--filter', 'alert_severity>=HIGH'], {answer: 'y'});
    expect(asked.code).toBe(0);
    expect(asked.stdout + asked.stderr).toMatch(
      /(\d) threats? match(es)?, \1 of them not escalated\. Escalate (it|them)\?/,
    );
    const escalated = (await shown('escalated=true')).length;
    expect(escalated).toBeGreaterThan(0);
    expect((await palisade(['comment', '--filter', 'escalated=true', '--comment', 'seen', '--yes'])).stdout).toBe(
      `${escalated} of ${escalated} matching threats commented\n`,
    );
    expect(await shown('comments:seen')).toHaveLength(escalated);
    const dry = await palisade(['deescalate', '--filter', '*', '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({changed: escalated});
    expect((await palisade(['comment', '--filter', '*', '--yes'])).stderr).toContain('--comment TEXT is required');
  });
});

describe('44-4 palisade threats ack, unack, escalate, deescalate, comment', () => {
  test('44-4 an ID may be the full name that receivers of exported records have', async () => {
    const name = `${GUARD}/threats/${high}`;
    expect((await palisade(['ack', name])).stdout).toBe(`${high}  acknowledged  HIGH  HIGH thing\n`);
    expect((await palisade(['show', name])).stdout).toContain(`id           ${high}`);
    expect(await palisade(['show', name, '--endpoint', 'guard'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('names its endpoint: leave --endpoint out'),
    });
  });

  test('44-4 decide about threats by their ids, with and without the endpoint, and print them', async () => {
    const acked = await palisade(['ack', high, low, '--comment', 'scanner']);
    expect(acked).toMatchObject({code: 0, stderr: ''});
    expect(acked.stdout).toBe(`${high}  acknowledged  HIGH  HIGH thing\n${low}  acknowledged  LOW  LOW thing\n`);
    expect(await shown('acknowledged=true AND comments:scanner')).toHaveLength(2);
    expect((await palisade(['unack', low, '--endpoint', 'guard'])).stdout).toBe(
      `${low}  not acknowledged  LOW  LOW thing\n`,
    );
    const [escalated] = (await palisade(['escalate', high, '--endpoint', GUARD, '--json'])).stdout.trim().split('\n');
    expect(JSON.parse(escalated ?? '')).toMatchObject({id: high, escalated: true, escalated_by: 'ann'});
    expect((await palisade(['deescalate', high])).stdout).toContain('not escalated');
    await palisade(['comment', high, '--comment', 'asked the owner']);
    const [record] = await shown('acknowledged=true');
    expect(record).toMatchObject({id: high, comments: [{text: 'scanner'}, {text: 'asked the owner', user: 'ann'}]});
  });

  test('44-4 name a threat that is not found, and change the others', async () => {
    const {code, stdout, stderr} = await palisade(['ack', '000-x', low, '--endpoint', 'guard']);
    expect([code, stdout]).toEqual([1, `${low}  acknowledged  LOW  LOW thing\n`]);
    expect(stderr).toContain(`palisade: Resource '${GUARD}/threats/000-x' was not found: the id is wrong`);
  });

  test('44-4 name a threat that is refused for another reason, too, and change the others', async () => {
    const full = {action: 'comment', user: 'u', timeMs: 0, text: 'x'} as const;
    for (let i = 0; i < TRIAGE_EVENTS_MAX; i++) await records.triage({endpoint: GUARD, id: high}, full);
    const {code, stdout, stderr} = await palisade(['ack', high, low]);
    expect([code, stdout]).toEqual([1, `${low}  acknowledged  LOW  LOW thing\n`]);
    expect(stderr).toContain(`palisade: ${high}: the threat has ${TRIAGE_EVENTS_MAX} decisions and comments`);
  });

  test('44-4 what a record holds cannot control the terminal, as a row and as JSON', async () => {
    const record = {...recordOf('LOW'), name: 'a\u009b31m\x1b[2J\nb'};
    await commit([{id: '0f0f0f0f-7', record}]);
    const id = recordIdOf('0f0f0f0f-7', record);
    expect((await palisade(['ack', id])).stdout).toBe(`${id}  acknowledged  LOW  a\\x9b31m^[[2J\\nb\n`);
    for (const words of [
      ['comment', id, '--comment', 'x', '--json'],
      ['--json', '--filter', 'acknowledged=true'],
    ]) {
      const {stdout} = await palisade(words);
      expect(stdout).toContain(String.raw`"name":"a\u009b31m\u001b[2J\nb"`);
      expect(JSON.parse(stdout)).toMatchObject({id, name: record.name});
    }
  });

  test('44-4 a reader is refused with the permission that is missing', async () => {
    const {code, stderr} = await palisade(['ack', low, '--endpoint', GUARD], {token: 'reader'});
    expect(code).toBe(1);
    expect(stderr).toContain("'ids.threats.update'");
    expect(await shown('acknowledged=true')).toEqual([]);
  });

  test.each([
    [['ack'], 'an ID is required, as palisade threats prints it; or give --filter F'],
    [['escalate'], 'an ID is required'],
    [['comment', 'x'], '--comment TEXT is required'],
    [['ack', 'x', '--filter', '*'], 'IDs and --filter exclude each other'],
    [['ack', 'x', '--since', '1h', '--yes'], '--since, --yes: give --filter F, too'],
    [['ack', 'x', '--until', '1h'], '--until: give --filter F, too'],
    [['ack', '--filter', '*', '--dry-run', '--yes'], '--dry-run and --yes exclude each other'],
    [['ack', '--filter', '*'], 'no terminal to ask for confirmation; give --yes, or --dry-run to see how many match'],
    [['ack', '--filter', '*', '--since', 'soon', '--yes'], '--since soon: give a time'],
  ])('44-4 %j is a fault of usage', async (words, message) => {
    const {code, stderr} = await palisade(words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('44-4 palisade threats ack --filter', () => {
  test('44-4 says how many match and asks; what comes while it waits for the answer is not acknowledged', async () => {
    const later = new Date(Date.now() + 60_000).toISOString();
    const onQuestion = () => commit([{id: '0f0f0f0f-9', record: recordOf('LOW', later)}]);
    await palisade(['ack', low]);
    const {code, stdout, stderr} = await palisade(['ack', '--filter', 'alert_severity=LOW'], {answer: 'y', onQuestion});
    expect([code, stdout]).toEqual([0, '1 of 2 matching threats acknowledged\n']);
    expect(stderr).toContain('2 threats match, 1 of them not acknowledged. Acknowledge it? [y/N] ');
    expect(await shown('alert_severity=LOW AND acknowledged=false')).toHaveLength(1);
  });

  test('44-4 changes nothing after a no, with --dry-run, and where all are acknowledged', async () => {
    const no = await palisade(['ack', '--filter', '*'], {answer: 'n'});
    expect(no.code).toBe(1);
    expect(no.stderr).toContain('nothing was changed');
    const dry = await palisade(['ack', '--filter', 'alert_severity=LOW', '--endpoint', 'guard', '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([0, '2 threats match, 2 of them not acknowledged; nothing was changed\n']);
    expect(await shown('acknowledged=true')).toEqual([]);
    await palisade(['ack', '--filter', '*', '--yes']);
    const again = await palisade(['ack', '--filter', '*'], {answer: 'y'});
    expect([again.code, again.stdout]).toEqual([
      0,
      '3 threats match, 0 of them not acknowledged; nothing was changed\n',
    ]);
  });

  test('44-4 with --yes asks nothing, and prints JSON for scripts', async () => {
    const words = ['ack', '--filter', 'alert_severity=LOW', '--since', START, '--comment', 'noise', '--yes', '--json'];
    expect(await palisade(words)).toEqual({code: 0, stdout: '{"matched":2,"changed":2}\n', stderr: ''});
    expect(await shown('comments:noise')).toHaveLength(2);
  });

  test('44-4 --until leaves out what is later, with and without the question', async () => {
    await commit([{id: '0f0f0f0f-8', record: recordOf('CRITICAL', '2026-01-01T00:01:00Z')}]);
    const until = ['--until', '2026-01-01T00:01:00Z'];
    const asked = await palisade(['ack', '--filter', 'alert_severity>=HIGH', ...until], {answer: 'y'});
    expect([asked.code, asked.stdout]).toEqual([0, '1 of 1 matching threats acknowledged\n']);
    const done = await palisade(['ack', '--filter', '*', ...until, '--yes']);
    expect(done.stdout).toBe('2 of 3 matching threats acknowledged\n');
    expect(await shown('acknowledged=false')).toMatchObject([{alert_severity: 'CRITICAL'}]);
  });

  test('44-4 an --until that is later than the question does not reach beyond it', async () => {
    const later = new Date(Date.now() + 60_000).toISOString();
    const onQuestion = () => commit([{id: '0f0f0f0f-9', record: recordOf('LOW', later)}]);
    const words = ['ack', '--filter', 'alert_severity=LOW', '--until', '2999-01-01'];
    expect((await palisade(words, {answer: 'y', onQuestion})).stdout).toBe('2 of 2 matching threats acknowledged\n');
    expect(await shown('alert_severity=LOW AND acknowledged=false')).toHaveLength(1);
  });

  test('44-4 a filter with a fault is named', async () => {
    const {code, stderr} = await palisade(['ack', '--filter', 'nothing=1', '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain('nothing');
  });
});
