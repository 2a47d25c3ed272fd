// SPDX-License-Identifier: Apache-2.0
/** Sums by key, in memory up to a number of keys, beyond that in a temporary file that SQLite removes by itself. */
import {DatabaseSync} from 'node:sqlite';
import {GROUPS_IN_MEMORY_MAX, PARTITION_CACHE_KIB} from '../../../limits.ts';

export type Group = {
  readonly records: number;
  readonly alerts: number;
  /** Of traffic. */
  readonly bytes: number;
  /** Microseconds. */
  readonly first: number;
  readonly last: number;
  /** Rank of the highest class. */
  readonly highest: number;
  /** The partition that has the newest. */
  readonly file: string;
};
export type KeyedGroup = Group & {readonly key: string};

const merged = (a: Group | undefined, b: Group): Group =>
  a === undefined
    ? b
    : {
        records: a.records + b.records,
        alerts: a.alerts + b.alerts,
        bytes: a.bytes + b.bytes,
        first: Math.min(a.first, b.first),
        last: Math.max(a.last, b.last),
        highest: Math.max(a.highest, b.highest),
        file: b.last > a.last ? b.file : a.file,
      };

const TABLE_SQL = `CREATE TABLE sums (key TEXT PRIMARY KEY, records INTEGER, alerts INTEGER, bytes INTEGER, "first" INTEGER, "last" INTEGER,
  highest INTEGER, file TEXT) WITHOUT ROWID`;
const ADD_SQL = `INSERT INTO sums VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET records = records + excluded.records,
  alerts = alerts + excluded.alerts, bytes = bytes + excluded.bytes, "first" = min("first", excluded."first"), highest = max(highest, excluded.highest),
  file = CASE WHEN excluded."last" > "last" THEN excluded.file ELSE file END, "last" = max("last", excluded."last")`;

export class GroupSums {
  readonly #inMemoryMax: number;
  #sums = new Map<string, Group>();
  #spilled: DatabaseSync | undefined;

  constructor(inMemoryMax: number = GROUPS_IN_MEMORY_MAX) {
    this.#inMemoryMax = inMemoryMax;
  }

  add(key: string, group: Group): void {
    this.#sums.set(key, merged(this.#sums.get(key), group));
    if (this.#sums.size > this.#inMemoryMax) this.#spill();
  }

  /** Those with the most alerts; equal ones in the order of their keys. */
  top(count: number): {readonly groups: readonly KeyedGroup[]; readonly more: number} {
    if (this.#spilled === undefined) {
      const all = [...this.#sums].map(([key, group]) => ({key, ...group}));
      all.sort((a, b) => b.alerts - a.alerts || (a.key < b.key ? -1 : 1));
      return {groups: all.slice(0, count), more: Math.max(all.length - count, 0)};
    }
    this.#spill();
    const groups = this.#spilled
      .prepare('SELECT * FROM sums ORDER BY alerts DESC, key LIMIT ?')
      .all(count) as unknown as KeyedGroup[];
    const {all} = this.#spilled.prepare('SELECT count(*) AS "all" FROM sums').get() as {all: number};
    return {groups, more: Math.max(all - count, 0)};
  }

  close(): void {
    this.#spilled?.close();
  }

  #spill(): void {
    const database = this.#spilled ?? this.#create();
    const add = database.prepare(ADD_SQL);
    database.exec('BEGIN');
    for (const [key, {records, alerts, bytes, first, last, highest, file}] of this.#sums)
      add.run(key, records, alerts, bytes, first, last, highest, file);
    database.exec('COMMIT');
    this.#sums = new Map();
  }

  #create(): DatabaseSync {
    this.#spilled = new DatabaseSync(''); // a private temporary file
    this.#spilled.exec(`PRAGMA journal_mode = OFF; PRAGMA cache_size = -${PARTITION_CACHE_KIB * 4}; ${TABLE_SQL}`);
    return this.#spilled;
  }
}
