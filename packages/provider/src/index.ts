// SPDX-License-Identifier: Apache-2.0
/** Pulumi providers: the port, its values, and the two implementations. */
export * from './property-path.ts';
export * from './provider.ts';
export * from './value.ts';
