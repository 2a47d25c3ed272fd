// SPDX-License-Identifier: Apache-2.0
/**
 * The partitions of a folder: which there are, what is in them, which are open, and which are ahead of the disk.
 *
 * Whatever reads or writes a file throws DamagedPartition where that is damaged.
 *
 * I1: a file counts when the journal lists it; another one is removed at the start.
 * I2: a record goes to the file where it is, else to the newest of its class and day that is not full.
 */
import {readdirSync} from 'node:fs';
import {rewriteLog} from '@palisade/store/sqlite';
import {RECORD_FILES_OPEN_MAX} from '../../limits.ts';
import {timeOfId} from '../record-id.ts';
import {RecordStoreError} from '../record-store.ts';
import type {TriageEvents} from '../triage.ts';
import {dayOf} from './columns.ts';
import type {RecordCopy} from './copy/record-copy.ts';
import {RefusedFiles, whyDamaged, withWords} from './damage.ts';
import {isDamage, isReadFault} from './faults.ts';
import {
  bytesOf,
  inFolder,
  logBytesOf,
  makeDatabase,
  removeDatabase,
  removeOldDamaged,
  setAside,
  sync,
} from './files.ts';
import {formatOfClass} from './formats.ts';
import type {ListedPartition} from './journal.ts';
import {openPartition, type Partition} from './partition.ts';
import {type PartitionClass, type PartitionName, parsePartitionFile, partitionFile} from './schema.ts';
import {EMPTY, type Summary, type Work, withAdded} from './work.ts';

export type PartitionEntry = PartitionName & {
  readonly file: string;
  /** With its log. */
  readonly bytes: number;
  /** Without its log. */
  readonly dataBytes: number;
  readonly summary: Summary;
  /** The journal may have an older summary. */
  readonly isWritten: boolean;
};

/** A record that wants a place; `at`: its time in microseconds. */
export type Wanted = {
  readonly partitionClass: PartitionClass;
  readonly endpoint: number;
  readonly id: string;
  readonly at: number;
  readonly rollBytes: number;
};

/** Why a file that is not there was set aside. */
export const GONE = 'the file is gone';

export type DamagedFile = {readonly file: string; readonly error: unknown};

/** `cause`: what SQLite found. */
export class DamagedPartition extends Error {
  override readonly name = 'DamagedPartition';
  readonly file: string;
  constructor(file: string, cause: unknown) {
    super(`${file} is damaged`, {cause});
    this.file = file;
  }
}

/** Oldest first. */
export const byAge = (a: PartitionName, b: PartitionName): number =>
  a.day < b.day ? -1 : a.day > b.day ? 1 : a.number - b.number;

export class Partitions {
  readonly #folder: string;
  readonly #entries = new Map<string, PartitionEntry>();
  /** By class and day, in the order of their numbers. */
  readonly #files = new Map<string, string[]>();
  /** Used last comes last. */
  readonly #open = new Map<string, Partition>();
  /** What was written to them may not be on disk yet. */
  readonly #dirty = new Set<string>();
  #used = new Set<string>();
  /** No longer listed, and still there. */
  readonly #leftovers = new Set<string>();
  /** A copy that is being made. */
  copy: Pick<RecordCopy, 'beforeChange' | 'holds' | 'giveWay'> | undefined;
  readonly #refused = new RefusedFiles();

  constructor(folder: string) {
    this.#folder = folder;
  }

  all(): readonly PartitionEntry[] {
    return [...this.#entries.values()];
  }

  get(file: string): PartitionEntry | undefined {
    return this.#entries.get(file);
  }

  /** Takes in what the journal lists, and removes other partitions. Returns those that are damaged or gone; they are not taken in. */
  load(listed: readonly ListedPartition[]): readonly DamagedFile[] {
    const known = new Set(listed.map(({file}) => file));
    const there = new Set(readdirSync(this.#folder));
    for (const file of there) {
      const name = file.replace(/(\.new)?(-wal|-shm)?$/, '');
      if (parsePartitionFile(name) !== undefined && !known.has(name)) this.#leftovers.add(name);
      if (file.endsWith('.new')) this.#leftovers.add(file);
    }
    const faults: DamagedFile[] = [];
    for (const {file, summary, isWritten} of listed) {
      const name = parsePartitionFile(file);
      if (name === undefined) continue;
      if (!there.has(file)) {
        faults.push({file, error: new Error(GONE)});
        continue;
      }
      this.#add(file, name, summary, isWritten);
      if (!isWritten && logBytesOf(this.#path(file)) === 0) continue; // a log may be damaged, also of a file at rest
      const error = this.#measure(file);
      if (error !== undefined) faults.push({file, error});
    }
    return faults;
  }

  /** What the file really holds. Returns why that cannot be read. */
  #measure(file: string): unknown {
    try {
      this.#set(file, {summary: this.#use(file, partition => partition.summary())});
      return undefined;
    } catch (error) {
      if (!(error instanceof DamagedPartition)) throw error;
      return error.cause;
    }
  }

  /** Files that somebody else deleted. */
  gone(): readonly string[] {
    const there = new Set(readdirSync(this.#folder));
    return [...this.#entries.keys()].filter(file => !there.has(file));
  }

  /** The file that has the record. */
  find(partitionClass: PartitionClass, endpoint: number, id: string): string | undefined {
    const at = timeOfId(id) ?? 0;
    const files = this.#filesOf(partitionClass, at);
    return files.findLast(file => this.#spans(file, at) && this.#use(file, partition => partition.has(id, endpoint)));
  }

  /** The file that a record goes to; undefined: to a new one. */
  placeOf({partitionClass, endpoint, id, at, rollBytes}: Wanted): string | undefined {
    const files = this.#filesOf(partitionClass, at);
    const last = files.at(-1);
    const hasRoom = last !== undefined && (this.#entries.get(last)?.dataBytes ?? 0) < rollBytes;
    const full = hasRoom ? files.slice(0, -1) : files;
    return this.#findIn(full, endpoint, id, at) ?? (hasRoom ? last : undefined);
  }

  #filesOf(partitionClass: PartitionClass, at: number): readonly string[] {
    return this.#files.get(`${partitionClass} ${dayOf(at)}`) ?? [];
  }

  /** A file that the disk does not give is waited for, until it is set aside: without it a record might be written twice. */
  #findIn(files: readonly string[], endpoint: number, id: string, at: number): string | undefined {
    return files.findLast(file => this.#spans(file, at) && this.#use(file, partition => partition.has(id, endpoint)));
  }

  #spans(file: string, at: number): boolean {
    const {oldest, newest} = this.#entries.get(file)?.summary ?? EMPTY;
    return oldest !== undefined && newest !== undefined && oldest <= at && at <= newest;
  }

  /** It counts when the journal lists it. */
  create(name: PartitionName): string {
    const file = partitionFile(name);
    makeDatabase(this.#path(file), formatOfClass(name.recordClass));
    const before = this.#files.get(`${name.recordClass} ${name.day}`)?.at(-1);
    if (before !== undefined) this.#close(before);
    this.#add(file, name, EMPTY, true);
    return file;
  }

  /** Decisions about a record that is in the file. */
  triageOf(file: string, id: string, endpoint: number): TriageEvents {
    return this.#use(file, partition => partition.triageOf(id, endpoint)) ?? [];
  }

  /** See Partition. */
  written(file: string, after: number): ReturnType<Partition['written']> {
    return this.#use(file, partition => partition.written(after));
  }

  /** A file that counts no more is in order. */
  check(file: string): void {
    if (!this.#entries.has(file)) return;
    const found = this.#refused.recent(file) ?? whyDamaged(this.#path(file));
    if (found !== undefined) throw this.#faultOf(file, found);
    this.#refused.delete(file);
  }

  /** Throws DamagedPartition only for what is damaged, or was refused by the disk for long. */
  #use<T>(file: string, action: (partition: Partition) => T, {counts} = {counts: true}): T {
    if (counts) this.#used.add(file);
    for (let isAgain = false; ; isAgain = true)
      try {
        return action(this.#opened(file));
      } catch (error) {
        const found = this.#found(file, error) ?? (isAgain ? error : undefined);
        if (found !== undefined) throw this.#faultOf(file, found);
      }
  }

  #faultOf(file: string, found: unknown): unknown {
    const isGivenUp = isReadFault(found) && this.#refused.add(file, found);
    return isDamage(found) || isGivenUp ? new DamagedPartition(file, found) : found;
  }

  /** What really is the matter with the file; undefined: it is in order now. */
  #found(file: string, error: unknown): unknown {
    if (!isDamage(error) || error instanceof RecordStoreError) return withWords(this.#path(file), error);
    this.#close(file, {folds: false}); // it may have pages in memory that were not read
    return this.#refused.recent(file) ?? whyDamaged(this.#path(file));
  }

  #opened(file: string): Partition {
    const known = this.#open.get(file);
    if (known !== undefined) {
      this.#open.delete(file);
      this.#open.set(file, known);
      return known;
    }
    const entry = this.#entries.get(file);
    if (entry === undefined) throw new Error(`${file} is not listed`);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < RECORD_FILES_OPEN_MAX) break;
      this.#close(oldest);
    }
    const partition = openPartition(this.#path(file), entry.recordClass);
    this.#open.set(file, partition);
    return partition;
  }

  apply(file: string, work: readonly Work[]): void {
    this.copy?.beforeChange(file);
    this.#dirty.add(file);
    const added = this.#use(file, partition => partition.apply(work));
    const {summary} = this.#entries.get(file) ?? {summary: EMPTY};
    this.#set(file, {summary: withAdded(summary, added), isWritten: true}); // also where its size cannot be read
    const dataBytes = this.#use(file, partition => partition.dataBytes());
    this.#set(file, {bytes: bytesOf(this.#path(file)), dataBytes});
  }

  /** All that was applied is on disk, in the files: a log whose sync failed once is never sure again. One that a reader holds is written again. */
  flush(): void {
    if (this.#dirty.size === 0) return;
    for (const file of this.#dirty) {
      const isFoldable = logBytesOf(this.#path(file)) > 0 && this.copy?.holds(file) !== true;
      if (isFoldable && this.#open.has(file)) this.#use(file, partition => partition.fold(), {counts: false});
      rewriteLog(this.#path(file));
      this.#set(file, this.#sizes(file));
    }
    sync(this.#folder);
    this.#dirty.clear();
  }

  /** The journal has its summary, and it is closed. */
  setAtRest(file: string): void {
    this.#set(file, {isWritten: false});
  }

  /** Closes those that were not used since the last call. */
  closeIdle(): void {
    for (const file of [...this.#open.keys()]) if (!this.#used.has(file)) this.#close(file);
    this.#used = new Set();
  }

  /** Closed files that have a log: of a crash, or because a reader was in the way when they were closed. */
  foldLogs(): void {
    for (const {file} of this.all()) {
      if (this.#open.has(file) || this.copy?.holds(file) === true || logBytesOf(this.#path(file)) === 0) continue;
      try {
        this.#opened(file);
        this.#close(file);
      } catch {} // whatever uses the file next says what is wrong with it
    }
  }

  /** Closed and on disk. */
  isAtRest(file: string): boolean {
    return !this.#open.has(file) && !this.#dirty.has(file);
  }

  closeAll(): void {
    for (const file of [...this.#open.keys()]) this.#close(file);
  }

  /** Dropped, and still there. */
  leftovers(): readonly string[] {
    return [...this.#leftovers];
  }

  /** The journal no longer lists it. Returns why it cannot be deleted. */
  remove(file: string): unknown {
    this.forget(file);
    this.#leftovers.add(file);
    try {
      removeDatabase(this.#path(file));
      this.#leftovers.delete(file);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** As `remove`, but the damaged file stays under another name. */
  setAside(file: string): unknown {
    this.forget(file);
    try {
      setAside(this.#path(file));
      removeOldDamaged(this.#folder);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** It counts no more. */
  forget(file: string): void {
    this.copy?.beforeChange(file);
    this.#close(file, {folds: false});
    const entry = this.#entries.get(file);
    this.#entries.delete(file);
    this.#dirty.delete(file);
    this.#refused.delete(file);
    if (entry === undefined) return;
    const key = `${entry.recordClass} ${entry.day}`;
    const rest = (this.#files.get(key) ?? []).filter(other => other !== file);
    if (rest.length === 0) this.#files.delete(key);
    else this.#files.set(key, rest);
  }

  #close(file: string, {folds} = {folds: true}): void {
    const partition = this.#open.get(file);
    this.#open.delete(file);
    try {
      if (folds && this.copy?.holds(file) !== true && logBytesOf(this.#path(file)) > 0) partition?.fold();
    } catch {} // the log stays, and nothing of it is lost
    try {
      partition?.close();
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    if (partition !== undefined && this.#entries.has(file)) this.#set(file, this.#sizes(file));
  }

  /** Of a file whose log is folded. */
  #sizes(file: string): Pick<PartitionEntry, 'bytes' | 'dataBytes'> {
    const bytes = bytesOf(this.#path(file));
    return {bytes, dataBytes: bytes - logBytesOf(this.#path(file))};
  }

  #add(file: string, name: PartitionName, summary: Summary, isWritten: boolean): void {
    this.#entries.set(file, {...name, file, summary, isWritten, ...this.#sizes(file)});
    const key = `${name.recordClass} ${name.day}`;
    const files = [...(this.#files.get(key) ?? []), file];
    const numberOf = (of: string): number => this.#entries.get(of)?.number ?? 0;
    this.#files.set(
      key,
      files.sort((a, b) => numberOf(a) - numberOf(b)),
    );
  }

  #set(file: string, change: Partial<PartitionEntry>): void {
    const entry = this.#entries.get(file);
    if (entry !== undefined) this.#entries.set(file, {...entry, ...change});
  }

  #path(file: string): string {
    return inFolder(this.#folder, file);
  }
}
