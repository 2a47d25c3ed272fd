// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go validateService, ValidateServiceCreate, ValidateServiceUpdate. */
import {
  childPath,
  dns1123SubdomainFaults,
  type FieldError,
  forbidden,
  indexPath,
  invalid,
  keyPath,
  labelValueFaults,
  namedText,
  notSupported,
  qualifiedNameFaults,
  required,
  validateEndpointIp,
  validateIp,
} from '@palisade/kube-wire';
import {isHeadless, needsHealthCheck} from '../traits.ts';
import {EXTERNAL_NAME, LOAD_BALANCER, NO_IP, NODE_PORT, type Service, type ServiceSpec} from '../types.ts';
import {validateClusterIps, validateIpChanges} from './ips.ts';
import {validateLoadBalancer, validateLoadBalancerClass} from './load-balancer.ts';
import {validateEqualPorts, validatePorts} from './ports.ts';
import {validateTraffic} from './traffic.ts';

const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
/** One day. */
const AFFINITY_SECONDS_MAX = 86_400;
const NOT_FOR_NAMES = 'may not be set for ExternalName services';

const at = (...names: readonly string[]): string => names.reduce(childPath, 'spec');

export const validateService = (service: Service, before: Service | undefined): FieldError[] => {
  const {spec} = service;
  return [
    ...validateTopology(service),
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateSelector(spec),
    ...validateAffinity(spec),
    ...validateClusterIps(spec, before?.spec),
    ...validateExternalIps(spec, before?.spec),
    ...validateTypeName(spec),
    ...validateEqualPorts(spec),
    ...validateLoadBalancer(service, before),
    ...validateTraffic(spec),
  ];
};

export const validateServiceUpdate = (service: Service, before: Service): FieldError[] => [
  ...validateIpChanges(service.spec, before.spec),
  ...validateLoadBalancerClass(service.spec, before.spec),
  ...validateHealthCheckChange(service.spec, before.spec),
  ...validateService(service, before),
];

const validateHealthCheckChange = (spec: ServiceSpec, before: ServiceSpec): FieldError[] =>
  needsHealthCheck(before) && needsHealthCheck(spec) && spec.healthCheckNodePort !== before.healthCheckNodePort
    ? [forbidden(at('healthCheckNodePort'), 'field is immutable')]
    : [];

const validateTopology = ({metadata: {annotations = {}}}: Service): FieldError[] => {
  const {[TOPOLOGY_HINTS]: hints, [TOPOLOGY_MODE]: mode} = annotations;
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const path = keyPath('metadata.annotations', TOPOLOGY_MODE);
  return [invalid(path, mode, `must match annotations[${TOPOLOGY_HINTS}] when both are specified`)];
};

const validateType = (spec: ServiceSpec): FieldError[] => {
  const faults: FieldError[] = [];
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && spec.type !== EXTERNAL_NAME)
    faults.push(required(at('ports')));
  if ((spec.type === LOAD_BALANCER || spec.type === NODE_PORT) && isHeadless(spec))
    faults.push(invalid(indexPath(at('clusterIPs'), 0), NO_IP, `may not be set to 'None' for ${spec.type} services`));
  return spec.type === EXTERNAL_NAME ? [...faults, ...validateExternalName(spec)] : faults;
};

const validateExternalName = (spec: ServiceSpec): FieldError[] => {
  const faults: FieldError[] = [];
  if ((spec.clusterIPs ?? []).length > 0) faults.push(forbidden(at('clusterIPs'), NOT_FOR_NAMES));
  if ((spec.ipFamilies ?? []).length > 0) faults.push(forbidden(at('ipFamilies'), NOT_FOR_NAMES));
  if (spec.ipFamilyPolicy !== undefined) faults.push(forbidden(at('ipFamilyPolicy'), NOT_FOR_NAMES));
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') return [...faults, required(at('externalName'))];
  return [...faults, ...dns1123SubdomainFaults(name).map(fault => invalid(at('externalName'), name, fault))];
};

const validateSelector = ({selector = {}}: ServiceSpec): FieldError[] =>
  Object.entries(selector).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map(fault => invalid(at('selector'), key, fault)),
    ...labelValueFaults(value).map(fault => invalid(at('selector'), value, fault)),
  ]);

const validateAffinity = ({sessionAffinity = '', sessionAffinityConfig: config}: ServiceSpec): FieldError[] => {
  const path = at('sessionAffinityConfig');
  const faults: FieldError[] = [];
  if (sessionAffinity === '') faults.push(required(at('sessionAffinity')));
  else if (!AFFINITIES.includes(sessionAffinity))
    faults.push(notSupported(at('sessionAffinity'), namedText(sessionAffinity), AFFINITIES));
  if (sessionAffinity === 'None' && config !== undefined)
    faults.push(forbidden(path, 'must not be set when session affinity is None'));
  if (sessionAffinity !== 'ClientIP') return faults;
  const seconds = config?.clientIP?.timeoutSeconds;
  const why = 'when session affinity type is ClientIP';
  if (config === undefined) faults.push(required(path, why));
  else if (config.clientIP === undefined) faults.push(required(childPath(path, 'clientIP'), why));
  else if (seconds === undefined) faults.push(required(childPath(path, 'clientIP.timeoutSeconds'), why));
  else if (seconds <= 0 || seconds > AFFINITY_SECONDS_MAX)
    faults.push(
      invalid(
        childPath(path, 'clientIP.timeoutSeconds'),
        seconds,
        `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`,
      ),
    );
  return faults;
};

const validateExternalIps = ({externalIPs = []}: ServiceSpec, before: ServiceSpec | undefined): FieldError[] => {
  const known = new Set(before?.externalIPs);
  return externalIPs.flatMap((ip, index) => {
    const path = indexPath(at('externalIPs'), index);
    const syntax = known.has(ip) ? [] : validateIp(path, ip);
    return syntax.length > 0 ? syntax : validateEndpointIp(path, ip);
  });
};

const validateTypeName = ({type = ''}: ServiceSpec): FieldError[] => {
  if (type === '') return [required(at('type'))];
  return TYPES.includes(type) ? [] : [notSupported(at('type'), namedText(type), TYPES)];
};
