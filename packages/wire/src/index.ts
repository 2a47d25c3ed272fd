// SPDX-License-Identifier: Apache-2.0
export * from './ids/index.ts';
export * from './kube/index.ts';
