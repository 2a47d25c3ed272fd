// SPDX-License-Identifier: Apache-2.0
/** Services that have addresses or node ports of ranges that the server was started with before: they keep them, and the log says so. */
import {type Bootstrap, type CachedObject, decodeItem, type KindDefinition} from '@palisade/apiserver';
import {type IpRange, parseCidrSloppy, parseIpSloppy} from '@palisade/kube-wire';
import type {KindSettings} from '../settings.ts';
import {nodePortsOf} from './traits.ts';
import {asService, NO_IP, type ServiceSpec} from './types.ts';

const NAMED_MAX = 10;
/** IPv4 is kept as ::ffff:a.b.c.d. */
const MAPPED_BITS = 96;

const isIn = (range: IpRange, ip: string): boolean => {
  const bytes = parseIpSloppy(ip);
  if (bytes === undefined) return false;
  const prefix = range.v4 ? range.prefix + MAPPED_BITS : range.prefix;
  return bytes.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - index * 8));
    return byte >> (8 - bits) === (range.base[index] ?? 0) >> (8 - bits);
  });
};

/** Whether a Service has something that the server would not give it now. */
export const isOutside = (
  spec: ServiceSpec,
  {serviceIpRanges, nodePorts}: Pick<KindSettings, 'serviceIpRanges' | 'nodePorts'>,
): boolean => {
  const ranges = serviceIpRanges.map(parseCidrSloppy).filter(range => range !== undefined);
  const addresses = (spec.clusterIPs ?? []).filter(ip => ip !== NO_IP && ip !== '');
  return (
    addresses.some(ip => !ranges.some(range => isIn(range, ip))) ||
    nodePortsOf(spec).some(port => port !== 0 && (port < nodePorts.first || port > nodePorts.last))
  );
};

/** Undefined: it cannot be read, which was logged where it was found. */
const specOf = (object: CachedObject): ServiceSpec | undefined => {
  try {
    return asService(decodeItem(object)).spec;
  } catch {
    return undefined;
  }
};

export const outsideRangesNote =
  (kind: KindDefinition, settings: KindSettings): Bootstrap =>
  async ({services, log}) => {
    const outside: string[] = [];
    for (const some of services.registryOf(kind).cache.objects.slices('')) {
      for (const object of some) {
        const spec = specOf(object);
        if (spec !== undefined && isOutside(spec, settings)) outside.push(`${object.namespace}/${object.name}`);
      }
      await services.scheduler.turn();
    }
    if (outside.length === 0) return;
    const fields = {count: outside.length, services: outside.slice(0, NAMED_MAX), ranges: settings.serviceIpRanges};
    log.warn(fields, 'services keep addresses or node ports outside of the ranges');
  };
