// SPDX-License-Identifier: Apache-2.0
/** Files that end: counted in the journal first, then deleted. Nothing that happens to the files themselves keeps a drop from its end. */
import {kindOfClass} from '../evictions.ts';
import type {Journal, ListedPartition, Why} from './journal.ts';
import {assertNotBehind} from './journal-behind.ts';
import type {PartitionEntry, Partitions} from './partitions.ts';
import type {PartitionClass} from './schema.ts';
import {countOfSummary, EMPTY, type Summary} from './work.ts';

/** Of one file. `counts`: by endpoint, records or pieces of evidence. */
export type DroppedFile = {
  readonly file: string;
  readonly partitionClass: PartitionClass;
  readonly why: Why;
  readonly counts: readonly {readonly endpoint: string; readonly count: number}[];
  /** Of a file that was set aside. */
  readonly error?: unknown;
};

/** Something that did not work and keeps nobody waiting; it is tried again. `file`: undefined where no single one is meant. */
export type RecordFault = {readonly message: string; readonly file: string | undefined; readonly error: unknown};

export type DroppingOptions = {
  readonly journal: Journal;
  readonly partitions: Partitions;
  readonly onDropped: (dropped: DroppedFile) => void;
  readonly onFault: (fault: RecordFault) => void;
  readonly probe: (step: string) => void;
};

/** Why records of a file count as lost that is still there. */
export const SHRUNK = 'the log of the file was damaged';

/** Of a file that is dropped. */
const MISSED_ROWS_OF_A_FILE = 64;

export class Dropping {
  readonly #options: DroppingOptions;

  constructor(options: DroppingOptions) {
    this.#options = options;
  }

  /** `sequence`: the last one that was committed. */
  drop(entries: readonly PartitionEntry[], why: Why, sequence: number): void {
    if (entries.length === 0) return;
    const {journal, partitions, probe} = this.#options;
    journal.transaction(() => {
      for (const {file, recordClass, summary} of entries) {
        this.count(recordClass, summary, why);
        this.#countMissed({file, recordClass, summary}, sequence);
        journal.removePartition(file);
      }
      probe('drop is counted');
    });
    for (const {file} of entries) partitions.forget(file); // all of them: what is not listed takes no records
    probe('drop is committed');
    for (const entry of entries) this.report(entry, entry.summary, why);
    for (const {file} of entries) this.#remove(file);
  }

  /** After the start. Throws RecordStoreError `damaged` where the journal lacks commits. */
  checkLoaded(folder: string, listed: readonly ListedPartition[]): void {
    const {journal, partitions} = this.#options;
    // The marks that files are written again are in the log, too: if it may be damaged, every file is asked.
    const asked = listed.flatMap(({file, isWritten}) => (isWritten || journal.hadLog ? file : []));
    assertNotBehind({folder, sequence: journal.sequence, files: [...asked, ...partitions.leftovers()]});
    journal.compared();
    this.#countShrunk(listed);
  }

  /** Files that have fewer records than were on disk when the redo log was last emptied: the end of their logs was damaged, and SQLite ignores it. */
  #countShrunk(listed: readonly ListedPartition[]): void {
    const {journal, partitions} = this.#options;
    for (const {file, summary} of listed) {
      const entry = partitions.get(file);
      const lost = entry === undefined ? EMPTY : {...EMPTY, counts: missingOf(summary, entry.summary)};
      if (entry === undefined || countOfSummary(lost) === 0) continue;
      journal.transaction(() => {
        this.count(entry.recordClass, lost, 'lost');
        journal.setPartition({file, summary: entry.summary, isWritten: true});
      });
      this.report(entry, lost, 'lost', new Error(SHRUNK));
    }
  }

  /** Files that could not be deleted when they were dropped. */
  removeLeftovers(): void {
    for (const file of this.#options.partitions.leftovers()) this.#remove(file);
  }

  /** The journal no longer lists it. The damaged file stays under another name. */
  setAside(file: string): void {
    const {partitions, onFault} = this.#options;
    const error = partitions.setAside(file);
    if (error !== undefined) onFault({message: 'damaged record file could not be set aside', file, error});
  }

  #remove(file: string): void {
    const {partitions, onFault} = this.#options;
    const isKnown = partitions.leftovers().includes(file);
    const error = partitions.remove(file);
    if (error !== undefined && !isKnown) onFault({message: 'dropped record file could not be deleted', file, error});
  }

  /** In a transaction. */
  count(recordClass: PartitionClass, {counts}: Summary, why: Why): void {
    for (const [endpoint, count] of Object.entries(counts))
      if (count > 0) this.#options.journal.addDropped(Number(endpoint), recordClass, why, count);
  }

  /** For readers that have not come so far, in few rows. */
  #countMissed(entry: Pick<PartitionEntry, 'file' | 'recordClass' | 'summary'>, sequence: number): void {
    const {file, recordClass, summary} = entry;
    const {journal} = this.#options;
    if (recordClass === 'EVIDENCE') return;
    const kind = kindOfClass(recordClass);
    const after = journal.readersAt(kind);
    if (after === undefined || after >= sequence) return;
    const written = this.#writtenIn(file, after) ?? [{sequence, count: countOfSummary(summary)}];
    const step = Math.ceil(written.length / MISSED_ROWS_OF_A_FILE);
    for (let at = 0; at < written.length; at += step) {
      const part = written.slice(at, at + step);
      const count = part.reduce((sum, row) => sum + row.count, 0);
      if (count > 0) journal.addMissed(kind, part.at(-1)?.sequence ?? 0, count);
    }
  }

  /** Undefined: it cannot be known, as on a full disk, where not even a file can be opened. */
  #writtenIn(file: string, after: number): ReturnType<Partitions['written']> | undefined {
    try {
      return this.#options.partitions.written(file, after);
    } catch {
      return undefined;
    }
  }

  report(
    {file, recordClass}: Pick<PartitionEntry, 'file' | 'recordClass'>,
    summary: Summary,
    why: Why,
    error?: unknown,
  ): void {
    const names = this.#options.journal.names();
    const counts = Object.entries(summary.counts).map(([number, count]) => ({
      endpoint: names.get(Number(number)) ?? '',
      count,
    }));
    this.#options.onDropped({file, partitionClass: recordClass, why, counts, error});
  }
}

const missingOf = ({counts}: Summary, {counts: found}: Summary): Summary['counts'] =>
  Object.fromEntries(
    Object.entries(counts).map(([endpoint, count]) => [endpoint, Math.max(count - (found[Number(endpoint)] ?? 0), 0)]),
  );
