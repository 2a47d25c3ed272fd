// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {afPacketConfig} from './af-packet-config.ts';
import {splitOf, unseenOf} from './afpacket-bpf.ts';
import {bpfFilter} from './bpf-filter.ts';
import {interfacesFor, whyNoInterface} from './choose-interfaces.ts';
import {EngineGap} from './engine-gap.ts';
import {deviceName, deviceOwner} from './ip-link.ts';
import {countPacketSockets, parseDefaultRoutes, parseInterfaceTable} from './kernel-tables.ts';
import {NO_SAMPLES} from './port-owner.ts';

describe('43-1 tables of the kernel', () => {
  const DEV = [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo:     700       7    0    0    0     0          0         0      700       7    0    0    0     0       0          0',
    'p1k9zq-4711:123456789012 4000000001 3 0 0 0 0 0 0 0 0 0 0 0 0 0',
  ].join('\n');

  test('43-1 an interface is found by its whole name, also where its bytes follow without a space', () => {
    expect(parseInterfaceTable(DEV, 'p1k9zq-4711')).toEqual({bytes: 123456789012, packets: 4000000001, errors: 3});
    expect([parseInterfaceTable(DEV, 'lo')?.packets, parseInterfaceTable(DEV, 'p1k9zq-47')]).toEqual([7, undefined]);
  });

  test('43-1 packet sockets that run are counted, on one interface or on all', () => {
    const table = [
      'sk               RefCnt Type Proto  Iface R Rmem   User   Inode',
      '00000000a1b2c3d4 3      3    0003   7     1 0      65534  11',
      '00000000a1b2c3d5 3      3    0003   7     0 0      65534  12',
      '00000000a1b2c3d6 3      3    0003   1     1 0      0      13',
    ].join('\n');
    expect([countPacketSockets(table, 7), countPacketSockets(table, 8), countPacketSockets(table)]).toEqual([1, 0, 2]);
  });

  test('43-1 packets to the loopback come from there, others may come by any default route', () => {
    const routes =
      'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\neth0\t00000000\t0101A8C0\t3\t0\t0\t0\t00000000\neth1\t0001A8C0\t0\t1\t0\t0\t0\t00FFFFFF\n';
    expect(parseDefaultRoutes(routes)).toEqual(['eth0']);
    expect(interfacesFor('127.77.0.1', ['eth0'], ['eth1'])).toEqual({interfaces: ['lo'], left: []});
    expect(interfacesFor('192.0.2.9', ['eth0'], [])).toEqual({interfaces: ['lo', 'eth0'], left: []});
  });

  test('43-1 a card without a route is read, too; of very many only the likely ones are, and the others are known', () => {
    const read = (links: readonly string[]) => interfacesFor('192.0.2.9', ['eth0'], links);
    expect(read(['eth0', 'mir0', 'mir1'])).toEqual({interfaces: ['lo', 'eth0', 'mir0', 'mir1'], left: []});
    expect(read(['a', 'b', 'c'])).toEqual({interfaces: ['lo', 'eth0'], left: ['a', 'b', 'c']});
  });

  test('43-1 a name that no interface has is refused with the names that there are', async () => {
    expect(await whyNoInterface(['lo'])).toBeUndefined();
    expect(await whyNoInterface(['lo', 'nope0'])).toMatch(
      /^--capture-interface nope0: there is no such interface, only (.+, )?lo(, .+)?: name one of these, or create it first$/,
    );
  });
});

describe('43-1 what Suricata is set up with', () => {
  test('43-1 the filter names address, ports, VNI and senders, and takes fragments', () => {
    expect(bpfFilter('10.7.0.1', 5, [])).toBe(
      'ip and udp and dst host 10.7.0.1 and ((udp dst port 4789 and udp[8] & 8 != 0 and udp[15] = 0 and udp[12:4] & 0xffffff00 = 1280) or (udp dst port 6081 and udp[12:4] & 0xffffff00 = 1280) or (ip[6:2] & 0x1fff != 0))',
    );
    expect(bpfFilter('10.7.0.1', undefined, ['10.0.0.0/8', 'fd00::/8', '192.0.2.1/32'])).toBe(
      'ip and udp and dst host 10.7.0.1 and (src net 10.0.0.0/8 or src net 192.0.2.1/32) and ((udp dst port 4789 and udp[8] & 8 != 0 and udp[15] = 0) or (udp dst port 6081) or (ip[6:2] & 0x1fff != 0))',
    );
  });

  test('43-1 each interface of each endpoint has a cluster id of its own', () => {
    const ids = (seed: number): string[] =>
      afPacketConfig([{name: 'lo'}, {name: 'eth0', filter: 'udp'}], seed).match(/cluster-id: \d+/g) ?? [];
    expect(new Set([...ids(7), ...ids(8), ...ids(9)]).size).toBe(6);
  });

  test('43-1 a device has the name of its data folder and VNI, in 15 characters', async () => {
    const [here, there] = await Promise.all([deviceOwner('/tmp'), deviceOwner('/')]);
    expect(deviceName(here, 16_777_215)).toMatch(/^p[0-9a-z]{5}-16777215$/);
    expect([here.prefix === there.prefix, here.alias.endsWith(' /tmp')]).toEqual([false, true]);
  });
});

describe('43-3 packets that Suricata never saw', () => {
  test('43-3 exact when its count is as new as what arrived, and never more than that before', () => {
    const gap = new EngineGap(8_000);
    gap.sample(0, 0);
    gap.runs(true, 0);
    gap.sample(10_000, 100);
    expect(gap.missed(10_000, 40, 1)).toBe(0); // its count may be older than the packets
    gap.sample(19_000, 100);
    expect([gap.missed(19_000, 60, 1), gap.missed(19_000, 95, 2)]).toEqual([0, 5]);
  });

  test('43-3 all that arrives while it does not run', () => {
    const gap = new EngineGap(8_000);
    gap.sample(0, 30);
    expect(gap.missed(0, 0, 0)).toBe(30);
    gap.runs(true, 1_000);
    expect(gap.missed(1_000, 0, 1)).toBe(30);
    gap.runs(false, 2_000);
    gap.sample(2_000, 50);
    expect(gap.missed(2_000, 15, 2)).toBe(35);
  });

  test('43-1 it hangs when its threads stand still while packets arrive, not when nothing arrives', () => {
    const gap = new EngineGap(8_000);
    gap.runs(true, 0);
    expect([gap.stalledMs(1_000, 5), gap.stalledMs(60_000, 5)]).toEqual([0, 0]);
    gap.sample(61_000, 1);
    expect([gap.stalledMs(62_000, 5), gap.stalledMs(63_000, 6), gap.stalledMs(64_000, 6)]).toEqual([61_000, 0, 0]);
    gap.sample(64_500, 2);
    expect(gap.stalledMs(65_000, 6)).toBe(2_000);
    expect(gap.stalledMs(66_000, undefined)).toBe(0);
  });

  test('43-1 at the ports they are what the samples say, and of a foreign VNI where these say nothing', () => {
    const nothing = {own: 0, foreign: 0, malformed: 0, refused: 0};
    expect(splitOf(7, 0, NO_SAMPLES)).toEqual({...nothing, foreign: 7});
    expect(splitOf(7, 0, {...NO_SAMPLES, own: 9})).toEqual({...nothing, foreign: 7});
    expect(splitOf(7, 5, {...NO_SAMPLES, own: 9})).toEqual({...nothing, own: 5, foreign: 2});
    expect(splitOf(8, 0, {...NO_SAMPLES, malformed: 1, refused: 2, foreign: 1})).toEqual({
      own: 0,
      foreign: 2,
      malformed: 2,
      refused: 4,
    });
  });
});

describe('43-1 packets that arrive on an interface that is not read', () => {
  const missed = {own: 0, malformed: 0, refused: 0, foreign: 20};
  const samples = {...NO_SAMPLES, total: 20, own: 2};

  test('43-1 have their own name, also after some that came another way; a few are not judged', () => {
    const unseen = {isUnseen: true, notCaptured: 20, foreign: 0};
    expect([unseenOf(missed, 0, samples, 5, 0), unseenOf(missed, 12, samples, 5, 0)]).toEqual([unseen, unseen]);
    const few = {isUnseen: false, notCaptured: 0, foreign: 4};
    expect(unseenOf({...missed, foreign: 4}, 0, samples, 5, 0)).toEqual(few);
  });

  test('43-1 packets of a foreign VNI, or few beside many that are inspected, are none of them', () => {
    const foreign = {isUnseen: false, notCaptured: 0, foreign: 20};
    expect(unseenOf(missed, 0, {...samples, own: 0}, 5, 0)).toEqual(foreign);
    expect(unseenOf(missed, 0, {...samples, foreign: 1}, 5, 0)).toEqual(foreign);
    expect(unseenOf(missed, 1000, samples, 5, 0)).toEqual(foreign);
  });

  test('43-1 what was counted so stays counted so when others are inspected later: no count goes back', () => {
    const later = {...missed, foreign: 23};
    expect(unseenOf(later, 1000, samples, 5, 20)).toEqual({isUnseen: false, notCaptured: 20, foreign: 3});
  });
});
