// SPDX-License-Identifier: Apache-2.0
/** Package descriptions and what is made from them. */
export {KUBE_KINDS} from '../resources/kube-kinds.ts';
export * from './check-shape.ts';
export * from './cloudnative.ts';
export * from './describe-structs.ts';
export * from './package-description.ts';
export * from './platform.ts';
export * from './to-pulumi-schema.ts';
