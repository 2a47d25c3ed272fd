// SPDX-License-Identifier: Apache-2.0
/** What the main thread asks the reading thread, and what that answers. */
import type {RecordStoreFault} from '../../record-store.ts';
import type {RecordReads} from './record-reads.ts';

export type ReadName = 'page' | 'aggregate' | 'changes' | 'backlog' | 'get' | 'evidence';
export type ReadRequest = {
  [N in ReadName]: {readonly id: number; readonly name: N; readonly args: Parameters<RecordReads[N]>};
}[ReadName];
/** Partitions that are gone. */
export type ForgetRequest = {readonly forget: readonly string[]};
export type ToReader = ReadRequest | ForgetRequest;

export type FromReader =
  | {readonly id: number; readonly answer: unknown}
  | {readonly id: number; readonly code: RecordStoreFault; readonly message: string};
