// SPDX-License-Identifier: Apache-2.0
/** An open partition, of records or of evidence. Ref: schema.ts. */
import {DatabaseSync, type StatementSync} from 'node:sqlite';
import {databaseRefusal, newestOf} from '@palisade/store/sqlite';
import {RECORD_FILE_CACHE_KIB, RECORD_LOG_BYTES} from '../../limits.ts';
import {timeOfId} from '../record-id.ts';
import {RecordStoreError} from '../record-store.ts';
import {type TriageEvents, triageOf} from '../triage.ts';
import {columnsOf} from './columns.ts';
import {formatOfClass} from './formats.ts';
import type {PartitionClass} from './schema.ts';
import type {Added, RecordWork, Summary, TriageWork, Work} from './work.ts';

export interface Partition {
  /** One transaction. */
  apply(work: readonly Work[]): Added;
  has(id: string, endpoint: number): boolean;
  /** Undefined: no such record. */
  triageOf(id: string, endpoint: number): TriageEvents | undefined;
  summary(): Summary;
  /** Records by the sequence number of their first writing, those after `after` alone, in order. */
  written(after: number): readonly {readonly sequence: number; readonly count: number}[];
  /** Of the file with what is in its log. */
  dataBytes(): number;
  /** Puts what is in the log into the file, as far as readers allow it at the moment. Throws errors of SQLite. */
  fold(): void;
  close(): void;
}

export const openPartition = (path: string, partitionClass: PartitionClass): Partition => {
  const database = openDatabase(path, partitionClass);
  try {
    return partitionClass === 'EVIDENCE' ? new EvidencePartition(database) : new RecordsPartition(database);
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Throws RecordStoreError `damaged` for a file that is not of this format. */
const openDatabase = (path: string, partitionClass: PartitionClass): DatabaseSync => {
  const database = new DatabaseSync(path, {timeout: BUSY_MS});
  try {
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${RECORD_FILE_CACHE_KIB}; PRAGMA mmap_size = 0;
      PRAGMA wal_autocheckpoint = ${RECORD_LOG_BYTES / PAGE_BYTES}; PRAGMA journal_size_limit = ${RECORD_LOG_BYTES}`);
    const format = formatOfClass(partitionClass);
    const refusal = databaseRefusal(database, format);
    if (refusal !== undefined) throw new RecordStoreError('damaged', `${path}: ${refusal.text}`);
    const found = database.prepare('PRAGMA user_version').get()?.['user_version'];
    if (found !== newestOf(format))
      throw new RecordStoreError('damaged', `${path}: its format is ${found}, and ${newestOf(format)} was expected`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** A reader of the same process may hold the file for a moment. */
const BUSY_MS = 5_000;
const FOLD_BUSY_MS = 250;
const PAGE_BYTES = 4_096;

const dataBytesOf = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA page_count').get()?.['page_count'] ?? 0) * PAGE_BYTES;

/** SQLite does it by itself when the last connection is closed: the writer's is not the last one where a reader has the file open. */
const fold = (database: DatabaseSync): void => {
  database.exec(
    `PRAGMA busy_timeout = ${FOLD_BUSY_MS}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${BUSY_MS}`,
  );
};
const MINUTE_MICROS = 60_000_000;

const add = (added: Added, at: number, endpoint: number): void => {
  added.oldest = Math.min(added.oldest, at);
  added.newest = Math.max(added.newest, at);
  added.counts.set(endpoint, (added.counts.get(endpoint) ?? 0) + 1);
};

const inTransaction = (database: DatabaseSync, action: (added: Added) => void): Added => {
  const added: Added = {oldest: Number.POSITIVE_INFINITY, newest: Number.NEGATIVE_INFINITY, counts: new Map()};
  database.exec('BEGIN IMMEDIATE');
  try {
    action(added);
    database.exec('COMMIT');
    return added;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
};

/** Only called on a file that may have been written since its summary was kept. */
const summaryOf = (database: DatabaseSync, sql: {readonly times: string; readonly counts: string}): Summary => {
  const {oldest, newest} = database.prepare(sql.times).get() as {oldest: number | null; newest: number | null};
  const counts = database.prepare(sql.counts).all() as {endpoint: number; count: number}[];
  return {
    oldest: oldest ?? undefined,
    newest: newest ?? undefined,
    counts: Object.fromEntries(counts.map(({endpoint, count}) => [endpoint, count])),
  };
};

type Found = {readonly number: number; readonly at: number; readonly repeat: number};

class RecordsPartition implements Partition {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #insertBody: StatementSync;
  readonly #updateBody: StatementSync;
  readonly #addMinute: StatementSync;
  readonly #decide: StatementSync;
  readonly #decisions: StatementSync;
  readonly #setDecisions: StatementSync;
  /** Of the transaction: `ENDPOINT MINUTE` → what is to be added. */
  #minutes = new Map<string, {readonly endpoint: number; readonly minute: number; records: number; alerts: number}>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#find = database.prepare('SELECT number, at, repeat FROM records WHERE id = ? AND endpoint = ?');
    this.#insert = database.prepare(`INSERT INTO records
      (endpoint, id, written, changed, at, repeat, threat, source, destination, source_port, destination_port, protocol, application)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#update = database.prepare('UPDATE records SET changed = ?, repeat = ? WHERE number = ?');
    this.#insertBody = database.prepare('INSERT INTO bodies (number, body) VALUES (?, ?)');
    this.#updateBody = database.prepare('UPDATE bodies SET body = ? WHERE number = ?');
    this.#addMinute = database.prepare(`INSERT INTO minutes VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET records = records + excluded.records, alerts = alerts + excluded.alerts`);
    this.#decide = database.prepare('UPDATE records SET changed = ?, acknowledged = ?, escalated = ? WHERE number = ?');
    this.#decisions = database.prepare('SELECT triage FROM bodies WHERE number = ?');
    this.#setDecisions = database.prepare('UPDATE bodies SET triage = ? WHERE number = ?');
  }

  apply(work: readonly Work[]): Added {
    this.#minutes = new Map();
    return inTransaction(this.#database, added => {
      for (const one of work) {
        if (one.what === 'record') this.#write(one, added);
        else if (one.what === 'triage') this.#setTriage(one);
      }
      for (const {endpoint, minute, records, alerts} of this.#minutes.values())
        this.#addMinute.run(endpoint, minute, records, alerts);
    });
  }

  has(id: string, endpoint: number): boolean {
    return this.#row(id, endpoint) !== undefined;
  }

  triageOf(id: string, endpoint: number): TriageEvents | undefined {
    const found = this.#row(id, endpoint);
    if (found === undefined) return undefined;
    const {triage} = this.#decisions.get(found.number) as {triage: string | null};
    return triage === null ? [] : (JSON.parse(triage) as TriageEvents);
  }

  summary(): Summary {
    return summaryOf(this.#database, {
      times: 'SELECT (SELECT min(at) FROM records) AS oldest, (SELECT max(at) FROM records) AS newest',
      counts: 'SELECT endpoint, sum(records) AS count FROM minutes GROUP BY endpoint',
    });
  }

  written(after: number): readonly {readonly sequence: number; readonly count: number}[] {
    const sql =
      'SELECT written AS sequence, count(*) AS count FROM records WHERE written > ? GROUP BY written ORDER BY written';
    return this.#database.prepare(sql).all(after) as {sequence: number; count: number}[];
  }

  dataBytes(): number {
    return dataBytesOf(this.#database);
  }

  fold(): void {
    fold(this.#database);
  }

  close(): void {
    this.#database.close();
  }

  #row(id: string, endpoint: number): Found | undefined {
    return this.#find.get(id, endpoint) as Found | undefined;
  }

  /** A record that is written again keeps its place, and the decisions about it. */
  #write({sequence, kind, endpoint, id, at, record}: RecordWork, added: Added): void {
    const found = this.#row(id, endpoint);
    const c = columnsOf(kind, record);
    const body = JSON.stringify(record);
    if (found !== undefined) {
      this.#update.run(sequence, c.repeat, found.number);
      this.#updateBody.run(body, found.number);
      this.#addToMinute(endpoint, found.at, 0, c.repeat - found.repeat);
      return;
    }
    const {lastInsertRowid: number} = this.#insert.run(
      ...[endpoint, id, sequence, sequence, at, c.repeat, c.threat, c.source, c.destination],
      ...[c.sourcePort, c.destinationPort, c.protocol, c.application],
    );
    this.#insertBody.run(number, body);
    this.#addToMinute(endpoint, at, 1, c.repeat);
    add(added, at, endpoint);
  }

  #addToMinute(endpoint: number, at: number, records: number, alerts: number): void {
    const minute = Math.floor(at / MINUTE_MICROS);
    const key = `${endpoint} ${minute}`;
    const known = this.#minutes.get(key);
    if (known === undefined) this.#minutes.set(key, {endpoint, minute, records, alerts});
    else {
      known.records += records;
      known.alerts += alerts;
    }
  }

  #setTriage({sequence, endpoint, id, events}: TriageWork): void {
    const found = this.#row(id, endpoint);
    if (found === undefined) return;
    const {acknowledged, escalated} = triageOf(events);
    this.#decide.run(sequence, acknowledged === true ? 1 : 0, escalated === true ? 1 : 0, found.number);
    this.#setDecisions.run(JSON.stringify(events), found.number);
  }
}

class EvidencePartition implements Partition {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #find: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#insert = database.prepare('INSERT INTO evidence VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
    this.#find = database.prepare('SELECT 1 FROM evidence WHERE id = ? AND endpoint = ?');
  }

  apply(work: readonly Work[]): Added {
    return inTransaction(this.#database, added => {
      for (const one of work) {
        if (one.what !== 'evidence') continue;
        const {changes} = this.#insert.run(one.endpoint, one.id, one.event);
        if (changes > 0) add(added, one.at, one.endpoint);
      }
    });
  }

  has(id: string, endpoint: number): boolean {
    return this.#find.get(id, endpoint) !== undefined;
  }

  written(): [] {
    return [];
  }

  triageOf(): undefined {
    return undefined;
  }

  summary(): Summary {
    const {oldest, newest, ...rest} = summaryOf(this.#database, {
      times: 'SELECT min(id) AS oldest, max(id) AS newest FROM evidence',
      counts: 'SELECT endpoint, count(*) AS count FROM evidence GROUP BY endpoint',
    });
    const time = (id: unknown): number | undefined => (id === undefined ? undefined : timeOfId(String(id)));
    return {oldest: time(oldest), newest: time(newest), ...rest};
  }

  dataBytes(): number {
    return dataBytesOf(this.#database);
  }

  fold(): void {
    fold(this.#database);
  }

  close(): void {
    this.#database.close();
  }
}
