// SPDX-License-Identifier: Apache-2.0
/**
 * All rows of a damaged table `change` that can be read, in the order of their ids. SQLite reads up to the first damaged page;
 * then the next readable id is searched for behind it, by halves, because the pages above a leaf lead past it.
 */
import type {DatabaseSync, StatementSync} from 'node:sqlite';
import {COLUMNS, type Row, toChange} from '../drivers/sqlite/change-table.ts';
import {TXN_STEPS_MAX} from '../limits.ts';
import {type Change, type ChangeId, revisionOf} from '../log/change.ts';

export type Walk = {
  readonly row: (change: Change) => void;
  /** A row that is there, but cannot be trusted; `key` as far as it can be read. */
  readonly damagedRow: (row: {readonly id: ChangeId; readonly key: string | undefined; readonly what: string}) => void;
  /** Rows with ids between these two cannot be read. `before` is undefined at the end of the table. */
  readonly gap: (gap: {readonly after: ChangeId; readonly before: ChangeId | undefined; readonly what: string}) => void;
};

/** How far behind a damaged page at the end of the table is searched. */
const SEARCH_REVISIONS_MAX = 2 ** 20;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class Walker {
  readonly #db: DatabaseSync;
  readonly #walk: Walk;
  readonly #ascending: StatementSync;
  readonly #first: StatementSync;
  readonly #descending: StatementSync;

  constructor(db: DatabaseSync, walk: Walk) {
    this.#db = db;
    this.#walk = walk;
    this.#ascending = db.prepare(`SELECT ${COLUMNS('c')} FROM change c WHERE c.id > ? ORDER BY c.id`);
    this.#ascending.setReturnArrays(true);
    this.#first = db.prepare('SELECT id FROM change WHERE id > ? AND id <= ? ORDER BY id LIMIT 1');
    this.#descending = db.prepare('SELECT id FROM change WHERE id > ? AND id <= ? ORDER BY id DESC');
  }

  run(): void {
    let after = 0;
    for (;;) {
      const {last, error} = this.#readFrom(after);
      if (error === undefined) return;
      const top = this.#top();
      const next = this.#nextReadable(last, top ?? last + SEARCH_REVISIONS_MAX * TXN_STEPS_MAX);
      if (next === undefined) {
        this.#walk.gap({after: last, before: undefined, what: textOf(error)});
        return;
      }
      after = this.#pass(last, next, error);
    }
  }

  /** Returns the last row, and why there are no more; undefined: it was the end. */
  #readFrom(after: ChangeId): {readonly last: ChangeId; readonly error: unknown} {
    let last = after;
    try {
      for (const found of this.#ascending.iterate(after)) {
        const row = found as unknown as Row;
        this.#take(row);
        last = Number(row[0]);
      }
      return {last, error: undefined};
    } catch (error) {
      return {last, error};
    }
  }

  #take(row: Row): void {
    let change: Change;
    try {
      change = toChange(row);
    } catch (error) {
      this.#walk.damagedRow({id: Number(row[0]), key: String(row[1]), what: textOf(error)});
      return;
    }
    this.#walk.row(change);
  }

  /** Reports what is between the last row and the next one whose id can be read. Returns the id behind which reading continues. */
  #pass(last: ChangeId, next: ChangeId, error: unknown): ChangeId {
    if (next > last + 1 && !this.#isEmpty(last, next - 1))
      this.#walk.gap({after: last, before: next, what: textOf(error)});
    try {
      this.#db.prepare(`SELECT ${COLUMNS('c')} FROM change c WHERE c.id = ?`).get(next);
      return next - 1;
    } catch (cause) {
      this.#walk.damagedRow({id: next, key: this.#keyOf(next), what: textOf(cause)});
      return next;
    }
  }

  #isEmpty(low: ChangeId, high: ChangeId): boolean {
    try {
      return this.#first.get(low, high) === undefined;
    } catch {
      return false;
    }
  }

  #keyOf(id: ChangeId): string | undefined {
    try {
      return String(this.#db.prepare('SELECT key FROM change WHERE id = ?').get(id)?.['key']);
    } catch {
      return undefined;
    }
  }

  #top(): ChangeId | undefined {
    try {
      return Number(this.#db.prepare('SELECT max(id) AS id FROM change').get()?.['id']);
    } catch {
      return undefined;
    }
  }

  /** The smallest id with low < id ≤ high whose page can be read; undefined: no such page. */
  #nextReadable(low: ChangeId, high: ChangeId): ChangeId | undefined {
    try {
      const id = this.#first.get(low, high)?.['id'];
      return id === undefined ? undefined : Number(id);
    } catch {
      if (revisionOf(low) === revisionOf(high) || high - low <= TXN_STEPS_MAX) return this.#endOf(low, high);
      const middle = low + Math.floor((high - low) / 2);
      return this.#nextReadable(low, middle) ?? this.#nextReadable(middle, high);
    }
  }

  /** The part of a small range behind the damage. */
  #endOf(low: ChangeId, high: ChangeId): ChangeId | undefined {
    let smallest: ChangeId | undefined;
    try {
      for (const {id} of this.#descending.iterate(low, high) as Iterable<{id: number}>) smallest = id;
    } catch {} // here the damage begins
    return smallest;
  }
}

/** Throws what SQLite throws for a table that cannot be read at all. */
export const walkRows = (db: DatabaseSync, walk: Walk): void => new Walker(db, walk).run();
