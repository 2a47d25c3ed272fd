// SPDX-License-Identifier: Apache-2.0
/** What takes a mirror away: exactly the objects that carry its marks. Pure. */
import {
  aliasStep,
  type MirrorAlias,
  mayBeDeviceOf,
  namesOf,
  parseAlias,
  type Step,
  toAlias,
} from '@palisade/ids-wire/mirror';
import type {Filter, Kernel, Link} from './kernel.ts';

/** Parts of one mirror. */
export type Own = {
  readonly endpoint: string;
  readonly links: readonly Link[];
  readonly filters: readonly Filter[];
  /** Interfaces whose clsact qdisc is ours. */
  readonly clsact: readonly string[];
};

export const mirrorsOf = (kernel: Kernel): readonly MirrorAlias[] =>
  kernel.links.flatMap(link => parseAlias(link.alias) ?? []);

/** Interfaces that have a clsact qdisc because of any mirror. */
export const claimedClsact = (kernel: Kernel): ReadonlySet<string> =>
  new Set(mirrorsOf(kernel).flatMap(({clsact}) => clsact));

/** `endpoint`: the full resource name. */
export const ownParts = (kernel: Kernel, endpoint: string): Own => {
  const {device, near, far, cookie, classId} = namesOf(endpoint);
  const isOwnLink = (link: Link): boolean => {
    const alias = parseAlias(link.alias);
    if (alias !== undefined) return alias.endpoint === endpoint;
    // A crash may have come between the device and its alias.
    return (
      link.alias === undefined &&
      ((link.name === device && link.kind === 'vxlan') || ([near, far].includes(link.name) && link.kind === 'veth'))
    );
  };
  const links = kernel.links.filter(isOwnLink);
  return {
    endpoint,
    links,
    filters: kernel.filters.filter(filter => filter.cookie === cookie || filter.classId === classId),
    clsact: [...new Set(links.flatMap(link => parseAlias(link.alias)?.clsact ?? []))],
  };
};

/** Full names of the mirrors on this host that `word`, a full name or an id, stands for. */
export const mirroredEndpoints = (kernel: Kernel, word: string): string[] => {
  if (word.includes('/')) return [word];
  const names = mirrorsOf(kernel).map(({endpoint}) => endpoint);
  return [...new Set(names)].filter(name => name.endsWith(`/endpoints/${word}`));
};

/** Devices without an alias that a crash may have left of an endpoint with this id. */
export const namelessDevices = (kernel: Kernel, id: string): readonly Link[] =>
  kernel.links.filter(
    ({name, alias, kind}) => alias === undefined && (kind === 'vxlan' || kind === 'veth') && mayBeDeviceOf(id, name),
  );

export const linkSteps = (links: readonly Link[]): Step[] => {
  const vxlan = links.filter(({kind}) => kind === 'vxlan');
  const veth = links.filter(({kind, name}) => kind === 'veth' && name.endsWith('a')); // the other end goes with it
  return [...vxlan, ...veth].map(({name}) => ({argv: ['ip', 'link', 'del', name]}));
};

const placeOf = ({dev, direction, protocol, pref}: Filter): string =>
  `dev ${dev} ${direction} protocol ${protocol} pref ${pref}`;

/** The whole preference, or match by match where somebody else has put one there. */
const filterSteps = (kernel: Kernel, going: readonly Filter[]): Step[] => {
  const places = Map.groupBy(going, placeOf);
  return [...places].flatMap(([place, ours]) => {
    const isShared = kernel.filters.some(
      filter => filter.handle !== undefined && placeOf(filter) === place && !ours.includes(filter),
    );
    const ends = isShared ? ours.map(({handle = ''}) => ` handle ${handle} u32`) : [''];
    return ends.map(end => ({argv: `tc filter del ${place}${end}`.split(' ')}));
  });
};

/**
 * `from`: of this interface only; the device stays while other interfaces use it. A clsact qdisc of ours goes with the last filter on it,
 * whoever made that filter.
 */
export const removalSteps = (kernel: Kernel, own: Own, from?: string): Step[] => {
  const going = own.filters.filter(({dev}) => from === undefined || dev === from);
  const staying = kernel.filters.filter(filter => filter.handle !== undefined && !going.includes(filter));
  const emptied = own.clsact.filter(
    dev => (from === undefined || dev === from) && kernel.clsact.includes(dev) && !staying.some(f => f.dev === dev),
  );
  const isLast = going.length === own.filters.length;
  const device = own.links.find(({kind, name}) => kind === 'vxlan' && name === namesOf(own.endpoint).device);
  const claims = own.clsact.filter(dev => dev !== from);
  return [
    ...filterSteps(kernel, going),
    ...emptied.map(dev => ({argv: ['tc', 'qdisc', 'del', 'dev', dev, 'clsact']})),
    ...(isLast ? linkSteps(own.links) : []),
    ...(isLast || device === undefined || toAlias({endpoint: own.endpoint, clsact: claims}) === device.alias
      ? []
      : [aliasStep(device.name, own.endpoint, claims)]),
  ];
};
