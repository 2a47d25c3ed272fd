// SPDX-License-Identifier: Apache-2.0
/** What answers questions about records from the partitions of a folder. It only reads; whoever writes is another connection. */
import type {RecordKind} from '@palisade/ids-wire';
import type {
  Aggregate,
  AggregateRequest,
  ChangesPage,
  ChangesRequest,
  PageRequest,
  RecordPage,
  StoredRecord,
} from '../../record-store.ts';

/** Throws DamagedFileError where a file is damaged. Requests are valid, and hold no more than the ages of records allow. */
export interface RecordReader {
  page(request: PageRequest): Promise<RecordPage>;
  get(kind: RecordKind, endpoint: string, id: string): Promise<StoredRecord | undefined>;
  evidence(endpoint: string, id: string): Promise<string | undefined>;
  aggregate(request: AggregateRequest): Promise<Aggregate>;
  /** `until`: the last sequence number that is complete; nothing younger is given. */
  changes(request: ChangesRequest & {readonly until: number}): Promise<Omit<ChangesPage, 'missed'>>;
  /** How many records of the kind were first written after a sequence number. */
  backlog(kind: RecordKind, after: number): Promise<number>;
  /** Partitions were removed: those that are still open would keep their room on the disk. */
  dropped(files: readonly string[]): void;
  close(): Promise<void>;
}
