// SPDX-License-Identifier: Apache-2.0
/** What the main thread asks the worker. Requests are answered one after the other, in order. */
import type {ChangeId} from '../../log/change.ts';
import type {EraseStep, Opened, Step} from '../../log/driver.ts';
import type {StoreErrorCode} from '../../store-error.ts';
import type {HistoryBounds} from './change-table.ts';
import type {PackedChanges} from './packed-changes.ts';
import type {StoreSpace} from './space.ts';
import type {WalTail} from './wal-tail.ts';

export type Requests = {
  open: {
    /** `stepMs`: what a step of `erase` or `shrink` may take. */
    args: {file: string; fileBytesMax: number; stepMs: number; probe: SharedArrayBuffer | undefined};
    answer: Opened & {readonly tail: WalTail | undefined};
  };
  heads: {args: {after: ChangeId}; answer: PackedChanges};
  /** `after`: the newest change that the main thread knows to be kept. */
  append: {
    args: {after: ChangeId; changes: PackedChanges};
    /** The memory of the values, moved back: the next batch is packed into it, and neither thread leaves garbage. */
    answer: ArrayBuffer;
  };
  read: {args: {ids: readonly ChangeId[]}; answer: PackedChanges};
  scan: {
    args: {prefix: string; after: ChangeId; through: ChangeId; bytesMax: number};
    answer: {changes: PackedChanges; previous: PackedChanges; through: ChangeId};
  };
  /** Rejected while the disk does not take so many bytes more. `after` as for `append`. */
  tryDisk: {args: {after: ChangeId; bytes: number}; answer: undefined};
  shrink: {args: undefined; answer: Step};
  newestWithin: {args: {newest: number; bounds: HistoryBounds}; answer: number};
  space: {args: undefined; answer: StoreSpace};
  erase: {args: {compacted: number}; answer: EraseStep};
  close: {args: undefined; answer: undefined};
};
export type RequestName = keyof Requests;
export type Request = {
  [N in RequestName]: {readonly id: number; readonly name: N; readonly args: Requests[N]['args']};
}[RequestName];
export type Reply =
  | {readonly id: number; readonly answer: unknown}
  | {
      readonly id: number;
      readonly code: StoreErrorCode;
      readonly key: string;
      readonly revision: bigint;
      readonly message: string;
    };
