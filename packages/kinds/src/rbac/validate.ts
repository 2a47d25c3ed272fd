// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/rbac/validation/validation.go. */
import type {PolicyRule} from '@palisade/apiserver';
import {
  childPath,
  dns1123SubdomainFaults,
  type FieldError,
  indexPath,
  invalid,
  nameIsPathSegment,
  notSupported,
  required,
} from '@palisade/kube-wire';
import {validateSelector} from '../label-selector.ts';
import {type Binding, type ClusterRole, RBAC_GROUP, type Role, roleRefOf, rulesOf, type Subject} from './types.ts';

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;

export const validateRules = (role: Role, namespaced: boolean): FieldError[] =>
  rulesOf(role).flatMap((rule, index) => validateRule(rule, namespaced, indexPath('rules', index)));

const validateRule = (rule: PolicyRule, namespaced: boolean, path: string): FieldError[] => {
  const errors: FieldError[] = [];
  if (isEmpty(rule.verbs)) errors.push(required(childPath(path, 'verbs'), 'verbs must contain at least one value'));
  const {nonResourceURLs = []} = rule;
  if (nonResourceURLs.length > 0) {
    const at = childPath(path, 'nonResourceURLs');
    if (namespaced) errors.push(invalid(at, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames)) {
      errors.push(invalid(at, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (isEmpty(rule.apiGroups)) {
    errors.push(required(childPath(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (isEmpty(rule.resources)) {
    errors.push(required(childPath(path, 'resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
};

/** `current` may hold label values that newer rules refuse; then they stay allowed. */
export const validateAggregation = (draft: ClusterRole, current: ClusterRole | undefined): FieldError[] => {
  if (draft.aggregationRule === undefined) return [];
  const {clusterRoleSelectors: selectors = []} = draft.aggregationRule;
  const path = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0) {
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  const before = current?.aggregationRule?.clusterRoleSelectors ?? [];
  const lenient = before.some(selector => validateSelector(selector, '', false).length > 0);
  return selectors.flatMap((selector, index) => {
    const at = indexPath(path, index);
    const errors = validateSelector(selector, at, lenient);
    if (errors.length === 0) return [];
    return [...errors, invalid(at, null, 'invalid label selector.')];
  });
};

export const validateBinding = (draft: Binding, namespaced: boolean): FieldError[] => {
  const role = roleRefOf(draft);
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const errors: FieldError[] = [];
  if (role.apiGroup !== RBAC_GROUP) errors.push(notSupported('roleRef.apiGroup', role.apiGroup, [RBAC_GROUP]));
  if (!kinds.includes(role.kind)) errors.push(notSupported('roleRef.kind', role.kind, kinds));
  if (role.name === '') errors.push(required('roleRef.name'));
  else for (const fault of nameIsPathSegment(role.name, false)) errors.push(invalid('roleRef.name', role.name, fault));
  for (const [index, subject] of (draft.subjects ?? []).entries()) {
    errors.push(...validateSubject(subject, namespaced, indexPath('subjects', index)));
  }
  return errors;
};

export const validateRoleRefChange = (draft: Binding, current: Binding): FieldError[] => {
  const role = roleRefOf(draft);
  const before = roleRefOf(current);
  if (before.apiGroup === role.apiGroup && before.kind === role.kind && before.name === role.name) return [];
  // Printed as the internal struct, which has no JSON names.
  const printed = {APIGroup: role.apiGroup, Kind: role.kind, Name: role.name};
  return [invalid('roleRef', printed, 'cannot change roleRef')];
};

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

const validateSubject = (subject: Subject, namespaced: boolean, path: string): FieldError[] => {
  const {kind = '', apiGroup = '', name = '', namespace = ''} = subject;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(childPath(path, 'name')));
  if (kind === 'ServiceAccount') {
    if (name !== '') {
      for (const fault of dns1123SubdomainFaults(name)) errors.push(invalid(childPath(path, 'name'), name, fault));
    }
    if (apiGroup !== '') errors.push(notSupported(childPath(path, 'apiGroup'), apiGroup, ['']));
    if (!namespaced && namespace === '') errors.push(required(childPath(path, 'namespace')));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== RBAC_GROUP) errors.push(notSupported(childPath(path, 'apiGroup'), apiGroup, [RBAC_GROUP]));
  } else errors.push(notSupported(childPath(path, 'kind'), kind, SUBJECT_KINDS));
  return errors;
};
