// SPDX-License-Identifier: Apache-2.0
/** How traffic is mirrored to an endpoint: names, commands, texts. Needs Node (hashes), so it is no part of the main entry. */
export * from './names.ts';
export * from './plan.ts';
export * from './set-up.ts';
export * from './text-aws.ts';
export * from './text-gcp.ts';
export * from './text-linux.ts';
