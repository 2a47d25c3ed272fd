// SPDX-License-Identifier: Apache-2.0
/** For tests: a cloud in memory with its provider, and runs of a deployment without a program. */
export {emptyState} from '../state/resource-state.ts';
export * from './fake-cloud.ts';
export * from './manual-run.ts';
