// SPDX-License-Identifier: Apache-2.0
/** Stand-ins for tests of whatever uses the clients. */
export * from './fake-ids-server.ts';
export * from './fake-kube-server.ts';
export * from './json-server.ts';
export * from './manual-clock.ts';
