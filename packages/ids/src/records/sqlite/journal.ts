// SPDX-License-Identifier: Apache-2.0
/** The journal: its transactions are what commits. Ref: schema.ts. */
import {existsSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync, type SQLInputValue, type StatementSync} from 'node:sqlite';
import type {RecordKind} from '@palisade/ids-wire';
import {
  databaseRefusal,
  type FileFormat,
  type FormatRefusal,
  fileRefusal,
  migrate,
  rewriteLog,
} from '@palisade/store/sqlite';
import {type Epoch, isOfHistory, withEpoch} from '../epochs.ts';
import type {SensorPosition} from '../record-sink.ts';
import {type GoneReaders, type ReaderPosition, RecordStoreError} from '../record-store.ts';
import {makeDatabase, withReserve} from './files.ts';
import {RECORD_FORMATS} from './formats.ts';
import type {PartitionClass} from './schema.ts';
import type {Summary} from './work.ts';

export type Why = 'evicted' | 'expired' | 'lost';
export type DroppedRow = {readonly endpoint: number; readonly class: PartitionClass} & Readonly<Record<Why, number>>;
/** `isWritten`: it may hold more than the summary says. */
export type ListedPartition = {readonly file: string; readonly summary: Summary; readonly isWritten: boolean};
export type RedoRow = {
  readonly sequence: number;
  readonly kind: string;
  readonly entry: string;
  readonly places: string;
};

/** `goneMs`: since then its reader is gone. */
type SavedPosition = ReaderPosition & {readonly goneMs?: number};

export class Journal {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Numbers by name. */
  readonly #endpoints = new Map<string, number>();
  #epochs: readonly Epoch[];
  /**
   * It had a log when it was opened, even an empty one: its last user did not close it. SQLite may have ignored the end of the log. Also
   * at later starts, until one has compared it with the record files (`compared`).
   */
  readonly hadLog: boolean;
  #isCompared = false;
  readonly #folder: string;

  /** Makes it where it is absent, and brings it to the newest format. Throws RecordStoreError `format`, `damaged`, and errors of SQLite. */
  constructor(path: string, format: FileFormat = RECORD_FORMATS.journal) {
    this.#folder = dirname(path);
    const hadLog = existsSync(`${path}-wal`);
    if (existsSync(path)) {
      assertFormat(path, statSync(path).size === 0 ? undefined : fileRefusal(path, format));
      rewriteLog(path); // the last process may have seen a sync fail
    } else makeDatabase(path, format);
    this.#database = new DatabaseSync(path, {timeout: BUSY_MS});
    try {
      this.#database.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -2048; PRAGMA mmap_size = 0');
      assertFormat(path, databaseRefusal(this.#database, format));
      if (this.#get<{user_version: number}>('PRAGMA user_version')?.user_version === 0)
        throw new RecordStoreError('damaged', `${path}: the file is empty; ${WAY_OUT}`);
      migrate(this.#database, format);
      this.#readEndpoints();
      this.hadLog = hadLog || this.#meta(UNCOMPARED) !== undefined;
      this.#epochs = JSON.parse(this.#meta('epochs') ?? '[]') as readonly Epoch[];
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** SQLite deletes the log: where nobody compared it, the next start has to know of it. */
  close(): void {
    try {
      if (this.hadLog && !this.#isCompared) withReserve(this.#folder, () => this.#setMeta(UNCOMPARED, '1'));
    } catch {
      // The journal is closed because of an error, which says more.
    } finally {
      this.#database.close();
    }
  }

  /** The record files have no commits that the journal lacks. */
  compared(): void {
    this.#isCompared = true;
    if (this.#meta(UNCOMPARED) !== undefined) this.#run('DELETE FROM meta WHERE key = ?', UNCOMPARED);
  }

  transaction<T>(action: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = action();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#readEndpoints();
      throw error;
    }
  }

  get epochs(): readonly Epoch[] {
    return this.#epochs;
  }

  /** Before the first commit of a start. */
  beginEpoch(name: string): void {
    const epochs = withEpoch(this.#epochs, {name, first: this.sequence + 1});
    this.#setMeta('epochs', JSON.stringify(epochs));
    this.#epochs = epochs;
  }

  get sequence(): number {
    return Number(this.#meta('sequence') ?? 0);
  }
  set sequence(value: number) {
    this.#setMeta('sequence', String(value));
  }

  get partitionNumber(): number {
    return Number(this.#meta('partitions') ?? 0);
  }
  set partitionNumber(value: number) {
    this.#setMeta('partitions', String(value));
  }

  /** What all partitions have reached; 0: not known. */
  get partitionFormat(): number {
    return Number(this.#meta('partitionFormat') ?? 0);
  }
  set partitionFormat(value: number) {
    this.#setMeta('partitionFormat', String(value));
  }

  /** Of an endpoint that has one; numbers are never used again. */
  numberOf(endpoint: string): number | undefined {
    return this.#endpoints.get(endpoint);
  }

  /** In a transaction. */
  demandNumber(endpoint: string): number {
    const known = this.#endpoints.get(endpoint);
    if (known !== undefined) return known;
    const number = Number(this.#run('INSERT INTO endpoints (name) VALUES (?)', endpoint).lastInsertRowid);
    this.#endpoints.set(endpoint, number);
    return number;
  }

  names(): ReadonlyMap<number, string> {
    return new Map([...this.#endpoints].map(([name, number]) => [number, name]));
  }

  position(endpoint: string): SensorPosition | undefined {
    const text = this.#get<{position: string | null}>(
      'SELECT position FROM endpoints WHERE name = ?',
      endpoint,
    )?.position;
    return typeof text === 'string' ? (JSON.parse(text) as SensorPosition) : undefined;
  }

  setPosition(number: number, position: SensorPosition | undefined): void {
    const text = position === undefined ? null : JSON.stringify(position);
    this.#run('UPDATE endpoints SET position = ? WHERE number = ?', text, number);
  }

  reader(name: string): ReaderPosition | undefined {
    const text = this.#get<{position: string}>('SELECT position FROM readers WHERE name = ?', name)?.position;
    return text === undefined ? undefined : (JSON.parse(text) as ReaderPosition);
  }

  /** The sequence number up to which every reader has come; undefined: nobody reads the kind. */
  readersAt(kind: RecordKind): number | undefined {
    const last = this.sequence;
    const positions = this.#readers().flatMap(({position: {history, kinds}}) => {
      const sequence = kinds[kind]?.sequence;
      return sequence !== undefined && isOfHistory(this.#epochs, last, {history, sequence}) ? sequence : [];
    });
    return positions.length === 0 ? undefined : Math.min(...positions);
  }

  /** In a transaction. The names. */
  forgetReaders({prefix, keep, nowMs, ageMs}: GoneReaders): readonly string[] {
    const gone = this.#readers().filter(({name}) => name.startsWith(prefix) && !keep.includes(name));
    for (const {name, position} of gone)
      if (position.goneMs === undefined) this.saveReader(name, {...position, goneMs: nowMs});
    const forgotten = gone.filter(({position: {goneMs = nowMs}}) => goneMs < nowMs - ageMs);
    for (const {name} of forgotten) this.#run('DELETE FROM readers WHERE name = ?', name);
    return forgotten.map(({name}) => name);
  }

  #readers(): readonly {readonly name: string; readonly position: SavedPosition}[] {
    return this.#all<{name: string; position: string}>('SELECT name, position FROM readers').map(
      ({name, position}) => ({name, position: JSON.parse(position) as SavedPosition}),
    );
  }

  addMissed(kind: RecordKind, sequence: number, count: number): void {
    this.#run('INSERT INTO missed VALUES (?, ?, ?)', kind, sequence, count);
  }

  /** Between two sequence numbers, the second included. */
  missed(kind: RecordKind, after: number, until: number): number {
    const sql = 'SELECT total(count) AS sum FROM missed WHERE kind = ? AND sequence > ? AND sequence <= ?';
    return this.#get<{sum: number}>(sql, kind, after, until)?.sum ?? 0;
  }

  hasMissed(): boolean {
    return this.#get('SELECT 1 FROM missed LIMIT 1') !== undefined;
  }

  removeMissed(kind: RecordKind, through: number): void {
    this.#run('DELETE FROM missed WHERE kind = ? AND sequence <= ?', kind, through);
  }

  saveReader(name: string, position: SavedPosition): void {
    this.#run('INSERT OR REPLACE INTO readers VALUES (?, ?)', name, JSON.stringify(position));
  }

  dropped(): readonly DroppedRow[] {
    return this.#all<DroppedRow>('SELECT * FROM dropped');
  }

  addDropped(endpoint: number, partitionClass: PartitionClass, why: Why, count: number): void {
    this.#run(
      `INSERT INTO dropped (endpoint, class, ${why}) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ${why} = ${why} + excluded.${why}`,
      ...[endpoint, partitionClass, count],
    );
  }

  partitions(): readonly ListedPartition[] {
    return this.#all<{file: string; summary: string; written: number}>('SELECT * FROM partitions').map(
      ({file, summary, written}) => ({file, summary: JSON.parse(summary) as Summary, isWritten: written === 1}),
    );
  }

  setPartition({file, summary, isWritten}: ListedPartition): void {
    this.#run('INSERT OR REPLACE INTO partitions VALUES (?, ?, ?)', file, JSON.stringify(summary), isWritten ? 1 : 0);
  }

  /** The summary stays. */
  setWritten(file: string): void {
    this.#run('UPDATE partitions SET written = 1 WHERE file = ?', file);
  }

  removePartition(file: string): void {
    this.#run('DELETE FROM partitions WHERE file = ?', file);
  }

  addRedo({sequence, kind, entry, places}: RedoRow): void {
    this.#run('INSERT INTO redo VALUES (?, ?, ?, ?)', sequence, kind, entry, places);
  }

  /** In order. */
  redoSequences(): readonly number[] {
    return this.#all<{sequence: number}>('SELECT sequence FROM redo ORDER BY sequence').map(({sequence}) => sequence);
  }

  redo(sequence: number): RedoRow | undefined {
    return this.#get<RedoRow>('SELECT * FROM redo WHERE sequence = ?', sequence);
  }

  /** Files that entries of the redo log go to. */
  redoFiles(): ReadonlySet<string> {
    const rows = this.#all<{places: string}>('SELECT places FROM redo');
    return new Set(rows.flatMap(({places}) => (JSON.parse(places) as {files: readonly string[]}).files));
  }

  setPlaces(sequence: number, places: string): void {
    this.#run('UPDATE redo SET places = ? WHERE sequence = ?', places, sequence);
  }

  removeRedo(through: number): void {
    this.#run('DELETE FROM redo WHERE sequence <= ?', through);
  }

  #readEndpoints(): void {
    this.#endpoints.clear();
    for (const {name, number} of this.#all<{name: string; number: number}>('SELECT name, number FROM endpoints'))
      this.#endpoints.set(name, number);
  }

  #meta(key: string): string | undefined {
    return this.#get<{value: string}>('SELECT value FROM meta WHERE key = ?', key)?.value;
  }

  #setMeta(key: string, value: string): void {
    this.#run('INSERT OR REPLACE INTO meta VALUES (?, ?)', key, value);
  }

  #all<T>(sql: string, ...params: readonly SQLInputValue[]): T[] {
    return this.#prepare(sql).all(...params) as T[];
  }

  #get<T>(sql: string, ...params: readonly SQLInputValue[]): T | undefined {
    return this.#prepare(sql).get(...params) as T | undefined;
  }

  #run(sql: string, ...params: readonly SQLInputValue[]) {
    return this.#prepare(sql).run(...params);
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const BUSY_MS = 5_000;
const UNCOMPARED = 'uncompared';
const WAY_OUT = 'restore the folder from a backup, or move it away to start empty';

const assertFormat = (path: string, refusal: FormatRefusal | undefined): void => {
  if (refusal !== undefined) throw new RecordStoreError('format', `${path}: ${refusal.text}`);
};
