// SPDX-License-Identifier: Apache-2.0

export {PROGRAM_VERSION} from './format/program-version.ts';
export {STORE_LIMITS, type StoreLimits} from './limits.ts';
export * from './store.ts';
export * from './store-error.ts';
