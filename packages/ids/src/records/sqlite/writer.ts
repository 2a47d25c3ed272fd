// SPDX-License-Identifier: Apache-2.0
/**
 * Commits: into the journal, then into the partitions. Everything here runs in one thread, one call after the other.
 *
 *   commit    1. a file for each record  2. one transaction of the journal: redo entries, positions, files that changed
 *             3. one transaction per partition  4. partitions over the budgets go
 *   flush     partitions are synced, then their redo entries go
 *   start     what the redo log holds is applied again
 *
 * I1: what a transaction of the journal has is there, whatever happens after it: 3 is done again at the next start, or before the next commit.
 * I2: nothing leaves the redo log before the partitions that it names are on disk.
 * I3: what is dropped is counted in the transaction that ends the file; the file itself goes after it.
 */
import {REDO_BYTES_MAX} from '../../limits.ts';
import type {Budgets} from '../budgets.ts';
import {classOf, RECORD_CLASSES} from '../evictions.ts';
import type {RecordBatch} from '../record-sink.ts';
import type {TriageChange} from '../record-store.ts';
import {withChange} from '../triage.ts';
import {dayOf} from './columns.ts';
import {type DroppedFile, Dropping, type RecordFault} from './dropping.ts';
import {
  batchEntry,
  byFile,
  type Decision,
  decisionEntry,
  type Entry,
  fromRow,
  movedRow,
  toRow,
  worksOfBatch,
} from './entries.ts';
import {budgetOf, overBudget, rollBytesOf, tooOld, underNeed} from './evict.ts';
import {isDiskFault} from './faults.ts';
import {inFolder, keepReserve, withReserve} from './files.ts';
import {migratePartitions, RECORD_FORMATS} from './formats.ts';
import {Journal, type Why} from './journal.ts';
import {DamagedPartition, GONE, type PartitionEntry, Partitions} from './partitions.ts';
import {type PartitionClass, parsePartitionFile} from './schema.ts';
import {EMPTY, type EvidenceWork, type RecordWork} from './work.ts';

export const JOURNAL_FILE = 'journal.db';

/** `isOne`: one threat was named, not all that match. */
export type DecideRequest = {
  readonly items: readonly {readonly endpoint: string; readonly id: string}[];
  readonly change: TriageChange;
  readonly isOne: boolean;
};

/** `text`: the batch as JSON. */
export type WrittenBatch = {readonly batch: RecordBatch; readonly text: string};

export type WriterOptions = {
  readonly folder: string;
  readonly budgets: Budgets;
  /** A name that no other start has. */
  readonly newEpoch: () => string;
  /** Bytes by which the disk is short of its floor; 0 or less: it is not. */
  readonly missingBytes: () => number;
  readonly onDropped: (dropped: DroppedFile) => void;
  readonly onFault?: ((fault: RecordFault) => void) | undefined;
  /** Of a partition of a budget. For tests; default: rollBytesOf. */
  readonly rollBytes?: typeof rollBytesOf | undefined;
  /** For tests: called between two steps, may throw. */
  readonly probe?: ((step: string) => void) | undefined;
};

const THREAT_CLASSES = RECORD_CLASSES.filter(name => name !== 'TRAFFIC');

export class Writer {
  readonly #options: WriterOptions;
  readonly journal: Journal;
  readonly partitions: Partitions;
  readonly #dropping: Dropping;
  #budgets: Budgets;
  #sequence: number;
  #partitionNumber: number;
  #redoBytes = 0;
  /** The journal has something that the partitions lack. */
  #isBehind = true;
  /** Made, and not listed in the journal yet. */
  readonly #unlisted = new Set<string>();

  /** Throws RecordStoreError `format`, and errors of SQLite and the file system. */
  constructor(options: WriterOptions) {
    this.#options = options;
    this.#budgets = options.budgets;
    this.partitions = new Partitions(options.folder);
    this.journal = withReserve(options.folder, () => new Journal(inFolder(options.folder, JOURNAL_FILE)));
    const {journal, partitions} = this;
    const [probe, onFault] = [(step: string) => this.#probe(step), (fault: RecordFault) => this.#fault(fault)];
    this.#dropping = new Dropping({journal, partitions, onDropped: options.onDropped, onFault, probe});
    [this.#sequence, this.#partitionNumber] = [journal.sequence, journal.partitionNumber];
    try {
      migratePartitions(options.folder, this.journal, RECORD_FORMATS);
      const listed = journal.partitions();
      for (const {file, error} of partitions.load(listed)) this.#setAside(file, error);
      this.#dropping.checkLoaded(options.folder, listed);
      this.#dropping.removeLeftovers();
      const isDropped = this.#roomTried();
      this.#catchUp();
      this.#tried('record store could not empty its redo log', () => this.flush());
      this.partitions.foldLogs();
      this.#tried('record store could not make room', () => this.#makeRoom(!isDropped));
      this.#keepReserve();
      withReserve(options.folder, () => this.journal.beginEpoch(options.newEpoch()));
    } catch (error) {
      this.partitions.closeAll();
      this.journal.close();
      throw error;
    }
  }

  get sequence(): number {
    return this.#sequence;
  }

  setBudgets(budgets: Budgets): void {
    this.#budgets = budgets;
  }

  get budgets(): Budgets {
    return this.#budgets;
  }

  /** Durable, and in the partitions, when it returns. One transaction for all of them; each has a sequence number of its own. */
  commit(batches: readonly WrittenBatch[]): void {
    this.#catchUp();
    const place = ({batch, text}: WrittenBatch, sequence: number): Entry => {
      const {endpoint, checkpoint, counters, engine, flows} = batch;
      const number = this.journal.demandNumber(endpoint);
      this.journal.setPosition(number, {checkpoint, counters, engine, flows});
      const works = worksOfBatch(batch, number, sequence);
      return batchEntry({sequence, text, works}, work => this.#placeOf(work));
    };
    const entries = this.#withoutDamage(() =>
      this.#inJournal(sequence => batches.map((batch, i) => place(batch, sequence + i))),
    );
    this.#applyCommitted(entries);
  }

  /** `items`: threats by endpoint and id. Durable when it returns. Throws RecordStoreError `too-large` where there is but one. */
  decide(
    items: DecideRequest['items'],
    change: TriageChange,
    {isOne}: Pick<DecideRequest, 'isOne'> = {isOne: true},
  ): {readonly matched: number; readonly changed: number} {
    this.#catchUp();
    const found = this.#withoutDamage(() => items.flatMap(item => this.#findThreat(item) ?? []));
    const decisions = found.flatMap(({file, endpoint, id}): (Decision & {readonly file: string})[] => {
      const events = withChange(this.partitions.triageOf(file, id, endpoint), change, {isOne});
      return events === undefined ? [] : [{file, endpoint, id, events}];
    });
    if (decisions.length > 0) this.#applyCommitted(this.#inJournal(sequence => [decisionEntry(sequence, decisions)]));
    return {matched: found.length, changed: decisions.length};
  }

  #findThreat({endpoint, id}: {readonly endpoint: string; readonly id: string}) {
    const number = this.journal.numberOf(endpoint);
    if (number === undefined) return undefined;
    for (const recordClass of THREAT_CLASSES) {
      const file = this.partitions.find(recordClass, number, id);
      if (file !== undefined) return {file, endpoint: number, id};
    }
    return undefined;
  }

  /** What is too old goes, and what has not been used is closed. */
  tidy(nowMs: number): void {
    this.#dropping.removeLeftovers();
    const isDropped = this.#roomTried();
    this.#catchUp();
    for (const file of this.partitions.gone()) this.#replace(file, new Error(GONE));
    this.#drop(tooOld(this.partitions.all(), this.#budgets, nowMs), 'expired');
    this.partitions.closeIdle();
    this.partitions.foldLogs();
    this.flush();
    this.#makeRoom(!isDropped);
    this.#keepReserve();
  }

  /** A file that a reader found damaged is set aside, if it is. */
  check = (file: string): void => this.#withoutDamage(() => this.partitions.check(file));

  /** The redo log is empty afterwards. */
  flush(): void {
    this.#catchUp();
    this.#withoutDamage(() => this.partitions.flush());
    this.#probe('partitions synced');
    const {journal, partitions} = this;
    const written = partitions.all().filter(({isWritten}) => isWritten);
    if (written.length === 0 && this.#redoBytes === 0) return;
    journal.transaction(() => {
      journal.removeRedo(this.#sequence);
      for (const {file, summary} of written)
        journal.setPartition({file, summary, isWritten: !partitions.isAtRest(file)});
    });
    for (const {file} of written) if (partitions.isAtRest(file)) partitions.setAtRest(file);
    this.#redoBytes = 0;
    this.#probe('redo log emptied');
  }

  /** The files that count, with all commits. */
  settled(): readonly string[] {
    this.#catchUp();
    return this.journal.partitions().map(({file}) => file);
  }

  /** Everything is on disk, and files are closed. */
  close(): void {
    try {
      if (!this.#isBehind) {
        this.#withoutDamage(() => this.partitions.flush());
        this.partitions.closeAll();
        this.flush();
      }
    } finally {
      this.partitions.closeAll();
      this.journal.close();
    }
  }

  /** A transaction that adds entries. `make` gets the sequence number of the first. */
  #inJournal(make: (sequence: number) => readonly Entry[]): readonly Entry[] {
    const {journal, partitions} = this;
    this.#probe('journal begins');
    let bytes = 0;
    const entries = journal.transaction(() => {
      const made = make(this.#sequence + 1);
      for (const entry of made) {
        const row = toRow(entry);
        bytes += row.entry.length + row.places.length;
        journal.addRedo(row);
      }
      for (const file of this.#unlisted) journal.setPartition({file, summary: EMPTY, isWritten: true});
      if (this.#unlisted.size > 0) journal.partitionNumber = this.#partitionNumber;
      for (const file of byFile(made).keys()) if (partitions.get(file)?.isWritten === false) journal.setWritten(file);
      journal.sequence = this.#sequence + made.length;
      this.#probe('journal commits');
      return made;
    });
    this.#sequence += entries.length;
    this.#redoBytes += bytes;
    this.#unlisted.clear();
    this.#isBehind = true;
    this.#probe('journal committed');
    return entries;
  }

  #applyCommitted(entries: readonly Entry[]): void {
    this.#apply(entries);
    this.#isBehind = false;
    if (this.#redoBytes > REDO_BYTES_MAX) this.flush();
    this.#makeRoom();
  }

  /** Applies what the redo log holds, when the partitions may lack some of it. */
  #catchUp(): void {
    if (!this.#isBehind) return;
    this.partitions.closeAll(); // after a failed write, nothing that is in memory is trusted
    this.#reapply(() => true);
    this.#isBehind = false;
  }

  #reapply(isWanted: (file: string) => boolean): void {
    for (const sequence of this.journal.redoSequences()) {
      const row = this.journal.redo(sequence);
      if (row === undefined) continue;
      const entry = fromRow(row, name => this.journal.numberOf(name) ?? 0);
      this.#redoBytes += row.entry.length;
      this.#apply([{...entry, parts: entry.parts.filter(({file}) => isWanted(file))}]);
    }
  }

  #apply(entries: readonly Entry[]): void {
    for (const [file, work] of byFile(entries)) {
      if (this.partitions.get(file) === undefined) continue; // it was dropped after this was committed
      this.#probe(`apply to ${file}`);
      try {
        this.partitions.apply(file, work);
      } catch (error) {
        if (!(error instanceof DamagedPartition)) throw error;
        this.#replace(file, error.cause);
      }
      this.#probe(`applied to ${file}`);
    }
  }

  /** Sets damaged files aside until no more are in the way. */
  #withoutDamage<T>(action: () => T): T {
    for (;;)
      try {
        return action();
      } catch (error) {
        if (!(error instanceof DamagedPartition)) throw error;
        this.#replace(error.file, error.cause);
      }
  }

  /** What the redo log has of a damaged file is in another one afterwards. */
  #replace(file: string, error: unknown): void {
    const replacement = this.#setAside(file, error);
    if (replacement !== undefined) this.#reapply(other => other === replacement);
  }

  /** A damaged file counts no more. What the redo log has of it goes to another one, whose name is returned. */
  #setAside(file: string, error: unknown): string | undefined {
    const {journal} = this;
    const summary = journal.partitions().find(listed => listed.file === file)?.summary ?? EMPTY;
    const name = parsePartitionFile(file);
    const rows = journal.redoSequences().flatMap(sequence => journal.redo(sequence) ?? []);
    const moved = rows.filter(({places}) => places.includes(JSON.stringify(file)));
    const replacement = name !== undefined && moved.length > 0 ? this.#create(name.recordClass, name.day) : undefined;
    journal.transaction(() => {
      if (name !== undefined) this.#dropping.count(name.recordClass, summary, 'lost');
      journal.removePartition(file);
      if (replacement === undefined) return;
      journal.setPartition({file: replacement, summary: EMPTY, isWritten: true});
      journal.partitionNumber = this.#partitionNumber;
      for (const row of moved) journal.setPlaces(row.sequence, movedRow(row, new Map([[file, replacement]])).places);
    });
    if (replacement !== undefined) this.#unlisted.delete(replacement);
    this.#unlisted.delete(file); // it may be gone before it was listed
    this.#dropping.setAside(file);
    if (name !== undefined) this.#dropping.report({...name, file}, summary, 'lost', error);
    return replacement;
  }

  #placeOf(work: RecordWork | EvidenceWork): string {
    const partitionClass = work.what === 'record' ? classOf(work.kind, work.record) : 'EVIDENCE';
    const rollBytes = (this.#options.rollBytes ?? rollBytesOf)(this.#budgets[budgetOf(partitionClass)]);
    return (
      this.partitions.placeOf({...work, partitionClass, rollBytes}) ?? this.#create(partitionClass, dayOf(work.at))
    );
  }

  #create(recordClass: PartitionClass, day: string): string {
    this.#partitionNumber++;
    this.#probe('create a partition');
    const file = this.partitions.create({recordClass, day, number: this.#partitionNumber});
    this.#unlisted.add(file);
    this.#probe(`created ${file}`);
    return file;
  }

  /** `looksAtDisk`: no files were deleted for it just now, whose space is free when readers have closed them. */
  #makeRoom(looksAtDisk = true): void {
    this.#drop(overBudget(this.partitions.all(), this.#budgets), 'evicted');
    if (looksAtDisk && this.#redoBytes === 0) this.#freeDisk(this.partitions.all()); // the disk is looked at after each flush
  }

  /** Whether something was dropped, or a copy gave way. */
  #freeDisk(entries: readonly PartitionEntry[]): boolean {
    const missing = this.#options.missingBytes();
    if (missing > 0 && this.partitions.copy?.giveWay() === true) return true;
    return this.#drop(underNeed(entries, missing), 'evicted');
  }

  /** First of all on a disk that may be full: whatever else is done needs space. Files that the redo log still writes to stay. */
  #roomTried(): boolean {
    let isDropped = false;
    this.#tried('record store could not make room', () => {
      const busy = this.journal.redoFiles();
      isDropped = this.#freeDisk(this.partitions.all().filter(({file}) => !busy.has(file)));
    });
    return isDropped;
  }

  #keepReserve(): void {
    if (this.#options.missingBytes() <= 0)
      this.#tried('record store has no reserve of disk space', () => keepReserve(this.#options.folder));
  }

  /** What the disk refuses is reported and tried again later. */
  #tried(message: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!isDiskFault(error)) throw error;
      this.#fault({message, file: undefined, error});
    }
  }

  #drop(entries: readonly PartitionEntry[], why: Why): boolean {
    withReserve(this.#options.folder, () => this.#dropping.drop(entries, why, this.#sequence));
    for (const {file} of entries) this.#unlisted.delete(file);
    return entries.length > 0;
  }

  #probe(step: string): void {
    this.#options.probe?.(step);
  }

  #fault(fault: RecordFault): void {
    this.#options.onFault?.(fault);
  }
}
