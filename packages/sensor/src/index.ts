// SPDX-License-Identifier: Apache-2.0
export * from './record-sink.ts';
