// SPDX-License-Identifier: Apache-2.0
import type {KindDefinition} from '@palisade/apiserver';
import {endpointsKind} from './endpoints/kind.ts';
import {namespacesKind} from './namespaces/kind.ts';
import {rbacKinds} from './rbac/index.ts';
import {readOnlyKinds} from './read-only/kinds.ts';
import {reviewKinds} from './reviews/kinds.ts';

export {createRbacAuthorizer, RBAC_GROUP, type RbacAuthorizer} from './rbac/index.ts';
export {endpointsKind, namespacesKind};
/** Every kind of the Kubernetes side, in the order of discovery. */
export const kubeKinds: readonly KindDefinition[] = [
  endpointsKind,
  namespacesKind,
  ...reviewKinds,
  ...rbacKinds,
  ...readOnlyKinds,
];
