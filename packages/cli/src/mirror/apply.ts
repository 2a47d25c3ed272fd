// SPDX-License-Identifier: Apache-2.0
/** Which commands bring a mirror about on this host, given what is on it already. */
import {
  ALIAS_MAX,
  aliasStep,
  clsactStep,
  DIRECTIONS,
  deviceSteps,
  type Form,
  filterSteps,
  freePrefs,
  isOurClass,
  isOurCookie,
  namesOf,
  parseAlias,
  type Step,
  type Target,
  toAlias,
  VXLAN_PORT,
} from '@palisade/ids-wire/mirror';
import type {RunProgram} from '@palisade/server/run-program';
import {CommandError} from '../command-line/io.ts';
import {type Kernel, type Link, remotesOf, type Way} from './kernel.ts';
import {claimedClsact, type Own, ownParts, removalSteps} from './remove.ts';

/** Devices whose packets leave through another interface in a form that our filters do not recognise. */
const HIDING_KINDS = new Set([
  'vlan',
  'wireguard',
  'ppp',
  'tun',
  'ipip',
  'gre',
  'gretap',
  'sit',
  'vti',
  'xfrm',
  'vxlan',
  'geneve',
]);

export type Plan = {
  /** Of an earlier mirror of this endpoint that does not fit; they run first. */
  readonly removal: readonly Step[];
  readonly steps: readonly Step[];
  readonly form: Form;
};

/** Throws CommandError with every fault. */
export const checkInterface = (kernel: Kernel, {dev, isLocal}: Way, from: string, {ip}: Target): void => {
  const link = kernel.links.find(({name}) => name === from);
  const way = kernel.links.find(({name}) => name === dev);
  const names = kernel.links.map(({name}) => name).filter(name => !name.startsWith('pm'));
  const faults: string[] = [];
  if (link === undefined) faults.push(`--from ${from}: this host has no such interface; it has ${names.join(', ')}`);
  else if (parseAlias(link.alias) !== undefined)
    faults.push(`--from ${from}: this is a device of a mirror; give an interface with traffic of its own`);
  if (kernel.ingress.includes(from))
    faults.push(
      `--from ${from}: it has an ingress qdisc, which excludes clsact; replace it: tc qdisc del dev ${from} ingress`,
    );
  if (!isLocal && dev !== from && way?.kind !== undefined && HIDING_KINDS.has(way.kind))
    faults.push(
      `--from ${from}: ${ip} is reached through ${dev} (${way.kind}); if its packets leave by ${from}, each copy would be copied again, without end; mirror ${dev} instead, or route ${ip} around it`,
    );
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
};

const formFor = (kernel: Kernel, {isLocal}: Way, own: Own): Form => {
  if (isLocal) return 'detour';
  const isOwnPort = own.links.some(({port}) => port === VXLAN_PORT);
  return kernel.isPortTaken && !isOwnPort ? 'side' : 'plain';
};

/** True if the device of an earlier run sends to the target. */
const isRight = async (run: RunProgram, target: Target, form: Form, own: Own): Promise<boolean> => {
  const {device, near, far} = namesOf(target.endpoint);
  const byName = new Map(own.links.map(link => [link.name, link]));
  const link = byName.get(device);
  const isWhole = (one: Link | undefined): boolean =>
    one?.isUp === true && parseAlias(one.alias)?.endpoint === target.endpoint;
  if (link === undefined || !isWhole(link) || link.vni !== target.vni) return false;
  if (form === 'plain') return link.remote === target.ip && link.port === VXLAN_PORT;
  if (form === 'detour' && !(isWhole(byName.get(near)) && isWhole(byName.get(far)))) return false;
  const remotes = await remotesOf(run, device);
  return remotes.some(({dst, port}) => dst === target.ip && port === VXLAN_PORT);
};

/** True if the interface has every filter of the mirror. */
const isMirrored = (own: Own, {endpoint}: Target, dev: string): boolean => {
  const {cookie, classId, device} = namesOf(endpoint);
  return DIRECTIONS.every(direction => {
    const here = own.filters.filter(filter => filter.dev === dev && filter.direction === direction);
    const skips = here.filter(filter => filter.classId === classId).length;
    return skips >= 2 && here.some(filter => filter.cookie === cookie && filter.toDev === device);
  });
};

const interfaceSteps = (kernel: Kernel, target: Target, dev: string, isNewQdisc: boolean): Step[] => {
  const taken = kernel.filters.filter(filter => filter.dev === dev).map(({pref}) => pref);
  return [...(isNewQdisc ? [clsactStep(dev)] : []), ...filterSteps(target, dev, freePrefs(taken))];
};

/** Without the parts of `own`. */
const without = (kernel: Kernel, own: Own, gone: readonly Step[]): Kernel => {
  const dropped = gone.filter(({argv}) => argv[1] === 'qdisc').map(({argv}) => argv[4] ?? '');
  return {
    ...kernel,
    links: kernel.links.filter(link => !own.links.includes(link)),
    filters: kernel.filters.filter(filter => !own.filters.includes(filter)),
    clsact: kernel.clsact.filter(dev => !dropped.includes(dev)),
  };
};

const checkAlias = (endpoint: string, clsact: readonly string[]): void => {
  if (toAlias({endpoint, clsact}).length > ALIAS_MAX)
    throw new CommandError(`${endpoint} is mirrored from too many interfaces of this host; remove one first`);
};

/** An empty plan: all is in place. Throws CommandError. */
export const planApply = async (
  run: RunProgram,
  kernel: Kernel,
  way: Way,
  target: Target,
  from: string,
): Promise<Plan> => {
  checkInterface(kernel, way, from, target);
  const own = ownParts(kernel, target.endpoint);
  const form = formFor(kernel, way, own);
  const {device} = namesOf(target.endpoint);
  const foreign = kernel.links.find(({name}) => name === device && !own.links.some(link => link.name === name));
  if (foreign !== undefined)
    throw new CommandError(`the device ${device} exists, but is not of this mirror; rename or delete it`);
  const claimed = claimedClsact(kernel);
  if (await isRight(run, target, form, own)) {
    if (isMirrored(own, target, from)) return {removal: [], steps: [], form};
    const parts = {...own, links: [], clsact: [], filters: own.filters.filter(({dev}) => dev === from)};
    const isNewQdisc = !kernel.clsact.includes(from);
    const isOurs = isNewQdisc || claimed.has(from);
    const claims = [...new Set([...own.clsact, ...(isOurs ? [from] : [])])];
    checkAlias(target.endpoint, claims);
    const rest = without(kernel, parts, []);
    const alias: Step = {
      ...aliasStep(device, target.endpoint, claims),
      undo: aliasStep(device, target.endpoint, own.clsact).argv,
    };
    return {
      removal: removalSteps(kernel, parts),
      steps: [...(claims.length > own.clsact.length ? [alias] : []), ...interfaceSteps(rest, target, from, isNewQdisc)],
      form,
    };
  }
  const removal = removalSteps(kernel, own);
  const rest = without(kernel, own, removal);
  const devs = [...new Set([...own.filters.map(({dev}) => dev), from])];
  const claims = devs.filter(dev => !rest.clsact.includes(dev) || claimed.has(dev));
  checkAlias(target.endpoint, claims);
  return {
    removal,
    steps: [
      ...deviceSteps(target, form, claims),
      ...devs.flatMap(dev => interfaceSteps(rest, target, dev, !rest.clsact.includes(dev))),
    ],
    form,
  };
};

/** Interfaces that are mirrored to the endpoint. */
export const mirroredFrom = (own: Own): string[] => [
  ...new Set(own.filters.filter(({cookie}) => isOurCookie(cookie)).map(({dev}) => dev)),
];

/** Filters of others with a higher precedence than ours: they may end the classification first. */
export const foreignBefore = (kernel: Kernel, dev: string): number =>
  kernel.filters.filter(
    filter => filter.dev === dev && filter.pref < 20_000 && !isOurCookie(filter.cookie) && !isOurClass(filter.classId),
  ).length;
