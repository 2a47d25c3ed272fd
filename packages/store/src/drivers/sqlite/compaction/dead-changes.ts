// SPDX-License-Identifier: Apache-2.0
/**
 * The changes that a compaction erases. A change at or below the compacted revision makes the one that it supersedes unreadable,
 * and itself, if it removes its key; so the log is looked through in order. What is found is erased in batches, in the order
 * of the file, because a page that is changed once costs as much as one that is changed for each of its rows.
 *
 * I1 of a key the older change goes first, so that what a kill leaves has no gap (load.ts): a change is found before the one that
 *    supersedes it, and has the lower id.
 * I2 after the file was opened all of it is looked through once more: an erase that was cut short is continued, and what is
 *    erased already is not missed.
 */
import type {DatabaseSync, SQLOutputValue, StatementSync} from 'node:sqlite';
import {type ChangeId, lastIdOf} from '../../../log/change.ts';

/** Heads of one look, and changes of a batch. */
const HEADS_MAX = 256;
const BATCH_MAX = 50_000;

export class DeadChanges {
  readonly #heads: StatementSync;
  readonly #remove: StatementSync;
  /** Up to this change the log was looked through. */
  #looked: ChangeId = 0;
  #found: ChangeId[] = [];
  /** Sorted, and how many of them are erased. */
  #batch = new Float64Array();
  #erased = 0;

  constructor(db: DatabaseSync) {
    this.#heads = db.prepare('SELECT id, previous, created FROM change WHERE id > ? AND id <= ? ORDER BY id LIMIT ?');
    this.#heads.setReturnArrays(true);
    this.#remove = db.prepare('DELETE FROM change WHERE id = ?');
  }

  /** In a transaction of the caller's. If that is rolled back, this must not be used again. */
  erase(compacted: number, isOver: () => boolean): {readonly more: boolean; readonly erased: number} {
    let erased = 0;
    for (;;) {
      while (this.#erased < this.#batch.length) {
        erased += Number(this.#remove.run(this.#batch[this.#erased++] ?? 0).changes);
        if (isOver()) return {more: true, erased};
      }
      if (!this.#look(lastIdOf(compacted), isOver)) return {more: true, erased};
      if (this.#found.length === 0) return {more: false, erased};
      this.#batch = Float64Array.from(this.#found).sort();
      this.#found = [];
      this.#erased = 0;
    }
  }

  /** Looks for the next batch; false: the time is over before. */
  #look(through: ChangeId, isOver: () => boolean): boolean {
    while (this.#found.length < BATCH_MAX) {
      const rows = this.#heads.all(this.#looked, through, HEADS_MAX) as unknown as readonly SQLOutputValue[][];
      for (const [id, previous, created] of rows) {
        if (previous !== 0) this.#found.push(Number(previous));
        if (created === 0) this.#found.push(Number(id));
      }
      this.#looked = Number(rows.at(-1)?.[0] ?? this.#looked);
      if (rows.length < HEADS_MAX) return true;
      if (isOver()) return false;
    }
    return true;
  }
}
