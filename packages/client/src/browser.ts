// SPDX-License-Identifier: Apache-2.0
/** The clients for a browser: the same over fetch. Nothing below here imports a module of Node. */
export * from './http/fetch-transport.ts';
export * from './shared.ts';
