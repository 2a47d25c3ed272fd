// SPDX-License-Identifier: Apache-2.0
/** `palisade rules list`, `update` and `explain` against the IDS API, in this process. */
import {Readable, Writable} from 'node:stream';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import {FakeSensorError, FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {hostRule, ruleSet} from '../../packages/ids/src/testing/rule-sets.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const WEB = 'projects/p/locations/local/endpoints/web';
const VERSION = '0123456789abcdef';
const running = {endpoint: WEB, status: 'READY', ruleSetVersion: VERSION, rulesLoaded: 2} as const;
const update = {
  ...{ruleSetId: 'default', previousVersion: 'fedcba9876543210', version: VERSION, changed: true, rulesActive: 2},
  ...{rulesRefused: 0, endpoints: [running]},
};

const host = new FakeSensorHost();
let server: TestServer;
beforeAll(async () => {
  host.sets = [ruleSet('default', {endpoints: [running]}), ruleSet('dmz', {refused: 'no rule would be active'})];
  const log4j = hostRule(2_034_647, {
    ...{msg: 'ET EXPLOIT log4j', severity: 'HIGH', severityReason: 'metadata signature_severity Major', rev: 3},
    ...{cves: ['CVE-2021-44228'], references: ['https://example.org/log4j'], classtype: 'attempted-admin'},
    mitreTactics: [{id: 'TA0001', name: 'Initial Access'}],
    mitreTechniques: [{id: 'T1190', name: 'Exploit Public Facing Application'}],
  });
  const refused = hostRule(5, {state: 'REFUSED', reason: 'unknown rule keyword.', msg: 'bad \x1b[31m'});
  const off = hostRule(6, {state: 'DISABLED', reason: 'commented out in its file'});
  const many = Array.from({length: 1_200}, (_, at) => hostRule(10_000 + at, {msg: `quote " ${at}`}));
  host.rules.set('default', [refused, off, ...many, log4j]);
  host.rules.set('dmz', [hostRule(1), log4j]);
  server = await startTestServer({
    store: await openMemoryStore(),
    sensorHost: host,
    authorizer: {authorize: ({namespace}) => ({allowed: namespace !== 'q'})},
  });
});
afterAll(() => server.close());

const palisade = async (...words: string[]) => {
  const texts = {stdout: '', stderr: ''};
  const stream = (name: keyof typeof texts): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
  const env = {PALISADE_SERVER: server.url};
  const io = {stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr'), env, cwd: '/'};
  return {code: await main(['rules', ...words], io, () => {}), ...texts};
};
const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '');

describe('palisade rules list', () => {
  test('43-2 every rule of every set is listed once, over all pages, and no control character reaches the terminal', async () => {
    const {stdout, code} = await palisade('list');
    expect([code, linesOf(stdout)[0]]).toEqual([0, 'STATE     SEVERITY       RULE          SET         MESSAGE']);
    expect(linesOf(stdout)).toHaveLength(1 + 1_203 + 2);
    expect(stdout).toContain('REFUSED   LOW            1:5           default     bad ^[[31m: unknown rule keyword (');
  });

  test('43-2 --failed lists refused and skipped rules with reason and place', async () => {
    const {stdout} = await palisade('list', '--failed');
    expect(linesOf(stdout)).toHaveLength(2);
    expect(stdout).toContain('unknown rule keyword (/etc/rules/a.rules, line 5)');
  });

  test('43-2 --search finds a text whatever characters it has; with --filter both must match', async () => {
    expect(linesOf((await palisade('list', '--search', 'quote " 7', '--json')).stdout)).toHaveLength(1 + 10 + 100);
    const {stdout} = await palisade('list', '--search', 'CVE-2021-44228', '--filter', 'severity>=HIGH', '--json');
    const found = linesOf(stdout).map(line => JSON.parse(line));
    expect(found.map(({ruleSet: set, ruleId}) => [set, ruleId])).toEqual([
      ['default', '1:2034647'],
      ['dmz', '1:2034647'],
    ]);
    expect(found[0].text).toContain('alert tcp');
    const none = await palisade('list', '--search', 'never', '--set', 'dmz');
    expect(none).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'palisade: no rules match --search; palisade rules list shows all rules\n',
    });
  });

  test('43-2 --sets lists the sets with their counts, and why the newest version of one is refused', async () => {
    const {stdout} = await palisade('list', '--sets');
    expect(stdout).toMatch(
      /^SET +VERSION +ACTIVE +REFUSED +SKIPPED +DISABLED +ENDPOINTS\ndefault +0123456789abcdef +1 +1/,
    );
    expect(stdout).toContain('  the newest version is refused: no rule would be active');
    const json = linesOf((await palisade('list', '--sets', '--set', 'dmz', '--json')).stdout);
    expect(json.map(line => JSON.parse(line).ruleSetId)).toEqual(['dmz']);
  });

  test.each([
    [['list', '--sets', '--failed'], 2, '--sets lists rule sets: leave out --failed'],
    [['list', '--project', 'a/b'], 2, '--project a/b: give the name of one project'],
    [['list', '--project', 'q'], 1, "Permission 'ids.rules.list' denied"],
    [['list', '--set', 'moon'], 1, 'the rule sets are default, dmz'],
    [['explain'], 2, 'a rule is required'],
    [['explain', 'abc'], 2, 'must be SID or GID:SID'],
    [['explain', '99'], 1, 'no rule 1:99 in the rule sets of the server'],
    [['test', '99'], 2, '--pcap FILE is required'],
    [['check'], 2, 'at least one rule FILE is required'],
    [['lst'], 2, 'did you mean "rules list"?'],
  ])('43-2 rules %j ends with %d and the way out', async (words, code, message) => {
    expect(await palisade(...words)).toMatchObject({code, stdout: '', stderr: expect.stringContaining(message)});
  });

  test('43-2 rules alone shows its commands', async () => {
    expect((await palisade()).stdout).toMatch(
      /rules list .*\n.*rules check .*\n.*rules update .*\n(.*rules (disable|enable|reset) .*\n){3}.*rules explain /,
    );
  });
});

describe('palisade rules explain', () => {
  test('43-2 shows severity and its reason, MITRE, CVE, references, place, endpoints and text', async () => {
    const {stdout, code} = await palisade('explain', '2034647');
    expect(code).toBe(0);
    expect(linesOf(stdout)).toEqual([
      '1:2034647  ET EXPLOIT log4j (revision 3)',
      'state       ACTIVE in default, dmz',
      'severity    HIGH: metadata signature_severity Major',
      'category    attempted-admin, type vulnerability',
      'tactic      TA0001 Initial Access',
      'technique   T1190 Exploit Public Facing Application',
      'CVE         CVE-2021-44228',
      'reference   https://example.org/log4j',
      'file        /etc/rules/a.rules, line 2034647',
      `endpoints   ${WEB}`,
      expect.stringMatching(/^rule {8}alert tcp/),
    ]);
  });

  test('43-2 a refused rule is explained with its reason and its text', async () => {
    const [line] = linesOf((await palisade('explain', '1:5', '--json')).stdout);
    expect(JSON.parse(line ?? '')).toMatchObject({
      ...{state: 'REFUSED', reason: 'unknown rule keyword.', sets: ['default'], endpoints: []},
      text: expect.stringContaining('sid:5;'),
    });
  });
});

describe('palisade rules update', () => {
  test('43-2 shows for each endpoint what its Suricata reports', async () => {
    host.updates = [update];
    const {stdout, stderr, code} = await palisade('update', '--set', 'default');
    expect({stderr, code}).toEqual({stderr: '', code: 0});
    expect(linesOf(stdout)).toEqual([
      `default: updated from fedcba9876543210 to ${VERSION}: 2 rules active`,
      `  ${WEB}: READY, Suricata reports 2 rules, version ${VERSION}`,
    ]);
  });

  test('43-2 an endpoint that does not have the rules makes it fail', async () => {
    host.updates = [{...update, endpoints: [{...running, status: 'DEGRADED', rulesLoaded: 0}]}];
    const {stderr, code} = await palisade('update');
    expect(code).toBe(1);
    expect(stderr).toContain(`${WEB} does not have the rules of default yet (DEGRADED)`);
  });

  test('43-2 a refused set makes it fail with the reason', async () => {
    host.updates = new FakeSensorError('rule-error', 'rule set "dmz": 1 of 1 rule is refused');
    expect(await palisade('update')).toMatchObject({
      ...{code: 1, stdout: ''},
      stderr: expect.stringContaining('rule set "dmz": 1 of 1 rule is refused'),
    });
  });
});

describe('palisade rules enable, disable, reset', () => {
  test('49-3 all rules of a command are one request, each once, and what Suricata reports is shown', async () => {
    host.updates = [update];
    host.calls.length = 0;
    for (const action of ['disable', 'enable', 'reset'])
      expect(await palisade(action, '2034647', '1:6', '1:2034647')).toMatchObject({
        ...{code: 0, stderr: ''},
        stdout: expect.stringContaining('Suricata reports 2 rules'),
      });
    await palisade('disable', '1', '--set', 'dmz', '--json');
    expect(host.calls).toEqual([
      'switchRules default system:admin + -1:2034647,1:6 =',
      'switchRules default system:admin +1:2034647,1:6 - =',
      'switchRules default system:admin + - =1:2034647,1:6',
      'switchRules dmz system:admin + -1:1 =',
    ]);
  });

  test('49-3 without a rule, with another word, or of an unknown rule it fails with the way out', async () => {
    expect(await palisade('disable')).toMatchObject({code: 2, stderr: expect.stringContaining('a rule is required')});
    expect(await palisade('disable', 'x')).toMatchObject({code: 2, stderr: expect.stringContaining('SID or GID:SID')});
    expect(await palisade('enable', '5')).toMatchObject({code: 1, stderr: expect.stringContaining('is REFUSED')});
  });
});
