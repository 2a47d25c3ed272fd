// SPDX-License-Identifier: Apache-2.0

export {STORE_LIMITS, type StoreLimits} from './limits.ts';
export * from './store.ts';
export * from './store-error.ts';
