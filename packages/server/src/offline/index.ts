// SPDX-License-Identifier: Apache-2.0
export * from './store-work.ts';
