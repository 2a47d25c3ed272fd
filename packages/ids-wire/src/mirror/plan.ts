// SPDX-License-Identifier: Apache-2.0
/** The commands that make a mirror with `ip` and `tc`, and those that take it away. Pure. */
import {type MirrorNames, namesOf, toAlias} from './names.ts';
import {shellWord} from './shell-word.ts';

export const DIRECTIONS = ['ingress', 'egress'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** UDP port of VXLAN. Ref: RFC 7348 section 8. */
export const VXLAN_PORT = 4789;
/** Where a device listens that shares this host with another owner of UDP 4789; nobody sends to it. */
export const SIDE_PORT = 14_789;
/** Link-local addresses of the detour to an address of this host. */
const NEAR_IP = '169.254.47.89';
const FAR_IP = '169.254.47.90';
/** Locally administered hardware address of the far end. */
const FAR_MAC = '02:50:4d:00:00:02';
const ANY_MAC = '00:00:00:00:00:00';
/** No packet on a virtual link is longer. */
const LINK_MTU = '65535';
/** Preferences of our filters: every skip comes before every mirror. */
export const SKIP_PREFS = 20_000;
export const MIRROR_PREFS = 25_000;

/** `plain`: to another host. `side`: the same where UDP 4789 has an owner. `detour`: to an address of this host. */
export type Form = 'plain' | 'side' | 'detour';
export type Target = {
  readonly endpoint: string;
  readonly ip: string;
  readonly vni: number;
};
/** One command. `isOptional`: its object may be absent on this host. */
export type Step = {
  readonly argv: readonly string[];
  readonly undo?: readonly string[];
  readonly isOptional?: true;
};
export type Prefs = Readonly<Record<Direction, {readonly skip: number; readonly mirror: number}>>;

export const commandLine = (argv: readonly string[]): string => argv.map(shellWord).join(' ');
/** As a user types them. */
export const linesOf = (steps: readonly Step[]): string[] =>
  steps.map(({argv, isOptional}) => `${commandLine(argv)}${isOptional === true ? ' || true' : ''}`);

const step = (line: string, undo?: string): Step => ({
  argv: line.split(' '),
  ...(undo === undefined ? {} : {undo: undo.split(' ')}),
});
const setting = (key: string, value: number): Step => ({argv: ['sysctl', '-qw', `net.${key}=${value}`]});
/** A host without IPv6 has no such setting. */
const noIpv6 = (device: string): Step => ({...setting(`ipv6.conf.${device}.disable_ipv6`, 1), isOptional: true});

export const aliasStep = (device: string, endpoint: string, clsact: readonly string[]): Step => ({
  argv: ['ip', 'link', 'set', 'dev', device, 'alias', toAlias({endpoint, clsact})],
});

/**
 * A veth pair to ourselves: the kernel's vxlan device hands a frame for an address of this host to a device with the same VNI, never to a
 * socket, unless the route leaves through an interface of its own.
 */
const detour = ({near, far}: MirrorNames, {endpoint, ip}: Target): Step[] => [
  step(`ip link add ${near} type veth peer name ${far} address ${FAR_MAC}`, `ip link del ${near}`),
  aliasStep(near, endpoint, []),
  aliasStep(far, endpoint, []),
  noIpv6(near),
  noIpv6(far),
  setting(`ipv4.conf.${far}.rp_filter`, 2),
  setting(`ipv4.conf.${far}.accept_local`, 1),
  setting(`ipv4.conf.${far}.route_localnet`, 1),
  step(`ip addr add ${NEAR_IP}/32 dev ${near}`),
  step(`ip addr add ${FAR_IP}/32 dev ${far}`),
  step(`ip link set dev ${near} mtu ${LINK_MTU} up`),
  step(`ip link set dev ${far} mtu ${LINK_MTU} up`),
  step(`ip neigh add ${ip} dev ${near} lladdr ${FAR_MAC} nud permanent`),
];

/** The device that encapsulates. `clsact`: interfaces that get a clsact qdisc in later steps. */
export const deviceSteps = (target: Target, form: Form, clsact: readonly string[]): Step[] => {
  const names = namesOf(target.endpoint);
  const {device, near} = names;
  const {ip, vni, endpoint} = target;
  const place = form === 'detour' ? ` local ${NEAR_IP} dev ${near}` : '';
  const end =
    form === 'plain' ? `remote ${ip} dstport ${VXLAN_PORT} nolearning` : `dstport ${SIDE_PORT} nolearning${place}`;
  const via = form === 'detour' ? ` via ${near}` : '';
  return [
    ...(form === 'detour' ? detour(names, target) : []),
    step(`ip link add ${device} type vxlan id ${vni} ${end}`, `ip link del ${device}`),
    aliasStep(device, endpoint, clsact),
    noIpv6(device),
    ...(form === 'plain'
      ? []
      : [step(`bridge fdb append ${ANY_MAC} dev ${device} dst ${ip} port ${VXLAN_PORT}${via}`)]),
    step(`ip link set dev ${device} up`),
  ];
};

/** An IPv4 address as u32 matches it. */
const hexOf = (ip: string): string =>
  `0x${ip
    .split('.')
    .map(part => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;

export const clsactStep = (dev: string): Step =>
  step(`tc qdisc add dev ${dev} clsact`, `tc qdisc del dev ${dev} clsact`);

/**
 * The filters of one interface. Packets to the endpoint, their fragments, and ICMP errors about them are skipped: a copy of a copy would be
 * copied again, without end. `continue` lets filters of others see each packet.
 */
export const filterSteps = (target: Target, dev: string, prefs: Prefs): Step[] => {
  const {device, cookie, classId} = namesOf(target.endpoint);
  return DIRECTIONS.flatMap(direction => {
    const {skip, mirror} = prefs[direction];
    const add = `tc filter add dev ${dev} ${direction}`;
    const del = `tc filter del dev ${dev} ${direction}`;
    const skipping = `${add} protocol ip pref ${skip} u32 match ip protocol`;
    const undoSkip = `${del} protocol ip pref ${skip}`;
    return [
      step(`${skipping} 17 0xff match ip dst ${target.ip}/32 flowid ${classId}`, undoSkip),
      step(`${skipping} 1 0xff match u32 ${hexOf(target.ip)} 0xffffffff at 44 flowid ${classId}`), // goes with the first
      step(
        `${add} protocol all pref ${mirror} u32 match u32 0 0 action mirred egress mirror dev ${device} continue cookie ${cookie}`,
        `${del} protocol all pref ${mirror}`,
      ),
    ];
  });
};

/** Preferences for a host without other filters. */
export const FIRST_PREFS: Prefs = {
  ingress: {skip: SKIP_PREFS, mirror: MIRROR_PREFS},
  egress: {skip: SKIP_PREFS + 1, mirror: MIRROR_PREFS + 1},
};

/** The lowest ones that no filter of the interface has, in either direction. */
export const freePrefs = (taken: readonly number[]): Prefs => {
  const used = new Set(taken);
  const next = (from: number): number => {
    let pref = from;
    while (used.has(pref)) pref++;
    used.add(pref);
    return pref;
  };
  return {
    ingress: {skip: next(SKIP_PREFS), mirror: next(MIRROR_PREFS)},
    egress: {skip: next(SKIP_PREFS), mirror: next(MIRROR_PREFS)},
  };
};

/** For people: the whole set-up of a host that has nothing of it yet. */
export const setUpSteps = (target: Target, form: Form, dev: string): Step[] => [
  ...deviceSteps(target, form, [dev]),
  clsactStep(dev),
  ...filterSteps(target, dev, FIRST_PREFS),
];

/** The end of `setUpSteps`. */
export const takeDownSteps = (target: Target, form: Form, dev: string): Step[] => {
  const {device, near} = namesOf(target.endpoint);
  return [
    step(`tc qdisc del dev ${dev} clsact`),
    step(`ip link del ${device}`),
    ...(form === 'detour' ? [step(`ip link del ${near}`)] : []),
  ];
};
