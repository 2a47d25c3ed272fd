// SPDX-License-Identifier: Apache-2.0
/**
 * Fields and status of Services of type LoadBalancer.
 * Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go validateService, validateLoadBalancerClassField,
 * ValidateLoadBalancerStatus.
 */
import {
  childPath,
  dns1123SubdomainFaults,
  type FieldError,
  forbidden,
  indexPath,
  invalid,
  keyPath,
  namedText,
  notSupported,
  parseIpSloppy,
  qualifiedNameFaults,
  required,
  validateCidr,
  validateIp,
} from '@palisade/kube-wire';
import {LOAD_BALANCER, type LoadBalancerIngress, type Service, type ServiceSpec} from '../types.ts';

const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ONLY_HERE = "may only be used when `type` is 'LoadBalancer'";
const CLASS = 'spec.loadBalancerClass';
const IP_MODES = ['Proxy', 'VIP'];

export const validateLoadBalancer = (service: Service, before: Service | undefined): FieldError[] => {
  const {spec} = service;
  const faults = validateSourceRanges(service, before);
  const allocates = spec.allocateLoadBalancerNodePorts;
  if (allocates !== undefined && spec.type !== LOAD_BALANCER)
    faults.push(forbidden('spec.allocateLoadBalancerNodePorts', ONLY_HERE));
  if (allocates === undefined && spec.type === LOAD_BALANCER) faults.push(required('allocateLoadBalancerNodePorts'));
  return [...faults, ...validateLoadBalancerClass(spec, undefined)];
};

/** Of the field, or where that is empty of the annotation that it came from. What was stored before stays valid. */
const validateSourceRanges = ({spec, metadata}: Service, before: Service | undefined): FieldError[] => {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const annotation = metadata.annotations?.[SOURCE_RANGES];
  const isHere = spec.type === LOAD_BALANCER;
  if (ranges.length > 0) {
    const path = childPath('spec', 'LoadBalancerSourceRanges');
    const known = new Set((before?.spec.loadBalancerSourceRanges ?? []).map(trimmed));
    return [
      ...(isHere ? [] : [forbidden(path, ONLY_HERE)]),
      ...ranges
        .map(trimmed)
        .flatMap((range, index) => (known.has(range) ? [] : validateCidr(indexPath(path, index), range))),
    ];
  }
  if (annotation === undefined) return [];
  const path = keyPath('metadata.annotations', SOURCE_RANGES);
  const faults = isHere ? [] : [forbidden(path, ONLY_HERE)];
  if (before?.metadata.annotations?.[SOURCE_RANGES] === annotation || trimmed(annotation) === '') return faults;
  return [
    ...faults,
    ...trimmed(annotation)
      .split(',')
      .flatMap(range => validateCidr(path, trimmed(range))),
  ];
};

const trimmed = (text: string): string => text.trim();

/** With `before`: it may not change either. */
export const validateLoadBalancerClass = (spec: ServiceSpec, before: ServiceSpec | undefined): FieldError[] => {
  const {loadBalancerClass: name} = spec;
  if (spec.type !== LOAD_BALANCER) return name === undefined ? [] : [forbidden(CLASS, ONLY_HERE)];
  const changed = before?.type === LOAD_BALANCER && before.loadBalancerClass !== name;
  return [
    ...(changed ? [invalid(CLASS, name === undefined ? null : namedText(name), 'may not change once set')] : []),
    ...(name === undefined ? [] : qualifiedNameFaults(name).map(fault => invalid(CLASS, name, fault))),
  ];
};

export const validateLoadBalancerStatus = ({spec, status}: Service, before: Service): FieldError[] => {
  const path = 'status.loadBalancer.ingress';
  const {ingress = []} = status.loadBalancer;
  if (spec.type !== LOAD_BALANCER && ingress.length > 0)
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = new Set((before.status.loadBalancer.ingress ?? []).map(({ip = ''}) => ip));
  return ingress.flatMap((each, index) => validateIngress(each, known, indexPath(path, index)));
};

const validateIngress = (
  {ip = '', hostname = '', ipMode}: LoadBalancerIngress,
  known: ReadonlySet<string>,
  path: string,
): FieldError[] => {
  const faults = ip === '' || known.has(ip) ? [] : validateIp(childPath(path, 'ip'), ip);
  const mode = childPath(path, 'ipMode');
  if (ipMode === undefined) {
    if (ip !== '') faults.push(required(mode, 'must be specified when `ip` is set'));
  } else if (ip === '') faults.push(forbidden(mode, 'may not be specified when `ip` is not set'));
  else if (!IP_MODES.includes(ipMode)) faults.push(notSupported(mode, namedText(ipMode), IP_MODES));
  if (hostname === '') return faults;
  const name = childPath(path, 'hostname');
  faults.push(...dns1123SubdomainFaults(hostname).map(fault => invalid(name, hostname, fault)));
  if (parseIpSloppy(hostname) !== undefined)
    faults.push(invalid(name, hostname, 'must be a DNS name, not an IP address'));
  return faults;
};
