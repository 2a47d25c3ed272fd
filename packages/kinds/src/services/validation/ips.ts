// SPDX-License-Identifier: Apache-2.0
/**
 * Rules of `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`. They are checked before addresses are taken, too.
 * Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateServiceClusterIPsRelatedFields,
 * validateUpgradeDowngradeClusterIPs, validateUpgradeDowngradeIPFamilies.
 */
import {
  duplicate,
  type FieldError,
  indexPath,
  invalid,
  namedText,
  notSupported,
  parseIpSloppy,
  required,
  validateIp,
} from '@palisade/kube-wire';
import {isHeadless} from '../traits.ts';
import {EXTERNAL_NAME, NO_IP, type ServiceSpec, SINGLE_STACK} from '../types.ts';

const IPS = 'spec.clusterIPs';
const FAMILIES = 'spec.ipFamilies';
const POLICY = 'spec.ipFamilyPolicy';
const KNOWN_FAMILIES = ['IPv4', 'IPv6'];
const KNOWN_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const FIXED = 'may not change once set';

export const validateClusterIps = (spec: ServiceSpec, before: ServiceSpec | undefined): FieldError[] => {
  if (spec.type === EXTERNAL_NAME) return [];
  const syntax = ipFaults(spec, before?.clusterIPs ?? []);
  const faults = [
    ...matchFaults(spec),
    ...familyFaults(spec),
    ...(spec.ipFamilyPolicy === undefined || KNOWN_POLICIES.includes(spec.ipFamilyPolicy)
      ? []
      : [notSupported(POLICY, namedText(spec.ipFamilyPolicy), KNOWN_POLICIES)]),
    ...syntax,
  ];
  const ips = spec.clusterIPs ?? [];
  if (ips.length > 2) faults.push(invalid(IPS, ips, 'may only hold up to 2 values'));
  if (syntax.length > 0) return faults;
  if (ips.length > 1 && !isDualStack(ips))
    faults.push(invalid(IPS, ips, 'may specify no more than one IP for each IP family'));
  return [...faults, ...otherFamilyFaults(spec)];
};

/** `clusterIP` is the first of `clusterIPs`. */
const matchFaults = ({clusterIP = '', clusterIPs = []}: ServiceSpec): FieldError[] => {
  if (clusterIP === '')
    return clusterIPs.length === 0 ? [] : [invalid(IPS, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  if (clusterIPs.length === 0) return [required(IPS)];
  return clusterIPs[0] === clusterIP ? [] : [invalid(IPS, clusterIPs, 'first value must match `clusterIP`')];
};

const familyFaults = ({ipFamilies = []}: ServiceSpec): FieldError[] => {
  const seen = new Set<string>();
  return ipFamilies.flatMap((family, index) => {
    const isSecond = seen.has(family);
    seen.add(family);
    const at = indexPath(FAMILIES, index);
    return [
      ...(KNOWN_FAMILIES.includes(family) ? [] : [notSupported(at, namedText(family), KNOWN_FAMILIES)]),
      ...(isSecond ? [duplicate(at, namedText(family))] : []),
    ];
  });
};

/** An address that was taken before stays valid, whatever the syntax rules have become since. */
const ipFaults = ({clusterIPs: ips = []}: ServiceSpec, known: readonly string[]): FieldError[] =>
  ips.flatMap((ip, index) => {
    if (index === 0 && ip === NO_IP)
      return ips.length > 1 ? [invalid(IPS, ips, "'None' must be the first and only value")] : [];
    return known.includes(ip) ? [] : validateIp(indexPath(IPS, index), ip);
  });

const isIpv6 = (ip: string): boolean => ip.includes(':') && parseIpSloppy(ip) !== undefined;
const isDualStack = (ips: readonly string[]): boolean => ips.some(isIpv6) && !ips.every(isIpv6);

const otherFamilyFaults = (spec: ServiceSpec): FieldError[] => {
  const {clusterIPs = [], ipFamilies = []} = spec;
  if (isHeadless(spec)) return [];
  return clusterIPs.slice(0, ipFamilies.length).flatMap((ip, index) => {
    const family = ipFamilies[index] ?? '';
    if (!KNOWN_FAMILIES.includes(family) || (family === 'IPv6') === isIpv6(ip)) return [];
    return [invalid(indexPath(IPS, index), ip, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``)];
  });
};

/** Families and addresses can be added and removed behind the first one, which stays. */
export const validateIpChanges = (spec: ServiceSpec, before: ServiceSpec): FieldError[] => {
  if (spec.type === EXTERNAL_NAME || before.type === EXTERNAL_NAME) return [];
  const [was, is] = [isHeadless(before), isHeadless(spec)];
  return [...(was && is ? [] : ipChanges(spec, before)), ...(was || is ? [] : familyChanges(spec, before))];
};

const releaseFault = (spec: ServiceSpec, what: string): FieldError[] =>
  spec.ipFamilyPolicy === SINGLE_STACK
    ? []
    : [
        invalid(
          POLICY,
          spec.ipFamilyPolicy === undefined ? null : namedText(spec.ipFamilyPolicy),
          `must be set to 'SingleStack' when releasing the secondary ${what}`,
        ),
      ];

const ipChanges = (spec: ServiceSpec, before: ServiceSpec): FieldError[] => {
  const old = before.clusterIPs ?? [];
  const ips = spec.clusterIPs ?? [];
  const shown = spec.clusterIPs ?? null;
  const changed = (index: number): FieldError => invalid(indexPath(IPS, index), shown, FIXED);
  if (old.length === ips.length) return old.flatMap((ip, index) => (ip === ips[index] ? [] : [changed(index)]));
  const faults: FieldError[] = [];
  if (ips.length === 0) faults.push(invalid(indexPath(IPS, 0), shown, 'primary clusterIP can not be unset'));
  if (old.length > 0 && ips.length > 0 && ips[0] !== old[0]) faults.push(changed(0));
  if (old.length > ips.length && ips.length === 1) faults.push(...releaseFault(spec, 'clusterIP'));
  return faults;
};

/** The faults show the addresses where upstream does. */
const familyChanges = (spec: ServiceSpec, before: ServiceSpec): FieldError[] => {
  const old = before.ipFamilies ?? [];
  const families = spec.ipFamilies ?? [];
  const first = indexPath(FAMILIES, 0);
  if (old.length === families.length)
    return old.flatMap((family, index) => (family === families[index] ? [] : [invalid(first, families, FIXED)]));
  const faults: FieldError[] = [];
  if (old.length > families.length && (spec.clusterIPs ?? []).length === 0)
    faults.push(invalid(first, spec.ipFamilies ?? null, 'primary ipFamily can not be unset'));
  if (old.length > 0 && families.length > 0 && families[0] !== old[0])
    faults.push(invalid(first, spec.clusterIPs ?? null, FIXED));
  if (old.length > families.length && families.length === 1) faults.push(...releaseFault(spec, 'ipFamily'));
  return faults;
};
