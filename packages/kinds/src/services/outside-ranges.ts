// SPDX-License-Identifier: Apache-2.0
/** Services that have addresses or node ports of ranges that the server was started with before: they keep them, and the log says so. */
import {type Bootstrap, type CachedObject, decodeItem, type KindDefinition} from '@palisade/apiserver';
import {isInRange, parseCidrSloppy, parseIpSloppy} from '@palisade/kube-wire';
import type {KindSettings} from '../settings.ts';
import {nodePortsOf} from './traits.ts';
import {asService, NO_IP, type ServiceSpec} from './types.ts';

const NAMED_MAX = 10;

/** Whether a Service has something that the server would not give it now. */
export const outsideOf = ({
  serviceIpRanges,
  nodePorts,
}: Pick<KindSettings, 'serviceIpRanges' | 'nodePorts'>): ((spec: ServiceSpec) => boolean) => {
  const ranges = serviceIpRanges.map(parseCidrSloppy).filter(range => range !== undefined);
  const isInside = (ip: string): boolean => {
    const bytes = parseIpSloppy(ip);
    return bytes !== undefined && ranges.some(range => isInRange(range, bytes));
  };
  return spec =>
    (spec.clusterIPs ?? []).some(ip => ip !== NO_IP && ip !== '' && !isInside(ip)) ||
    nodePortsOf(spec).some(port => port < nodePorts.first || port > nodePorts.last);
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
    const isOutside = outsideOf(settings);
    const outside: string[] = [];
    for (const some of services.registryOf(kind).cache.objects.slices('')) {
      for (const object of some) {
        const spec = specOf(object);
        if (spec !== undefined && isOutside(spec)) outside.push(`${object.namespace}/${object.name}`);
      }
      await services.scheduler.turn();
    }
    if (outside.length === 0) return;
    const fields = {count: outside.length, services: outside.slice(0, NAMED_MAX), ranges: settings.serviceIpRanges};
    log.warn(fields, 'services keep addresses or node ports outside of the ranges');
  };
