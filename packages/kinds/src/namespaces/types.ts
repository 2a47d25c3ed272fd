// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

export type NamespaceCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
};
export type Namespace = KubeObject & {
  spec?: {finalizers?: string[]};
  status?: {phase?: string; conditions?: NamespaceCondition[]};
};

export const NAME_LABEL = 'kubernetes.io/metadata.name';
export const KUBERNETES_FINALIZER = 'kubernetes';
/** They exist on every server and cannot be deleted. */
export const PROTECTED_NAMESPACES = ['default', 'kube-public', 'kube-system'] as const;
/** What every server begins with. Ref: kubernetes v1.36 pkg/controlplane/controller/systemnamespaces. */
export const SYSTEM_NAMESPACES = [...PROTECTED_NAMESPACES, 'kube-node-lease'] as const;
