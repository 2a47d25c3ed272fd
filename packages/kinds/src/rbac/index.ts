// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {roleAggregation} from './aggregation-controller.ts';
import {bootstrapBindings, bootstrapRoles} from './bootstrap.ts';
import {clusterRoleBindingsKind, clusterRolesKind, rbacKinds} from './kinds.ts';

export {createRbacAuthorizer, type RbacAuthorizer} from './authorizer.ts';
export {RBAC_GROUP} from './types.ts';

export const rbacModule: KindModule = {
  kinds: rbacKinds,
  controllers: [roleAggregation],
  bootstraps: [
    host => bootstrapRoles(host.contextFor(clusterRolesKind, '')),
    host => bootstrapBindings(host.contextFor(clusterRoleBindingsKind, '')),
  ],
};
