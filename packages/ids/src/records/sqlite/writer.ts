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
import {classOf, kindOfClass, RECORD_CLASSES} from '../evictions.ts';
import type {RecordBatch} from '../record-sink.ts';
import type {TriageChange} from '../record-store.ts';
import {withChange} from '../triage.ts';
import {dayOf} from './columns.ts';
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
import {inFolder} from './files.ts';
import {Journal, type Why} from './journal.ts';
import {DamagedPartition, type PartitionEntry, Partitions} from './partitions.ts';
import {type PartitionClass, parsePartitionFile} from './schema.ts';
import {EMPTY, type EvidenceWork, type RecordWork, type Summary} from './work.ts';

export const JOURNAL_FILE = 'journal.db';

/** `isOne`: one threat was named, not all that match. */
export type DecideRequest = {
  readonly items: readonly {readonly endpoint: string; readonly id: string}[];
  readonly change: TriageChange;
  readonly isOne: boolean;
};

/** `text`: the batch as JSON. */
export type WrittenBatch = {readonly batch: RecordBatch; readonly text: string};

/** Of one file. `counts`: by endpoint, records or pieces of evidence. */
export type DroppedFile = {
  readonly file: string;
  readonly partitionClass: PartitionClass;
  readonly why: Why;
  readonly counts: readonly {readonly endpoint: string; readonly count: number}[];
  /** Of a file that was set aside. */
  readonly error?: unknown;
};

export type WriterOptions = {
  readonly folder: string;
  readonly budgets: Budgets;
  /** A name that no other start has. */
  readonly newEpoch: () => string;
  /** Bytes by which the disk is short of its floor; 0 or less: it is not. */
  readonly missingBytes: () => number;
  readonly onDropped: (dropped: DroppedFile) => void;
  /** Of a partition of a budget. For tests; default: rollBytesOf. */
  readonly rollBytes?: typeof rollBytesOf | undefined;
  /** For tests: called between two steps, may throw. */
  readonly probe?: ((step: string) => void) | undefined;
};

/** Of a file that is dropped. */
const MISSED_ROWS_OF_A_FILE = 64;

const THREAT_CLASSES = RECORD_CLASSES.filter(name => name !== 'TRAFFIC');

export class Writer {
  readonly #options: WriterOptions;
  readonly journal: Journal;
  readonly partitions: Partitions;
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
    this.journal = new Journal(inFolder(options.folder, JOURNAL_FILE));
    this.#sequence = this.journal.sequence;
    this.#partitionNumber = this.journal.partitionNumber;
    try {
      for (const {file, error} of this.partitions.load(this.journal.partitions())) this.#setAside(file, error);
      this.#catchUp();
      this.flush();
      this.#makeRoom();
      this.journal.beginEpoch(options.newEpoch());
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
    this.#catchUp();
    this.#drop(tooOld(this.partitions.all(), this.#budgets, nowMs), 'expired');
    this.partitions.closeIdle();
    this.flush();
    this.#makeRoom();
  }

  /** The redo log is empty afterwards. */
  flush(): void {
    this.#catchUp();
    this.partitions.flush();
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

  /** Everything is on disk, and files are closed. */
  close(): void {
    try {
      if (!this.#isBehind) {
        this.partitions.flush();
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
        const replacement = this.#setAside(file, error.cause);
        this.#reapply(other => other === replacement);
      }
      this.#probe(`applied to ${file}`);
    }
  }

  /** Sets damaged files aside until there is none in the way. */
  #withoutDamage<T>(action: () => T): T {
    for (;;)
      try {
        return action();
      } catch (error) {
        if (!(error instanceof DamagedPartition)) throw error;
        this.#setAside(error.file, error.cause);
      }
  }

  /** A damaged file counts no more. What the redo log has of it goes to another one, whose name is returned. */
  #setAside(file: string, error: unknown): string | undefined {
    const {journal, partitions} = this;
    const summary = journal.partitions().find(listed => listed.file === file)?.summary ?? EMPTY;
    const name = parsePartitionFile(file);
    const rows = journal.redoSequences().flatMap(sequence => journal.redo(sequence) ?? []);
    const moved = rows.filter(({places}) => places.includes(JSON.stringify(file)));
    const replacement = name !== undefined && moved.length > 0 ? this.#create(name.recordClass, name.day) : undefined;
    journal.transaction(() => {
      if (name !== undefined) this.#countDropped(name.recordClass, summary, 'lost');
      journal.removePartition(file);
      if (replacement === undefined) return;
      journal.setPartition({file: replacement, summary: EMPTY, isWritten: true});
      journal.partitionNumber = this.#partitionNumber;
      for (const row of moved) journal.setPlaces(row.sequence, movedRow(row, new Map([[file, replacement]])).places);
    });
    if (replacement !== undefined) this.#unlisted.delete(replacement);
    partitions.setAside(file);
    if (name !== undefined) this.#report({...name, file}, summary, 'lost', error);
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

  #makeRoom(): void {
    this.#drop(overBudget(this.partitions.all(), this.#budgets), 'evicted');
    const missing = this.#redoBytes === 0 ? this.#options.missingBytes() : 0; // the disk is looked at after each flush
    if (missing > 0) this.#drop(underNeed(this.partitions.all(), missing), 'evicted');
  }

  #drop(entries: readonly PartitionEntry[], why: Why): void {
    if (entries.length === 0) return;
    const {journal, partitions} = this;
    journal.transaction(() => {
      for (const {file, recordClass, summary} of entries) {
        this.#countDropped(recordClass, summary, why);
        this.#countMissed(file, recordClass);
        journal.removePartition(file);
      }
      this.#probe('drop is counted');
    });
    this.#probe('drop is committed');
    for (const entry of entries) {
      partitions.remove(entry.file);
      this.#report(entry, entry.summary, why);
    }
  }

  #countDropped(recordClass: PartitionClass, {counts}: Summary, why: Why): void {
    for (const [endpoint, count] of Object.entries(counts))
      if (count > 0) this.journal.addDropped(Number(endpoint), recordClass, why, count);
  }

  /** Of a damaged file it cannot be known. */
  #writtenIn(file: string, after: number): ReturnType<Partitions['written']> {
    try {
      return this.partitions.written(file, after);
    } catch (error) {
      if (!(error instanceof DamagedPartition)) throw error;
      return [];
    }
  }

  /** For readers that have not come so far, in few rows. */
  #countMissed(file: string, recordClass: PartitionClass): void {
    if (recordClass === 'EVIDENCE') return;
    const kind = kindOfClass(recordClass);
    const after = this.journal.readersAt(kind);
    if (after === undefined) return;
    const written = this.#writtenIn(file, after);
    const step = Math.ceil(written.length / MISSED_ROWS_OF_A_FILE);
    for (let at = 0; at < written.length; at += step) {
      const part = written.slice(at, at + step);
      const count = part.reduce((sum, row) => sum + row.count, 0);
      this.journal.addMissed(kind, part.at(-1)?.sequence ?? 0, count);
    }
  }

  #report(
    {file, recordClass}: Pick<PartitionEntry, 'file' | 'recordClass'>,
    summary: Summary,
    why: Why,
    error?: unknown,
  ): void {
    const names = this.journal.names();
    const counts = Object.entries(summary.counts).map(([number, count]) => ({
      endpoint: names.get(Number(number)) ?? '',
      count,
    }));
    this.#options.onDropped({file, partitionClass: recordClass, why, counts, error});
  }

  #probe(step: string): void {
    this.#options.probe?.(step);
  }
}
