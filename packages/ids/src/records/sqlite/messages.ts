// SPDX-License-Identifier: Apache-2.0
/** What the main thread asks the writing thread, and what that reports. Requests are done in order; commits that wait share a transaction. */
import type {RecordKind} from '@palisade/ids-wire';
import type {BudgetName, Budgets, BudgetUse} from '../budgets.ts';
import type {Epoch} from '../epochs.ts';
import type {RecordCounts, SensorPosition} from '../record-sink.ts';
import type {CopiedFile, GoneReaders, ReaderPosition, RecordStoreFault} from '../record-store.ts';
import type {DroppedFile, RecordFault} from './dropping.ts';
import type {PartitionClass} from './schema.ts';
import type {DecideRequest} from './writer.ts';

export type LostCounts = RecordCounts & {readonly lost: RecordCounts['kept']};

/** Of all endpoints, by class. */
export type DroppedSums = Readonly<
  Record<'evicted' | 'expired' | 'lost', Readonly<Partial<Record<PartitionClass, number>>>>
>;

export type Committed = {readonly sequence: number};
export type Usage = Readonly<Record<BudgetName, BudgetUse>>;

export type Requests = {
  start: {
    args: {folder: string; budgets: Budgets};
    answer: Committed & {readonly epochs: readonly Epoch[]; readonly dropped: DroppedSums; readonly hasMissed: boolean};
  };
  /** `text`: a RecordBatch as JSON. */
  commit: {args: {text: string}; answer: Committed};
  decide: {
    args: DecideRequest;
    answer: Committed & {readonly matched: number; readonly changed: number};
  };
  load: {args: {endpoint: string}; answer: SensorPosition | undefined};
  forget: {args: {endpoint: string}; answer: undefined};
  has: {args: {endpoint: string}; answer: boolean};
  counts: {args: {endpoint: string}; answer: LostCounts};
  usage: {args: undefined; answer: Usage};
  loadReader: {args: {name: string}; answer: ReaderPosition | undefined};
  saveReader: {args: {name: string; position: ReaderPosition}; answer: undefined};
  forgetReaders: {args: {gone: GoneReaders}; answer: readonly string[]};
  missed: {args: {kind: RecordKind; after: number; until: number}; answer: number};
  setBudgets: {args: {budgets: Budgets}; answer: undefined};
  /** A reader found the file damaged: it is set aside, if it is. */
  check: {args: {file: string}; answer: undefined};
  /** A number of the copy. */
  copyBegin: {args: undefined; answer: number};
  copyNext: {args: {id: number}; answer: CopiedFile | undefined};
  /** Its file is being read. */
  copyRead: {args: {id: number}; answer: undefined};
  /** `id` undefined: of the copy that there is. */
  copyEnd: {args: {id: number | undefined}; answer: undefined};
  tidy: {args: {nowMs: number}; answer: undefined};
  close: {args: undefined; answer: undefined};
};
export type RequestName = keyof Requests;
export type Request = {
  [N in RequestName]: {readonly id: number; readonly name: N; readonly args: Requests[N]['args']};
}[RequestName];

export type Reply =
  | {readonly id: number; readonly answer: unknown}
  | {readonly id: number; readonly code: RecordStoreFault; readonly message: string};

/** `error` as text. */
export type DroppedReport = {readonly dropped: Omit<DroppedFile, 'error'> & {readonly error: string | undefined}};
export type FaultReport = {readonly fault: Omit<RecordFault, 'error'> & {readonly error: string}};
export type FromWorker = Reply | DroppedReport | FaultReport;
