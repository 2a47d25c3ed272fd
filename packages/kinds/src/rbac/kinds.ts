// SPDX-License-Identifier: Apache-2.0
/** rbac.authorization.k8s.io/v1. Ref: kubernetes v1.36 pkg/registry/rbac/{role,clusterrole,rolebinding,clusterrolebinding}. */
import {ALL_VERBS, type KindDefinition, type KubeObject, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsPathSegment} from '@palisade/kube-wire';
import {guardBinding, guardRole} from './escalation.ts';
import {bindingTable, plainTable} from './table.ts';
import {type Binding, type ClusterRole, RBAC_GROUP, type Role, rulesOf, type Subject} from './types.ts';
import {validateAggregation, validateBinding, validateRoleRefChange, validateRules} from './validate.ts';

const asRole = (object: KubeObject): Role => object as Role;
const asClusterRole = (object: KubeObject): ClusterRole => object as ClusterRole;
const asBinding = (object: KubeObject): Binding => object as Binding;

const COMMON = {
  validateName: (name: string): readonly string[] => nameIsPathSegment(name, false),
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  revalidation: 'object-first',
} as const;

/** Stored rules are null when there are none, however they were sent: storage knows no difference. */
const dropEmptyRules = (draft: KubeObject): void => {
  if (rulesOf(asRole(draft)).length === 0) asRole(draft).rules = null;
};

const roleStrategy: Strategy = {
  ...COMMON,
  guard: (draft, current, context) => guardRole('roles', asRole(draft), current && asRole(current), context),
  validateCreate: draft => validateRules(asRole(draft), true),
  validateUpdate: draft => validateRules(asRole(draft), true),
  canonicalize: dropEmptyRules,
  table: plainTable,
};

const clusterRoleStrategy: Strategy = {
  ...COMMON,
  guard: (draft, current, context) => guardRole('clusterroles', asRole(draft), current && asRole(current), context),
  validateCreate: draft => [
    ...validateRules(asRole(draft), false),
    ...validateAggregation(asClusterRole(draft), undefined),
  ],
  validateUpdate: (draft, current) => [
    ...validateRules(asRole(draft), false),
    ...validateAggregation(asClusterRole(draft), asClusterRole(current)),
  ],
  canonicalize: dropEmptyRules,
  table: plainTable,
};

const bindingStrategy = (namespaced: boolean): Strategy => {
  const resource = namespaced ? 'rolebindings' : 'clusterrolebindings';
  return {
    ...COMMON,
    guard: (draft, current, context) =>
      guardBinding(resource, asBinding(draft), current && asBinding(current), context),
    validateCreate: draft => validateBinding(asBinding(draft), namespaced),
    validateUpdate: draft => validateBinding(asBinding(draft), namespaced),
    validateChange: (draft, current) => validateRoleRefChange(asBinding(draft), asBinding(current)),
    table: bindingTable(namespaced ? 'RoleBinding' : 'ClusterRoleBinding'),
  };
};

const defineKind = (
  kind: string,
  rest: Pick<KindDefinition, 'namespaced' | 'strategy'> & Partial<KindDefinition>,
): KindDefinition => {
  const resource = `${kind.toLowerCase()}s`;
  return {
    group: RBAC_GROUP,
    version: 'v1',
    kind,
    listKind: `${kind}List`,
    resource,
    singular: kind.toLowerCase(),
    verbs: ALL_VERBS,
    typeName: `io.k8s.api.rbac.v1.${kind}`,
    types: kubeTypes,
    registryPath: resource,
    internalName: `rbac.${kind}`,
    ...rest,
  };
};

const lacksGroup = ({kind, apiGroup}: Subject): boolean =>
  (kind === 'User' || kind === 'Group') && (apiGroup ?? '') === '';

/** Users and groups belong to the RBAC group unless they say otherwise, and so do roles. */
const applyBindingDefaults = (object: KubeObject): void => {
  const binding = asBinding(object);
  const {subjects = [], roleRef} = binding;
  if (subjects.some(lacksGroup))
    binding.subjects = subjects.map(each => (lacksGroup(each) ? {...each, apiGroup: RBAC_GROUP} : each));
  if ((roleRef?.apiGroup ?? '') === '') binding.roleRef = {...roleRef, apiGroup: RBAC_GROUP};
};

export const rolesKind = defineKind('Role', {
  namespaced: true,
  strategy: roleStrategy,
});
export const clusterRolesKind = defineKind('ClusterRole', {
  namespaced: false,
  strategy: clusterRoleStrategy,
});
export const roleBindingsKind = defineKind('RoleBinding', {
  namespaced: true,
  strategy: bindingStrategy(true),
  applyDefaults: applyBindingDefaults,
});
export const clusterRoleBindingsKind = defineKind('ClusterRoleBinding', {
  namespaced: false,
  strategy: bindingStrategy(false),
  applyDefaults: applyBindingDefaults,
});

export const rbacKinds: readonly KindDefinition[] = [
  rolesKind,
  clusterRolesKind,
  roleBindingsKind,
  clusterRoleBindingsKind,
];
