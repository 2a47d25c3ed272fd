// SPDX-License-Identifier: Apache-2.0
/**
 * The port of the record store: where sensors put threat and traffic records, with the evidence of threats, and where everybody reads
 * them. Requests and answers are plain data, so that a store on another host can answer.
 *
 * I1: a batch is there whole or not at all, with its counters and its checkpoint.
 * I2: a record is there once, however often its id is written; what people decided about it stays when it is written again. One that
 *     retention dropped is new when its id is written again (its alert repeats): it has no decisions, and readers of changes get it again.
 * I3: counts equal the records that are there; what retention drops is counted when it goes, by severity.
 * I4: no record is evicted while one of a lower class (evictions.ts) is kept that counts against the same budget.
 * I5: a sequence number names each commit, in the order in which commits became durable.
 *
 * Records outlive their endpoint until retention takes them; a new endpoint of the same name continues the list.
 * Drivers: sqlite/ (files), testing/memory-record-store.ts (for tests). Contract: testing/record-store-contract.ts.
 */
import type {AnyRecord, EndpointName, RecordKind, Severity, SortKey} from '@palisade/ids-wire';
import type {BudgetName, Budgets, BudgetUse} from './budgets.ts';
import type {ClassCounts, RecordClass} from './evictions.ts';
import type {RecordBatch, SensorPosition} from './record-sink.ts';

export type StoredRecord = {
  /** Full resource name. */
  readonly endpoint: string;
  /** See record-id.ts. Unique among the records of a kind of an endpoint. */
  readonly id: string;
  readonly record: AnyRecord;
};

/** Which records: all that fit every part. */
export type RecordSelection = {
  readonly kind: RecordKind;
  /** `-` in a part of the name stands for every one. */
  readonly name: EndpointName;
  /** Records from then on, and before then; milliseconds. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** AIP-160 over the fields of the kind's list schema, '' for all. Valid: the caller has compiled it. */
  readonly filter: string;
};

/** Of the last record of a page: its id and endpoint with a blank between, and its sort key. */
export type RecordPosition = {readonly name: string; readonly key: SortKey};

export type PageRequest = RecordSelection & {
  /** AIP-132; '': oldest first. Valid. Records that are equal in it come oldest first. */
  readonly orderBy: string;
  /** Records behind it. */
  readonly after?: RecordPosition | undefined;
  readonly limit: number;
  /** Records that were first written up to this sequence number. */
  readonly writtenUntil?: number | undefined;
};

/** Fewer than `limit` where these are large. `next`: undefined on the last page. */
export type RecordPage = {readonly records: readonly StoredRecord[]; readonly next: RecordPosition | undefined};

/**
 * Where a reader of changes is. `history` names the start of the store after which it was given (epochs.ts). A store that was emptied, or
 * brought back from a backup, may not have been there: `holds` says so, and sequence numbers of different histories cannot be compared.
 */
export type RecordCursor = {readonly history: string; readonly sequence: number};

export type ChangesRequest = Omit<RecordSelection, 'sinceMs' | 'untilMs'> & {
  /** Of this history. */
  readonly after: number;
  /** Also records that were written before and changed: a higher repeat_count, a decision of somebody. */
  readonly updates: boolean;
  readonly limit: number;
};

/**
 * In the order of their sequence numbers, the records of one commit in id order. `sequence`: everything up to it was given; a page ends at the end of a commit, and so may
 * have more records than its limit; where records are large it has fewer. `isLast`: nothing came after it.
 */
export type ChangesPage = {
  readonly records: readonly StoredRecord[];
  readonly sequence: number;
  readonly isLast: boolean;
  /**
   * Records of the kind, of any endpoint and whatever the filter, that were first written after `after`, up to `sequence`, and that
   * retention dropped. Counted as long as a reader (saveReader) has not come past them.
   */
  readonly missed: number;
};

/** Readers whose names begin with `prefix`, except `keep`, are gone. They are forgotten when they were gone for `ageMs`. */
export type GoneReaders = {
  readonly prefix: string;
  readonly keep: readonly string[];
  readonly nowMs: number;
  readonly ageMs: number;
};

/** Where a reader with a name is: everything up to there is done. `timeMs`: every record up to there is from then or before. */
export type ReaderPosition = {
  readonly history: string;
  readonly kinds: Readonly<Partial<Record<RecordKind, {readonly sequence: number; readonly timeMs: number}>>>;
};

export const GROUPS = ['threat', 'source', 'destination', 'endpoint', 'severity', 'application', 'protocol'] as const;
export type RecordGroup = (typeof GROUPS)[number];

export type AggregateRequest = RecordSelection & {
  /** Milliseconds that a bar of the histogram is wide, a multiple of 1,000; bars begin at multiples of it. */
  readonly histogramMs?: number | undefined;
  readonly groupBy?: RecordGroup | undefined;
  /** Of groups, those with the most alerts. */
  readonly groupsMax: number;
};

/** Numbers of records, and of the alerts or flows that they stand for (the sum of their repeat_count). */
export type RecordSum = {readonly records: number; readonly alerts: number};

export type HistogramBar = RecordSum & {
  readonly startMs: number;
  /** Alerts by severity; of traffic, flows by `TRAFFIC`. */
  readonly classes: ClassCounts;
};

export type GroupSum = RecordSum & {
  /** A threat id, an address, an endpoint's name, a severity, an application or a protocol. */
  readonly key: string;
  /** Of a threat: its name. */
  readonly name?: string | undefined;
  /** Of its threats. */
  readonly highestSeverity?: Severity | undefined;
  /** Of traffic: the sum of total_bytes. */
  readonly bytes?: number | undefined;
  readonly firstMicros: number;
  readonly lastMicros: number;
};

export type Aggregate = {
  readonly total: RecordSum;
  /** Bars with records alone, in time order. */
  readonly histogram?: readonly HistogramBar[] | undefined;
  readonly groups?: readonly GroupSum[] | undefined;
  /** Groups that are not listed. */
  readonly moreGroups?: number | undefined;
};

/**
 * What somebody decides about threats. `user`: who is acted as; `requestor`: who showed the credential, where that is another. A `text`
 * is added as a comment, also where the rest is as it was.
 */
export type TriageChange = {readonly user: string; readonly requestor?: string | undefined; readonly timeMs: number} & (
  | {
      readonly action: 'acknowledge' | 'unacknowledge' | 'escalate' | 'deescalate';
      readonly text?: string | undefined;
    }
  | {readonly action: 'comment'; readonly text: string}
);

/** One record, or all that a selection holds. */
export type TriageTarget = {readonly endpoint: string; readonly id: string} | RecordSelection;

/** `matched` and `changed` records. */
export type TriageSum = {readonly matched: number; readonly changed: number};

export type RecordCountsMessage = {
  readonly threats: number;
  readonly traffic: number;
  readonly threatsDropped: number;
  readonly trafficDropped: number;
};

/** A file of a copy. `file`: its name below the folder of the records; `path`: where the copy is. */
export type CopiedFile = {readonly file: string; readonly path: string; readonly bytes: number};
/** `onRead`: to be called while it is read, where that may take longer than RECORD_COPY_IDLE_MS. */
export type CopyToRead = CopiedFile & {readonly onRead: () => void};

export interface RecordStore {
  /** Records, threats and traffic together, that one batch carries at most. */
  readonly batchRecordsMax: number;
  /** Opens it. Throws RecordStoreError (`format`: of another version; `in-use`; `damaged`). Every other call waits for it. */
  start(): Promise<void>;
  /** Resolves when what was committed is on disk and its files are closed. */
  close(): Promise<void>;

  /** The position of the sensor; undefined for an endpoint that is new or forgotten. */
  load(endpoint: string): Promise<SensorPosition | undefined>;
  /** Durable when it resolves. Throws RecordStoreError (`too-large`); the caller may write the same batch again. */
  commit(batch: RecordBatch): Promise<void>;
  /** The sensor's position goes; records stay until retention takes them. */
  forget(endpoint: string): Promise<void>;

  /** Whether anything is known of the endpoint's records, also after it is gone. */
  has(endpoint: string): Promise<boolean>;
  counts(endpoint: string): Promise<RecordCountsMessage>;
  /**
   * What was evicted of an endpoint: all that is known, and in the last RECORD_EVICTIONS_SHOWN_MS. `lost`: records of damaged files, which
   * were set aside.
   */
  evictions(
    endpoint: string,
  ): Promise<{readonly total: ClassCounts; readonly recent: ClassCounts; readonly lost: ClassCounts}>;
  /** What was dropped of all endpoints, for metrics. Only grows while the store is open. */
  dropped(): Readonly<Record<'evicted' | 'expired' | 'lost', Readonly<Record<RecordClass, number>>>>;
  usage(): Promise<Readonly<Record<BudgetName, BudgetUse>>>;

  page(request: PageRequest): Promise<RecordPage>;
  get(kind: RecordKind, endpoint: string, id: string): Promise<StoredRecord | undefined>;
  /** The event of a threat as Suricata wrote it (a line of EVE, without its end); undefined: none was kept, or it is gone. */
  evidence(endpoint: string, id: string): Promise<string | undefined>;
  aggregate(request: AggregateRequest): Promise<Aggregate>;

  /** Of the last commit. */
  position(): Promise<RecordCursor>;
  /** Whether everything up to the cursor was written in the history of this store, so that what comes after it is all that is new. */
  holds(cursor: RecordCursor): Promise<boolean>;
  changes(request: ChangesRequest): Promise<ChangesPage>;
  /** How many records of the kind, of all endpoints, were first written after a sequence number and are there. */
  backlog(kind: RecordKind, after: number): Promise<number>;
  /** Calls after each commit and each decision, until the returned function is called. */
  onChange(listener: () => void): () => void;

  /**
   * Durable when it resolves. `changed`: records that are different now; one that is as the change makes it stays as it is. Throws
   * RecordStoreError (`too-large`: the one record has TRIAGE_EVENTS_MAX decisions already, or TRIAGE_BYTES_MAX of them; of a selection such a record stays as it is).
   * A selection is decided about in steps: a failure, or a crash, may leave some of it done. `onStep` is called when a step is durable.
   */
  triage(target: TriageTarget, change: TriageChange, onStep?: (step: TriageSum) => void): Promise<TriageSum>;

  /** How far a reader with a name (an exporter) has come; undefined: it is new. Durable when saved. */
  loadReader(name: string): Promise<ReaderPosition | undefined>;
  saveReader(name: string, position: ReaderPosition): Promise<void>;
  /**
   * Notes which readers are gone, and forgets those that were noted long ago: what they have not read is no longer counted as missed.
   * One that saves its position again is back. The names of those that were forgotten.
   */
  forgetReaders(gone: GoneReaders): Promise<readonly string[]>;

  /**
   * All records, positions, epochs and decisions as of one commit, file by file, while commits continue; one copy at a time (`in-use`). A file
   * is a database that needs no other file. It can be read and deleted until the next one is asked for, which has to be within
   * RECORD_COPY_IDLE_MS of the last `onRead`. A folder with these files is a record store as of that commit: cursors from after it are of another history.
   * Throws RecordStoreError (`io`: the disk is short of space, or a file cannot be read; `closed`: `signal` was aborted, or the store was closed).
   */
  snapshot(signal: AbortSignal): AsyncIterable<CopyToRead>;

  /** Acts from the next commit, and for the age from the next `tidy`. */
  setBudgets(budgets: Budgets): void;
  /** Drops what is too old. Called by the janitor. */
  tidy(): Promise<void>;
}

export type RecordStoreFault = 'format' | 'in-use' | 'damaged' | 'too-large' | 'closed' | 'io';

/** `message` is readable on its own and names the way out. */
export class RecordStoreError extends Error {
  override readonly name = 'RecordStoreError';
  readonly code: RecordStoreFault;
  constructor(code: RecordStoreFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
