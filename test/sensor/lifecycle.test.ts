// SPDX-License-Identifier: Apache-2.0
/** Start, restart, stop: what READY means, and that nothing is lost or left behind. Real Suricata. */
import {existsSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {SENSOR_LIMITS, type SensorSpec} from '@palisade/sensor';
import {udpDatagram} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {countsOf, freeze, isAlive, isRoot, Lab, LabFailure, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, oneOfEach, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 10_000;
const stored = (folder: LabFolder): string[] => {
  const path = join(folder.path, 'data', 'endpoints');
  return existsSync(path) ? readdirSync(path) : [];
};

describe.skipIf(whyNot !== undefined)(`the life of a sensor${skipReason}`, () => {
  test('I-074 READY never comes before the engine has started: a Suricata that hangs stays STARTING, and the time limit ends it', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    // Verifies as the real one does, and then never says that it started.
    const suricata = folder.file(
      'hangs',
      '#!/bin/sh\ncase "$*" in *-T*|-V|--build-info) exec suricata "$@";; esac\nexec sleep 600\n',
      0o755,
    );
    await lab.ask('create', folder.options({rules, suricata, limits: {startTimeoutMs: 1500}}));
    const spec = newSpec();
    const start = lab.ask('start', spec);
    const outcome = start.catch((error: unknown) => error);
    await lab.ask('until', {status: 'STARTING', endpoint: spec.endpoint}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({status: 'STARTING', rulesLoaded: 0});
    expect(await outcome).toMatchObject({
      code: 'start-timeout',
      message: expect.stringContaining('did not start within 1.5 s'),
    });
    expect(await lab.ask('health', spec.endpoint)).toBeUndefined();
    expect(stored(folder)).toEqual([]);
  });

  test('I-074 at READY packets are accepted, rules are loaded, and the progress says what was done', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    const progress = await lab.ask('start', spec);
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({
      status: 'READY',
      reasons: [],
      driver: 'relay',
      rulesLoaded: 8,
      rulesFailed: 0,
      restarts: 0,
    });
    expect(progress).toEqual([
      'Verifying the rule set',
      `Opening the intake at ${spec.ip}`,
      expect.stringMatching(/^Waiting for a free slot to start Suricata 7\./),
      expect.stringMatching(/^Starting Suricata 7\..*: loading 8 rules$/),
      `Suricata is ready: packets are accepted at ${spec.ip}, 8 rules are loaded`,
    ]);
    await lab.ask('start', spec); // again: nothing happens
    expect(await lab.health(spec)).toMatchObject({status: 'READY', restarts: 0});
  });

  test('I-074 a start that is given up leaves nothing behind', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const suricata = folder.file(
      'hangs',
      '#!/bin/sh\ncase "$*" in *-T*|-V|--build-info) exec suricata "$@";; esac\nexec sleep 600\n',
      0o755,
    );
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata}));
    const spec = newSpec();
    const outcome = lab.ask('start', spec).catch((error: unknown) => error);
    await lab.ask('until', {progress: 'Starting Suricata'}, LIMIT_MS);
    await lab.ask('abort');
    expect(await outcome).toMatchObject({code: 'aborted'});
    expect([stored(folder), await lab.ask('endpoints')]).toEqual([[], []]);
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    await lab.ask('start', spec); // the address is free again
  });

  test('I-074 killed with -9: DEGRADED, restarted by itself, what came meanwhile is inspected, nothing counted twice', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask(
      'create',
      folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits: {restartFirstMs: 800}}),
    );
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, distinctHits(50, 21));
    await lab.ask('until', {alerts: 50}, LIMIT_MS);
    const {pid} = await lab.health(spec);
    process.kill(pid ?? 0, 'SIGKILL');
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    const down = await lab.health(spec);
    expect(down).not.toHaveProperty('pid');
    expect(down).toMatchObject({
      reasons: [expect.stringMatching(/^Suricata ended at .*signal SIGKILL.*is being restarted/)],
    });
    await lab.send(spec, distinctHits(50, 22)); // into the queue
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    await lab.ask('until', {alerts: 100}, LIMIT_MS);
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 100});
    const gap = (await lab.ask('logs')).find(line => line.message.startsWith('Suricata restarted'));
    expect(gap?.fields).toMatchObject({
      endpoint: spec.endpoint,
      since: expect.any(String),
      until: expect.any(String),
      restarts: 1,
    });
  });

  test('I-074 killed while packets stream: every packet is inspected, waits, or is counted as dropped', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {lossRatioMax: 1}; // what three crashes cost is more than 1 % of so few packets
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const load = lab.send(spec, distinctHits(3000, 23), 2000);
    for (const killed of [1, 2, 3]) {
      await lab.ask('until', {alerts: killed * 500}, LIMIT_MS);
      process.kill((await lab.health(spec)).pid ?? 0, 'SIGKILL');
      await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: killed}, LIMIT_MS);
    }
    await load;
    await lab.ask('until', {alerts: 2900}, LIMIT_MS);
    const {packets} = await lab.health(spec);
    await lab.ask('stop', spec.endpoint);
    const {threats, states} = await lab.ask('records');
    const sum = threats.reduce((total, [, record]) => total + Number(record.repeat_count), 0);
    expect(states).toEqual([]); // forgotten with the endpoint
    expect(sum).toBeLessThanOrEqual(3000);
    expect(sum + packets.dropped).toBeGreaterThanOrEqual(3000);
    expect(packets.dropped).toBeLessThan(300);
  });

  test('I-074 Suricata frozen: no record appears while it stands still, all of them when it goes on', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const pid = (await lab.health(spec)).pid ?? 0;
    await freeze(pid);
    await lab.send(spec, oneOfEach());
    await expect(lab.ask('until', {alerts: 1}, 1500)).rejects.toThrow('not within');
    process.kill(pid, 'SIGCONT');
    await lab.ask('until', {alerts: 8}, LIMIT_MS);
  });

  test('I-074 Suricata that hangs while packets wait is ended and started again', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {watchMs: 100, stallMs: 500};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await freeze((await lab.health(spec)).pid ?? 0);
    await lab.send(spec, distinctHits(2000, 24), 10_000); // more than the pipe holds
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    await lab.ask('until', {alerts: 1900}, LIMIT_MS);
  });

  test('a stop loses nothing that was sent before it, and leaves no process, folder or address', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {pid} = await lab.health(spec);
    await lab.send(spec, distinctHits(2000, 25), 50_000);
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 2000});
    expect(isAlive(pid ?? 0)).toBe(false);
    expect([stored(folder), await lab.ask('endpoints'), await lab.ask('health', spec.endpoint)]).toEqual([
      [],
      [],
      undefined,
    ]);
    await lab.ask('stop', spec.endpoint); // again, and of one that never was: nothing happens
    await lab.ask('stop', 'projects/test/locations/local/endpoints/never');
    await lab.ask('start', spec);
  });

  test('the EVE file is rotated while alerts stream: all are counted once, finished files go', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {eveRotateBytes: 100_000, watchMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, distinctHits(4000, 26), 3000);
    await lab.ask('until', {alerts: 4000}, LIMIT_MS);
    const rotations = (await lab.ask('logs')).filter(line => line.message === 'EVE file rotated').length;
    expect(rotations).toBeGreaterThan(3);
    const [name = ''] = stored(folder);
    expect(
      readdirSync(join(folder.path, 'data', 'endpoints', name)).filter(file => file.startsWith('eve.')).length,
    ).toBeLessThan(4);
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 4000});
  });

  test.skipIf(!isRoot)('Suricata does not run as root; its folder is closed to others', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const status = readFileSync(`/proc/${(await lab.health(spec)).pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1)).toEqual(['65534', '65534']);
    expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000000');
    const [name = ''] = stored(folder);
    expect(statSync(join(folder.path, 'data', 'endpoints', name)).mode & 0o777).toBe(0o700);
  });

  test.skipIf(!isRoot)(
    'an idle Suricata need not wake up on the spot, also after a restart; the server itself does',
    async () => {
      using folder = new LabFolder();
      await using lab = new Lab();
      await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
      const spec = newSpec();
      await lab.ask('start', spec);
      const slack = (pid: number | undefined): number => Number(readFileSync(`/proc/${pid}/timerslack_ns`, 'utf8'));
      const {pid} = await lab.health(spec);
      expect([slack(pid), slack(lab.pid) < slack(pid)]).toEqual([SENSOR_LIMITS.timerSlackNs, true]);
      process.kill(pid ?? 0, 'SIGKILL');
      await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
      expect(slack((await lab.health(spec)).pid)).toBe(SENSOR_LIMITS.timerSlackNs);
    },
  );

  test('all of it works for an ordinary user without any capability', async () => {
    using folder = new LabFolder();
    await using lab = new Lab({asNobody: folder});
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, oneOfEach());
    await lab.ask('until', {alerts: 8}, LIMIT_MS);
    process.kill((await lab.health(spec)).pid ?? 0, 'SIGKILL');
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    await lab.ask('stop', spec.endpoint);
    expect(stored(folder)).toEqual([]);
  });

  test('new rules are taken live: the process stays, old flows stay, both versions are told apart', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const before = await lab.health(spec);
    const more = folder.file('b.rules', 'alert udp any any -> any 7778 (msg:"NEW"; sid:70; rev:1;)\n');
    const status = await lab.ask('setRules', [folder.file('a.rules', SEVERITY_RULES), more]);
    const after = await lab.health(spec);
    expect(after).toMatchObject({pid: before.pid, rulesLoaded: 9, ruleSetVersion: status.version, status: 'READY'});
    expect(status.version).not.toBe(before.ruleSetVersion);
    await lab.send(spec, [
      udpDatagram({client: '10.9.0.1', server: '10.9.0.2', serverPort: 7778}, 'client', Buffer.from('x')),
    ]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    expect((await lab.ask('records')).threats[0]?.[1]).toMatchObject({threat_id: '1:70', name: 'NEW'});
  });

  test('refused new rules change nothing: file, line and reason are told, the old set stays in force', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const bad = folder.file(
      'bad.rules',
      '# a comment\nalert tcp any any -> any any (msg:"x"; contentx:"y"; sid:71;)\n',
    );
    const error = await lab.ask('setRules', [bad]).catch((thrown: unknown) => thrown as LabFailure);
    expect(error).toBeInstanceOf(LabFailure);
    expect(error).toMatchObject({
      code: 'rule-error',
      faults: [
        {file: bad, line: 2, reason: "unknown rule keyword 'contentx'", rule: expect.stringContaining('sid:71')},
      ],
    });
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({
      status: 'READY',
      rulesLoaded: 8,
      reasons: [expect.stringContaining(`rule 1 of ${bad} (line 2)`)],
    });
  });

  test('many endpoints, started and stopped at once in any order: nothing is left of them', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const specs = Array.from({length: 12}, () => newSpec());
    const pids: number[] = [];
    const live = async (spec: SensorSpec): Promise<void> => {
      await lab.ask('start', spec);
      pids.push((await lab.health(spec)).pid ?? 0);
      await lab.send(spec, [hit('one')]);
      await lab.ask('stop', spec.endpoint);
    };
    await Promise.all(specs.map(live));
    const {threats, states} = await lab.ask('records');
    expect(threats.map(([, record]) => record.endpoint).sort()).toEqual(specs.map(spec => spec.endpoint).sort());
    expect(new Set(pids).size).toBe(12);
    expect([states, stored(folder), await lab.ask('endpoints'), pids.filter(isAlive)]).toEqual([[], [], [], []]);
    await Promise.all(specs.map(spec => lab.ask('start', spec))); // every address is free again
  });

  test('a data folder that is removed under a running server: the end is said to be unclean, and nothing keeps the process alive', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {pid} = await lab.health(spec);
    rmSync(join(folder.path, 'data'), {recursive: true});
    await lab.ask('close');
    expect((await lab.ask('logs')).map(line => line.message)).toContain('sensor did not stop cleanly');
    expect(await lab.leave()).toBe(0);
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  test('after the end of a server nothing keeps its process alive', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    await lab.ask('start', newSpec());
    expect(await lab.leave()).toBe(0);
  });

  test('what the kernel drops because nobody reads fast enough is counted', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {socketBufferBytes: 4096, watchMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, distinctHits(3000, 27), 1_000_000); // by the very process that reads
    await lab.ask('until', {dropped: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('until', {received: 3000, endpoint: spec.endpoint}, LIMIT_MS);
    const {received, dropped, drops} = (await lab.health(spec)).packets;
    expect([received, drops.socket, dropped > 0]).toEqual([3000, dropped, true]);
    await lab.ask('until', {alerts: received - dropped}, LIMIT_MS);
  });
});
