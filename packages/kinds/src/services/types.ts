// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

export type IpFamily = 'IPv4' | 'IPv6';

/** As decoded: what is absent, empty or 0 is undefined, but for the two ports that are always written. */
export type ServicePort = {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port: number;
  targetPort: number | string;
  nodePort?: number;
};

export type ServiceSpec = {
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  type?: string;
  externalIPs?: string[];
  sessionAffinity?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  publishNotReadyAddresses?: boolean;
  sessionAffinityConfig?: {clientIP?: {timeoutSeconds?: number}};
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  internalTrafficPolicy?: string;
  trafficDistribution?: string;
};

export type LoadBalancerIngress = {ip?: string; hostname?: string; ipMode?: string};
export type ServiceStatus = {loadBalancer: {ingress?: LoadBalancerIngress[]}; conditions?: unknown[]};

export type Service = KubeObject & {spec: ServiceSpec; status: ServiceStatus};

export const asService = (object: KubeObject): Service => object as Service;

/** In place of an address: there is none. */
export const NO_IP = 'None';
export const CLUSTER_IP = 'ClusterIP';
export const NODE_PORT = 'NodePort';
export const LOAD_BALANCER = 'LoadBalancer';
export const EXTERNAL_NAME = 'ExternalName';

export const SINGLE_STACK = 'SingleStack';
export const PREFER_DUAL_STACK = 'PreferDualStack';
export const REQUIRE_DUAL_STACK = 'RequireDualStack';

export const otherFamily = (family: string): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');
