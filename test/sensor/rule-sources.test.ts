// SPDX-License-Identifier: Apache-2.0
/** Rules as people have them, with the real Suricata: lists that rules name, thresholds, variables, parts of suricata.yaml. */
import {execFileSync} from 'node:child_process';
import {readdirSync, utimesSync} from 'node:fs';
import {join} from 'node:path';
import {systemTimers} from '@palisade/apiserver';
import {plainRuleSet, plainSource, type RuleSetSpec, type RuleSource, type SensorSpec} from '@palisade/sensor';
import {udpDatagram} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {sendCommand} from '../../packages/sensor/src/suricata/command-socket.ts';
import {countsOf, Lab, LabFailure, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';

const LIMIT_MS = 10_000;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');
const lines = (...rules: readonly string[]): string => `${rules.join('\n')}\n`;
let clientPort = 5000;
/** A flow of its own. */
const from = (client: string, serverPort = 7777): Buffer =>
  udpDatagram({client, server: '10.9.0.2', clientPort: clientPort++, serverPort}, 'client', Buffer.from('x'));
const udp = (sid: number, more: string): string =>
  `alert udp any any -> any 7777 (msg:"r${sid}"; ${more} sid:${sid}; rev:1;)`;
const setOf = (at: string, more: Partial<RuleSource> = {}, thresholds: readonly string[] = []): RuleSetSpec => ({
  name: 'default',
  sources: [{...plainSource(at), ...more}],
  thresholds,
});

const failureOf = async (work: Promise<unknown>): Promise<LabFailure> => {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof LabFailure) return outcome;
  throw new Error(`it did not fail: ${JSON.stringify(outcome)}`);
};
const folderOfEndpoint = (folder: LabFolder): string => {
  const place = join(folder.path, 'data', 'endpoints');
  return join(place, readdirSync(place)[0] ?? '');
};
/** Alerts by threat id after the endpoint was read to its end. */
const alertsOf = async (lab: Lab, spec: SensorSpec, frames: readonly Buffer[]): Promise<Record<string, number>> => {
  await lab.send(spec, frames);
  await lab.ask('stop', spec.endpoint);
  return countsOf(await lab.ask('records'));
};
const warningsOf = async (lab: Lab): Promise<readonly unknown[]> =>
  (await lab.ask('logs')).flatMap(({message, fields}) =>
    message === 'rules may not act as configured' ? [fields] : [],
  );

describe.skipIf(whyNot !== undefined)(`rules as people have them${skipReason}`, () => {
  test('43-2 a changed list of a dataset is another rule set, and Suricata has it after a live reload', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = folder.file('a.rules', lines(udp(1, 'ip.src; dataset:isset,bad,type ip,load bad.lst;'), udp(9, '')));
    folder.file('bad.lst', '10.0.0.1\n');
    utimesSync(rules, LONG_AGO, LONG_AGO);
    await lab.ask('create', folder.options({rules: [rules]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const before = await lab.health(spec);
    await lab.send(spec, [from('10.0.0.1'), from('10.0.0.2')]);
    await lab.ask('until', {alerts: 3}, LIMIT_MS);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 1, '1:9': 2});
    folder.file('bad.lst', '10.0.0.3\n10.0.0.4\n');
    const {version} = await lab.ask('setRules', [rules]);
    expect(version).not.toBe(before.ruleSetVersion);
    const {rulesUpdated = '', rulesAgeDays} = await lab.health(spec);
    expect([before.rulesUpdated, rulesAgeDays]).toEqual([LONG_AGO.toISOString(), 0]);
    expect(Date.now() - Date.parse(rulesUpdated)).toBeLessThan(LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({pid: before.pid, restarts: 0, ruleSetVersion: version});
    const frames = [from('10.0.0.1'), from('10.0.0.3'), from('10.0.0.4')];
    expect(await alertsOf(lab, spec, frames)).toEqual({'1:1': 3, '1:9': 5});
  });

  test('43-2 lists of checksums and reputations are found in an archive; a rule whose file is missing or outside is refused with its name', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    folder.file('md5.lst', 'd41d8cd98f00b204e9800998ecf8427e\n');
    folder.file('rep.lst', 'cQ==,20\n');
    folder.file(
      'x.rules',
      lines(
        'alert http any any -> any any (msg:"a"; filemd5:md5.lst; sid:1;)',
        'alert http any any -> any any (msg:"b"; http.uri; datarep:rep,>,10,type string,load rep.lst; sid:2;)',
        'alert http any any -> any any (msg:"c"; filesha1:!none.lst; sid:3;)',
        'alert http any any -> any any (msg:"d"; http.uri; dataset:isset,d,type string,load ../x.lst; sid:4;)',
        ...Array.from({length: 20}, (_, at) => udp(100 + at, '')),
      ),
    );
    const archive = join(folder.path, 'rules.tgz');
    execFileSync('tar', ['-C', folder.path, '-czf', archive, 'x.rules', 'md5.lst', 'rep.lst']);
    await lab.ask('create', folder.options({rules: [archive]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {rulesLoaded, refusedRules, status} = await lab.health(spec);
    expect([status, rulesLoaded]).toEqual(['READY', 22]);
    expect(refusedRules).toEqual([
      expect.stringMatching(
        /^rule 3 of x\.rules in .*rules\.tgz \(line 3\): it names the file "none\.lst": there is no such file .*; fix it or disable it with --disable-sid 3: alert http/,
      ),
      expect.stringMatching(/it names the file "\.\.\/x\.lst": it is outside of the folder.* --disable-sid 4: /),
    ]);
  });

  test('43-2 a rule whose list Suricata cannot read is refused with its reason, and the others are active', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    for (const name of ['bad.lst', 'worse.lst']) folder.file(name, 'not base64 !!\n');
    const dns = (sid: number, list: string): string =>
      `alert dns any any -> any any (msg:"d"; dns.query; dataset:isset,d${sid},type string,load ${list}; sid:${sid};)`;
    const others = Array.from({length: 40}, (_, at) => udp(100 + at, ''));
    const rules = folder.file(
      'a.rules',
      lines(udp(1, ''), dns(2, 'bad.lst'), udp(3, ''), dns(4, 'worse.lst'), ...others),
    );
    await lab.ask('create', folder.options({rules: [rules]}));
    const {report} = await lab.ask('ready');
    expect(report).toMatchObject({given: 44, loaded: 42});
    expect(report.refused.listed.map(({line, reason}) => [line, reason.split(' ').slice(0, 3).join(' ')])).toEqual([
      [2, 'bad.lst, line 1:'],
      [4, 'worse.lst, line 1:'],
    ]);
  });

  test('43-2 thresholds are applied, a changed file by a live reload, and a line that Suricata refuses is named', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = folder.file('a.rules', lines(udp(1, ''), udp(2, '')));
    const path = folder.file('threshold.config', 'suppress gen_id 1, sig_id 1, track by_src, ip 10.0.0.1\n');
    const set = setOf(rules, {}, [path]);
    await lab.ask('create', folder.options({rules: set}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {pid} = await lab.health(spec);
    await lab.send(spec, [from('10.0.0.1'), from('10.0.0.2')]);
    await lab.ask('until', {alerts: 3}, LIMIT_MS);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 1, '1:2': 2});

    const good = '# note\nsuppress gen_id 1, sig_id 2\n';
    folder.file('threshold.config', `${good}suppress gen_id 1, sig_id 1, track by_src, ip 10.0.0.300\n${good}`);
    expect(await failureOf(lab.ask('setRules', set))).toMatchObject({
      code: 'rule-settings',
      message: expect.stringMatching(/^\S+threshold\.config, line 3: failed to parse address "10\.0\.0\.300"/),
    });
    folder.file('threshold.config', `${good}suppress gen_id 1, sig_id 77, track by_src, ip $HOME_NET\n`);
    await lab.ask('setRules', set);
    expect(await lab.health(spec)).toMatchObject({pid, restarts: 0});
    expect(await warningsOf(lab)).toEqual([
      {warnings: [expect.stringMatching(/threshold\.config, line 3: there is no active rule 1:77$/)]},
    ]);
    expect(await alertsOf(lab, spec, [from('10.0.0.1')])).toEqual({'1:1': 2, '1:2': 2});
  });

  test('43-2 variables: known ones are replaced, new ones added, and a rule with an undefined one is refused with the way out', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rule = (sid: number, head: string): string => `alert udp ${head} (msg:"r${sid}"; sid:${sid};)`;
    const rules = folder.file(
      'a.rules',
      lines(
        rule(1, '$SCANNERS any -> $SQL_SERVERS $ODD_PORTS'),
        rule(2, 'any any -> any $SSH_PORTS'),
        rule(3, 'any any -> $NOBODY any'),
        ...Array.from({length: 20}, (_, at) => rule(100 + at, 'any any -> any 9')),
      ),
    );
    const vars = {
      SCANNERS: '[10.0.0.0/24,!10.0.0.7]',
      SQL_SERVERS: '10.9.0.2',
      ODD_PORTS: '[7777,$SSH_PORTS]',
      SSH_PORTS: '2222',
    };
    await lab.ask('create', folder.options({rules: [rules], vars}));
    const spec = newSpec();
    await lab.ask('start', spec);
    expect((await lab.health(spec)).refusedRules).toEqual([
      expect.stringContaining('the address variable $NOBODY is not defined: set it with --var NOBODY=…; fix it or'),
    ]);
    const frames = [from('10.0.0.1'), from('10.0.0.7'), from('10.0.1.1'), from('10.0.0.2', 2222)];
    expect(await alertsOf(lab, spec, frames)).toEqual({'1:1': 2, '1:2': 1});
  });

  test('43-2 rules that are comments are enabled and others disabled, with the count, and Suricata has just those', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = folder.file('a.rules', lines(udp(1, ''), `# ${udp(2, '')}`, udp(3, ''), 'alert udp bad (sid:4;)'));
    const set = setOf(rules, {enable: ['2'], disable: ['re:msg:"r1"', '4', '5']});
    await lab.ask('create', folder.options({rules: set}));
    const spec = newSpec();
    expect(await lab.ask('ready')).toMatchObject({report: {given: 2, loaded: 2, disabled: 2, refused: {count: 0}}});
    await lab.ask('start', spec);
    expect(await warningsOf(lab)).toEqual([
      {warnings: [`disable 5 of rule set "default", source ${rules}: matches no rule`]},
    ]);
    expect(await alertsOf(lab, spec, [from('10.0.0.1')])).toEqual({'1:2': 1, '1:3': 1});
  });

  test('43-2 parts of suricata.yaml are in force; changed ones restart Suricata, and refused ones are named', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = folder.file('a.rules', lines(udp(1, '')));
    const include = folder.file('more.yaml', 'stream:\n  memcap: 48mb\n');
    await lab.ask('create', folder.options({rules: [rules], includes: [include]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const memcap = async (): Promise<unknown> => {
      const command = {command: 'memcap-show', arguments: {config: 'stream'}};
      return sendCommand(folderOfEndpoint(folder), command, systemTimers, LIMIT_MS);
    };
    expect(await memcap()).toMatchObject({value: '48mb'});
    folder.file('more.yaml', 'stream:\n  memcap: 48 apples\n');
    expect(await failureOf(lab.ask('setRules', [rules]))).toMatchObject({
      code: 'rule-settings',
      message: expect.stringMatching(/^--suricata-include \S+more\.yaml: Suricata refuses it: .*memcap/),
    });
    folder.file('more.yaml', 'outputs: []\nvars: {}\n');
    expect((await failureOf(lab.ask('setRules', [rules]))).message).toMatch(
      /^--suricata-include \S+more\.yaml: outputs cannot be included: .*; --suricata-include \S+: vars cannot be included: set variables with --var/,
    );
    folder.file('more.yaml', 'stream:\n  memcap: 56mb\n');
    await lab.ask('setRules', [rules]);
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    expect(await memcap()).toMatchObject({value: '56mb'});
    const messages = (await lab.ask('logs')).filter(({level}) => level !== 'debug').map(({message}) => message);
    expect(messages).toContain('Suricata settings changed, restarting Suricata to apply them');
    expect(messages).not.toContain('Suricata ended unexpectedly');
    expect(await alertsOf(lab, spec, [from('10.0.0.1')])).toEqual({'1:1': 1});
  });

  test('43-2 lists of reputations come with the include, and a changed one is in force after a live reload', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = folder.file('a.rules', lines(udp(1, 'iprep:src,CnC,>,30;'), udp(9, '')));
    folder.file('categories.txt', '1,CnC,Command and control\n');
    folder.file('bad.list', '10.0.0.1,1,100\n');
    const include = folder.file(
      'rep.yaml',
      'reputation-categories-file: categories.txt\nreputation-files:\n  - bad.list\n',
    );
    await lab.ask('create', folder.options({rules: [rules], includes: [include]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {pid} = await lab.health(spec);
    await lab.send(spec, [from('10.0.0.1'), from('10.0.0.2')]);
    await lab.ask('until', {alerts: 3}, LIMIT_MS);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 1, '1:9': 2});
    folder.file('bad.list', '10.0.0.3,1,100\n');
    await lab.ask('setRules', [rules]);
    expect(await lab.health(spec)).toMatchObject({pid, restarts: 0});
    const frames = [from('10.0.0.1'), from('10.0.0.3'), from('10.0.0.4')];
    expect(await alertsOf(lab, spec, frames)).toEqual({'1:1': 2, '1:9': 5});
  });

  test('43-2 the rules of a folder with classtypes of its own have their priority and description', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    execFileSync('mkdir', [join(folder.path, 'et')]);
    folder.file('et/classification.config', 'config classification: site-own,Own of this site,1\n');
    folder.file('et/a.rules', lines(udp(1, 'classtype:site-own;')));
    await lab.ask('create', folder.options({rules: plainRuleSet([join(folder.path, 'et')])}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await alertsOf(lab, spec, [from('10.0.0.1')]);
    const [[, record] = []] = (await lab.ask('records')).threats;
    expect(record).toMatchObject({alert_severity: 'HIGH', category: 'site-own'});
  });
});
