// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/core/v1/defaults.go SetDefaults_Service. */
import type {KubeObject} from '@palisade/apiserver';
import {hasNodePorts, isExternallyAccessible} from './traits.ts';
import {asService, CLUSTER_IP, LOAD_BALANCER, type Service, type ServicePort, type ServiceSpec} from './types.ts';

/** Three hours. */
const AFFINITY_SECONDS = 10_800;

export const setServiceDefaults = (object: KubeObject): void => {
  const service = asService(object);
  const {spec} = service;
  spec.type ??= CLUSTER_IP;
  defaultAffinity(spec);
  if (spec.ports?.some(lacksTarget) === true)
    spec.ports = spec.ports.map(port => (lacksTarget(port) ? {...port, targetPort: port.port} : port));
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= 'Cluster';
  if (hasNodePorts(spec) || spec.type === CLUSTER_IP) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === LOAD_BALANCER) {
    spec.allocateLoadBalancerNodePorts ??= true;
    defaultIpModes(service);
  }
};

const lacksTarget = ({targetPort}: ServicePort): boolean => targetPort === 0 || targetPort === '';

const defaultAffinity = (spec: ServiceSpec): void => {
  spec.sessionAffinity ??= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = {clientIP: {timeoutSeconds: AFFINITY_SECONDS}};
};

const defaultIpModes = ({status}: Service): void => {
  const {ingress} = status.loadBalancer;
  if (ingress?.some(({ip = '', ipMode}) => ip !== '' && ipMode === undefined) !== true) return;
  status.loadBalancer = {
    ...status.loadBalancer,
    ingress: ingress.map(each => ((each.ip ?? '') !== '' ? {...each, ipMode: each.ipMode ?? 'VIP'} : each)),
  };
};
