// SPDX-License-Identifier: Apache-2.0
/** Which addresses a Service gets. Ref: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go. */
import {internalError, invalidObject} from '@palisade/apiserver';
import {goQuote, invalid} from '@palisade/kube-wire';
import {EXTERNAL_NAME, NO_IP, type Service, type ServiceSpec} from '../types.ts';
import {keepsDualStackAsItIs} from './ip-families.ts';
import type {Taken} from './ip-pool.ts';

const KIND = {group: '', kind: 'Service'};

/** The addresses of one write, by family. */
export type IpOperation = {
  has(family: string): boolean;
  take(family: string, ip: string): Taken;
  /** Undefined: the range is full. */
  takeAny(family: string): string | undefined;
};

/** Of a new Service, or of one that had none. Throws StatusError. */
export const takeNewIps = (service: Service, ips: IpOperation): void => {
  const {spec} = service;
  if (spec.type === EXTERNAL_NAME || spec.clusterIPs?.[0] === NO_IP) return;
  const {ipFamilies: families = [], clusterIPs: given = []} = spec;
  const asked = [...given, ...families.slice(given.length).map(() => '')];
  spec.clusterIPs = asked; // as faults show them
  spec.clusterIPs = asked.map((ip, index) => {
    const family = families[index];
    return family === undefined ? ip : takeOne(service, family, ip, ips);
  });
  if (spec.clusterIPs[0] !== undefined) spec.clusterIP = spec.clusterIPs[0];
};

/** Of a changed one; what it no longer has is free when it is stored. Throws StatusError. */
export const takeChangedIps = (service: Service, before: ServiceSpec, ips: IpOperation): void => {
  const {spec} = service;
  if (keepsDualStackAsItIs(spec, before)) return;
  if (before.type === EXTERNAL_NAME && spec.type !== EXTERNAL_NAME) {
    takeNewIps(service, ips);
    return;
  }
  if (before.clusterIPs?.[0] === NO_IP || spec.type === EXTERNAL_NAME) return;
  const [, second] = spec.ipFamilies ?? [];
  if (before.ipFamilies?.length !== 1 || spec.ipFamilies?.length !== 2 || second === undefined) return;
  // One that becomes headless, without a selector, may have a second family without a range. Validation refuses it; upstream
  // 1.36.3 panics before that, seen: it breaks the connection off (alloc.go allocIPs calls the allocator it did not find).
  if (!ips.has(second)) return;
  const [first = '', asked = '', ...rest] = spec.clusterIPs ?? [];
  spec.clusterIPs = [first, takeOne(service, second, asked, ips), ...rest];
};

const takeOne = ({metadata: {name = ''}, spec}: Service, family: string, asked: string, ips: IpOperation): string => {
  if (asked === '') {
    const ip = ips.takeAny(family);
    if (ip === undefined)
      throw internalError(`failed to allocate a serviceIP for Service ${goQuote(name)}: range is full`);
    return ip;
  }
  const taken = ips.take(family, asked);
  if (taken.ok) return taken.ip;
  const why = `failed to allocate IP ${asked}: ${taken.why}`;
  throw invalidObject(KIND, name, [invalid('spec.clusterIPs', spec.clusterIPs ?? null, why)]);
};
