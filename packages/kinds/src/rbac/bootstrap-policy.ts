// SPDX-License-Identifier: Apache-2.0
/**
 * The roles and bindings of the cluster that every server has; PRODUCT_ROLES are ours.
 * Ref: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
 */
import type {PolicyRule} from '@palisade/apiserver';
import {COMPONENT_BINDINGS, COMPONENT_ROLES} from './component-policy.ts';
import {
  AGGREGATE_TO_ADMIN,
  AGGREGATE_TO_EDIT,
  AGGREGATE_TO_VIEW,
  type BootstrapBinding,
  type BootstrapRole,
  group,
  on,
  READ,
  READ_WRITE,
  urls,
  WRITE,
} from './policy-rules.ts';
import {PRODUCT_ROLES} from './product-policy.ts';
import {RBAC_GROUP} from './types.ts';

const WORKLOADS = 'daemonsets deployments deployments/scale replicasets replicasets/scale';

const viewRules: readonly PolicyRule[] = [
  on(
    '',
    'pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps',
    READ,
  ),
  on(
    '',
    'limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status replicationcontrollers/status pods/log',
    READ,
  ),
  on('', 'namespaces', READ),
  on('|events.k8s.io', 'events', READ),
  on('discovery.k8s.io', 'endpointslices', READ),
  on(
    'apps',
    `${WORKLOADS} controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets/status deployments/status replicasets/status`,
    READ,
  ),
  on('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', READ),
  on('batch', 'jobs cronjobs cronjobs/status jobs/status', READ),
  on(
    'extensions',
    `${WORKLOADS} daemonsets/status deployments/status ingresses ingresses/status replicasets/status replicationcontrollers/scale networkpolicies`,
    READ,
  ),
  on('policy', 'poddisruptionbudgets poddisruptionbudgets/status', READ),
  on('networking.k8s.io', 'networkpolicies ingresses ingresses/status', READ),
  on('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', READ),
];

const editRules: readonly PolicyRule[] = [
  on('', 'pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy', READ),
  on('', 'serviceaccounts', ['impersonate']),
  on('', 'pods pods/attach pods/proxy pods/exec pods/portforward', WRITE),
  on('', 'pods/eviction', ['create']),
  on(
    '',
    'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets',
    WRITE,
  ),
  on('', 'serviceaccounts/token', ['create']),
  on('|events.k8s.io', 'events', WRITE),
  on('apps', `${WORKLOADS} statefulsets statefulsets/scale deployments/rollback`, WRITE),
  on('autoscaling', 'horizontalpodautoscalers', WRITE),
  on('batch', 'jobs cronjobs', WRITE),
  on('extensions', `${WORKLOADS} deployments/rollback ingresses replicationcontrollers/scale networkpolicies`, WRITE),
  on('policy', 'poddisruptionbudgets', WRITE),
  on('networking.k8s.io', 'networkpolicies ingresses', WRITE),
  on('coordination.k8s.io', 'leases', READ_WRITE),
  on('resource.k8s.io', 'resourceclaims resourceclaimtemplates', WRITE),
];

export const BOOTSTRAP_ROLES: readonly BootstrapRole[] = [
  {
    name: 'cluster-admin',
    rules: [
      {verbs: ['*'], apiGroups: ['*'], resources: ['*']},
      {verbs: ['*'], nonResourceURLs: ['*']},
    ],
  },
  {
    name: 'system:discovery',
    rules: [urls('/livez /readyz /healthz /version /version/ /openapi /openapi/* /api /api/* /apis /apis/*')],
  },
  {
    name: 'system:monitoring',
    rules: [
      urls('/metrics /metrics/slis /livez /readyz /healthz /livez/* /readyz/* /healthz/* /flagz /statusz'),
      on('', 'nodes/metrics', ['get']),
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      on('authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', ['create']),
      on('authentication.k8s.io', 'selfsubjectreviews', ['create']),
    ],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      urls('/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/'),
    ],
  },
  {name: 'system:public-info-viewer', rules: [urls('/livez /readyz /healthz /version /version/')]},
  {name: 'admin', selectors: [{matchLabels: AGGREGATE_TO_ADMIN}]},
  {name: 'edit', labels: AGGREGATE_TO_ADMIN, selectors: [{matchLabels: AGGREGATE_TO_EDIT}]},
  {name: 'view', labels: AGGREGATE_TO_EDIT, selectors: [{matchLabels: AGGREGATE_TO_VIEW}]},
  {
    name: 'system:aggregate-to-admin',
    labels: AGGREGATE_TO_ADMIN,
    rules: [
      on('authorization.k8s.io', 'localsubjectaccessreviews', ['create']),
      on(RBAC_GROUP, 'roles rolebindings', READ_WRITE),
    ],
  },
  {name: 'system:aggregate-to-edit', labels: AGGREGATE_TO_EDIT, rules: editRules},
  {name: 'system:aggregate-to-view', labels: AGGREGATE_TO_VIEW, rules: viewRules},
  {
    name: 'system:auth-delegator',
    rules: [
      on('authentication.k8s.io', 'tokenreviews', ['create']),
      on('authorization.k8s.io', 'subjectaccessreviews', ['create']),
    ],
  },
  ...COMPONENT_ROLES,
  ...PRODUCT_ROLES,
];

export const BOOTSTRAP_BINDINGS: readonly BootstrapBinding[] = [
  {role: 'cluster-admin', subjects: [group('system:masters')]},
  {role: 'system:monitoring', subjects: [group('system:monitoring')]},
  {role: 'system:discovery', subjects: [group('system:authenticated')]},
  {role: 'system:basic-user', subjects: [group('system:authenticated')]},
  {role: 'system:service-account-issuer-discovery', subjects: [group('system:serviceaccounts')]},
  {
    role: 'system:public-info-viewer',
    subjects: [group('system:authenticated'), group('system:unauthenticated')],
  },
  ...COMPONENT_BINDINGS,
];
