// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {roleAggregation} from './aggregation-controller.ts';
import {bootstrapBindings, bootstrapRoles} from './bootstrap.ts';
import {BOOTSTRAP_BINDINGS, BOOTSTRAP_ROLES} from './bootstrap-policy.ts';
import {SYSTEM_BINDINGS, SYSTEM_ROLES} from './component-policy.ts';
import {clusterRoleBindingsKind, clusterRolesKind, rbacKinds, roleBindingsKind, rolesKind} from './kinds.ts';

export {createRbacAuthorizer, type RbacAuthorizer} from './authorizer.ts';
export {RBAC_GROUP} from './types.ts';

const SYSTEM_NAMESPACE = 'kube-system';

export const rbacModule: KindModule = {
  kinds: rbacKinds,
  controllers: [roleAggregation],
  bootstraps: [
    host => bootstrapRoles(host.contextFor(clusterRolesKind, ''), BOOTSTRAP_ROLES),
    host => bootstrapBindings(host.contextFor(clusterRoleBindingsKind, ''), BOOTSTRAP_BINDINGS),
    host => bootstrapRoles(host.contextFor(rolesKind, SYSTEM_NAMESPACE), SYSTEM_ROLES),
    host => bootstrapBindings(host.contextFor(roleBindingsKind, SYSTEM_NAMESPACE), SYSTEM_BINDINGS),
  ],
};
