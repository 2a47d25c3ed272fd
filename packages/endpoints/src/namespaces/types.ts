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
export const SYSTEM_NAMESPACES = ['default', 'kube-public', 'kube-system'] as const;
