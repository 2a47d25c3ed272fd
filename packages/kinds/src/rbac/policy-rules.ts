// SPDX-License-Identifier: Apache-2.0
/** How the roles of the policy are written. Ref: kubernetes v1.36 pkg/apis/rbac/v1/helpers.go (verbs and resources are sorted). */
import type {PolicyRule} from '@palisade/apiserver';
import type {LabelSelectorObject} from '../label-selector.ts';
import {RBAC_GROUP, type Subject} from './types.ts';

export type BootstrapRole = {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly PolicyRule[];
  readonly selectors?: readonly LabelSelectorObject[];
};
export type BootstrapBinding = {
  /** Default: the name of the role. */
  readonly name?: string;
  readonly role: string;
  readonly subjects: readonly Subject[];
};

export const READ = ['get', 'list', 'watch'];
export const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
export const READ_WRITE = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const aggregateTo = (name: string): Record<string, string> => ({[`${RBAC_GROUP}/aggregate-to-${name}`]: 'true'});
/** Labels: the rules of a role that has one are also rules of that role. */
export const AGGREGATE_TO_ADMIN = aggregateTo('admin');
export const AGGREGATE_TO_EDIT = aggregateTo('edit');
export const AGGREGATE_TO_VIEW = aggregateTo('view');

/** Groups are separated by `|`, resources by a space; `names` are the only objects that it is about. */
export const on = (
  groups: string,
  resources: string,
  verbs: readonly string[],
  ...names: readonly string[]
): PolicyRule => ({
  verbs: [...verbs].sort(),
  apiGroups: groups.split('|'),
  resources: resources.split(' ').sort(),
  ...(names.length > 0 && {resourceNames: names}),
});

export const urls = (paths: string): PolicyRule => ({verbs: ['get'], nonResourceURLs: paths.split(' ').sort()});

/** What everybody who reports events may do. */
export const EVENTS_RULE: PolicyRule = on('|events.k8s.io', 'events', ['create', 'update', 'patch']);

export const group = (name: string): Subject => ({kind: 'Group', apiGroup: RBAC_GROUP, name});
export const user = (name: string): Subject => ({kind: 'User', apiGroup: RBAC_GROUP, name});
export const account = (namespace: string, name: string): Subject => ({kind: 'ServiceAccount', name, namespace});
