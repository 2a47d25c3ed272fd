// SPDX-License-Identifier: Apache-2.0
import type {ServedKind, ServedVerb} from '../openapi/served-kind.ts';

const ALL: readonly ServedVerb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const RBAC = 'rbac.authorization.k8s.io';

const kind = (group: string, name: string, typeName: string, more: Partial<ServedKind> = {}): ServedKind => ({
  group,
  version: 'v1',
  kind: name,
  listKind: `${name}List`,
  resource: `${name.toLowerCase()}s`,
  singular: name.toLowerCase(),
  namespaced: true,
  verbs: ALL,
  typeName,
  ...more,
});

/** Kinds of every sort: namespaced and not, with subresources, only ever created. */
export const SAMPLE_KINDS: readonly ServedKind[] = [
  kind('', 'Endpoints', 'io.k8s.api.core.v1.Endpoints', {resource: 'endpoints', shortNames: ['ep']}),
  kind('', 'Namespace', 'io.k8s.api.core.v1.Namespace', {
    namespaced: false,
    shortNames: ['ns'],
    verbs: ALL.filter(verb => verb !== 'deletecollection'),
    subresources: [
      {name: 'status', verbs: ['get', 'patch', 'update']},
      {name: 'finalize', verbs: ['update']},
    ],
  }),
  kind('authorization.k8s.io', 'SelfSubjectAccessReview', 'io.k8s.api.authorization.v1.SelfSubjectAccessReview', {
    namespaced: false,
    verbs: ['create'],
  }),
  kind(RBAC, 'Role', 'io.k8s.api.rbac.v1.Role'),
  kind(RBAC, 'ClusterRole', 'io.k8s.api.rbac.v1.ClusterRole', {namespaced: false}),
  kind('discovery.k8s.io', 'EndpointSlice', 'io.k8s.api.discovery.v1.EndpointSlice'),
];
