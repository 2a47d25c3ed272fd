// SPDX-License-Identifier: Apache-2.0
/**
 * Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go validateServiceExternalTrafficPolicy,
 * validateServiceInternalTrafficFieldsValue, validateServiceTrafficDistribution.
 */
import {type FieldError, invalid, namedText, notSupported, portNumberFaults, required} from '@palisade/kube-wire';
import {hasNodePorts, isExternallyAccessible, needsHealthCheck} from '../traits.ts';
import {CLUSTER_IP, type ServiceSpec} from '../types.ts';

const POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

export const validateTraffic = (spec: ServiceSpec): FieldError[] => [
  ...validateExternalPolicy(spec),
  ...validateHealthCheckPort(spec),
  ...validateInternalPolicy(spec),
  ...validateDistribution(spec),
];

const validateExternalPolicy = (spec: ServiceSpec): FieldError[] => {
  const path = 'spec.externalTrafficPolicy';
  const {externalTrafficPolicy: policy = ''} = spec;
  if (!isExternallyAccessible(spec)) {
    if (policy === '') return [];
    return [invalid(path, namedText(policy), 'may only be set for externally-accessible services')];
  }
  if (policy === '') return [required(path)];
  return POLICIES.includes(policy) ? [] : [notSupported(path, namedText(policy), POLICIES)];
};

const validateHealthCheckPort = (spec: ServiceSpec): FieldError[] => {
  const path = 'spec.healthCheckNodePort';
  const {healthCheckNodePort: port = 0} = spec;
  if (!needsHealthCheck(spec)) {
    if (port === 0) return [];
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    return [invalid(path, port, why)];
  }
  return port === 0 ? [required(path)] : portNumberFaults(port).map(fault => invalid(path, port, fault));
};

const validateInternalPolicy = (spec: ServiceSpec): FieldError[] => {
  const path = 'spec.internalTrafficPolicy';
  const {internalTrafficPolicy: policy} = spec;
  if (policy === undefined) return hasNodePorts(spec) || spec.type === CLUSTER_IP ? [required(path)] : [];
  return POLICIES.includes(policy) ? [] : [notSupported(path, namedText(policy), POLICIES)];
};

const validateDistribution = ({trafficDistribution: asked}: ServiceSpec): FieldError[] =>
  asked === undefined || DISTRIBUTIONS.includes(asked)
    ? []
    : [notSupported('spec.trafficDistribution', asked, DISTRIBUTIONS)];
