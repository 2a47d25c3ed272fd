// SPDX-License-Identifier: Apache-2.0
/**
 * The IP families of a Service and their policy, as far as the client left them open, and what of it this server cannot do.
 * Ref: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go initIPFamilyFields.
 */
import {invalidObject} from '@palisade/apiserver';
import {type BadValue, type FieldError, indexPath, invalid, namedText, parseIpSloppy} from '@palisade/kube-wire';
import {isSelectorless, sameItems} from '../traits.ts';
import {
  CLUSTER_IP,
  EXTERNAL_NAME,
  LOAD_BALANCER,
  NO_IP,
  NODE_PORT,
  otherFamily,
  PREFER_DUAL_STACK,
  REQUIRE_DUAL_STACK,
  type Service,
  type ServiceSpec,
  SINGLE_STACK,
} from '../types.ts';
import {validateClusterIps} from '../validation/ips.ts';

const KIND = {group: '', kind: 'Service'};
const POLICY = 'spec.ipFamilyPolicy';
const TYPES_WITH_IP: readonly string[] = [CLUSTER_IP, NODE_PORT, LOAD_BALANCER];

export const familyOf = (ip: string): string => (isIpv6(ip) ? 'IPv6' : parseIpSloppy(ip) === undefined ? '' : 'IPv4');

const isIpv6 = (ip: string): boolean => ip.includes(':') && parseIpSloppy(ip) !== undefined;

/** A Service that prefers two families is not changed because the server now has another number of them. */
export const keepsDualStackAsItIs = (next: ServiceSpec, before: ServiceSpec | undefined): boolean =>
  before !== undefined &&
  next.ipFamilyPolicy === PREFER_DUAL_STACK &&
  before.type === next.type &&
  TYPES_WITH_IP.includes(next.type ?? '') &&
  (before.ipFamilyPolicy ?? PREFER_DUAL_STACK) === PREFER_DUAL_STACK &&
  sameItems(before.clusterIPs, next.clusterIPs) &&
  sameItems(before.ipFamilies, next.ipFamilies);

/** `families` are those of this server, the primary one first. Throws StatusError 422. */
export const settleFamilies = (service: Service, before: Service | undefined, families: readonly string[]): void => {
  const {spec} = service;
  if (spec.type === EXTERNAL_NAME || keepsDualStackAsItIs(spec, before?.spec)) return;
  spec.ipFamilyPolicy ??= before?.spec.ipFamilyPolicy ?? (isOpenHeadless(spec) ? REQUIRE_DUAL_STACK : SINGLE_STACK);
  refuse(service, validateClusterIps(spec, before?.spec));
  const faults = before === undefined ? [] : reduce(spec, before.spec);
  faults.push(...singleStackFaults(spec), ...inferFamilies(spec, families));
  refuse(service, faults);
  const [primary = 'IPv4'] = families;
  if (!isOpenHeadless(spec)) refuse(service, unconfiguredFaults(spec, families));
  spec.ipFamilies ??= [primary];
  if (spec.ipFamilyPolicy !== SINGLE_STACK && spec.ipFamilies.length === 1) {
    const [family = primary] = spec.ipFamilies;
    if (isOpenHeadless(spec) || families.length === 2) spec.ipFamilies = [family, otherFamily(family)];
  }
};

const refuse = ({metadata: {name = ''}}: Service, faults: readonly FieldError[]): void => {
  if (faults.length > 0) throw invalidObject(KIND, name, faults);
};

/** Headless without a selector: its endpoints may be of any family. */
const isOpenHeadless = (spec: ServiceSpec): boolean => spec.clusterIP === NO_IP && isSelectorless(spec);

const policyOf = ({ipFamilyPolicy}: ServiceSpec): BadValue =>
  ipFamilyPolicy === undefined ? null : namedText(ipFamilyPolicy);

const lengthOf = (list: readonly string[] | undefined): number => list?.length ?? 0;

/** One family alone means that the second address goes; anything else must say so. */
const reduce = (spec: ServiceSpec, before: ServiceSpec): FieldError[] => {
  if (spec.ipFamilyPolicy === SINGLE_STACK) {
    if (sameItems(before.clusterIPs, spec.clusterIPs) && spec.clusterIPs !== undefined)
      spec.clusterIPs = spec.clusterIPs.slice(0, 1);
    if (sameItems(before.ipFamilies, spec.ipFamilies) && spec.ipFamilies !== undefined)
      spec.ipFamilies = spec.ipFamilies.slice(0, 1);
    return [];
  }
  const faults: FieldError[] = [];
  const isFewer = (list: 'clusterIPs' | 'ipFamilies'): boolean =>
    lengthOf(spec[list]) > 0 && lengthOf(spec[list]) < lengthOf(before[list]);
  if (isFewer('clusterIPs'))
    faults.push(invalid(POLICY, policyOf(spec), "must be 'SingleStack' to release the secondary cluster IP"));
  if (isFewer('ipFamilies'))
    faults.push(invalid(POLICY, policyOf(spec), "must be 'SingleStack' to release the secondary IP family"));
  return faults;
};

const singleStackFaults = (spec: ServiceSpec): FieldError[] => {
  if (spec.ipFamilyPolicy !== SINGLE_STACK) return [];
  const fault = (what: string): FieldError =>
    invalid(
      POLICY,
      policyOf(spec),
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(lengthOf(spec.clusterIPs) === 2 ? [fault('cluster IPs')] : []),
    ...(lengthOf(spec.ipFamilies) === 2 ? [fault('IP families')] : []),
  ];
};

/** From the addresses that were given. */
const inferFamilies = (spec: ServiceSpec, families: readonly string[]): FieldError[] => {
  const faults: FieldError[] = [];
  const inferred = [...(spec.ipFamilies ?? [])];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === NO_IP) break;
    if (index < inferred.length) continue;
    const family = familyOf(ip);
    if (families.includes(family)) inferred.push(family);
    else
      faults.push(
        invalid(
          indexPath('spec.clusterIPs', index),
          spec.clusterIPs ?? null,
          `${family} is not configured on this cluster`,
        ),
      );
  }
  if (inferred.length > 0) spec.ipFamilies = inferred;
  return faults;
};

const unconfiguredFaults = (spec: ServiceSpec, families: readonly string[]): FieldError[] => [
  ...(spec.ipFamilyPolicy === REQUIRE_DUAL_STACK && families.length < 2
    ? [invalid(POLICY, policyOf(spec), 'this cluster is not configured for dual-stack services')]
    : []),
  ...(spec.ipFamilies ?? []).flatMap((family, index) =>
    families.includes(family)
      ? []
      : [invalid(indexPath('spec.ipFamilies', index), namedText(family), 'not configured on this cluster')],
  ),
];
