// SPDX-License-Identifier: Apache-2.0
/**
 * The slices that an Endpoints object asks for, before they are cut to size: its endpoints by address family and set of ports.
 * Ref: kubernetes v1.36 pkg/controller/endpointslicemirroring/{reconciler,reconciler_helpers,utils}.go.
 */
import {isDeepStrictEqual} from 'node:util';
import {formatIp, packSubsets, parseIpSloppy, type SubsetLike} from '@palisade/kube-wire';
import type {SliceEndpoint, SlicePort} from '../endpoint-slices/types.ts';
import {isPlainIpv4} from '../endpoints/plain-ipv4.ts';
import type {EndpointAddress, EndpointPort, Endpoints} from '../endpoints/types.ts';

export type AddressFamily = 'IPv4' | 'IPv6';

/** Endpoints that may share slices, each by its identity. */
export type SliceGroup = {
  readonly addressType: AddressFamily;
  readonly ports: readonly SlicePort[];
  readonly endpoints: ReadonlyMap<string, SliceEndpoint>;
};

export type Desired = {
  /** By `groupKey`. */
  readonly groups: ReadonlyMap<string, SliceGroup>;
  /** Addresses that are no IP. */
  readonly invalid: number;
  /** Addresses that were left out, for whatever reason. */
  readonly skipped: number;
};

export type MirrorRules = {
  /** Addresses of one set of ports that are mirrored. Undefined: all. */
  readonly addressesMax: number | undefined;
  /** Names that consumers act on for those of the specification, and no failure for ports that share a name. */
  readonly translate: boolean;
};

/** Addresses times ports of one object. What is beyond takes more memory and time than others can spare. */
export const PAIRS_MAX = 500_000;

/** Addresses times ports, as sent. */
export const pairsOf = ({subsets = []}: Endpoints): number =>
  subsets.reduce(
    (sum, {addresses = [], notReadyAddresses = [], ports = []}) =>
      sum + (addresses.length + notReadyAddresses.length) * Math.max(ports.length, 1),
    0,
  );

type Address = EndpointAddress & {ip: string};
type Port = EndpointPort & {port: number};
type Packed = {readonly addresses: readonly Address[]; readonly notReady: readonly Address[]; readonly ports: Port[]};

export const desiredOf = (object: Endpoints, rules: MirrorRules): Desired => {
  const groups = new Map<string, SliceGroup & {readonly endpoints: Map<string, SliceEndpoint>}>();
  let invalid = 0;
  let skipped = 0;
  for (const {addresses, notReady, ports} of subsetsOf(object, rules)) {
    const sets = portSets(ports, rules).map(set => {
      const kept = set.map(port => slicePort(port, rules));
      return {ports: kept, keys: {IPv4: groupKey('IPv4', kept), IPv6: groupKey('IPv6', kept)}};
    });
    let left = rules.addressesMax ?? Number.POSITIVE_INFINITY;
    const add = (address: Address, ready: boolean): void => {
      const endpoint = left > 0 ? sliceEndpoint(address, ready) : undefined;
      if (endpoint === undefined) {
        skipped++;
        if (left > 0) invalid++;
        return;
      }
      left--;
      const [ip = ''] = endpoint.addresses ?? [];
      const addressType = ip.includes(':') ? 'IPv6' : 'IPv4';
      for (const set of sets) {
        const key = set.keys[addressType];
        const group = groups.get(key) ?? {addressType, ports: set.ports, endpoints: new Map()};
        groups.set(key, group);
        group.endpoints.set(endpointKey(endpoint), endpoint);
      }
    };
    for (const address of addresses) add(address, true);
    for (const address of notReady) add(address, false);
  }
  return {groups, invalid, skipped};
};

/** Equal for slices that endpoints may move between. The order of ports does not matter. */
export const groupKey = (addressType: string, ports: readonly SlicePort[]): string => {
  const texts = ports.map(({name, protocol, port, appProtocol}) =>
    JSON.stringify([name ?? '', protocol ?? '', port ?? null, appProtocol ?? null]),
  );
  return `${addressType} ${texts.length > 1 ? texts.sort().join() : (texts[0] ?? '')}`;
};

/** Two endpoints with equal keys are versions of one. Ref: k8s.io/endpointslice util/endpointset.go hashEndpoint. */
export const endpointKey = ({addresses, hostname, targetRef}: SliceEndpoint): string => {
  const ips = addresses?.length === 1 ? (addresses[0] ?? '') : [...(addresses ?? [])].sort().join();
  if (hostname === undefined && targetRef === undefined) return ips;
  return `${ips}\n${hostname ?? ''}\n${targetRef?.namespace ?? ''}\n${targetRef?.name ?? ''}`;
};

/** The version of the referred object does not count. Ref: endpointslice util/controller_utils.go EndpointsEqualBeyondHash. */
export const isSameEndpoint = (a: SliceEndpoint, b: SliceEndpoint): boolean =>
  a.nodeName === b.nodeName &&
  a.zone === b.zone &&
  a.conditions?.ready === b.conditions?.ready &&
  a.conditions?.serving === b.conditions?.serving &&
  a.conditions?.terminating === b.conditions?.terminating &&
  (a.targetRef === b.targetRef || isDeepStrictEqual(withoutVersion(a.targetRef), withoutVersion(b.targetRef)));

const withoutVersion = (target: SliceEndpoint['targetRef']): object | undefined =>
  target === undefined ? undefined : {...target, resourceVersion: undefined};

const subsetsOf = ({subsets = []}: Endpoints, {translate}: MirrorRules): readonly Packed[] => {
  const packed = packSubsets(subsets as readonly SubsetLike<Address, Port>[]).map(
    ({addresses = [], notReadyAddresses = [], ports = []}): Packed => ({
      addresses,
      notReady: notReadyAddresses,
      ports: [...ports],
    }),
  );
  return translate ? packed : withoutPortlessTwin(packed);
};

/** Upstream joins a subset without ports and one that has ports and the same addresses. Ref: pkg/api/v1/endpoints/util.go RepackSubsets. */
const withoutPortlessTwin = (packed: readonly Packed[]): readonly Packed[] => {
  const portless = packed.find(({ports}) => ports.length === 0);
  const isTwin = ({addresses, notReady, ports}: Packed): boolean =>
    ports.length > 0 && isDeepStrictEqual([addresses, notReady], [portless?.addresses, portless?.notReady]);
  return portless !== undefined && packed.some(isTwin) ? packed.filter(each => each !== portless) : packed;
};

/** Names are unique within a slice, but not within Endpoints: ports that share one go to slices of their own. */
const portSets = (ports: readonly Port[], {translate}: MirrorRules): readonly (readonly Port[])[] => {
  if (ports.length < 2 || !translate) return [ports];
  const used = new Map<string, number>();
  const sets: Port[][] = [];
  for (const port of ports) {
    const name = port.name ?? '';
    const index = used.get(name) ?? 0;
    used.set(name, index + 1);
    const set = sets[index];
    if (set === undefined) sets.push([port]);
    else set.push(port);
  }
  return sets;
};

/** E-100: the specification's names, and those with the same meaning that consumers act on. */
const CONSUMER_NAMES: Readonly<Record<string, string>> = {
  'platform.io/h2c': 'kubernetes.io/h2c',
  'platform.io/ws': 'kubernetes.io/ws',
  'platform.io/wss': 'kubernetes.io/wss',
};

const slicePort = ({name = '', port, protocol = 'TCP', appProtocol}: Port, {translate}: MirrorRules): SlicePort => {
  const translated = translate && appProtocol !== undefined && Object.hasOwn(CONSUMER_NAMES, appProtocol);
  const named = translated ? CONSUMER_NAMES[appProtocol] : appProtocol;
  return {name, protocol, port, ...(named !== undefined && {appProtocol: named})};
};

/** Undefined for an address that is no IP. */
const sliceEndpoint = (
  {ip, hostname = '', nodeName, targetRef}: Address,
  ready: boolean,
): SliceEndpoint | undefined => {
  const canonical = isPlainIpv4(ip) ? ip : canonicalIp(ip);
  if (canonical === undefined) return undefined;
  return {
    addresses: [canonical],
    conditions: {ready},
    ...(hostname !== '' && {hostname}),
    ...(targetRef !== undefined && {targetRef}),
    ...(nodeName !== undefined && {nodeName}),
  };
};

const canonicalIp = (ip: string): string | undefined => {
  const bytes = parseIpSloppy(ip);
  return bytes === undefined ? undefined : formatIp(bytes);
};
