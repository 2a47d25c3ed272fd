// SPDX-License-Identifier: Apache-2.0
/** What the main thread asks the reading thread, and what that answers. */
import type {RecordStoreFault, StoredRecord} from '../../record-store.ts';
import type {RecordReads} from './record-reads.ts';

export type ReadName = 'page' | 'aggregate' | 'changes' | 'backlog' | 'get' | 'evidence';
type Args = {[N in Exclude<ReadName, 'changes'>]: Parameters<RecordReads[N]>} & {
  changes: [Parameters<RecordReads['changes']>[0]];
};
export type ReadRequest = {
  [N in ReadName]: {readonly id: number; readonly name: N; readonly args: Args[N]};
}[ReadName];
/** Partitions that are gone. */
export type ForgetRequest = {readonly forget: readonly string[]};
export type ToReader = ReadRequest | ForgetRequest;

/** `part`: of the records of an answer, which comes behind it. `file`: which one is damaged. */
export type FromReader =
  | {readonly id: number; readonly part: readonly StoredRecord[]}
  | {readonly id: number; readonly answer: unknown}
  | {readonly id: number; readonly code: RecordStoreFault; readonly message: string; readonly file: string | undefined};
