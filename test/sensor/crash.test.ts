// SPDX-License-Identifier: Apache-2.0
/** The server is killed with -9 at every interesting point: an alert is counted exactly once (design invariant 4), orphans are ended. */
import {spawn} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {countsOf, isAlive, Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, oneOfEach, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 10_000;
const countersOf = (folder: LabFolder): unknown => folder.records().states[0]?.[1].counters;

describe.skipIf(whyNot !== undefined)(`a server that is killed${skipReason}`, () => {
  test.each([
    {when: 'before', commit: 1},
    {when: 'after', commit: 1},
    {when: 'before', commit: 3},
    {when: 'after', commit: 3},
  ] as const)('killed $when commit $commit takes: after the restart every alert is counted once', async crash => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec({severity: 'LOW', threatExceptions: ['2:1']});
    await using dying = new Lab();
    await dying.ask('create', folder.options({rules, crash}));
    await dying.ask('start', spec);
    // Each round is at least one commit; the same sources and threats, so that windows are open at the crash.
    const round = async (number: number): Promise<boolean> => {
      await dying.send(spec, oneOfEach(), 200);
      await dying.ask('until', {seen: 8 * number, endpoint: spec.endpoint}, LIMIT_MS);
      return true;
    };
    for (let number = 1; await round(number).catch(() => false); number++); // it dies under us
    await dying.gone;
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules}));
    await lab.ask('start', spec);
    await lab.send(spec, [hit('two')]);
    await lab.ask('close');
    const {stored, excepted, filtered, seen, lost} = countersOf(folder) as Record<string, number>;
    const sum = Object.values(countsOf(folder.records())).reduce((total, count) => total + count, 0);
    expect({sum, lost, all: (stored ?? 0) + (excepted ?? 0) + (filtered ?? 0)}).toEqual({
      sum: stored,
      lost: 0,
      all: seen,
    });
    // What Suricata wrote is in its file: the file is the witness.
    const [name = ''] = readdirSync(join(folder.path, 'data', 'endpoints'));
    const eve = readFileSync(join(folder.path, 'data', 'endpoints', name, 'eve.json'), 'utf8');
    expect(seen).toBe(eve.split('\n').filter(line => line.includes('"event_type":"alert"')).length);
    expect(seen).toBeGreaterThan(crash.commit);
  });

  test('events that Suricata wrote while no server was there are read by the next one', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    await using dying = new Lab();
    await dying.ask('create', folder.options({rules}));
    await dying.ask('start', spec);
    await dying.ask('failSink', 'before'); // nothing gets stored
    await dying.send(spec, distinctHits(100, 31));
    await dying.ask('until', {seen: 1, endpoint: spec.endpoint}, LIMIT_MS);
    expect((await dying.health(spec)).reasons.join()).toMatch(/^$|records cannot be stored: the store is not there/);
    await dying.kill();
    expect(countsOf(folder.records())).toEqual({});
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules}));
    await lab.ask('start', spec);
    await lab.ask('close');
    expect(countsOf(folder.records())).toEqual({'1:1': 100});
  });

  test('its Suricata is ended by the next server, and no other process that has the number', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    await using dying = new Lab();
    await dying.ask('create', folder.options({rules}));
    await dying.ask('start', spec);
    const pid = (await dying.health(spec)).pid ?? 0;
    process.kill(pid, 'SIGSTOP'); // so that it cannot end by itself
    await dying.kill();
    expect(isAlive(pid)).toBe(true);
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules}));
    expect([await lab.ask('endpoints'), await lab.ask('leftovers')]).toEqual([[], [spec.endpoint]]);
    await lab.ask('start', spec);
    expect(isAlive(pid)).toBe(false);
    expect((await lab.ask('logs')).map(line => line.message)).toContain('Suricata process of an earlier server ended');
    await lab.ask('close');
    // A record that names a living process of somebody else, with its right start time: nothing happens to that one.
    const bystander = spawn('sleep', ['60'], {detached: true, stdio: 'ignore'});
    const stat = readFileSync(`/proc/${bystander.pid}/stat`, 'utf8');
    const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const [name = ''] = readdirSync(join(folder.path, 'data', 'endpoints'));
    const record = JSON.stringify({spec, process: {pid: bystander.pid, startTicks}});
    folder.file(join('data', 'endpoints', name, 'sensor.json'), record);
    await using third = new Lab();
    await third.ask('create', folder.options({rules}));
    await third.ask('start', spec); // waits until all orphans are ended
    expect(isAlive(bystander.pid ?? 0)).toBe(true);
    bystander.kill();
  });

  test('an endpoint that was deleted meanwhile: its last events are judged by its settings and counted, then its folder goes', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec({severity: 'CRITICAL'});
    await using dying = new Lab();
    await dying.ask('create', folder.options({rules}));
    await dying.ask('start', spec);
    await dying.ask('update', {...spec, severity: 'LOW', threatExceptions: ['4']});
    await dying.ask('failSink', 'before');
    await dying.send(spec, [hit('one'), hit('five'), hit('three'), hit('four')]);
    await dying.ask('until', {received: 4, endpoint: spec.endpoint}, LIMIT_MS);
    await dying.ask('until', {seen: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await dying.kill();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules}));
    expect([await lab.ask('endpoints'), await lab.ask('leftovers')]).toEqual([[], [spec.endpoint]]);
    await lab.ask('stop', spec.endpoint);
    expect(await lab.ask('leftovers')).toEqual([]);
    expect(readdirSync(join(folder.path, 'data', 'endpoints'))).toEqual([]);
    expect(countsOf(folder.records())).toEqual({'1:1': 1, '1:3': 1});
  });

  test('44-1 an endpoint of the same name that starts meanwhile waits for the last events of the deleted one: each is counted once', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    await using dying = new Lab();
    await dying.ask('create', folder.options({rules}));
    await dying.ask('start', spec);
    await dying.ask('failSink', 'before');
    await dying.send(spec, distinctHits(100, 34));
    await dying.ask('until', {received: 100, endpoint: spec.endpoint}, LIMIT_MS);
    await dying.ask('until', {seen: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await dying.kill();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules}));
    await Promise.all([
      lab.ask('stop', spec.endpoint),
      lab.ask('start', {...spec, severity: 'CRITICAL', vni: spec.vni + 1}),
    ]);
    const {status, alerts} = await lab.health(spec);
    expect({status, alerts}).toMatchObject({status: 'READY', alerts: {seen: 0}});
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 100});
    await lab.ask('close');
  });

  test('a store that fails for a while: DEGRADED with its words, then every alert once', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.ask('failSink', 'after'); // taken, but told that it failed: the same commit comes again
    await lab.send(spec, oneOfEach());
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).reasons).toEqual(['records cannot be stored: the answer was lost']);
    await lab.ask('failSink', undefined);
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('until', {seen: 8, endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('stop', spec.endpoint);
    expect(Object.values(countsOf(await lab.ask('records')))).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  test('a stop while the store fails is refused, ends Suricata, and can be asked again: then every alert once', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {exitTimeoutMs: 500, commitRetryFirstMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {pid} = await lab.health(spec);
    await lab.send(spec, oneOfEach());
    await lab.ask('until', {alerts: 8}, LIMIT_MS);
    await lab.ask('failSink', 'before');
    await lab.send(spec, distinctHits(30, 33));
    await expect(lab.ask('stop', spec.endpoint)).rejects.toThrow(
      'The sensor was stopped, but records cannot be stored: the store is not there',
    );
    expect(isAlive(pid ?? 0)).toBe(false);
    await lab.ask('failSink', undefined);
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toMatchObject({'1:1': 31, '1:2': 1});
    expect(readdirSync(join(folder.path, 'data', 'endpoints'))).toEqual([]);
  });

  test('a start that waits for the store can be given up; what waits to be stored is kept and counted later', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    await using dying = new Lab();
    await dying.ask('create', folder.options({rules}));
    await dying.ask('start', spec);
    await dying.ask('failSink', 'before');
    await dying.send(spec, [hit('one')]);
    await dying.ask('until', {seen: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await dying.kill();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules}));
    await lab.ask('failSink', 'before');
    const outcome = lab.ask('start', spec).catch((error: unknown) => error);
    await lab.ask('until', {seen: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('abort');
    expect(await outcome).toMatchObject({code: 'aborted'});
    expect(await lab.ask('leftovers')).toEqual([spec.endpoint]);
    await lab.ask('failSink', undefined);
    await lab.ask('start', spec);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 1});
  });

  test('a server that is shut down and started again goes on where it was: counters, position, records', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec({severity: 'HIGH'});
    for (const round of [1, 2, 3]) {
      await using lab = new Lab();
      await lab.ask('create', folder.options({rules}));
      await lab.ask('start', spec);
      await lab.send(spec, oneOfEach());
      await lab.ask('until', {seen: 8 * round, endpoint: spec.endpoint}, LIMIT_MS);
      await lab.ask('close');
      expect(countersOf(folder)).toEqual({
        seen: 8 * round,
        stored: 3 * round,
        filtered: 5 * round,
        excepted: 0,
        lost: 0,
      });
    }
  });
});
