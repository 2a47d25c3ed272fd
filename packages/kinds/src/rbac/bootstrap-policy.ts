// SPDX-License-Identifier: Apache-2.0
/**
 * The roles and bindings of the cluster that every server has; the last ones are ours.
 * Ref: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
 */
import type {PolicyRule} from '@palisade/apiserver';
import {COMPONENT_BINDINGS, COMPONENT_ROLES} from './component-policy.ts';
import {type BootstrapBinding, type BootstrapRole, group, on, READ, READ_WRITE, urls, WRITE} from './policy-rules.ts';
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

const AGGREGATE = `${RBAC_GROUP}/aggregate-to-`;
const aggregateTo = (name: string): Record<string, string> => ({[`${AGGREGATE}${name}`]: 'true'});
const IDS = 'ids.googleapis.com';
const IDS_READ = ['get', 'list'];

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
  {name: 'admin', selectors: [{matchLabels: aggregateTo('admin')}]},
  {name: 'edit', labels: aggregateTo('admin'), selectors: [{matchLabels: aggregateTo('edit')}]},
  {name: 'view', labels: aggregateTo('edit'), selectors: [{matchLabels: aggregateTo('view')}]},
  {
    name: 'system:aggregate-to-admin',
    labels: aggregateTo('admin'),
    rules: [
      on('authorization.k8s.io', 'localsubjectaccessreviews', ['create']),
      on(RBAC_GROUP, 'roles rolebindings', READ_WRITE),
    ],
  },
  {name: 'system:aggregate-to-edit', labels: aggregateTo('edit'), rules: editRules},
  {name: 'system:aggregate-to-view', labels: aggregateTo('view'), rules: viewRules},
  {
    name: 'system:auth-delegator',
    rules: [
      on('authentication.k8s.io', 'tokenreviews', ['create']),
      on('authorization.k8s.io', 'subjectaccessreviews', ['create']),
    ],
  },
  ...COMPONENT_ROLES,
  // Endpoints are what this product is for; the reference's `edit` may only read them. Bind it, or label it to be aggregated.
  {name: 'palisade:endpoints-editor', rules: [on('', 'endpoints', READ_WRITE), on('', 'namespaces', READ)]},
  // The roles of the product whose API the IDS side speaks: ids.admin, ids.editor, ids.viewer. The namespace is the project.
  {name: 'ids-admin', rules: [on(IDS, '*', ['*'])]},
  {
    name: 'ids-editor',
    rules: [
      on(IDS, 'endpoints', ['create', 'delete', 'get', 'list', 'update']),
      on(IDS, 'operations', ['cancel', 'delete', 'get', 'list']),
      on(IDS, 'rules', ['get', 'list', 'update']),
      on(IDS, 'endpoints/threats', ['get', 'list', 'update']),
      on(IDS, 'endpoints/evidence endpoints/traffic forwardingrules locations', IDS_READ),
    ],
  },
  {
    name: 'ids-viewer',
    rules: [
      on(IDS, 'endpoints endpoints/threats endpoints/traffic forwardingrules locations operations rules', IDS_READ),
    ],
  },
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
