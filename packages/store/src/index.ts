// SPDX-License-Identifier: Apache-2.0
export * from './store.ts';
export * from './store-error.ts';
