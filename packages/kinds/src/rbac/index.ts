// SPDX-License-Identifier: Apache-2.0
export {createRbacAuthorizer, type RbacAuthorizer} from './authorizer.ts';
export {rbacKinds} from './kinds.ts';
export {RBAC_GROUP} from './types.ts';
