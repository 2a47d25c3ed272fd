// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {type Machine, waysOut} from './ways-out.ts';

const WANTED = 4_194_304;
const MACHINE: Machine = {rmemMaxBytes: 212_992, cores: 2, driverNamed: true, netAdmin: false, netRaw: false};
const REST = 'mirror less traffic, or give the server more processor time (this host has 2 cores)';

test.each<[string, Machine, string]>([
  [
    'a small limit of the buffer: its value and the needed one, and the rights for another driver',
    MACHINE,
    `raise net.core.rmem_max from 212992 to 4194304 and restart the server, give the server CAP_NET_ADMIN and CAP_NET_RAW for the driver afpacket, ${REST}`,
  ],
  [
    'a buffer that is large enough is not advised; a driver that may be used is',
    {...MACHINE, rmemMaxBytes: WANTED, netAdmin: true, netRaw: true},
    `start the server with --driver afpacket, which this process may use, ${REST}`,
  ],
  [
    'with CAP_NET_RAW alone the driver is afpacket-bpf',
    {...MACHINE, rmemMaxBytes: WANTED, netRaw: true},
    `start the server with --driver afpacket-bpf, which this process may use, ${REST}`,
  ],
])('43-3 dropped in the socket of the relay: %s', (_, machine, text) => {
  expect(waysOut('relay', machine, WANTED).socket).toBe(text);
});

test('43-3 a driver that was chosen for the user is the best one, so no other is advised but for rights', () => {
  const chosen = {...MACHINE, rmemMaxBytes: WANTED, driverNamed: false, netRaw: true};
  expect(waysOut('relay', {...chosen, netAdmin: true}, WANTED).socket).toBe(REST);
  expect(waysOut('relay', chosen, WANTED).socket).toBe(
    `give the server CAP_NET_ADMIN and CAP_NET_RAW for the driver afpacket, ${REST}`,
  );
});

test('43-3 dropped in the packet ring of Suricata: cores, and no other driver', () => {
  expect(waysOut('afpacket', {...MACHINE, cores: 1, netAdmin: true, netRaw: true}, WANTED).kernel).toBe(
    'mirror less traffic, use fewer rules, or give Suricata more processor time (this host has 1 core)',
  );
});
