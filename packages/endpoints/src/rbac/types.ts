// SPDX-License-Identifier: Apache-2.0
import type {KubeObject, PolicyRule, RoleRef} from '@palisade/apiserver';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

export type Subject = {kind?: string; apiGroup?: string; name?: string; namespace?: string};
export type LabelSelectorObject = {
  matchLabels?: Record<string, string>;
  matchExpressions?: {key?: string; operator?: string; values?: string[]}[];
};

export type Role = KubeObject & {rules?: PolicyRule[]};
export type ClusterRole = Role & {aggregationRule?: {clusterRoleSelectors?: LabelSelectorObject[]}};
export type Binding = KubeObject & {subjects?: Subject[]; roleRef?: Partial<RoleRef>};

export const roleRefOf = ({roleRef}: Binding): RoleRef => ({
  apiGroup: roleRef?.apiGroup ?? '',
  kind: roleRef?.kind ?? '',
  name: roleRef?.name ?? '',
});
