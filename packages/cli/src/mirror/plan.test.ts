// SPDX-License-Identifier: Apache-2.0
import {
  ALIAS_MAX,
  deviceSteps,
  FIRST_PREFS,
  filterSteps,
  freePrefs,
  linesOf,
  mayBeDeviceOf,
  namesOf,
  parseAlias,
  setUpSteps,
  toAlias,
} from '@palisade/ids-wire/mirror';
import {describe, expect, test} from 'vitest';
import type {Filter, Kernel, Link} from './kernel.ts';
import {mirroredEndpoints, ownParts, removalSteps} from './remove.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/guard';
const TARGET = {endpoint: ENDPOINT, ip: '10.77.0.1', vni: 77};
const {device, near, far, cookie, classId} = namesOf(ENDPOINT);

describe('names', () => {
  test('43-4 a device name fits into the 15 characters of the kernel, for the longest id, and differs by project', () => {
    const long = (project: string): string =>
      namesOf(`projects/${project}/locations/local/endpoints/${'a'.repeat(63)}`).far;
    expect(long('p').length).toBe(15);
    expect(long('p')).not.toBe(long('q'));
    expect(mayBeDeviceOf('guard', device)).toBe(true);
    expect(mayBeDeviceOf('guard', 'pmguard-later')).toBe(false);
    expect(mayBeDeviceOf('guards', device)).toBe(false);
  });

  test('43-4 an alias names the endpoint and the interfaces with a qdisc of ours', () => {
    const mirror = {endpoint: ENDPOINT, clsact: ['eth0', 'eth1.5']};
    expect(parseAlias(toAlias(mirror))).toEqual(mirror);
    expect(parseAlias('uplink to rack 4')).toBeUndefined();
    const longest = `projects/${'p'.repeat(30)}/locations/${'l'.repeat(30)}/endpoints/${'e'.repeat(63)}`;
    expect(toAlias({endpoint: longest, clsact: ['eth0']}).length).toBeLessThan(ALIAS_MAX);
  });
});

describe('commands', () => {
  test('43-4 to another host: a vxlan device with remote, clsact, u32 and mirred in both directions for all protocols', () => {
    const lines = linesOf(setUpSteps(TARGET, 'plain', 'eth0'));
    expect(lines).toContain(`ip link add ${device} type vxlan id 77 remote 10.77.0.1 dstport 4789 nolearning`);
    for (const [direction, pref] of [
      ['ingress', 25_000],
      ['egress', 25_001],
    ] as const)
      expect(lines).toContain(
        `tc filter add dev eth0 ${direction} protocol all pref ${pref} u32 match u32 0 0 action mirred egress mirror dev ${device} continue cookie ${cookie}`,
      );
  });

  test('43-4 mirrored packets and ICMP errors about them are skipped before anything is mirrored', () => {
    const lines = linesOf(filterSteps(TARGET, 'eth0', FIRST_PREFS)).filter(line =>
      line.includes(' egress protocol ip'),
    );
    expect(lines).toEqual([
      `tc filter add dev eth0 egress protocol ip pref 20001 u32 match ip protocol 17 0xff match ip dst 10.77.0.1/32 flowid ${classId}`,
      `tc filter add dev eth0 egress protocol ip pref 20001 u32 match ip protocol 1 0xff match u32 0x0a4d0001 0xffffffff at 44 flowid ${classId}`,
    ]);
  });

  test('43-4 preferences of others are left out, and no skip comes after a mirror', () => {
    expect(freePrefs([1, 20_000, 25_001])).toEqual({
      ingress: {skip: 20_001, mirror: 25_000},
      egress: {skip: 20_002, mirror: 25_002},
    });
  });

  test('43-4 to an address of this host: on a port of its own, through a veth pair', () => {
    const lines = linesOf(deviceSteps(TARGET, 'detour', ['eth0']));
    expect(lines.join('\n')).not.toMatch(/dstport 4789|remote/);
    expect(lines).toContain(`ip neigh add 10.77.0.1 dev ${near} lladdr 02:50:4d:00:00:02 nud permanent`);
    expect(lines).toContain(`bridge fdb append 00:00:00:00:00:00 dev ${device} dst 10.77.0.1 port 4789 via ${near}`);
    expect(lines).toContain(`sysctl -qw net.ipv4.conf.${far}.route_localnet=1`);
  });
});

describe('removal', () => {
  const link = (name: string, more: Partial<Link> = {}): Link => ({
    ...{name, alias: undefined, kind: undefined, isUp: true, below: undefined, vni: undefined, remote: undefined},
    ...{port: undefined, ...more},
  });
  const ours = link(device, {kind: 'vxlan', alias: toAlias({endpoint: ENDPOINT, clsact: ['eth0']})});
  const filter = (more: Partial<Filter>): Filter => ({
    ...{dev: 'eth0', direction: 'egress', pref: 25_001, protocol: 'all', handle: '801::800'},
    ...{cookie: undefined, classId: undefined, toDev: undefined, ...more},
  });
  const mirroring = filter({cookie, toDev: device});
  const skipping = filter({pref: 20_001, protocol: 'ip', handle: '800::800', classId});
  const kernel = (filters: readonly Filter[], links: readonly Link[] = [link('eth0'), ours]): Kernel => ({
    ...{links, filters, clsact: ['eth0'], ingress: [], isPortTaken: false},
  });
  const lines = (state: Kernel): string[] => linesOf(removalSteps(state, ownParts(state, ENDPOINT)));

  test('43-4 filters by preference, then the empty qdisc of ours, then the device', () => {
    expect(lines(kernel([mirroring, skipping]))).toEqual([
      'tc filter del dev eth0 egress protocol all pref 25001',
      'tc filter del dev eth0 egress protocol ip pref 20001',
      'tc qdisc del dev eth0 clsact',
      `ip link del ${device}`,
    ]);
  });

  test('43-4 a filter that others put at our preference stays, and so does the qdisc', () => {
    const foreign = filter({handle: '801::801', classId: '1:7'});
    expect(lines(kernel([mirroring, foreign]))).toEqual([
      'tc filter del dev eth0 egress protocol all pref 25001 handle 801::800 u32',
      `ip link del ${device}`,
    ]);
  });

  test('43-4 a qdisc that was there before stays', () => {
    const plain = {...ours, alias: toAlias({endpoint: ENDPOINT, clsact: []})};
    expect(lines(kernel([mirroring], [link('eth0'), plain]))).toEqual([
      'tc filter del dev eth0 egress protocol all pref 25001',
      `ip link del ${device}`,
    ]);
  });

  test('43-4 a device of the same name with an alias of somebody else is not ours', () => {
    expect(lines(kernel([], [link(device, {kind: 'vxlan', alias: 'lab tunnel'})]))).toEqual([]);
    expect(lines(kernel([], [link(device, {kind: 'vxlan'})]))).toEqual([`ip link del ${device}`]);
  });

  test('43-4 an id stands for the mirror that is on this host', () => {
    expect(mirroredEndpoints(kernel([]), 'guard')).toEqual([ENDPOINT]);
    expect(mirroredEndpoints(kernel([]), 'uard')).toEqual([]);
  });
});
