// SPDX-License-Identifier: Apache-2.0
/** Typed clients of both APIs. */
export * from './http/transport.ts';
export * from './kube/kubeconfig.ts';
export * from './node-clients.ts';
export * from './shared.ts';
