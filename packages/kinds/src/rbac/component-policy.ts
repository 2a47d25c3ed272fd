// SPDX-License-Identifier: Apache-2.0
/**
 * Roles for programs of a cluster that run beside this server: a DNS server, a proxy, a controller manager. Left out are those
 * for what is not here: kubelets, pods to schedule, volumes, certificates, tokens of service accounts (and with them the roles
 * of single controllers).
 * Ref: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/{policy,namespace_policy}.go.
 */
import {account, type BootstrapBinding, type BootstrapRole, EVENTS_RULE, on, READ, user} from './policy-rules.ts';

const LEASES = 'coordination.k8s.io';
const WATCH = ['list', 'watch'];
const LOCK = ['get', 'watch', 'list', 'create', 'update'];
const CONTROLLER_MANAGER = user('system:kube-controller-manager');
const SYSTEM = 'kube-system';

export const COMPONENT_ROLES: readonly BootstrapRole[] = [
  {
    name: 'system:node-problem-detector',
    rules: [on('', 'nodes', ['get']), on('', 'nodes/status', ['patch']), EVENTS_RULE],
  },
  {
    name: 'system:kube-controller-manager',
    rules: [
      EVENTS_RULE,
      on(LEASES, 'leases', ['create']),
      on(LEASES, 'leases', ['get', 'update'], 'kube-controller-manager'),
      on('', 'secrets serviceaccounts', ['create']),
      on('', 'secrets', ['delete']),
      on('', 'namespaces secrets serviceaccounts configmaps', ['get']),
      on('', 'secrets serviceaccounts', ['update']),
      on('authentication.k8s.io', 'tokenreviews', ['create']),
      on('authorization.k8s.io', 'subjectaccessreviews', ['create']),
      on('*', '*', WATCH),
      on('', 'serviceaccounts/token', ['create']),
    ],
  },
  {name: 'system:kube-dns', rules: [on('', 'endpoints services', WATCH)]},
  {
    name: 'system:node-proxier',
    rules: [
      on('', 'services endpoints', WATCH),
      on('', 'nodes', READ),
      EVENTS_RULE,
      on('networking.k8s.io', 'servicecidrs', WATCH),
      on('discovery.k8s.io', 'endpointslices', WATCH),
    ],
  },
];

export const COMPONENT_BINDINGS: readonly BootstrapBinding[] = [
  {role: 'system:node-proxier', subjects: [user('system:kube-proxy')]},
  {role: 'system:kube-controller-manager', subjects: [CONTROLLER_MANAGER]},
  {role: 'system:kube-dns', subjects: [account(SYSTEM, 'kube-dns')]},
];

/** All in `kube-system`. */
export const SYSTEM_ROLES: readonly BootstrapRole[] = [
  {
    name: 'extension-apiserver-authentication-reader',
    rules: [on('', 'configmaps', READ, 'extension-apiserver-authentication')],
  },
  {
    name: 'system::leader-locking-kube-controller-manager',
    rules: [on(LEASES, 'leases', LOCK), on(LEASES, 'leasecandidates', LOCK)],
  },
];

export const SYSTEM_BINDINGS: readonly BootstrapBinding[] = [
  {
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    subjects: [CONTROLLER_MANAGER, user('system:kube-scheduler')],
  },
  {
    role: 'system::leader-locking-kube-controller-manager',
    subjects: [
      CONTROLLER_MANAGER,
      account(SYSTEM, 'kube-controller-manager'),
      account(SYSTEM, 'leader-election-controller'),
    ],
  },
];
