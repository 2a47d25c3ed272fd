// SPDX-License-Identifier: Apache-2.0
/**
 * Fields that a change of the type makes meaningless, where the client did not change them as well.
 * Ref: kubernetes v1.36 pkg/registry/core/service/strategy.go dropTypeDependentFields.
 */
import {
  hasNodePorts,
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  nodePortsOf,
  sameItems,
} from './traits.ts';
import {LOAD_BALANCER, type Service, type ServiceSpec} from './types.ts';

export const dropTypeDependentFields = (next: Service, before: Service): void => {
  const {spec} = next;
  const was = before.spec;
  if (needsClusterIp(was) && !needsClusterIp(spec)) dropAddresses(spec, was);
  if (hasNodePorts(was) && !hasNodePorts(spec) && addsNoNodePort(spec, was) && spec.ports !== undefined)
    spec.ports = spec.ports.map(({nodePort: _, ...port}) => port);
  if (needsHealthCheck(was) && !needsHealthCheck(spec)) dropSame(spec, was, 'healthCheckNodePort');
  if (was.type === LOAD_BALANCER && spec.type !== LOAD_BALANCER) {
    dropSame(spec, was, 'allocateLoadBalancerNodePorts');
    dropSame(spec, was, 'loadBalancerClass');
  }
  if (isExternallyAccessible(was) && !isExternallyAccessible(spec)) dropSame(spec, was, 'externalTrafficPolicy');
  if (spec.type !== LOAD_BALANCER) next.status = {...next.status, loadBalancer: {}};
};

const dropAddresses = (spec: ServiceSpec, was: ServiceSpec): void => {
  if (spec.clusterIP === was.clusterIP && sameItems(spec.clusterIPs, was.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameItems(spec.ipFamilies, was.ipFamilies)) delete spec.ipFamilies;
  dropSame(spec, was, 'ipFamilyPolicy');
};

const dropSame = (spec: ServiceSpec, was: ServiceSpec, field: keyof ServiceSpec): void => {
  if (spec[field] === was[field]) delete spec[field];
};

const addsNoNodePort = (spec: ServiceSpec, was: ServiceSpec): boolean => {
  const known = new Set(nodePortsOf(was));
  return nodePortsOf(spec).every(port => known.has(port));
};
