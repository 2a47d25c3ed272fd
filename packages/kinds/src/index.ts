// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {endpointsKind} from './endpoints/kind.ts';
import {namespacesModule} from './namespaces/index.ts';
import {namespacesKind} from './namespaces/kind.ts';
import {rbacModule} from './rbac/index.ts';
import {readOnlyKinds} from './read-only/kinds.ts';
import {reviewKinds} from './reviews/kinds.ts';

export {createRbacAuthorizer, RBAC_GROUP, type RbacAuthorizer} from './rbac/index.ts';
export {endpointsKind, namespacesKind};

/** The Kubernetes side as the product serves it; kinds in the order of discovery. */
export const kubeModule: KindModule = {
  kinds: [endpointsKind, ...namespacesModule.kinds, ...reviewKinds, ...rbacModule.kinds, ...readOnlyKinds],
  controllers: [...namespacesModule.controllers, ...rbacModule.controllers],
  bootstraps: [...namespacesModule.bootstraps, ...rbacModule.bootstraps],
};
