// SPDX-License-Identifier: Apache-2.0
import type {KubeObject, PolicyRule, RoleRef} from '@palisade/apiserver';
import type {LabelSelectorObject} from '../label-selector.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

export type Subject = {kind?: string; apiGroup?: string; name?: string; namespace?: string};

/** Without rules the field is null on the wire, and so are the verbs of a rule without verbs. */
type SentRule = Omit<PolicyRule, 'verbs'> & {verbs?: readonly string[] | null};
export type Role = KubeObject & {rules?: readonly SentRule[] | null};
export type ClusterRole = Role & {aggregationRule?: {clusterRoleSelectors?: LabelSelectorObject[]}};
export type Binding = KubeObject & {subjects?: Subject[]; roleRef?: Partial<RoleRef>};

const NO_RULES: readonly PolicyRule[] = [];
const NO_VERBS: readonly string[] = [];

export const rulesOf = ({rules}: Role): readonly PolicyRule[] =>
  rules?.map(rule => ({...rule, verbs: rule.verbs ?? NO_VERBS})) ?? NO_RULES;

export const roleRefOf = ({roleRef}: Binding): RoleRef => ({
  apiGroup: roleRef?.apiGroup ?? '',
  kind: roleRef?.kind ?? '',
  name: roleRef?.name ?? '',
});
