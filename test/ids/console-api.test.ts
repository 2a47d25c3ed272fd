// SPDX-License-Identifier: Apache-2.0
/** What a console asks besides Cloud IDS, with the client that it has: own permissions, packets over time, mirror, rules, decisions, exports. */
import {IDS_PERMISSIONS, toCsvLine} from '@palisade/ids-wire';
import {setUpOf} from '@palisade/ids-wire/mirror';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {createIdsClient, exportPath, type IdsClient, type ThreatAction} from '../../packages/client/src/index.ts';
import {FakeSensorError, FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {hostRule, ruleSet} from '../../packages/ids/src/testing/rule-sets.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const START = '2026-01-01T00:00:00Z';
const START_MS = Date.parse(START);
const P = 'projects/p/locations/local';
const GUARD = `${P}/endpoints/guard`;

const host = new FakeSensorHost();
const records = new MemoryRecordStore();
const time = new ManualTime(START_MS);
let server: TestServer;
let allows: (who: string, verb: string, resource: string, namespace: string) => boolean = () => true;
const clients: IdsClient[] = [];
const as = (user: string): IdsClient => {
  const client = createIdsClient({server: server.url, authorization: () => user});
  clients.push(client);
  return client;
};

beforeAll(async () => {
  server = await startTestServer({
    ...{store: await openMemoryStore(), sensorHost: host, records, clock: time, timers: time},
    authenticator: {
      authenticate: ({headers}) => ({outcome: 'user', user: {name: String(headers['authorization']), groups: []}}),
    },
    authorizer: {
      authorize: ({user, verb, resource, subresource, namespace}) => ({
        allowed: allows(user.name, verb, subresource === '' ? resource : `${resource}/${subresource}`, namespace),
      }),
    },
  });
  await new RestClient(server.url, {authorization: 'ann'}).created(P, 'guard');
});
beforeEach(() => {
  allows = () => true;
});
afterAll(async () => {
  for (const client of clients) client.close();
  await server.close();
});

describe('own permissions', () => {
  test('49-2 are those that the authorizer grants there, in the order asked, whether the endpoint exists or not', async () => {
    allows = (who, verb, resource, namespace) =>
      who === 'ann' && namespace === 'p' && (verb === 'get' || resource === 'endpoints/threats');
    const asked = [
      'ids.threats.update',
      'ids.endpoints.create',
      'ids.threats.getEvidence',
      'ids.threats.list',
    ] as const;
    const granted = ['ids.threats.update', 'ids.threats.getEvidence', 'ids.threats.list'];
    for (const name of [P, GUARD, `${P}/endpoints/absent`, 'projects/p/locations/-/endpoints/-'])
      expect([name, await as('ann').testPermissions(name, asked)]).toEqual([name, granted]);
    expect(await as('ann').testPermissions('projects/q/locations/local', asked)).toEqual([]);
    expect(await as('bob').testPermissions(GUARD, IDS_PERMISSIONS)).toEqual([]);
  });

  test('49-2 a permission that acts on all projects is asked for in all of them', async () => {
    allows = (_, verb, resource, namespace) => resource === 'rules' && (verb === 'list' || namespace === '');
    const asked = ['ids.rules.update', 'ids.rules.list'] as const;
    expect(await as('ann').testPermissions(P, asked)).toEqual(asked);
    allows = (_, __, resource, namespace) => resource === 'rules' && namespace === 'p';
    expect(await as('ann').testPermissions(P, asked)).toEqual(['ids.rules.list']);
  });

  test('49-2 a name that is no permission, too many, and another field are refused, all at once', async () => {
    const rest = new RestClient(server.url, {authorization: 'ann'});
    const send = (body: object) => rest.post(`${P}:testIamPermissions`, {}, body);
    const {status, body} = await send({permissions: ['ids.threats.list', 'ids.threats.read', 7], resource: P});
    expect([status, body.error.details[0].fieldViolations.map(({field}: {field: string}) => field)]).toEqual([
      400,
      ['resource', 'permissions[1]', 'permissions[2]'],
    ]);
    expect((await send({permissions: Array(101).fill('ids.threats.list')})).status).toBe(400);
    expect((await send({})).body).toEqual({});
  });

  test('49-2 a user who acts as another has the permissions of the other; without the right to act so, 403', async () => {
    allows = (who, verb) => (who === 'proxy' ? verb === 'impersonate' : who === 'ann');
    const acting = (who: string) =>
      new RestClient(server.url, {authorization: who, 'impersonate-user': 'ann'}).post(
        `${GUARD}:testIamPermissions`,
        {},
        {permissions: ['ids.threats.list']},
      );
    expect((await acting('proxy')).body).toEqual({permissions: ['ids.threats.list']});
    expect((await acting('bob')).status).toBe(403);
  });
});

describe('packets over time', () => {
  const row = (startMs: number, received: number) => ({startMs, received, bytes: received * 100, dropped: 1});
  beforeAll(() => {
    host.histories.set(GUARD, {
      short: {stepMs: 10_000, rows: [row(START_MS - 30_000, 1), row(START_MS - 20_000, 2), row(START_MS - 10_000, 4)]},
      long: {stepMs: 300_000, rows: [row(START_MS - 86_400_000, 100), row(START_MS - 300_000, 7)]},
    });
  });

  test('49-3 the last hour comes in short steps, older times in long ones; wider steps are sums, and gaps stay gaps', async () => {
    const ann = as('ann');
    const hour = await ann.getFigures(GUARD);
    expect(hour).toMatchObject({endpoint: GUARD, step: '10s'});
    expect(hour.samples[0]).toEqual({time: '2025-12-31T23:59:30Z', received: 1, bytes: 100, dropped: 1});
    expect((await ann.getFigures(GUARD, {step: '1m'})).samples).toEqual([
      {time: '2025-12-31T23:59:00Z', received: 7, bytes: 700, dropped: 3},
    ]);
    const day = await ann.getFigures(GUARD, {since: '2025-12-30T12:00:00Z'});
    expect([day.step, day.samples.map(({received}) => received)]).toEqual(['15m', [100, 7]]);
    const part = await ann.getFigures(GUARD, {
      since: '2025-12-30T12:00:00Z',
      until: '2025-12-31T12:00:00Z',
      step: '6h',
    });
    expect(part.samples).toEqual([{time: '2025-12-31T00:00:00Z', received: 100, bytes: 10_000, dropped: 1}]);
  });

  test('49-3 an endpoint without a sensor has no samples; faults are named with the way out', async () => {
    const rest = new RestClient(server.url, {authorization: 'ann'});
    await rest.created(P, 'quiet');
    expect(await as('ann').getFigures(`${P}/endpoints/quiet`)).toEqual({
      endpoint: `${P}/endpoints/quiet`,
      step: '10s',
      samples: [],
    });
    const faultOf = async (query: Record<string, string>): Promise<string> =>
      (await rest.get(`${GUARD}/figures`, query)).body.error.message;
    expect(await faultOf({step: '7s'})).toBe('step: "7s" must be a multiple of 10s');
    expect(await faultOf({since: '2025-12-01T00:00:00Z', step: '10s'})).toContain('a multiple of 5m');
    expect(await faultOf({since: '2025-12-01T00:00:00Z', step: '5m'})).toContain('more than 2016 samples');
    expect(await faultOf({since: 'x', until: 'y', step: 'z'})).toMatch(/^until: "y".*since: "x".*step: "z"/);
    allows = (_, verb) => verb !== 'get';
    await expect(as('ann').getFigures(GUARD)).rejects.toMatchObject({code: 'PERMISSION_DENIED'});
  });
});

test('49-3 the set-up of a mirror is that of palisade mirror, for one platform or all', async () => {
  const {targets, ...attach} = await as('ann').getMirrorSetUp(GUARD, {from: 'eth7'});
  expect(attach).toEqual({endpoint: GUARD, endpointIp: expect.stringMatching(/^127\.77\./), vni: 1, driver: 'relay'});
  expect(Object.keys(targets)).toEqual(['linux', 'aws', 'gcp']);
  expect(targets.linux).toEqual(setUpOf('linux', {...attach, ip: attach.endpointIp}, 'eth7'));
  expect(Object.keys((await as('ann').getMirrorSetUp(GUARD, {target: 'aws'})).targets)).toEqual(['aws']);
  const rest = new RestClient(server.url, {authorization: 'ann'});
  const {body} = await rest.get(`${GUARD}/mirrorSetUp`, {target: 'azure', from: 'eth0; reboot'});
  expect(body.error.message).toMatch(/^target: "azure" is not one of linux, aws, gcp, all; from: "eth0; reboot"/);
  let started = (): void => {};
  host.before = call => (call === 'start' ? new Promise<void>(resolve => (started = resolve)) : undefined);
  const {name} = await as('ann').createEndpoint(P, 'young', {network: 'vpc', severity: 'LOW'});
  const young = as('ann').getMirrorSetUp(`${P}/endpoints/young`);
  await expect(young).rejects.toMatchObject({code: 'FAILED_PRECONDITION', message: expect.stringContaining('READY')});
  host.before = undefined;
  await expect.poll(() => host.calls).toContain(`start ${P}/endpoints/young`);
  started();
  await expect.poll(async () => (await as('ann').getOperation(name)).done).toBe(true);
});

describe('rules that are turned on and off', () => {
  const SET = 'projects/-/locations/-/ruleSets/default';
  const done = {
    ...{ruleSetId: 'default', previousVersion: 'a', version: 'b', changed: true, rulesActive: 1, rulesRefused: 0},
    endpoints: [],
  };
  beforeAll(() => {
    host.sets = [ruleSet('default')];
    host.rules.set('default', [hostRule(1), hostRule(2, {state: 'SKIPPED', reason: 'requires 8'}), hostRule(3)]);
  });
  beforeEach(() => {
    host.calls.length = 0;
    host.updates = [done];
  });

  test('49-3 the host gets all of a request at once, with who asked; gid 1 may be left out', async () => {
    expect(await as('ann').switchRules(SET, {disable: ['1', '1:3'], reset: ['1:77']})).toEqual({ruleSets: [done]});
    expect(host.calls).toEqual(['switchRules default ann + -1:1,1:3 =1:77']);
    expect(await as('ann').getRule(SET, '1:3')).toMatchObject({ruleId: '1:3', text: expect.any(String)});
    expect(await as('ann').getRuleSet(SET)).toMatchObject({ruleSetId: 'default'});
  });

  test('49-3 unknown rules, rules that cannot be active, and other faults are named; nothing is changed', async () => {
    const fault = (request: object, set = SET) =>
      as('ann')
        .switchRules(set, request)
        .catch((error: Error) => error.message);
    expect(await fault({enable: ['1:2', '1:9'], disable: ['1:8']})).toBe(
      'enable[0]: rule 1:2 is SKIPPED and cannot be enabled: requires 8; enable[1]: the rule set has no rule 1:9; disable[0]: the rule set has no rule 1:8',
    );
    expect(await fault({enable: ['1:1'], disable: ['1', 'x'], off: []})).toMatch(
      /^off: .*disable\[0\]: rule 1:1 is also enable\[0\].*disable\[1\]/,
    );
    expect(await fault({})).toContain('give 1 to 1000');
    expect(await fault({disable: ['1']}, 'projects/-/locations/-/ruleSets/-')).toContain('one rule set');
    expect(await fault({disable: ['1']}, 'projects/-/locations/-/ruleSets/absent')).toContain(
      'the rule sets are default',
    );
    expect(host.calls).toEqual([]);
    host.updates = new FakeSensorError('no-rules', 'No rule is left');
    await expect(as('ann').switchRules(SET, {disable: ['1']})).rejects.toMatchObject({code: 'FAILED_PRECONDITION'});
  });

  test('49-3 the right is needed in all projects, and is judged before the set is looked up', async () => {
    allows = (_, __, ___, namespace) => namespace === 'p';
    for (const set of ['default', 'absent'])
      await expect(as('ann').switchRules(`${P}/ruleSets/${set}`, {disable: ['1']})).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
        message: expect.stringContaining("'ids.rules.update'"),
      });
    expect(host.calls).toEqual([]);
  });
});

describe('threats', () => {
  const recordOf = (at: number, name: string) =>
    threatRecord({
      ...{threat_id: `1:${at}`, name, alert_severity: at < 2 ? 'HIGH' : 'LOW', source_port: '40000'},
      ...{alert_time: new Date(START_MS + at * 1000).toISOString().replace('.000Z', 'Z'), endpoint: GUARD},
    });
  const NAMES = ['=HYPERLINK("http://x")', 'two, "quoted"', '<img src=x onerror=alert(1)>', 'four'];
  beforeAll(() =>
    records.commit({
      ...{endpoint: GUARD, checkpoint: undefined, traffic: []},
      counters: {seen: 4, stored: 4, filtered: 0, excepted: 0, lost: 0},
      threats: NAMES.map((name, at) => ({id: `0f0f0f0f-${at}`, record: recordOf(at, name)})),
    }),
  );

  test('49-3 each decision is made about all that match and are not so already; validateOnly changes nothing', async () => {
    const ann = as('ann');
    const sums: [ThreatAction, string, number, number][] = [
      ['acknowledge', 'alert_severity=HIGH', 2, 2],
      ['acknowledge', '*', 4, 2],
      ['unacknowledge', '*', 4, 4],
      ['escalate', 'alert_severity=LOW', 2, 2],
      ['escalate', 'alert_severity=LOW', 2, 0],
      ['comment', 'escalated=true', 2, 2],
      ['deescalate', '*', 4, 2],
    ];
    for (const [action, filter, matched, changed] of sums) {
      const request = {filter, comment: `by ${action}`};
      const answer = {matched, changed};
      expect([action, filter, await ann.decideThreats(GUARD, action, {...request, validateOnly: true})]).toEqual([
        action,
        filter,
        answer,
      ]);
      expect([action, filter, await ann.decideThreats(GUARD, action, request)]).toEqual([action, filter, answer]);
    }
    const page = await ann.listRecords(GUARD, 'threats', {filter: 'comments:"by comment"'});
    expect(page.records.map(({comments}) => comments?.map(({text}) => text))).toEqual([
      ['by acknowledge', 'by unacknowledge', 'by escalate', 'by comment', 'by deescalate'],
      ['by acknowledge', 'by unacknowledge', 'by escalate', 'by comment', 'by deescalate'],
    ]);
  });

  test('49-3 a comment on all that match needs a text, and every batch a filter', async () => {
    const ann = as('ann');
    await expect(ann.decideThreats(GUARD, 'comment', {filter: '*'})).rejects.toThrow('comment: is required');
    await expect(ann.decideThreats(GUARD, 'escalate', {filter: ''})).rejects.toThrow('which records to escalate');
  });

  test('49-3 a tail with updates shows a record again when somebody decides about it', async () => {
    const ending = new AbortController();
    const seen: (string | undefined)[] = [];
    const {signal} = ending;
    for await (const line of as('ann').followRecords(GUARD, 'threats', {updates: true, signal})) {
      if (line.cursor === undefined) {
        seen.push(line.record.name, line.record.comments?.at(-1)?.text);
        break;
      }
      const [last] = (await as('ann').listRecords(GUARD, 'threats', {filter: 'name=four'})).records;
      await as('bob').decideThreat(GUARD, last?.id ?? '', 'comment', 'look');
    }
    ending.abort();
    expect(seen).toEqual(['four', 'look']);
  });

  test('49-3 an export has exactly what is filtered, safe for spreadsheets, and its path is a link', async () => {
    const path = exportPath(GUARD, 'threats', {
      format: 'csv',
      filter: 'alert_severity=HIGH',
      until: '2026-01-02T00:00:00Z',
    });
    const answer = await fetch(server.url + path, {headers: {authorization: 'ann'}});
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    const [, ...lines] = (await answer.text()).trim().split('\r\n');
    expect(lines.length).toBe(2);
    expect(lines[0]).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(lines[1]).toContain('"two, ""quoted"""');
    const all = await fetch(server.url + exportPath(GUARD, 'threats', {format: 'ndjson'}), {
      headers: {authorization: 'ann'},
    });
    const names = (await all.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).name);
    expect(names).toEqual(NAMES);
    expect(toCsvLine('threats', recordOf(0, '@SUM(A1)'))).toContain("'@SUM(A1)");
  });
});
