// SPDX-License-Identifier: Apache-2.0
/** What follows from the fields of a Service. Ref: kubernetes v1.36 pkg/api/service/util.go, pkg/registry/core/service. */
import {
  CLUSTER_IP,
  EXTERNAL_NAME,
  LOAD_BALANCER,
  NO_IP,
  NODE_PORT,
  type ServicePort,
  type ServiceSpec,
} from './types.ts';

export const hasNodePorts = ({type}: ServiceSpec): boolean => type === NODE_PORT || type === LOAD_BALANCER;

/** Traffic can come from outside. */
export const isExternallyAccessible = (spec: ServiceSpec): boolean =>
  hasNodePorts(spec) || (spec.type === CLUSTER_IP && (spec.externalIPs ?? []).length > 0);

/** Nodes answer on a port of its own whether they have endpoints. */
export const needsHealthCheck = ({type, externalTrafficPolicy}: ServiceSpec): boolean =>
  type === LOAD_BALANCER && externalTrafficPolicy === 'Local';

export const needsClusterIp = ({type}: ServiceSpec): boolean => type !== EXTERNAL_NAME;

/** By its list of addresses, whatever its type is. */
export const isHeadless = ({clusterIPs = []}: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === NO_IP;

export const isSelectorless = ({selector = {}}: ServiceSpec): boolean => Object.keys(selector).length === 0;

/** Every port gets a node port. */
export const wantsNodePorts = ({type, allocateLoadBalancerNodePorts}: ServiceSpec): boolean =>
  type === NODE_PORT || (type === LOAD_BALANCER && allocateLoadBalancerNodePorts !== false);

export const nodePortsOf = ({ports = []}: ServiceSpec): readonly number[] =>
  ports.map(({nodePort = 0}: ServicePort) => nodePort).filter(nodePort => nodePort !== 0);

export const sameItems = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);
