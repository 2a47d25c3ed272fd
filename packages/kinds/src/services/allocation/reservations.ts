// SPDX-License-Identifier: Apache-2.0
/** The addresses and node ports of all Services of a server. Ref: kubernetes v1.36 pkg/registry/core/service/storage. */
import type {Random, Reservations, ReservedWrite} from '@palisade/apiserver';
import type {KindSettings} from '../../settings.ts';
import {readSpec} from '../shown.ts';
import {hasNodePorts, needsClusterIp, nodePortsOf} from '../traits.ts';
import {asService, NO_IP, type Service, type ServiceSpec} from '../types.ts';
import {type IpOperation, takeChangedIps, takeNewIps} from './cluster-ips.ts';
import {familyOf, settleFamilies} from './ip-families.ts';
import {createIpPool, type IpPool} from './ip-pool.ts';
import {takeChangedNodePorts, takeNewNodePorts} from './node-ports.ts';
import {keepAllocated, normalizeClusterIps} from './normalize.ts';
import {createPortPool, madeUpPorts, type PortPool, realPorts} from './port-pool.ts';

type Holding = {readonly ips: readonly string[]; readonly ports: readonly number[]};

const NOTHING: Holding = {ips: [], ports: []};

/** Throws for what no Service that was stored by a server has. */
const readable = (spec: unknown): ServiceSpec => {
  const {clusterIPs = [], ports = []} = (spec ?? {}) as {clusterIPs?: unknown; ports?: unknown};
  if (typeof spec !== 'object' || spec === null) throw new TypeError('spec is missing');
  if (!Array.isArray(clusterIPs) || clusterIPs.some(ip => typeof ip !== 'string'))
    throw new TypeError('spec.clusterIPs is no list of addresses');
  if (!Array.isArray(ports) || ports.some(port => typeof port !== 'object' || port === null))
    throw new TypeError('spec.ports is no list of ports');
  return spec as ServiceSpec;
};

/** A node port that TCP and UDP share is held once; one that a Service of another type has in its ports is not. */
const holdingOf = (spec: ServiceSpec): Holding => ({
  ips: needsClusterIp(spec) ? (spec.clusterIPs ?? []).filter(ip => ip !== NO_IP) : [],
  ports: hasNodePorts(spec)
    ? [...new Set([...nodePortsOf(spec), spec.healthCheckNodePort ?? 0])].filter(port => port !== 0)
    : [],
});

const ADDRESS = /"([\da-f.:]+)/gi;
const NODE_PORT = /"(?:healthCheckN|n)odePort":(\d+)/g;
const firstGroups = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set(Array.from(text.matchAll(pattern), ([, found = '']) => found)),
];

/** Whatever looks like an address or a node port: one too many does no harm, one too few is given to another Service. */
const guessedHolding = (text: string): Holding => ({
  ips: firstGroups(text, ADDRESS).filter(ip => familyOf(ip) !== ''),
  ports: firstGroups(text, NODE_PORT).map(Number),
});

export const serviceReservations = (settings: KindSettings, random: Random): Reservations => {
  const pools = settings.serviceIpRanges.map(cidr => createIpPool(cidr, random));
  const families = pools.map(({family}) => family);
  const ports = createPortPool(settings.nodePorts, random);
  const held = new Map<string, Holding>();
  const poolOf = (family: string): IpPool | undefined => pools.find(pool => pool.family === family);
  const each = (
    {ips, ports: numbers}: Holding,
    onIp: (pool: IpPool, ip: string) => void,
    onPort: PortPool['hold'],
  ): void => {
    for (const ip of ips) {
      const pool = poolOf(familyOf(ip));
      if (pool !== undefined) onIp(pool, ip);
    }
    for (const port of numbers) onPort(port);
  };
  const hold = (holding: Holding): void => each(holding, (pool, ip) => pool.hold(ip), ports.hold);
  const giveBack = (holding: Holding): void => each(holding, (pool, ip) => pool.giveBack(ip), ports.giveBack);
  const replace = (key: string, holding: Holding): void => {
    hold(holding);
    giveBack(held.get(key) ?? NOTHING);
    if (holding.ips.length + holding.ports.length > 0) held.set(key, holding);
    else held.delete(key);
  };
  return {
    stored: (key, object) => replace(key, object === undefined ? NOTHING : holdingOf(readable(asService(object).spec))),
    damaged: (key, text) => replace(key, guessedHolding(text)),
    reserve: write => {
      const {operation: ips, taken} = write.dryRun ? triedIps(poolOf) : realIps(poolOf);
      const operation = write.dryRun ? madeUpPorts(ports) : realPorts(ports);
      const end = (): void => giveBack({ips: taken, ports: operation.taken});
      try {
        settle(write, families, ips, operation);
      } catch (error) {
        end();
        throw error;
      }
      return end;
    },
  };
};

const asRead = (service: Service): Service => ({...service, spec: readSpec(service.spec)});

const settle = (
  {draft, current}: ReservedWrite,
  families: readonly string[],
  ips: IpOperation,
  ports: Parameters<typeof takeNewNodePorts>[1],
): void => {
  const service = asService(draft);
  const before = current === undefined ? undefined : asRead(asService(current));
  service.spec = {...service.spec}; // what was sent may be asked for once more
  if (before !== undefined) keepAllocated(service.spec, before.spec);
  normalizeClusterIps(service.spec, before?.spec);
  settleFamilies(service, before, families);
  if (before === undefined) {
    takeNewIps(service, ips);
    takeNewNodePorts(service, ports);
  } else {
    takeChangedIps(service, before.spec, ips);
    takeChangedNodePorts(service, before.spec, ports);
  }
};

type PoolOf = (family: string) => IpPool | undefined;
type Operation = {readonly operation: IpOperation; readonly taken: readonly string[]};

const needed = (pool: IpPool | undefined): IpPool => {
  if (pool === undefined) throw new Error('a family without a range'); // families were settled before
  return pool;
};

const realIps = (poolOf: PoolOf): Operation => {
  const taken: string[] = [];
  return {
    taken,
    operation: {
      has: family => poolOf(family) !== undefined,
      take: (family, ip) => {
        const answer = needed(poolOf(family)).take(ip);
        if (answer.ok) taken.push(ip);
        return answer;
      },
      takeAny: family => {
        const ip = needed(poolOf(family)).takeAny();
        if (ip !== undefined) taken.push(ip);
        return ip;
      },
    },
  };
};

const triedIps = (poolOf: PoolOf): Operation => ({
  taken: [],
  operation: {
    has: family => poolOf(family) !== undefined,
    take: (family, ip) => needed(poolOf(family)).tryTake(ip),
    takeAny: family => needed(poolOf(family)).tryAny(),
  },
});
