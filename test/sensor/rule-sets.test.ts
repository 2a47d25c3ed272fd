// SPDX-License-Identifier: Apache-2.0
/** Several rule sets on one host, by the real Suricata: each endpoint inspects with its own, and one that is refused is no matter of the others. */
import {execFileSync} from 'node:child_process';
import {rmSync, writeFileSync} from 'node:fs';
import type {SensorSpec} from '@palisade/sensor';
import {describe, expect, test} from 'vitest';
import {Lab, LabFailure, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {hit} from './lab/rules.ts';

const LIMIT_MS = 10_000;
const rule = (sid: number, name: string, source = 'any', more = ''): string =>
  `alert udp ${source} any -> any 7777 (msg:"SETS ${name}"; content:"palisade-${name}"; ${more}sid:${sid}; rev:1;)\n`;
const BAD = 'alert udp any any -> any any (msg:"bad"; contentx:"x"; sid:99;)\n';
const setOf = (name: string, file: string) => ({
  name,
  sources: [{at: file, enable: [], modify: [], disable: []}],
  thresholds: [],
});

/** Threat ids by endpoint. */
const threatsOf = async (lab: Lab): Promise<Record<string, string[]>> => {
  const {threats} = await lab.ask('records');
  const found: Record<string, string[]> = {};
  for (const [, {endpoint, threat_id}] of threats) found[endpoint] = [...(found[endpoint] ?? []), threat_id].sort();
  return found;
};

const failureOf = async (work: Promise<unknown>): Promise<LabFailure> => {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof LabFailure) return outcome;
  throw new Error(`it did not fail: ${JSON.stringify(outcome)}`);
};

describe.skipIf(whyNot !== undefined)(`rule sets${skipReason}`, () => {
  /** `office` has the default set, `dmz` that of its location. */
  const prepared = async (lab: Lab, folder: LabFolder): Promise<{office: SensorSpec; dmz: SensorSpec}> => {
    const office = newSpec();
    const dmz = newSpec({endpoint: 'projects/test/locations/edge/endpoints/dmz'});
    const own = folder.file('dmz.rules', rule(2, 'two'));
    await lab.ask('create', {
      ...folder.options({rules: [folder.file('office.rules', rule(1, 'one'))]}),
      ruleSets: [setOf('dmz', own)],
      bindings: [{set: 'dmz', location: 'edge'}],
    });
    await lab.ask('ready');
    for (const spec of [office, dmz]) await lab.ask('start', spec);
    return {office, dmz};
  };
  const bothHits = [hit('one'), hit('two')];

  test('43-2 two endpoints with different sets alert each by its own alone, and the health names the set', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const {office, dmz} = await prepared(lab, folder);
    for (const spec of [office, dmz]) await lab.send(spec, bothHits);
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    for (const spec of [office, dmz]) await lab.ask('stop', spec.endpoint); // all that was sent is read
    expect(await threatsOf(lab)).toEqual({[office.endpoint]: ['1:1'], [dmz.endpoint]: ['1:2']});
  });

  test('43-2 a refused set keeps its previous version, and the other set is updated', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const {office, dmz} = await prepared(lab, folder);
    const before = await lab.health(dmz);
    expect(before).toMatchObject({ruleSet: 'dmz', rulesLoaded: 1, status: 'READY'});
    folder.file('dmz.rules', BAD);
    folder.file('office.rules', rule(1, 'one') + rule(3, 'three'));
    const failure = await failureOf(lab.ask('updateRules'));
    expect(failure.message).toMatch(/^rule set "dmz": 1 of 1 rule is refused: .*contentx.*; updated: default$/);
    expect(await lab.health(office)).toMatchObject({ruleSet: 'default', rulesLoaded: 2, reasons: []});
    const after = await lab.health(dmz);
    expect(after).toMatchObject({status: 'READY', rulesLoaded: 1, ruleSetVersion: before.ruleSetVersion});
    expect(after.reasons.join()).toContain('contentx');
    const sets = await lab.ask('ruleSets');
    expect(sets.map(({ruleSetId, refused}) => [ruleSetId, refused === ''])).toEqual([
      ['default', true],
      ['dmz', false],
    ]);
    await lab.send(dmz, bothHits);
    await lab.send(office, [hit('three')]);
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    expect(await threatsOf(lab)).toEqual({[office.endpoint]: ['1:3'], [dmz.endpoint]: ['1:2']});
  });

  test("43-2 an update answers with Suricata's own count for each endpoint, and without a change nothing is loaded", async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const {office} = await prepared(lab, folder);
    const {pid, ruleSetVersion} = await lab.health(office);
    const same = await lab.ask('updateRules', 'default');
    expect(same).toMatchObject([{ruleSetId: 'default', changed: false, version: ruleSetVersion}]);
    folder.file('office.rules', rule(1, 'one') + rule(3, 'three'));
    const [update] = await lab.ask('updateRules', 'default');
    expect(update).toMatchObject({changed: true, previousVersion: ruleSetVersion, rulesActive: 2, rulesRefused: 0});
    const version = update?.version;
    expect(update?.endpoints).toEqual([
      {endpoint: office.endpoint, status: 'READY', ruleSetVersion: version, rulesLoaded: 2},
    ]);
    expect((await lab.health(office)).pid).toBe(pid); // live: the same process
  });

  test('43-2 a plan binds a running endpoint to another set, live; variables of an endpoint make a set of its own', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const {office, dmz} = await prepared(lab, folder);
    const {pid} = await lab.health(office);
    const third = folder.file('third.rules', rule(1, 'one', '$DNS_SERVERS'));
    const outcomes = await lab.ask('setRulePlan', {
      ruleSets: [setOf('default', third), setOf('dmz', folder.file('dmz.rules', rule(2, 'two')))],
      bindings: [{set: 'dmz', endpoint: office.endpoint}],
      endpointVars: [{match: dmz.endpoint, vars: {DNS_SERVERS: '10.9.0.1'}}],
    });
    expect(outcomes).toEqual([]);
    expect(await lab.health(office)).toMatchObject({ruleSet: 'dmz', pid});
    expect((await lab.health(dmz)).ruleSet).toMatch(/^default~[0-9a-f]{8}$/);
    await lab.send(office, bothHits);
    const elsewhere = {client: '10.9.0.77', server: '10.9.0.2'};
    await lab.send(dmz, [hit('one', elsewhere, 5001), hit('one')]);
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    for (const spec of [office, dmz]) await lab.ask('stop', spec.endpoint);
    const {threats} = await lab.ask('records');
    expect(threats.map(([, record]) => [record.endpoint, record.threat_id, record.source_ip_address]).sort()).toEqual(
      [
        [office.endpoint, '1:2', '10.9.0.1'],
        [dmz.endpoint, '1:1', '10.9.0.1'],
      ].sort(),
    );
  });

  test('43-2 a set without usable rules at the start is named; restarted, a refused set runs by its previous version', async () => {
    using folder = new LabFolder();
    const own = folder.file('dmz.rules', BAD);
    const options = {
      ...folder.options({rules: [folder.file('office.rules', rule(1, 'one'))]}),
      ruleSets: [setOf('dmz', own)],
      bindings: [{set: 'dmz', location: 'edge'}],
    };
    {
      await using lab = new Lab();
      await lab.ask('create', options);
      expect((await failureOf(lab.ask('ready'))).message).toMatch(/^rule set "dmz": 1 of 1 rule is refused/);
    }
    writeFileSync(own, rule(2, 'two'));
    {
      await using lab = new Lab();
      await lab.ask('create', options);
      await lab.ask('ready');
    }
    writeFileSync(own, BAD);
    await using lab = new Lab();
    await lab.ask('create', options);
    await lab.ask('ready');
    const dmz = newSpec({endpoint: 'projects/test/locations/edge/endpoints/dmz'});
    await lab.ask('start', dmz);
    expect(await lab.health(dmz)).toMatchObject({ruleSet: 'dmz', rulesLoaded: 1});
  });

  test('43-2 an update that comes while an endpoint waits for its rules leaves it its set: the next one reaches it', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = newSpec();
    const endpointVars = [{match: spec.endpoint, vars: {OWN: '10.0.0.0/8'}}];
    const own = folder.file('own.rules', rule(1, 'one') + rule(2, 'two'));
    await lab.ask('create', {...folder.options({rules: [own]}), endpointVars});
    await lab.ask('ready');
    const starting = lab.ask('start', spec);
    await lab.ask('updateRules', 'default');
    await starting;
    expect(await lab.health(spec)).toMatchObject({status: 'READY', rulesLoaded: 2});
    folder.file('own.rules', rule(2, 'two'));
    const updates = await lab.ask('updateRules');
    expect(updates.flatMap(({endpoints}) => endpoints)).toMatchObject([{endpoint: spec.endpoint, rulesLoaded: 1}]);
  });

  test('43-2 a source that does not answer an update holds no endpoint: it starts with the rules in force, then gets the new ones', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = newSpec();
    const file = folder.file('a.rules', rule(1, 'one'));
    await lab.ask('create', folder.options({rules: [file]}));
    await lab.ask('ready');
    rmSync(file);
    execFileSync('mkfifo', [file]);
    const updating = lab.ask('updateRules');
    await lab.ask('start', spec);
    expect(await lab.health(spec)).toMatchObject({status: 'READY', rulesLoaded: 1});
    writeFileSync(file, rule(1, 'one') + rule(2, 'two'));
    await updating;
    expect(await lab.health(spec)).toMatchObject({status: 'READY', rulesLoaded: 2});
  });

  test('43-2 the rules of a set that is gone stay for a sensor whose new set is refused: it can be restarted', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const {dmz} = await prepared(lab, folder);
    const office = folder.file('office.rules', rule(1, 'one'));
    const outcomes = await lab.ask('setRulePlan', {
      ruleSets: [setOf('default', office)],
      bindings: [],
      endpointVars: [{match: dmz.endpoint, vars: {DNS_SERVERS: 'nowhere'}}],
    });
    expect(outcomes).toMatchObject([[expect.stringMatching(/^default~/), expect.stringContaining('nowhere')]]);
    for (const sid of [3, 4, 5]) {
      folder.file('office.rules', rule(sid, 'one'));
      await lab.ask('updateRules', 'default');
    }
    const {pid = 0, reasons} = await lab.health(dmz);
    expect(reasons.join()).toContain('nowhere');
    process.kill(pid, 'SIGKILL');
    await lab.ask('until', {endpoint: dmz.endpoint, status: 'READY', restarts: 1}, 3 * LIMIT_MS);
    expect(await lab.health(dmz)).toMatchObject({rulesLoaded: 1});
  });

  test('43-2 every rule of a set is listed with its text, also a refused and a skipped one', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const metadata =
      'metadata:mitre_tactic_id TA0001, mitre_tactic_name Initial_Access, mitre_technique_id T1190, mitre_technique_name Exploit_Public_Facing_Application, signature_severity Major; reference:cve,2021-44228; reference:url,example.org/a; ';
    const skipped = rule(3, 'three', 'any', 'requires: version >= 9.9; ');
    const good = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map(sid => rule(sid, `n${sid}`)).join('');
    const file = folder.file('a.rules', rule(1, 'one', 'any', metadata) + BAD + skipped + good);
    await lab.ask('create', folder.options({rules: [file]}));
    await lab.ask('ready');
    const rules = (await lab.ask('rulesOfSet', 'default')) ?? [];
    expect(rules.length).toBe(13);
    expect(rules[0]).toMatchObject({
      ...{ruleId: '1:1', msg: 'SETS one', state: 'ACTIVE', reason: '', file, line: 1, cves: ['CVE-2021-44228']},
      ...{severity: 'HIGH', severityReason: 'metadata signature_severity Major', references: ['https://example.org/a']},
      mitreTactics: [{id: 'TA0001', name: 'Initial Access'}],
      mitreTechniques: [{id: 'T1190', name: 'Exploit Public Facing Application'}],
      text: rule(1, 'one', 'any', metadata).trim(),
    });
    expect(rules.find(({sid}) => sid === 99)).toMatchObject({
      ...{state: 'REFUSED', reason: "unknown rule keyword 'contentx'", line: 2, text: BAD.trim()},
    });
    expect(rules.find(({sid}) => sid === 3)).toMatchObject({state: 'SKIPPED', line: 3, text: skipped.trim()});
    expect(await lab.ask('rulesOfSet', 'other')).toBeUndefined();
  });

  test('49-3 a rule is turned off and on live, whatever the lists say; what the set cannot take changes nothing', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const file = folder.file('own.rules', `${rule(1, 'one')}${rule(3, 'three')}# ${rule(4, 'four')}`);
    const spec = newSpec();
    const listed = {at: file, enable: ['1'], modify: [], disable: ['3']};
    const rules = {name: 'default', sources: [listed], thresholds: []};
    await lab.ask('create', folder.options({rules}));
    await lab.ask('ready');
    await lab.ask('start', spec);
    const change = (enable: string[], disable: string[], reset: string[] = []) =>
      lab.ask('switchRules', 'default', {enable, disable, reset, user: 'ann', time: '2026-01-31T08:00:00Z'});
    const [update] = await change(['1:3', '1:4'], ['1:1']);
    expect(update).toMatchObject({changed: true, rulesActive: 2, endpoints: [{rulesLoaded: 2}]});
    await lab.send(spec, [hit('one'), hit('three'), hit('four')]);
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    expect(await threatsOf(lab)).toEqual({[spec.endpoint]: ['1:3', '1:4']});
    const [one] = (await lab.ask('rulesOfSet', 'default')) ?? [];
    expect(one).toMatchObject({
      ruleId: '1:1',
      state: 'DISABLED',
      reason: 'turned off by ann, 2026-01-31T08:00:00Z',
      switched: {state: 'DISABLED', user: 'ann'},
    });
    const none = await failureOf(change([], ['1:3', '1:4']));
    expect(none.message).toMatch(/^No rule in .*disable fewer rules/);
    expect(await lab.health(spec)).toMatchObject({rulesLoaded: 2, reasons: []});
    expect((await change([], [], ['1:1', '1:3', '1:4']))[0]).toMatchObject({rulesActive: 1});
    expect((await lab.ask('rulesOfSet', 'default'))?.map(({ruleId, state}) => [ruleId, state])).toEqual([
      ['1:1', 'ACTIVE'],
      ['1:3', 'DISABLED'],
      ['1:4', 'DISABLED'],
    ]);
    const {received} = (await lab.health(spec)).packets;
    const shown = async (): Promise<number | undefined> =>
      (await lab.ask('packetHistory', spec.endpoint))?.long.rows.reduce((sum, row) => sum + row.received, 0);
    await expect.poll(shown, {timeout: LIMIT_MS}).toBe(received);
  });
});
