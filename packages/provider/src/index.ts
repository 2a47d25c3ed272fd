// SPDX-License-Identifier: Apache-2.0
/** Pulumi providers: the port, its values, and the two implementations. */

export * from './detailed-diff.ts';
export * from './node-host.ts';
export * from './property-path.ts';
export * from './provider.ts';
export * from './providers/cloudnative-provider.ts';
export * from './providers/platform-provider.ts';
export {parseUrn} from './resources/resource.ts';
export {constantCase, snakeCase} from './sdk/python-types.ts';
export * from './secrecy.ts';
export * from './value.ts';
export * from './value-codec.ts';
