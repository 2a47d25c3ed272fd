// SPDX-License-Identifier: Apache-2.0
/** The set-up of a mirror on Linux with tc, for people. */
import type {MirrorSetUp} from '../sensor/mirror-set-up.ts';
import {type Form, linesOf, setUpSteps, type Target, takeDownSteps} from './plan.ts';

export type Attach = Target & {readonly driver: string};
export type SetUp = MirrorSetUp;

export const GUIDE = 'docs/guides/attach-a-mirror.md';
/** Bytes that the outer headers add: Ethernet, IPv4, UDP, VXLAN. */
const VXLAN_BYTES = 50;

/** Every host answers these on its own loopback interface only. */
export const isLoopback = (ip: string): boolean => ip.startsWith('127.');

export const LOOPBACK_NOTE =
  'addresses in 127.0.0.0/8 are reachable from the host of the server only. To receive from other hosts, start the server with --endpoint-pool and a range that the network routes to it, and create the endpoint again';

const geneve = ({ip, vni}: Attach, from: string): string[] => [
  `ip link add pmgeneve type geneve id ${vni} remote ${ip} dstport 6081`,
  'ip link set dev pmgeneve up',
  `tc filter add dev ${from} ingress protocol all pref 25000 u32 match u32 0 0 action mirred egress mirror dev pmgeneve continue`,
  `tc filter add dev ${from} egress protocol all pref 25001 u32 match u32 0 0 action mirred egress mirror dev pmgeneve continue`,
];

const driverNote = (driver: string): readonly string[] =>
  driver === 'afpacket'
    ? ['the driver afpacket takes VXLAN only; for GENEVE start the server with --driver relay or afpacket-bpf']
    : [];

/** `from`: the interface to mirror. */
export const linuxSetUp = (attach: Attach, from: string): SetUp => {
  const isLocal = isLoopback(attach.ip);
  const form: Form = isLocal ? 'detour' : 'plain';
  return {
    title: isLocal ? `Linux, on the host of the server, mirroring ${from}` : `Linux, on the host that has ${from}`,
    sections: [
      {
        about: 'run these commands as root, or run palisade mirror --apply',
        commands: linesOf(setUpSteps(attach, form, from)),
      },
      {about: 'remove the mirror, also as root', commands: linesOf(takeDownSteps(attach, form, from))},
      ...(isLocal || attach.driver === 'afpacket'
        ? []
        : [
            {
              about: 'to send GENEVE instead of VXLAN, run these commands in place of the two with "action mirred"',
              commands: geneve(attach, from),
            },
          ]),
    ],
    notes: [
      ...(isLocal
        ? [`${attach.ip}: ${LOOPBACK_NOTE}`]
        : [
            `MTU: an outer packet is ${VXLAN_BYTES} bytes longer than the mirrored frame. Set the MTU of the way to ${attach.ip} to ${1500 + VXLAN_BYTES} or more; otherwise packets are fragmented, and lost where fragments are blocked`,
            `firewall: allow UDP 4789 (GENEVE: 6081) from this host to ${attach.ip}`,
          ]),
      `filters with "flowid" skip packets to ${attach.ip} and ICMP errors about them, so that ${from} may also be the way to the endpoint`,
      'if the interface already has a clsact qdisc, leave out "tc qdisc add" and, at the end, "tc qdisc del"; delete the filters by their pref',
      ...driverNote(attach.driver),
    ],
  };
};
