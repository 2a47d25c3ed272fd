// SPDX-License-Identifier: Apache-2.0
/** `/v1/…/ruleSets` over a socket: rights, names, pages, filters, updates. */
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import type {Attributes} from '../../packages/apiserver/src/index.ts';
import type {HostRule} from '../../packages/ids/src/sensor-host.ts';
import {FakeSensorError, FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {hostRule, ruleSet} from '../../packages/ids/src/testing/rule-sets.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const P = 'projects/p/locations/local';
const EVERYWHERE = 'projects/-/locations/-';
const LOG4J: Partial<HostRule> = {
  ...{msg: 'ET EXPLOIT log4j', severity: 'HIGH', cves: ['CVE-2021-44228']},
  mitreTechniques: [{id: 'T1190', name: 'Exploit Public Facing Application'}],
};
const running = (endpoint: string) =>
  ({endpoint, status: 'READY', ruleSetVersion: '0123456789abcdef', rulesLoaded: 1}) as const;
const [OF_P, OF_Q] = [running(`${P}/endpoints/web`), running('projects/q/locations/local/endpoints/web')];

const host = new FakeSensorHost();
const asked: Attributes[] = [];
let allows: (attributes: Attributes) => boolean = () => true;
let server: TestServer;
let rest: RestClient;

beforeAll(async () => {
  host.sets = [
    ruleSet('default', {
      endpoints: [OF_P, OF_Q],
      bindings: [{endpoint: OF_P.endpoint}, {endpoint: OF_Q.endpoint}, {location: 'local'}],
      sources: ['/etc/rules/a.rules', 'https://user:word@rules.example.org/SECRET/open/all.tar.gz?key=SECRET'],
    }),
    ruleSet('dmz', {rulesRefused: 7, refused: 'too many rules are refused'}),
  ];
  const many = Array.from({length: 120}, (_, at) => hostRule(100 + at));
  const refused = hostRule(5, {state: 'REFUSED', reason: 'unknown rule keyword', severity: 'HIGH'});
  host.rules.set('default', [hostRule(1, LOG4J), refused, hostRule(6, {state: 'DISABLED', reason: 'off'}), ...many]);
  host.rules.set('dmz', [hostRule(1, {msg: 'dmz'})]);
  server = await startTestServer({
    store: await openMemoryStore(),
    sensorHost: host,
    authorizer: {
      authorize: attributes => {
        asked.push(attributes);
        return {allowed: allows(attributes)};
      },
    },
  });
  rest = new RestClient(server.url);
});
beforeEach(() => {
  allows = () => true;
  asked.length = 0;
});
afterAll(() => server.close());

const allPages = async (path: string, query: Record<string, string>): Promise<Json[]> => {
  const found: Json[] = [];
  for (let pageToken = ''; ; ) {
    const {status, body} = await rest.get(path, {...query, ...(pageToken === '' ? {} : {pageToken})});
    expect(status).toBe(200);
    found.push(...(body.rules ?? body.ruleSets ?? []));
    pageToken = body.nextPageToken ?? '';
    if (pageToken === '') return found;
  }
};

describe('rule sets', () => {
  test('43-2 with variables of endpoints are shown to projects with one of them alone, and others never learn of them', async () => {
    const {sets} = host;
    host.sets = [...sets, ruleSet('default~0a1b2c3d', {variables: {DNS_SERVERS: '10.0.0.53'}, endpoints: [OF_Q]})];
    const idsAt = async (parent: string): Promise<string[]> =>
      (await rest.get(`${parent}/ruleSets`)).body.ruleSets.map(({ruleSetId}: Json) => ruleSetId);
    const Q = 'projects/q/locations/local';
    try {
      expect(await idsAt(P)).toEqual(['default', 'dmz']);
      for (const at of [Q, EVERYWHERE]) expect(await idsAt(at)).toContain('default~0a1b2c3d');
      const statusAt = async (path: string): Promise<number> => (await rest.get(path)).status;
      for (const end of ['', '/rules', '/rules/1:1'])
        expect(await statusAt(`${P}/ruleSets/default~0a1b2c3d${end}`)).toBe(404);
      expect(await statusAt(`${Q}/ruleSets/default~0a1b2c3d/rules`)).toBe(200);
    } finally {
      host.sets = sets;
    }
  });

  test('43-2 are listed with version, counts and the endpoints of the parent alone; secrets of a URL are not shown', async () => {
    const {status, body} = await rest.get(`${P}/ruleSets`);
    expect(status).toBe(200);
    expect(body.ruleSets.map(({name}: Json) => name)).toEqual([`${P}/ruleSets/default`, `${P}/ruleSets/dmz`]);
    expect(body.ruleSets[0]).toMatchObject({
      ...{ruleSetId: 'default', version: '0123456789abcdef', rulesActive: 1, rulesRefused: 1, endpoints: [OF_P]},
      bindings: [{endpoint: OF_P.endpoint}, {location: 'local'}],
      sources: ['/etc/rules/a.rules', 'https://rules.example.org/…/all.tar.gz'],
    });
    expect(JSON.stringify(body)).not.toMatch(/SECRET|projects\/q/);
    const all = await rest.get(`${EVERYWHERE}/ruleSets/default`);
    expect(all.body.endpoints).toEqual([OF_P, OF_Q]);
  });

  test('43-2 are filtered and paged', async () => {
    expect((await rest.get(`${P}/ruleSets`, {filter: 'rulesRefused>5'})).body.ruleSets).toHaveLength(1);
    expect(await allPages(`${P}/ruleSets`, {pageSize: '1'})).toHaveLength(2);
  });
});

describe('rules', () => {
  test('43-2 every rule comes once over pages, by sid, without its text unless it is asked for', async () => {
    const rules = await allPages(`${P}/ruleSets/default/rules`, {pageSize: '50'});
    expect(rules.map(({sid}) => sid)).toEqual([1, 5, 6, ...Array.from({length: 120}, (_, at) => 100 + at)]);
    expect(rules[0]).toMatchObject({...LOG4J, name: `${P}/ruleSets/default/rules/1:1`, state: 'ACTIVE', line: 1});
    expect(rules[0].text).toBeUndefined();
    const full = await rest.get(`${P}/ruleSets/dmz/rules`, {view: 'FULL'});
    expect(full.body.rules[0].text).toContain('sid:1;');
  });

  test.each([
    ['state=REFUSED', ['1:5']],
    ['severity>=HIGH', ['1:1', '1:5']],
    ['cves:CVE-2021-44228', ['1:1']],
    ['mitreTechniques:T1190', ['1:1']],
    ['"LOG4J"', ['1:1']],
    ['sid<7 AND -state=ACTIVE', ['1:5', '1:6']],
  ])('43-2 filter %s', async (filter, want) => {
    const {body} = await rest.get(`${P}/ruleSets/default/rules`, {filter});
    expect(body.rules.map(({ruleId}: Json) => ruleId)).toEqual(want);
  });

  test('43-2 sorted by another field, and of all sets', async () => {
    const {body} = await rest.get(`${P}/ruleSets/-/rules`, {filter: 'sid=1', orderBy: 'msg desc'});
    expect(body.rules.map(({ruleSet: of}: Json) => of)).toEqual(['dmz', 'default']);
  });

  test('43-2 one rule is found by gid:sid or sid, with its text, also when it is refused or disabled', async () => {
    for (const id of ['1:5', '5', '1:6']) {
      const {status, body} = await rest.get(`${P}/ruleSets/default/rules/${id}`);
      expect([status, body.text]).toEqual([200, expect.stringContaining('alert tcp')]);
    }
    const {body} = await rest.get(`${P}/ruleSets/default/rules/1:5`);
    expect(body).toMatchObject({state: 'REFUSED', reason: 'unknown rule keyword'});
  });

  test.each([
    [`${P}/ruleSets/none/rules`, 404, 'the rule sets are default, dmz'],
    [`${P}/ruleSets/none`, 404, 'the rule sets are default, dmz'],
    [`${P}/ruleSets/default/rules/1:999`, 404, 'was not found'],
    [`${P}/ruleSets/default/rules/abc`, 400, 'GID:SID'],
    ['projects/p/locations/moon/ruleSets', 404, 'this server has the locations'],
    [`${P}/ruleSets/default/rules?filter=sid=x`, 400, 'filter'],
    [`${P}/ruleSets/default/rules?view=ALL`, 400, '"ALL" is not one of BASIC, FULL'],
    [`${P}/ruleSets/default/rules?pageToken=x`, 400, 'pageToken'],
  ])('43-2 GET %s is %d', async (path, status, words) => {
    const answer = await rest.call('GET', `/v1/${path}`);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(words)]);
  });
});

describe('an update', () => {
  const update = {
    ...{ruleSetId: 'dmz', previousVersion: 'a', version: 'b', changed: true, rulesActive: 2, rulesRefused: 0},
    endpoints: [running(`${P}/endpoints/web`)],
  };

  test('43-2 answers with what each Suricata has loaded', async () => {
    host.updates = [update];
    const answer = await rest.post(`${EVERYWHERE}/ruleSets/dmz:update`, {});
    expect([answer.status, answer.body]).toEqual([200, {ruleSets: [update]}]);
    await rest.post(`${EVERYWHERE}/ruleSets/-:update`, {});
    expect(host.calls.slice(-2)).toEqual(['updateRules dmz', 'updateRules -']);
  });

  test.each(['rule-error', 'rule-settings'])(
    '43-2 of a set that is refused (%s) is FAILED_PRECONDITION with the reason',
    async code => {
      host.updates = new FakeSensorError(code, 'rule set "dmz": 1 of 1 rule is refused');
      const {status, body} = await rest.post(`${EVERYWHERE}/ruleSets/dmz:update`, {});
      expect([status, body.error.status]).toEqual([400, 'FAILED_PRECONDITION']);
      expect(body.error.message).toBe('rule set "dmz": 1 of 1 rule is refused');
    },
  );

  test('43-2 needs the right in all projects, whatever its parent', async () => {
    allows = ({namespace}) => namespace === 'p';
    const calls = host.calls.length;
    expect((await rest.post(`${P}/ruleSets/default:update`, {})).status).toBe(403);
    expect(host.calls).toHaveLength(calls);
    expect((await rest.get(`${P}/ruleSets`)).status).toBe(200);
  });
});

test.each([
  ['GET', `${P}/ruleSets`, 'list'],
  ['GET', `${P}/ruleSets/none`, 'get'],
  ['GET', `${P}/ruleSets/none/rules`, 'list'],
  ['GET', `${P}/ruleSets/none/rules/1:1`, 'get'],
  ['POST', `${P}/ruleSets/none:update`, 'update'],
])('43-2 invariant 6: without the right %s %s is 403 before 404', async (method, path, verb) => {
  allows = () => false;
  const {status, body} = await rest.call(method, path);
  expect([status, body.error.status]).toEqual([403, 'PERMISSION_DENIED']);
  expect(asked).toMatchObject([{group: 'ids.googleapis.com', resource: 'rules', verb, subresource: ''}]);
});
