// SPDX-License-Identifier: Apache-2.0
/** The database as the worker sees it: synchronous statements, no rules of the store. */
import {chmodSync, existsSync} from 'node:fs';
import {DatabaseSync, type StatementSync} from 'node:sqlite';
import {StoreError, type StoreErrorCode} from '../../store-error.ts';
import type {RequestName, Requests, WireCommit, WireVersion} from './messages.ts';
import {APPLICATION_ID, FORMAT, MIGRATIONS, PRAGMAS, STEPS} from './schema.ts';

/** Primary SQLite result codes. Ref: sqlite.org/rescode.html */
const SQLITE = {busy: 5, readonly: 8, ioerr: 10, corrupt: 11, full: 13, cantopen: 14, notadb: 26} as const;
/** Sorts after every key of a prefix: the last code point. */
const LAST = '\u{10ffff}';

type Row = Record<string, number | string | Uint8Array | null>;

const ADVICE: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  [SQLITE.busy]: ['locked', 'another server is running on this data folder; stop it, or give --data another folder'],
  [SQLITE.readonly]: ['unavailable', 'the file or its folder may not be written; check owner and mount'],
  [SQLITE.ioerr]: ['unavailable', 'the disk refused to read or write; nothing of the batch was kept'],
  [SQLITE.full]: ['unavailable', 'the disk is full; nothing of the batch was kept, free some space'],
  [SQLITE.cantopen]: ['unavailable', 'the file cannot be opened; check that the folder exists and may be written'],
  [SQLITE.corrupt]: ['corrupt', 'the database file is damaged; restore it from a backup. It was left as it is'],
  [SQLITE.notadb]: [
    'corrupt',
    'the file is not a database; move it away or give --data another folder. It was left as it is',
  ],
};

/** Errors of SQLite as StoreErrors that say what to do. */
export const toStoreError = (error: unknown, file: string): StoreError => {
  if (error instanceof StoreError) return error;
  const code = Number((error as {errcode?: unknown}).errcode ?? 0) & 0xff;
  const text = error instanceof Error ? error.message : String(error);
  const [name, advice] = ADVICE[code] ?? ['unavailable', 'the store cannot work'];
  return new StoreError(name, {message: `${file}: ${advice} (${text})`}, {cause: error});
};

export class Database {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;

  /** Opens or makes the file, takes its lock, migrates forward. Throws what `toStoreError` reads. */
  constructor(file: string) {
    this.#file = file;
    const fresh = !existsSync(file);
    this.#db = new DatabaseSync(file);
    try {
      if (fresh) chmodSync(file, 0o600);
      this.#db.exec('PRAGMA locking_mode = EXCLUSIVE');
      this.#checkFormat();
      for (const [pragma] of PRAGMAS) this.#db.exec(`PRAGMA ${pragma}`);
      this.#migrate();
      this.#insert = this.#db.prepare('INSERT INTO log VALUES (?, ?, ?, ?)');
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Compares what the file says of itself, before anything is written. */
  #checkFormat(): void {
    const number = (pragma: string): number => Number(Object.values(this.#get(`PRAGMA ${pragma}`) ?? {})[0] ?? 0);
    const tables = Number(this.#get('SELECT count(*) AS n FROM sqlite_schema')?.['n'] ?? 0);
    if (tables === 0) return;
    const [application, format] = [number('application_id'), number('user_version')];
    if (application !== APPLICATION_ID)
      throw new StoreError('format', {
        message: `${this.#file}: a database of another program; give --data another folder. It was left as it is`,
      });
    const minimum =
      format > FORMAT
        ? Number(this.#get("SELECT value FROM meta WHERE name = 'minimum_reader'")?.['value'] ?? format)
        : 0;
    if (minimum > FORMAT)
      throw new StoreError('format', {
        message: `${this.#file}: written by a newer version (format ${format}, readable from ${minimum} on; this one has ${FORMAT}): run that version, or give --data another folder`,
      });
  }

  #migrate(): void {
    const from = Number(this.#get('PRAGMA user_version')?.['user_version'] ?? 0);
    for (const {to, sql} of MIGRATIONS) {
      if (to <= from) continue;
      this.#db.exec(
        `BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${to}; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`,
      );
    }
  }

  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.#db.prepare(sql).get(...values) as Row | undefined;
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#db.prepare(sql).all(...values) as Row[];
  }

  state(): Requests['open']['answer'] {
    const last = Number(this.#get('SELECT max(position) AS position FROM log')?.['position'] ?? 0);
    const compacted = Number(this.#get("SELECT value FROM meta WHERE name = 'compacted'")?.['value'] ?? 0);
    return {revision: Math.max(Math.floor(last / STEPS), compacted), compacted};
  }

  load({after, limit}: Requests['load']['args']): readonly WireVersion[] {
    return this.#all(
      `SELECT l.position, l.key, l.value, l.created FROM (SELECT key, max(position) AS position FROM log WHERE key > ? GROUP BY key ORDER BY key LIMIT ?) n
       JOIN log l ON l.position = n.position ORDER BY n.key`,
      after,
      limit,
    ).map(toVersion);
  }

  /** One transaction, one sync. */
  append(commits: readonly WireCommit[]): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const [revision, changes] of commits) {
        let position = revision * STEPS;
        for (const [key, value, created] of changes) this.#insert.run(position++, key, value, created);
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  changes({prefix, after, until, limit}: Requests['changes']['args']): Requests['changes']['answer'] {
    const select = `SELECT l.position, l.key, l.value, l.created, p.position AS p_position, p.value AS p_value, p.created AS p_created
      FROM log l LEFT JOIN log p ON p.position = (SELECT max(position) FROM log WHERE key = l.key AND position < l.position)
      WHERE l.position >= ? AND l.position < ? AND l.key >= ? AND l.key < ? ORDER BY l.position`;
    const range = [prefix, prefix + LAST] as const;
    const rows = this.#all(`${select} LIMIT ?`, (after + 1) * STEPS, (until + 1) * STEPS, ...range, limit);
    const last = rows.length === limit ? toVersion(rows.at(-1) as Row) : undefined;
    // A page never ends in the middle of a revision.
    const rest =
      last === undefined
        ? []
        : this.#all(select, Number(rows.at(-1)?.['position']) + 1, (last[0] + 1) * STEPS, ...range);
    return [...rows, ...rest].map(row => ({
      version: toVersion(row),
      previous:
        row['p_position'] === null
          ? null
          : [
              Math.floor(Number(row['p_position']) / STEPS),
              String(row['key']),
              row['p_value'] as Uint8Array | null,
              Number(row['p_created']),
            ],
    }));
  }

  entryAt({key, at}: Requests['entryAt']['args']): WireVersion | null {
    const row = this.#get(
      'SELECT position, key, value, created FROM log WHERE key = ? AND position < ? ORDER BY position DESC LIMIT 1',
      key,
      (at + 1) * STEPS,
    );
    return row === undefined || row['value'] === null ? null : toVersion(row);
  }

  pageAt({prefix, at, after, limit}: Requests['pageAt']['args']): Requests['pageAt']['answer'] {
    const from = `FROM (SELECT key, max(position) AS position FROM log WHERE key >= ? AND key < ? AND position < ? GROUP BY key) n
      JOIN log l ON l.position = n.position WHERE l.value IS NOT NULL AND l.key > ?`;
    const values = [prefix, prefix + LAST, (at + 1) * STEPS, after ?? ''] as const;
    const versions = this.#all(
      `SELECT l.position, l.key, l.value, l.created ${from} ORDER BY l.key LIMIT ?`,
      ...values,
      limit,
    ).map(toVersion);
    const total = Number(this.#get(`SELECT count(*) AS n ${from}`, ...values)?.['n'] ?? 0);
    return {versions, remaining: total - versions.length};
  }

  compact({below, from, to}: Requests['compact']['args']): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#db.prepare("UPDATE meta SET value = max(value, ?) WHERE name = 'compacted'").run(below);
      this.#db
        .prepare(
          `DELETE FROM log WHERE position >= ? AND position < ? AND (value IS NULL OR
             EXISTS (SELECT 1 FROM log n WHERE n.key = log.key AND n.position > log.position AND n.position < ?))`,
        )
        .run(from * STEPS, Math.min(to, below) * STEPS, (below + 1) * STEPS);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

const toVersion = (row: Row): WireVersion => [
  Math.floor(Number(row['position']) / STEPS),
  String(row['key']),
  row['value'] as Uint8Array | null,
  Number(row['created']),
];

/** One request against the database; `open` is handled by the worker itself. */
export const answer = (db: Database, name: Exclude<RequestName, 'open'>, args: unknown): unknown => {
  switch (name) {
    case 'load':
      return db.load(args as Requests['load']['args']);
    case 'append':
      return db.append(args as Requests['append']['args']) ?? null;
    case 'changes':
      return db.changes(args as Requests['changes']['args']);
    case 'entryAt':
      return db.entryAt(args as Requests['entryAt']['args']);
    case 'pageAt':
      return db.pageAt(args as Requests['pageAt']['args']);
    case 'compact':
      return db.compact(args as Requests['compact']['args']) ?? null;
    case 'close':
      return db.close() ?? null;
  }
};
