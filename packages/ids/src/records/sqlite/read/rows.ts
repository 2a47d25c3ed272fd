// SPDX-License-Identifier: Apache-2.0
/** Rows of one partition in steps: in time order, or in the order of their writing. Each step is one statement that ends at once. */
import type {SQLInputValue} from 'node:sqlite';
import {READ_PROBE_ROWS, READ_STEP_BYTES_MAX, READ_STEP_ROWS_MAX, READ_STEP_ROWS_MIN} from '../../../limits.ts';
import type {Partition} from './open-partitions.ts';
import type {PartitionFile} from './partition-files.ts';
import {type Asked, bytesOfRow, type Reading, type RecordRow, type Scope} from './scope.ts';

export type Direction = 'asc' | 'desc';

/** `at`, then `number`, of the last row that was read; in the order of writing the number alone. */
type Place = {readonly at: number; readonly number: number};

export type RowsOptions = {
  readonly order: Direction | 'written';
  /** Without, a row has '' for its body where the condition is exact. */
  readonly hasBodies: boolean;
  /** A condition besides that of the scope. */
  readonly more?: {readonly sql: string; readonly params: readonly SQLInputValue[]} | undefined;
};

/** The index that few rows need to be read with: decided by counting, up to a limit. `undefined`: none has few. */
export const selectiveIndex = (partition: Partition, hints: Asked['hints']): string | undefined => {
  let best: {readonly index: string; readonly count: number} | undefined;
  for (const {index, condition} of hints) {
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM records r INDEXED BY ${index} WHERE ${condition.sql} LIMIT ${best?.count ?? READ_PROBE_ROWS})`;
    const {count} = partition.get<{count: number}>(sql, condition.params) ?? {count: READ_PROBE_ROWS};
    if (count < (best?.count ?? READ_PROBE_ROWS)) best = {index, count};
  }
  return best?.index;
};

/** `from` and `until` of the scope as a condition; empty when all of the partition is within. */
export const timeCondition = (
  {from, until}: Pick<Scope, 'from' | 'until'>,
  content: {readonly from: number; readonly to: number},
): {readonly sql: string; readonly params: readonly number[]} => {
  const parts = [
    ...(content.from < from ? [{sql: 'r.at >= ?', param: from}] : []),
    ...(content.to >= until ? [{sql: 'r.at < ?', param: until}] : []),
  ];
  return {sql: parts.map(({sql}) => ` AND ${sql}`).join(''), params: parts.map(({param}) => param)};
};

export class Rows {
  readonly #reading: Reading;
  readonly #file: string;
  readonly #asked: Asked;
  readonly #options: RowsOptions;
  readonly #times: {readonly sql: string; readonly params: readonly number[]};
  #index: string | undefined;
  #isPlanned = false;
  #last: Place | undefined;
  #step = READ_STEP_ROWS_MIN;
  #isEnd = false;

  constructor(
    reading: Reading,
    scope: Scope,
    file: PartitionFile,
    content: {readonly from: number; readonly to: number},
    options: RowsOptions,
  ) {
    this.#reading = reading;
    this.#file = file.file;
    this.#asked = scope.asked(file.recordClass);
    this.#options = options;
    this.#times = timeCondition(scope, content);
  }

  /** Whether a row matches is for the predicate to say. */
  get isExact(): boolean {
    return this.#asked.condition.exact;
  }

  /** The next rows; empty at the end. */
  next(): readonly RecordRow[] {
    if (this.#isEnd) return [];
    const partition = this.#reading.open.use(this.#file);
    if (partition === undefined) return this.#end();
    if (!this.#isPlanned) {
      this.#index = selectiveIndex(partition, this.#asked.hints);
      this.#isPlanned = true;
    }
    const rows: RecordRow[] = [];
    let bytes = 0;
    for (const row of this.#read(partition)) {
      rows.push(row);
      bytes += bytesOfRow(row);
      if (bytes > READ_STEP_BYTES_MAX) break;
    }
    const last = rows.at(-1);
    const isCut = bytes > READ_STEP_BYTES_MAX;
    if (last === undefined || (!isCut && rows.length < this.#step)) this.#isEnd = true;
    if (last !== undefined) this.#last = {at: last.at, number: last.number};
    this.#step = isCut ? rows.length : Math.min(this.#step * 2, READ_STEP_ROWS_MAX);
    return rows;
  }

  #end(): readonly RecordRow[] {
    this.#isEnd = true;
    return [];
  }

  #read(partition: Partition): Iterable<RecordRow> {
    const {condition} = this.#asked;
    const {order, more = {sql: '1', params: []}, hasBodies} = this.#options;
    const after = this.#after();
    const by = order === 'written' ? 'NOT INDEXED' : 'INDEXED BY records_at';
    const table = `records r ${this.#index === undefined ? by : `INDEXED BY ${this.#index}`}`;
    const from = condition.body ? `${table} CROSS JOIN bodies b ON b.number = r.number` : table;
    const down = order === 'desc' ? ' DESC' : '';
    const orderBy = order === 'written' ? 'number' : `at${down}, number${down}`;
    const within = `SELECT r.number, r.endpoint, r.id, r.at FROM ${from}
      WHERE (${condition.sql}) AND ${more.sql}${this.#times.sql}${after.sql} ORDER BY ${orderBy.replaceAll(/(at|number)/g, 'r.$1')} LIMIT ?`;
    const params = [...condition.params, ...more.params, ...this.#times.params, ...after.params, this.#step];
    if (!hasBodies && this.isExact)
      return partition.each<RecordRow>(`SELECT p.*, '' AS body, NULL AS triage FROM (${within}) p`, params);
    return partition.each<RecordRow>(
      `SELECT p.number, p.endpoint, p.id, p.at, b.body, b.triage FROM (${within}) p CROSS JOIN bodies b ON b.number = p.number
       ORDER BY ${orderBy.replaceAll(/(at|number)/g, 'p.$1')}`,
      params,
    );
  }

  #after(): {readonly sql: string; readonly params: readonly number[]} {
    const last = this.#last;
    if (last === undefined) return {sql: '', params: []};
    const {at, number} = last;
    switch (this.#options.order) {
      case 'written':
        return {sql: ' AND r.number > ?', params: [number]};
      case 'asc':
        return {sql: ' AND r.at >= ? AND (r.at > ? OR r.number > ?)', params: [at, at, number]};
      case 'desc':
        return {sql: ' AND r.at <= ? AND (r.at < ? OR r.number < ?)', params: [at, at, number]};
    }
  }
}
