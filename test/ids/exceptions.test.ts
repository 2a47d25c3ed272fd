// SPDX-License-Identifier: Apache-2.0
/** Exceptions that hide nothing are warned of; what they would hide is known before they are set. */
import {Readable, Writable} from 'node:stream';
import type {Severity} from '@palisade/ids-wire';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import type {RecordStore} from '../../packages/ids/src/index.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const P = 'projects/p/locations/local';
const UNKNOWN =
  'threatExceptions: "1:999" matches no signature of the active rule set and hides nothing; correct or remove it';
const IDLE =
  'threatExceptions[1]: "T-\\"1" is not a threat id and matches nothing: use gid:sid or sid, such as 1:2019401';

let server: TestServer;
let records: RecordStore;
let rest: RestClient;
const host = new FakeSensorHost();
beforeAll(async () => {
  const store = await openMemoryStore();
  const time = new ManualTime(START_MS);
  records = new MemoryRecordStore();
  server = await startTestServer({store, records, sensorHost: host, clock: time, timers: time});
  rest = new RestClient(server.url);
  host.signatures = new Set(['1:1', '1:2', '1:3', '2:1']);
});
afterAll(() => server.close());

const done = async (operation: unknown) => rest.done(operation as never);

describe('43-6 exceptions that match no signature of the active rule set', () => {
  test('43-6 create and patch answer them as Warning headers and in the finished operation; they are stored as given', async () => {
    const made = await rest.create(P, 'warned', {threatExceptions: ['1', 'T-"1', '1:999', '2:1']});
    expect(made.status).toBe(200);
    expect(made.headers.get('warning')).toBe(
      `299 - "${IDLE.replaceAll(/["\\]/g, '\\$&')}", 299 - "${UNKNOWN.replaceAll('"', '\\"')}"`,
    );
    const finished = await done(made.body);
    expect(finished.metadata.statusMessage).toBe(`warning: ${IDLE}; ${UNKNOWN}`);
    expect(finished.response.threatExceptions).toEqual(['1', 'T-"1', '1:999', '2:1']);
    const patched = await rest.patch(
      `${P}/endpoints/warned`,
      {updateMask: 'threatExceptions'},
      {threatExceptions: ['998', '1:999']},
    );
    expect(patched.headers.get('warning')).toContain('\\"998\\", \\"1:999\\" match no signature');
    expect((await done(patched.body)).metadata.statusMessage).toBe(
      'warning: threatExceptions: "998", "1:999" match no signature of the active rule set and hide nothing; correct or remove them',
    );
  });

  test('43-6 the health gives the reason, and another status for it there is not', async () => {
    await rest.created(P, 'healthy', {threatExceptions: ['1:999']});
    expect((await rest.get(`${P}/endpoints/healthy/health`)).body).toMatchObject({status: 'READY', reasons: [UNKNOWN]});
  });

  test('43-6 of many the first ten are named and the rest is counted', async () => {
    const threatExceptions = Array.from({length: 99}, (_, i) => `1:${5000 + i}`);
    const made = await rest.create(P, 'many', {threatExceptions});
    expect(made.headers.get('warning')).toContain('\\"1:5009\\" and 89 more match no signature');
    await done(made.body);
  });

  test('43-6 a server without a rule set, and exceptions that match, give no warning and no status message', async () => {
    const known = await rest.create(P, 'quiet', {threatExceptions: ['1', '2:1']});
    expect([known.headers.get('warning'), (await done(known.body)).metadata.statusMessage]).toEqual([null, undefined]);
    host.signatures = undefined;
    try {
      const blind = await rest.create(P, 'blind', {threatExceptions: ['1:999']});
      expect([blind.headers.get('warning'), (await done(blind.body)).metadata.statusMessage]).toEqual([
        null,
        undefined,
      ]);
    } finally {
      host.signatures = new Set(['1:1', '1:2', '1:3', '2:1']);
    }
    const patched = await rest.patch(`${P}/endpoints/blind`, {updateMask: 'description'}, {description: 'x'});
    expect(patched.headers.get('warning')).toContain('1:999');
    await done(patched.body);
    const removed = await rest.delete(`${P}/endpoints/blind`);
    expect([removed.headers.get('warning'), (await done(removed.body)).metadata.statusMessage]).toEqual([
      null,
      undefined,
    ]);
  });
});

type Alert = {readonly id: string; readonly severity: Severity; readonly times: number};

/** One record each, a second apart. */
const store = (endpoint: string, alerts: readonly Alert[], excepted = 0): Promise<void> =>
  records.commit({
    endpoint,
    checkpoint: {device: 'd', inode: 'i', offset: 1},
    counters: {seen: alerts.length, stored: alerts.length, filtered: 0, excepted, lost: 0},
    threats: alerts.map(({id, severity, times}, i) => ({
      id: `f-${i}`,
      record: threatRecord({
        threat_id: id,
        name: `rule ${id}`,
        alert_severity: severity,
        alert_time: new Date(START_MS + i * 1000).toISOString().replace('.000', ''),
        source_port: '40000',
        repeat_count: String(times),
        endpoint,
      }),
    })),
    traffic: [],
  });

const palisade = async (...words: readonly string[]) => {
  const texts = {stdout: '', stderr: ''};
  const stream = (name: keyof typeof texts): Writable =>
    new Writable({
      write: (chunk, _encoding, written) => {
        texts[name] += String(chunk);
        written();
      },
    });
  const io = {
    stdin: Readable.from([]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: {PALISADE_SERVER: server.url, PALISADE_TOKEN: ''},
    cwd: '/',
  };
  return {code: await main(['exceptions', 'try', ...words], io, () => {}), ...texts};
};

describe('43-6 exceptions are tried on stored alerts', () => {
  const NAME = `${P}/endpoints/tried`;
  beforeAll(async () => {
    await rest.created(P, 'tried');
    await store(NAME, [
      {id: '1:1', severity: 'HIGH', times: 5},
      {id: '1:2', severity: 'LOW', times: 3},
      {id: '2:1', severity: 'CRITICAL', times: 1},
      {id: '1:1', severity: 'HIGH', times: 4},
      {id: '1:77', severity: 'LOW', times: 2},
    ]);
  });
  const tried = (body: object, name = NAME) => rest.post(`${name}:tryExceptions`, {}, body);

  test('43-6 alerts count as often as they were raised, for each exception, in all and by severity', async () => {
    expect((await tried({threatExceptions: ['1', '1:1', '1:77', '2:9', 'T-1']})).body).toEqual({
      endpoint: NAME,
      alerts: 15,
      oldest: '2026-01-01T00:00:00Z',
      newest: '2026-01-01T00:00:04Z',
      hidden: 11,
      exceptions: [
        {exception: '1', name: 'rule 1:1', hidden: 9},
        {exception: '1:1', name: 'rule 1:1', hidden: 9},
        {exception: '1:77', name: 'rule 1:77', hidden: 2, warning: 'matches no signature of the active rule set'},
        {exception: '2:9', hidden: 0, warning: 'matches no signature of the active rule set'},
        {
          exception: 'T-1',
          hidden: 0,
          warning: '"T-1" is not a threat id and matches nothing: use gid:sid or sid, such as 1:2019401',
        },
      ],
      remaining: {CRITICAL: 1, LOW: 3},
      hiddenBefore: 0,
      rulesKnown: true,
    });
  });

  test.each([
    [1, 1, 0, {LOW: 1}],
    [2, 2, 0, {LOW: 2}],
    [4, 4, 2, {LOW: 2}],
    [7, 7, 4, {CRITICAL: 1, LOW: 2}],
    [15, 15, 9, {CRITICAL: 1, LOW: 5}],
    [16, 15, 9, {CRITICAL: 1, LOW: 5}],
  ])(
    '43-6 the last %i alerts are the newest ones, whatever the records count',
    async (last, alerts, hidden, remaining) => {
      expect((await tried({threatExceptions: ['1:1'], last})).body).toMatchObject({alerts, hidden, remaining});
    },
  );

  test('43-6 alerts that the endpoint hides already are counted, and not among those looked at', async () => {
    const name = `${P}/endpoints/hidden`;
    await store(name, [{id: '1:2', severity: 'LOW', times: 1}], 7); // its endpoint is gone, its records are not
    expect((await tried({threatExceptions: ['1:1']}, name)).body).toMatchObject({
      alerts: 1,
      hidden: 0,
      hiddenBefore: 7,
    });
  });

  test('43-6 every fault of the request is named', async () => {
    const faults = async (body: unknown, name = NAME) => {
      const {status, body: answer} = await tried(body as object, name);
      return [status, ...(answer.error.details?.[0]?.fieldViolations ?? []).map((v: {field: string}) => v.field)];
    };
    expect(await faults({last: 0, more: 1})).toEqual([400, 'more', 'threatExceptions', 'last']);
    expect(await faults({threatExceptions: [1]})).toEqual([400, 'threatExceptions']);
    expect(await faults({threatExceptions: ['1', ' '], last: 1.5})).toEqual([400, 'threatExceptions', 'last']);
    expect(await faults({threatExceptions: ['1'], last: 1_000_001})).toEqual([400, 'last']);
    expect(await faults([])).toEqual([400, 'body']);
    expect(await faults({threatExceptions: ['1']}, `${P}/endpoints/-`)).toEqual([400, 'name']);
    expect((await tried({threatExceptions: ['1']}, `${P}/endpoints/none`)).status).toBe(404);
    expect((await rest.get(`${NAME}:tryExceptions`)).status).toBe(404);
  });

  test('43-6 palisade exceptions try prints it, and fails when an exception matches no signature', async () => {
    expect(await palisade('tried', '1:1', '2:1')).toEqual({
      code: 0,
      stdout: [
        `${NAME}: the last 15 alerts stored, from 2026-01-01T00:00:00Z to 2026-01-01T00:00:04Z`,
        '',
        'EXCEPTION  HIDDEN  NAME',
        '1:1        9       rule 1:1',
        '2:1        1       rule 2:1',
        '',
        'hidden:    10 of 15',
        'remaining: 5 (5 LOW)',
        '',
      ].join('\n'),
      stderr: '',
    });
    const failed = await palisade('tried', '9999', 'T-1', '--last', '1', '--json');
    expect([failed.code, JSON.parse(failed.stdout).alerts]).toEqual([1, 1]);
    expect(failed.stderr.split('\n')).toEqual([
      'palisade: "9999" matches no signature of the active rule set',
      'palisade: "T-1" is not a threat id and matches nothing: use gid:sid or sid, such as 1:2019401',
      '',
    ]);
  });

  test('43-6 palisade exceptions try names its faults', async () => {
    const {code, stderr} = await palisade('--last', 'x');
    expect([code, stderr.split('\n').slice(0, 3)]).toEqual([
      2,
      [
        'palisade: an ENDPOINT is required',
        'palisade: at least one threat ID is required, such as 1:2019401',
        'palisade: --last x: must be a whole number from 1 to 1000000',
      ],
    ]);
    expect(await palisade('nobody', '1:1')).toMatchObject({code: 1, stdout: ''});
  });
});
