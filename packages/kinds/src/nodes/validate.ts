// SPDX-License-Identifier: Apache-2.0
/**
 * Ref: kubernetes v1.36 pkg/apis/core/validation ValidateNode, ValidateNodeUpdate. Left out is what is said about
 * `spec.configSource` and `status.config`: neither can be set any longer.
 */
import {
  byteLength,
  childPath,
  duplicate,
  type FieldError,
  forbidden,
  formatIp,
  goJson,
  goQuote,
  type IpRange,
  indexPath,
  invalid,
  PrintedValue,
  parseCidrSloppy,
  SUBDOMAIN_LENGTH_MAX,
  validateCidr,
} from '@palisade/kube-wire';
import {validateAnnotations} from './annotations.ts';
import {validateResources} from './resources.ts';
import {validateTaints} from './taints.ts';
import type {Node, NodeAddress} from './types.ts';

const TAINTS = 'metadata.taints';
const POD_CIDRS = 'spec.podCIDRs';
const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/** What is wrong with the object by itself. */
export const validateNode = ({metadata, spec = {}, status = {}}: Node): FieldError[] => [
  ...validateAnnotations(metadata.annotations),
  ...validateTaints(spec.taints, TAINTS),
  ...validateResources(status),
  ...validateSwap(status.nodeInfo?.swap?.capacity),
  ...validateFeatures(status.declaredFeatures),
  ...validatePodCidrs(spec.podCIDRs),
];

/** What is said of an update in addition, some of it for the second time; all that is said of a status. */
export const validateNodeUpdate = (
  {metadata, spec = {}, status = {}}: Node,
  {spec: before = {}}: Node,
): FieldError[] => {
  const errors = [
    ...validateAnnotations(metadata.annotations),
    ...validateResources(status),
    ...validateFeatures(status.declaredFeatures),
    ...validateAddresses(status.addresses),
    ...podCidrChanges(spec.podCIDRs ?? [], before.podCIDRs ?? []),
  ];
  if ((before.providerID ?? '') !== '' && before.providerID !== spec.providerID)
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  errors.push(...validateTaints(spec.taints, TAINTS));
  if ((spec.externalID ?? '') !== (before.externalID ?? ''))
    errors.push(forbidden('spec.externalID', 'may not be updated'));
  return errors;
};

const validateSwap = (capacity: number | bigint | undefined): FieldError[] =>
  capacity === undefined || capacity > 0
    ? []
    : [invalid('metadata.nodeSwapStatus.capacity', capacity, 'must be greater than zero', 'minimum')];

const validateFeatures = (features: readonly string[] = []): FieldError[] =>
  features.flatMap((feature, index) => {
    const path = 'status.declaredFeatures';
    const fault = featureFault(feature);
    const errors = fault === undefined ? [] : [invalid(indexPath(path, index), feature, fault)];
    const next = features[index + 1];
    if (next === undefined) return errors;
    if (next === feature) errors.push(duplicate(indexPath(path, index + 1), next));
    else if (Buffer.from(next).compare(Buffer.from(feature)) < 0)
      errors.push(invalid(indexPath(path, index + 1), next, 'list must be sorted alphabetically'));
    return errors;
  });

const featureFault = (feature: string): string | undefined => {
  if (byteLength(feature) > SUBDOMAIN_LENGTH_MAX)
    return `invalid feature name ${goQuote(feature)}: must be no more than ${SUBDOMAIN_LENGTH_MAX} characters`;
  if (FEATURE.test(feature)) return undefined;
  return `invalid feature name ${goQuote(feature)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
};

const validatePodCidrs = (cidrs: readonly string[] = []): FieldError[] => {
  const errors = cidrs.flatMap((cidr, index) => validateCidr(indexPath(POD_CIDRS, index), cidr));
  if (cidrs.length < 2) return errors;
  const ranges = cidrs.map(parseCidrSloppy);
  const bad = ranges.indexOf(undefined);
  if (bad >= 0) {
    const reason = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`;
    const detail = `invalid PodCIDRs. failed to check with dual stack with error:${reason}`;
    errors.push({path: POD_CIDRS, type: 'InternalError', badValue: undefined, detail});
  }
  const isDual = bad < 0 && new Set(ranges.map(range => range !== undefined && isIpv4(range))).size === 2;
  if (!isDual || cidrs.length > 2)
    errors.push(invalid(POD_CIDRS, cidrs, 'may specify no more than one CIDR for each IP family'));
  return errors;
};

/** Also an IPv4-mapped one. */
const isIpv4 = ({base}: IpRange): boolean => !formatIp(base).includes(':');

const podCidrChanges = (next: readonly string[], before: readonly string[]): FieldError[] => {
  if (before.length === 0) return [];
  const fault = forbidden(POD_CIDRS, 'node updates may not change podCIDR except from "" to valid');
  if (next.length !== before.length) return [fault];
  return before.filter((cidr, index) => cidr !== next[index]).map(() => fault);
};

const validateAddresses = (addresses: readonly NodeAddress[] = []): FieldError[] => {
  const seen = new Set<string>();
  return addresses.flatMap(({type: Type = '', address: Address = ''}, index) => {
    const shown = goJson({Type, Address});
    const path = indexPath(childPath('status', 'addresses'), index);
    const errors = seen.has(shown) ? [duplicate(path, new PrintedValue(shown))] : [];
    seen.add(shown);
    return errors;
  });
};
