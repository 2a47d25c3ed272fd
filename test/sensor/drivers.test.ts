// SPDX-License-Identifier: Apache-2.0
/** What each capture driver does alike: the same packets, the same alerts, the same counts, and nothing left. Real Suricata. */
import {readFileSync} from 'node:fs';
import type {CaptureDriver, SensorSpec} from '@palisade/sensor';
import {describe, expect, test} from 'vitest';
import {
  countsOf,
  devicesIn,
  freeze,
  ipIn,
  isAlive,
  Lab,
  LabFolder,
  LabNetwork,
  newSpec,
  skipReason,
  whyNot,
} from './lab/lab.ts';
import {distinctHits, hit, oneOfEach, SEVERITY_OF, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 20_000;
const DRIVERS: readonly CaptureDriver[] = ['afpacket', 'afpacket-bpf', 'relay'];
const KERNEL: readonly CaptureDriver[] = ['afpacket', 'afpacket-bpf'];

/** A frame of these bytes for `spec` with another VNI. */
const withVni = (spec: SensorSpec, vni: number): SensorSpec => ({...spec, vni});

/** The packet of a frame behind an MPLS label. */
const inMpls = (frame: Buffer): Buffer =>
  Buffer.concat([frame.subarray(0, 12), Buffer.from('884700010140', 'hex'), frame.subarray(14)]);

const begin = async (lab: Lab, folder: LabFolder, driver: CaptureDriver, limits = {}): Promise<SensorSpec> => {
  await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], driver, limits}));
  const spec = newSpec({trafficLogs: true});
  await lab.ask('start', spec);
  return spec;
};

/** Everything in this network that a driver makes. */
const leftIn = (of: {readonly pid: number | undefined}): unknown => ({
  devices: devicesIn(of),
  sockets: readFileSync(`/proc/${of.pid}/net/packet`, 'latin1').trim().split('\n').slice(1),
  ports: readFileSync(`/proc/${of.pid}/net/udp`, 'latin1').match(/:(?:12B5|17C1) /g) ?? [],
});
const NOTHING = {devices: [], sockets: [], ports: []};
/** The kernel drops those packets before the driver `afpacket` can count them; the health says so. */
const noForeign = (driver: CaptureDriver): object =>
  driver === 'afpacket' ? {notCounted: {foreignVni: expect.any(String)}} : {foreignVni: 0};

describe.skipIf(whyNot !== undefined)(`capture drivers${skipReason}`, () => {
  test.each(DRIVERS)('43-1 %s: the same alerts, every packet counted once, one traffic record a flow', async driver => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = await begin(lab, folder, driver);
    const big = Buffer.concat([hit('one'), Buffer.alloc(40_000)]);
    const frames = [...oneOfEach(), ...distinctHits(200, 31), big];
    await lab.send(spec, frames);
    await lab.ask('until', {alerts: 208}, LIMIT_MS);
    await lab.ask('until', {received: frames.length, endpoint: spec.endpoint}, LIMIT_MS);
    const {status, reasons, notes, packets, driver: shown} = await lab.health(spec);
    expect([reasons, notes.some(note => note.includes('takes VXLAN only'))]).toEqual([[], driver === 'afpacket']);
    expect({status, shown, packets}).toMatchObject({
      status: 'READY',
      shown: driver,
      packets: {received: frames.length, dropped: 0, malformed: 0, ...noForeign(driver)},
    });
    await lab.ask('close');
    const records = await lab.ask('records');
    const each = Object.fromEntries(Object.keys(SEVERITY_OF).map(id => [id, 1]));
    expect(countsOf(records)).toEqual({...each, '1:1': 202});
    expect(records.traffic.filter(([, record]) => String(record.destination_ip_address) === spec.ip)).toEqual([]);
  });

  test.each(DRIVERS)('43-1 %s: a stop loses nothing that was sent before it, and leaves nothing', async driver => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = await begin(lab, folder, driver);
    const {pid} = await lab.health(spec);
    await lab.send(spec, distinctHits(1000, 32), 20_000);
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 1000});
    expect([leftIn(lab), isAlive(pid ?? 0)]).toEqual([NOTHING, false]);
  });

  test.each(DRIVERS)(
    '43-1 %s: Suricata killed with -9 is restarted, and what came meanwhile is accounted for',
    async driver => {
      using folder = new LabFolder();
      await using lab = new Lab();
      const spec = await begin(lab, folder, driver, {restartFirstMs: 1500, lossRatioMax: 1, lossSteadyRatioMax: 1});
      await lab.send(spec, distinctHits(50, 33));
      await lab.ask('until', {received: 50, endpoint: spec.endpoint}, LIMIT_MS);
      await lab.ask('until', {alerts: 50}, LIMIT_MS);
      process.kill((await lab.health(spec)).pid ?? 0, 'SIGKILL');
      await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
      await lab.send(spec, distinctHits(20, 34));
      await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
      await lab.send(spec, distinctHits(50, 35));
      // The relay keeps what came meanwhile; a ring that was opened early in the restart may have some of it, too.
      await lab.ask('until', {alerts: driver === 'relay' ? 120 : 100}, LIMIT_MS);
      await lab.ask('until', {received: 120, endpoint: spec.endpoint}, LIMIT_MS);
      // What it had not reported yet may be counted as dropped, too: never too little.
      const uncounted = async (): Promise<number> => {
        const {packets, alerts} = await lab.health(spec);
        expect(packets).toMatchObject({received: 120, malformed: 0, ...noForeign(driver)});
        return packets.received - packets.dropped - alerts.stored;
      };
      await expect.poll(uncounted, {timeout: LIMIT_MS, interval: 500}).toBeLessThanOrEqual(0);
      const {packets, alerts} = await lab.health(spec);
      expect(alerts.stored).toBeGreaterThanOrEqual(driver === 'relay' ? 120 : 100);
      expect(alerts.stored).toBeLessThanOrEqual(120);
      expect(packets.dropped).toBeLessThanOrEqual(driver === 'relay' ? 50 : 70);
    },
  );

  test.each(DRIVERS)(
    '43-7 %s: killed with -9, the server leaves no Suricata, and the next one finds what is left',
    async driver => {
      using folder = new LabFolder();
      using other = new LabFolder();
      using network = await LabNetwork.open();
      await using neighbour = new Lab({within: network});
      const kept = driver === 'relay' ? undefined : await begin(neighbour, other, driver);
      const lab = new Lab({within: network});
      const spec = await begin(lab, folder, driver);
      const {pid} = await lab.health(spec);
      await lab.kill();
      await expect.poll(() => isAlive(pid ?? 0), {timeout: LIMIT_MS}).toBe(false);
      await using next = new Lab({within: network});
      await next.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], driver}));
      await next.ask('start', spec);
      await next.send(spec, [hit('one')]);
      await next.ask('until', {alerts: 1}, LIMIT_MS);
      await next.ask('stop', spec.endpoint);
      if (kept === undefined) return;
      expect(devicesIn(network)).toHaveLength(driver === 'afpacket' ? 1 : 0);
      await neighbour.send(kept, [hit('one')]);
      await neighbour.ask('until', {alerts: 1}, LIMIT_MS);
      expect(await neighbour.health(kept)).toMatchObject({status: 'READY', restarts: 0});
    },
  );

  test.each(KERNEL)('43-1 %s: Suricata that hangs while packets come is restarted', async driver => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = await begin(lab, folder, driver, {
      stallMs: 3_000,
      watchMs: 500,
      lossRatioMax: 1,
      lossSteadyRatioMax: 1,
    });
    const {pid} = await lab.health(spec);
    await freeze(pid ?? 0);
    await lab.send(spec, distinctHits(20, 36));
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    expect((await lab.ask('logs')).map(({message}) => message)).toContain('Suricata stopped reading, restarting it');
    await lab.send(spec, [hit('two')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
  });

  test.each(['afpacket-bpf', 'relay'] as const)(
    '43-1 %s: packets of another VNI are counted, and not inspected',
    async driver => {
      using folder = new LabFolder();
      await using lab = new Lab();
      const spec = await begin(lab, folder, driver);
      await lab.send(withVni(spec, 4711), distinctHits(300, 37), 5_000);
      const counts = async (): Promise<unknown> => (await lab.health(spec)).packets;
      const expected = {received: 0, dropped: 0, malformed: 0, foreignVni: 300};
      await expect.poll(counts, {timeout: LIMIT_MS, interval: 500}).toMatchObject(expected);
      await lab.send(spec, distinctHits(100, 38));
      await expect.poll(counts, {timeout: LIMIT_MS, interval: 500}).toMatchObject({...expected, received: 100});
      await lab.ask('until', {reason: 'the newest with 4711', endpoint: spec.endpoint}, LIMIT_MS);
    },
  );

  test.each(DRIVERS)(
    '43-1 %s: frames that are neither IP nor VLAN are inspected, or counted and named with the way out',
    async driver => {
      using folder = new LabFolder();
      await using lab = new Lab();
      const spec = await begin(lab, folder, driver);
      await lab.send(spec, [hit('one'), ...distinctHits(6, 39).map(inMpls)]);
      const words = '^packets that Suricata cannot inspect with this driver: .*(6 of 7).* --driver afpacket or relay$';
      if (driver === 'afpacket-bpf') await lab.ask('until', {reason: words, endpoint: spec.endpoint}, LIMIT_MS);
      else await lab.ask('until', {alerts: 7}, LIMIT_MS);
      await lab.ask('until', {received: 7, endpoint: spec.endpoint}, LIMIT_MS);
      const {packets, status, reasons} = await lab.health(spec);
      expect(packets.notInspectable).toBe(driver === 'afpacket-bpf' ? 6 : undefined);
      expect([status, reasons.filter(text => text.includes('cannot decode'))]).toEqual([
        driver === 'afpacket-bpf' ? 'DEGRADED' : 'READY',
        [],
      ]);
    },
  );

  test.each(KERNEL)('43-1 %s: VXLAN with a reserved byte that is set is counted as malformed', async driver => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = await begin(lab, folder, driver);
    const header = Buffer.from('0800000000000007', 'hex');
    header.writeUIntBE(spec.vni, 4, 3);
    const frames = distinctHits(5, 40).map(frame => Buffer.concat([header, frame]).toString('base64'));
    await lab.ask('send', {ip: spec.ip, vni: spec.vni, frames, perSecond: 100, bare: true});
    const counts = async (): Promise<unknown> => (await lab.health(spec)).packets;
    const expected = {malformed: 5, dropped: 0, ...noForeign(driver)};
    await expect.poll(counts, {timeout: LIMIT_MS, interval: 500}).toMatchObject(expected);
  });

  test.each([
    ['removed', 'delete'],
    ['set down', 'down'],
  ])('43-1 afpacket: its device %s by somebody is made again, and Suricata started on it', async (words, act) => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = await begin(lab, folder, 'afpacket', {watchMs: 500, lossRatioMax: 1, lossSteadyRatioMax: 1});
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    await lab.ask('until', {received: 1, endpoint: spec.endpoint}, LIMIT_MS); // what was not read goes with the device
    const [device = ''] = devicesIn(lab);
    const seen = lab.ask(
      'until',
      {reason: `^no packets arrive: the device ${device} was`, endpoint: spec.endpoint},
      LIMIT_MS,
    );
    if (act === 'delete') ipIn(lab, 'link', 'delete', device);
    else ipIn(lab, 'link', 'set', device, 'down');
    await seen;
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    await lab.send(spec, [hit('two')]);
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    await lab.ask('until', {received: 2, endpoint: spec.endpoint}, LIMIT_MS);
    expect(devicesIn(lab)).toEqual([device]);
    expect(JSON.stringify(await lab.ask('logs'))).toContain(`was ${words}`);
  });

  test('43-1 afpacket-bpf: GENEVE on UDP 6081, and outer packets in fragments, are inspected', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = await begin(lab, folder, 'afpacket-bpf');
    const header = Buffer.from('0000655800000000', 'hex');
    header.writeUInt32BE(spec.vni * 256, 4);
    const frames = [Buffer.concat([header, hit('one')]).toString('base64')];
    await lab.ask('send', {ip: spec.ip, vni: spec.vni, frames, perSecond: 100, bare: true, port: 6081});
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    ipIn(lab, 'link', 'set', 'lo', 'mtu', '1500');
    await lab.send(spec, [Buffer.concat([hit('two'), Buffer.alloc(5_000)])]);
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
  });
});
