// SPDX-License-Identifier: Apache-2.0
/**
 * Ref: kubernetes v1.36 pkg/apis/core/v1/defaults.go SetDefaults_{NodeStatus,ResourceList}, conversion.go
 * Convert_{v1_NodeSpec_To_core_NodeSpec,core_NodeSpec_To_v1_NodeSpec}.
 */
import type {KubeObject} from '@palisade/apiserver';
import {quantityInMillis, wasSentEmpty} from '@palisade/kube-wire';
import {asNode, type NodeSpec, type NodeStatus, type ResourceList} from './types.ts';

export const applyNodeDefaults = (draft: KubeObject): void => {
  const node = asNode(draft);
  if (node.spec !== undefined) node.spec = withBothCidrs(node.spec);
  if (node.status !== undefined) node.status = withResources(node.status);
};

/** `podCIDR` is the first of `podCIDRs`, and where they differ it is the one that counts. */
const withBothCidrs = (spec: NodeSpec): NodeSpec => {
  const {podCIDR = '', podCIDRs = []} = spec;
  if (podCIDR === (podCIDRs[0] ?? '')) return spec;
  return podCIDR === '' ? {...spec, podCIDR: podCIDRs[0] ?? ''} : {...spec, podCIDRs: [podCIDR]};
};

/**
 * What can be given away is all there is, unless the node says otherwise; amounts have whole thousandths. That there is nothing to be
 * given away holds while the object is judged: storage does not tell it from saying nothing (`settleStored`).
 */
const withResources = (status: NodeStatus): NodeStatus => {
  const {capacity, allocatable = wasSentEmpty(status, 'allocatable') ? undefined : capacity} = status;
  return {
    ...status,
    ...(capacity !== undefined && {capacity: rounded(capacity)}),
    ...(allocatable !== undefined && {allocatable: rounded(allocatable)}),
  };
};

const rounded = (resources: ResourceList): ResourceList =>
  Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, quantityInMillis(amount)]));

/** What the storage of the reference does not tell apart: no names of an image and an empty list of them, and as said above. */
export const settleStored = (draft: KubeObject): void => {
  const node = asNode(draft);
  const {capacity, allocatable, images} = node.status ?? {};
  if (capacity !== undefined && allocatable === undefined) node.status = {...node.status, allocatable: capacity};
  if (images?.some(({names}) => names?.length === 0) !== true) return;
  const named = images.map(image => (image.names?.length === 0 ? {...image, names: null} : image));
  node.status = {...node.status, images: named};
};
