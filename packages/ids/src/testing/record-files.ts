// SPDX-License-Identifier: Apache-2.0
/** Files of the record store, written without its journal of commits: for tests of the reader, and benches that need many records. */
import {join} from 'node:path';
import {DatabaseSync, type StatementSync} from 'node:sqlite';
import {type AnyRecord, parseIp, parseMicros, type RecordKind, type ThreatRecord} from '@palisade/ids-wire';
import {migrate} from '@palisade/store/sqlite';
import {classOf} from '../records/evictions.ts';
import {recordIdOf} from '../records/record-id.ts';
import {RECORD_FORMATS} from '../records/sqlite/formats.ts';
import {partitionFile} from '../records/sqlite/schema.ts';
import {EMPTY} from '../records/sqlite/work.ts';
import {type TriageEvents, triageOf} from '../records/triage.ts';

type Open = {
  readonly database: DatabaseSync;
  readonly record: StatementSync;
  readonly body: StatementSync;
  readonly minute: StatementSync;
  count: number;
};

export type GivenRecord = {
  readonly kind: RecordKind;
  readonly endpoint: string;
  /** As in RecordWrite. */
  readonly event: string;
  readonly record: AnyRecord;
  readonly triage?: TriageEvents | undefined;
  readonly written: number;
  readonly changed?: number | undefined;
};

const MINUTE_MICROS = 60_000_000;
/** Of a bench, the classes of a day and of the next. */
const OPEN_MAX = 12;

export class RecordFiles {
  readonly #directory: string;
  readonly #recordsMax: number;
  readonly #journal: DatabaseSync;
  readonly #open = new Map<string, Open>();
  readonly #endpoints = new Map<string, number>();
  #files = 0;
  #sequence = 0;

  /** `recordsMax`: in one file. */
  constructor(directory: string, recordsMax: number = Number.POSITIVE_INFINITY) {
    this.#directory = directory;
    this.#recordsMax = recordsMax;
    this.#journal = new DatabaseSync(join(directory, 'journal.db'));
    this.#journal.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    migrate(this.#journal, RECORD_FORMATS.journal);
  }

  /** Returns the record's id. */
  add({kind, endpoint, event, record, triage, written, changed = written}: GivenRecord): string {
    const id = recordIdOf(event, record);
    const at = parseMicros(record.event_time) ?? 0;
    this.#sequence = Math.max(this.#sequence, changed);
    const open = this.#partition(kind, record, at);
    const number = this.#numberOf(endpoint);
    const {acknowledged, escalated} = triageOf(triage ?? []);
    const {lastInsertRowid} = open.record.run(
      ...[number, id, at, written, changed, Number(record.repeat_count)],
      kind === 'threats' ? (record as ThreatRecord).threat_id : '',
      parseIp(record.source_ip_address)?.bytes ?? null,
      parseIp(record.destination_ip_address)?.bytes ?? null,
      ...[Number(record.source_port), Number(record.destination_port), record.ip_protocol, record.application],
      ...[acknowledged === true ? 1 : 0, escalated === true ? 1 : 0],
    );
    open.body.run(lastInsertRowid, JSON.stringify(record), triage === undefined ? null : JSON.stringify(triage));
    open.minute.run(number, Math.floor(at / MINUTE_MICROS), Number(record.repeat_count));
    return id;
  }

  /** Everything is in the files, and they are closed. */
  close(): void {
    const meta = this.#journal.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
    for (const [key, value] of [
      ['sequence', String(this.#sequence)],
      ['partitions', String(this.#files)],
    ])
      meta.run(key ?? '', value ?? '');
    for (const key of this.#open.keys()) this.#finish(key);
    this.#journal.close();
  }

  #finish(key: string): void {
    const database = this.#open.get(key)?.database;
    database?.exec('COMMIT; PRAGMA journal_mode = WAL');
    database?.close();
    this.#open.delete(key);
  }

  #numberOf(endpoint: string): number {
    const known = this.#endpoints.get(endpoint);
    if (known !== undefined) return known;
    const number = this.#endpoints.size + 1;
    this.#journal.prepare('INSERT INTO endpoints (number, name) VALUES (?, ?)').run(number, endpoint);
    this.#endpoints.set(endpoint, number);
    return number;
  }

  #partition(kind: RecordKind, record: AnyRecord, at: number): Open {
    const recordClass = classOf(kind, record);
    const day = new Date(at / 1000).toISOString().slice(0, 10).replaceAll('-', '');
    const key = `${recordClass} ${day}`;
    const known = this.#open.get(key);
    if (known !== undefined && known.count++ < this.#recordsMax) return known;
    if (known !== undefined) this.#finish(key);
    if (this.#open.size >= OPEN_MAX) this.#finish(this.#open.keys().next().value ?? '');
    const file = partitionFile({recordClass, day, number: ++this.#files});
    const database = new DatabaseSync(join(this.#directory, file));
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536');
    migrate(database, RECORD_FORMATS.records);
    database.exec('PRAGMA journal_mode = OFF; BEGIN');
    this.#journal.prepare('INSERT INTO partitions VALUES (?, ?, 1)').run(file, JSON.stringify(EMPTY));
    const open = {
      database,
      record:
        database.prepare(`INSERT INTO records (endpoint, id, at, written, changed, repeat, threat, source, destination,
        source_port, destination_port, protocol, application, acknowledged, escalated)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
      body: database.prepare('INSERT INTO bodies VALUES (?, ?, ?)'),
      minute: database.prepare(`INSERT INTO minutes VALUES (?, ?, 1, ?)
        ON CONFLICT DO UPDATE SET records = records + 1, alerts = alerts + excluded.alerts`),
      count: 1,
    };
    this.#open.set(key, open);
    return open;
  }
}
