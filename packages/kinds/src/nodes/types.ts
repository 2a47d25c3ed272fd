// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

/** As decoded: what is absent is undefined. */
export type Taint = {key?: string; value?: string; effect?: string; timeAdded?: string | null};
export type ConfigMapSource = {
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  kubeletConfigKey?: string;
};
export type ConfigSource = {configMap?: ConfigMapSource};
export type NodeSpec = {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: Taint[];
  configSource?: ConfigSource;
  externalID?: string;
};
export type ResourceList = Record<string, string>;
export type NodeAddress = {type?: string; address?: string};
export type NodeStatus = {
  capacity?: ResourceList;
  allocatable?: ResourceList;
  conditions?: {type?: string; status?: string}[];
  addresses?: NodeAddress[];
  nodeInfo?: {
    kernelVersion?: string;
    osImage?: string;
    containerRuntimeVersion?: string;
    kubeletVersion?: string;
    architecture?: string;
    swap?: {capacity?: number | bigint};
  };
  config?: {assigned?: ConfigSource; active?: ConfigSource; lastKnownGood?: ConfigSource};
  images?: {names?: string[] | null; sizeBytes?: number}[];
  declaredFeatures?: string[];
};
export type Node = KubeObject & {spec?: NodeSpec; status?: NodeStatus};

export const asNode = (object: KubeObject): Node => object as Node;
