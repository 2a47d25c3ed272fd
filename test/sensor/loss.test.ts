// SPDX-License-Identifier: Apache-2.0
/** What was not inspected, and when: counted over crashes of Suricata and of the server. */
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {SensorHealth} from '@palisade/sensor';
import {describe, expect, test} from 'vitest';
import {freeze, isAlive, Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, oneOfEach, SEVERITY_RULES} from './lab/rules.ts';
import {sendFromOutside} from './lab/send-from-outside.ts';

const LIMIT_MS = 20_000;
/** Figures are looked at and saved often enough for a test. */
const LIMITS = {watchMs: 50, heartbeatMs: 50, lossRatioMax: 1};

type Blind = SensorHealth['blind'][number];
const secondsOf = ({from, until}: Blind): number => (Date.parse(until ?? '') - Date.parse(from)) / 1000;
const sumOf = (intervals: readonly Blind[]): number => intervals.reduce((sum, one) => sum + secondsOf(one), 0);
const figuresFile = (folder: LabFolder): string => {
  const endpoints = join(folder.path, 'data', 'endpoints');
  const [name = ''] = readdirSync(endpoints);
  return readFileSync(join(endpoints, name, 'figures.json'), 'utf8');
};

describe.skipIf(whyNot !== undefined)(`loss and blind time${skipReason}`, () => {
  test('43-3 Suricata killed with -9: the blind time begins at its end, is open while it is down, and ends at READY', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits: LIMITS}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const fresh = await lab.health(spec);
    expect([fresh.blind, fresh.blindSeconds]).toEqual([[], 0]);
    const before = Date.now();
    process.kill(fresh.pid ?? 0, 'SIGKILL');
    await lab.ask('until', {reason: '^Suricata ended at ', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).blind).toEqual([
      {from: expect.any(String), why: expect.stringMatching(/^Suricata ended \(.*SIGKILL.*\)$/)},
    ]);
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    const {blind, blindSeconds} = await lab.health(spec);
    expect(blind).toHaveLength(1);
    const [only] = blind as [Blind];
    expect(Date.parse(only.from)).toBeGreaterThanOrEqual(before);
    expect(secondsOf(only)).toBeGreaterThan(0);
    expect(secondsOf(only)).toBeLessThan(LIMIT_MS / 1000);
    expect(blindSeconds).toBeCloseTo(secondsOf(only), 3);
  });

  test('43-3 the server killed with -9 and started again: blind from its last sign of life to READY, counters and alerts continue', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    await using dying = new Lab();
    await dying.ask('create', folder.options({rules, limits: LIMITS}));
    await dying.ask('start', spec);
    await dying.send(spec, oneOfEach());
    await dying.ask('until', {seen: 8, endpoint: spec.endpoint}, LIMIT_MS);
    await expect
      .poll(async () => (await dying.health(spec)).suricataAlerts, {timeout: LIMIT_MS})
      .toEqual({counted: 8, discarded: 0, suppressed: 0});
    await expect.poll(() => figuresFile(folder), {timeout: LIMIT_MS}).toContain('"received":8,');
    await expect
      .poll(async () => (await dying.ask('counted', spec.endpoint))?.packets.received, {timeout: LIMIT_MS})
      .toBe(8);
    const before = await dying.ask('counted', spec.endpoint);
    const alive = Date.now();
    await dying.kill();
    const killed = Date.now();

    await using lab = new Lab();
    await lab.ask('create', folder.options({rules, limits: LIMITS}));
    await lab.ask('start', spec);
    const ready = Date.now();
    const {blind, blindSeconds, packets, alerts} = await lab.health(spec);
    expect(blind).toEqual([
      {from: expect.any(String), until: expect.any(String), why: 'the server ended without a stop'},
    ]);
    const [only] = blind as [Blind];
    expect(Date.parse(only.from)).toBeGreaterThan(alive - 5_000);
    expect(Date.parse(only.from)).toBeLessThanOrEqual(killed);
    expect(Date.parse(only.until ?? '')).toBeGreaterThan(killed);
    expect(Date.parse(only.until ?? '')).toBeLessThanOrEqual(ready);
    expect(blindSeconds).toBeCloseTo(secondsOf(only), 3);
    expect([packets.received, packets.dropped, alerts.seen]).toEqual([8, 0, 8]);
    const {blindSeconds: _, ...counted} = (await lab.ask('counted', spec.endpoint)) ?? {};
    expect(before).toMatchObject(counted); // a monitoring system sees no step back

    await lab.send(spec, oneOfEach({client: '10.9.1.1', server: '10.9.1.2'}));
    await expect.poll(async () => (await lab.health(spec)).suricataAlerts.counted, {timeout: LIMIT_MS}).toBe(16);
    const after = await lab.health(spec);
    expect(after).toMatchObject({packets: {received: 16}, alerts: {seen: 16, stored: 16, lost: 0}, reasons: []});
    expect(after.lossPerMinute.reduce((sum, row) => sum + row.received, 0)).toBe(16);
  });

  test('43-3 an orderly stop is a blind time from the stop on; a server whose Suricata cannot start keeps what is known; a new endpoint of the name begins at 0', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    {
      await using first = new Lab();
      await first.ask('create', folder.options({rules, limits: LIMITS}));
      await first.ask('start', spec);
      await first.send(spec, [hit('one')]);
      await first.ask('until', {alerts: 1}, LIMIT_MS);
      await first.ask('close');
    }
    const stopped = Date.now();
    {
      await using second = new Lab();
      const suricata = folder.file(
        'ends',
        '#!/bin/sh\ncase "$*" in -V|*-T*) exec suricata "$@";; esac\nexit 1\n',
        0o755,
      );
      await second.ask('create', folder.options({rules, limits: LIMITS, suricata}));
      await expect(second.ask('start', spec)).rejects.toThrow();
      expect(await second.ask('leftovers')).toEqual([spec.endpoint]);
    }
    await using third = new Lab();
    await third.ask('create', folder.options({rules, limits: LIMITS}));
    await third.ask('start', spec);
    const {blind, packets} = await third.health(spec);
    expect(blind).toEqual([{from: expect.any(String), until: expect.any(String), why: 'the server was stopped'}]);
    const [only] = blind as [Blind];
    expect(Date.parse(only.from)).toBeLessThanOrEqual(stopped);
    expect(Date.parse(only.until ?? '')).toBeGreaterThan(stopped);
    expect(packets.received).toBe(1);
    await third.ask('stop', spec.endpoint);
    await third.ask('start', spec);
    const again = await third.health(spec);
    expect([again.blind, again.blindSeconds, again.packets.received]).toEqual([[], 0, 0]);
  });

  test('43-3 a kill of the server while Suricata is down: both times, one after the other', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    const spec = newSpec();
    await using dying = new Lab();
    const limits = {...LIMITS, restartFirstMs: 60_000, restartMostMs: 60_000};
    await dying.ask('create', folder.options({rules, limits}));
    await dying.ask('start', spec);
    const {pid = 0} = await dying.health(spec);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isAlive(pid), {timeout: LIMIT_MS}).toBe(false);
    await expect.poll(() => figuresFile(folder), {timeout: LIMIT_MS}).toContain('"cause":"engine"');
    await dying.kill();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules, limits: LIMITS}));
    await lab.ask('start', spec);
    const {blind, blindSeconds} = await lab.health(spec);
    expect(blind.map(({why}) => why)).toEqual([
      expect.stringMatching(/^Suricata ended \(/),
      'the server ended without a stop',
    ]);
    expect(blind[0]?.until).toBe(blind[1]?.from);
    expect(blindSeconds).toBeCloseTo(sumOf(blind), 3);
  });

  test('43-3 a server that does not read: every packet is received, what the socket dropped is counted, and the way out has the figures', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rmemMax = Number(readFileSync('/proc/sys/net/core/rmem_max', 'latin1'));
    const limits = {watchMs: 50, socketBufferBytes: 2 * rmemMax};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const sent = 40_000;
    await freeze(lab.pid ?? 0);
    const [frame = Buffer.alloc(0)] = distinctHits(1);
    sendFromOutside(lab.pid, spec.ip, spec.vni, frame, sent);
    process.kill(lab.pid ?? 0, 'SIGCONT');
    await lab.ask('until', {received: sent, endpoint: spec.endpoint}, LIMIT_MS);
    const looked = `^packets dropped: .* of ${sent}\\)`;
    await lab.ask('until', {reason: looked, endpoint: spec.endpoint}, LIMIT_MS);
    const {packets, reasons, lossPerMinute} = await lab.health(spec);
    const {received, dropped, drops} = packets;
    expect([received, drops.socket > 0, dropped]).toEqual([sent, true, drops.socket]);
    expect(reasons[0]).toMatch(
      new RegExp(
        `^packets dropped: \\d+\\.\\d % of the last 60 s \\(${dropped} of ${sent}\\), most of them in the receive buffer of the kernel: ` +
          `raise net\\.core\\.rmem_max from ${rmemMax} to ${2 * rmemMax} and restart the server, start the server with --driver afpacket, which this process may use, `,
      ),
    );
    expect(lossPerMinute.reduce((sum, row) => sum + row.dropped, 0)).toBe(dropped);
    await lab.ask('until', {seen: sent - dropped, endpoint: spec.endpoint}, LIMIT_MS);
  });

  test('43-3 more rules match a packet than Suricata keeps alerts of: those are counted as discarded, with the way out', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const many = Array.from(
      {length: 70},
      (_, i) => `alert udp any any -> any 7777 (msg:"M ${i}"; content:"palisade-one"; sid:${1000 + i}; rev:1;)\n`,
    ).join('');
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', many)], limits: LIMITS}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, [hit('one')]);
    await lab.ask(
      'until',
      {reason: '^6 alerts were discarded by Suricata, because more than 64 rules ', endpoint: spec.endpoint},
      LIMIT_MS,
    );
    expect(await lab.health(spec)).toMatchObject({
      status: 'READY',
      alerts: {seen: 64, stored: 64, lost: 0},
      suricataAlerts: {counted: 64, discarded: 6, suppressed: 0},
    });
  });

  test('43-3 a disk that takes no alerts is a blind time, too', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const words = 'No space left on device error while writing to eve.json';
    const line = `{"log_level":"Error","event_type":"engine","engine":{"message":"${words}"}}`;
    const script = `#!/bin/sh\ncase "$*" in -V|*-T*) exec suricata "$@";; esac\necho '${line}' >&2\nexec suricata "$@"\n`;
    const suricata = folder.file('full', script, 0o755);
    const limits = {...LIMITS, diskFloorBytes: 2 ** 60}; // the disk has less
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata, limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await expect
      .poll(async () => (await lab.health(spec)).blind, {timeout: LIMIT_MS})
      .toEqual([{from: expect.any(String), why: 'the disk was full, alerts were lost'}]);
  });
});
