// SPDX-License-Identifier: Apache-2.0
/** The statements on an open database, synchronous. Values are checked against their sums whenever they are read. */
import type {DatabaseSync, SQLOutputValue, StatementSync} from 'node:sqlite';
import {crc32} from 'node:zlib';
import {type Change, type ChangeHead, type ChangeId, lastIdOf, revisionOf} from '../../log/change.ts';
import type {Opened, Replay, Replayed} from '../../log/driver.ts';
import {StoreError} from '../../store-error.ts';
import type {CommitProbe} from './commit-probe.ts';
import {DeadChanges} from './compaction/dead-changes.ts';

/** Heads per call while loading. */
const HEADS_MAX = 20_000;
export const COLUMNS = (table: string): string =>
  ['id', 'key', 'previous', 'created', 'sum', 'value'].map(name => `${table}.${name}`).join(', ');
export type Row = readonly SQLOutputValue[];
/** Superseded changes that `newestWithin` looks at. */
const SUPERSEDED_MAX = 4_096;
/** Of the newest history: so many revisions, and so many bytes of the values that they superseded. */
export type HistoryBounds = {readonly revisions: number; readonly bytes: number};

const sumOf = ({id, key, previousId, createRevision}: ChangeHead, value: Uint8Array | undefined): number => {
  const sum = crc32(`${id} ${previousId} ${createRevision} ${key}`);
  return value === undefined ? sum : crc32(value, sum);
};

export class ChangeTable {
  readonly #db: DatabaseSync;
  readonly #probe: CommitProbe | undefined;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insert: StatementSync;
  readonly #one: StatementSync;
  readonly #range: StatementSync;
  readonly #superseded: StatementSync;
  readonly #setCompacted: StatementSync;
  #dead: DeadChanges;

  constructor(db: DatabaseSync, probe: CommitProbe | undefined) {
    this.#db = db;
    this.#probe = probe;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#insert = db.prepare('INSERT INTO change (id, key, previous, created, sum, value) VALUES (?, ?, ?, ?, ?, ?)');
    this.#one = db.prepare(`SELECT ${COLUMNS('c')} FROM change c WHERE c.id = ?`);
    this.#range = db.prepare(
      `SELECT ${COLUMNS('c')}, ${COLUMNS('p')} FROM change c LEFT JOIN change p ON p.id = c.previous
       WHERE c.id > ? AND c.id <= ? AND substr(c.key, 1, ?) = ? ORDER BY c.id`,
    );
    this.#superseded = db.prepare(
      `SELECT c.id, length(p.value) FROM change c CROSS JOIN change p ON p.id = c.previous
       WHERE c.id > ? AND c.id <= ? ORDER BY c.id DESC`,
    );
    this.#superseded.setReturnArrays(true);
    this.#dead = new DeadChanges(db);
    this.#setCompacted = db.prepare("UPDATE meta SET value = max(value, ?) WHERE name = 'compacted'");
    this.#one.setReturnArrays(true);
    this.#range.setReturnArrays(true);
  }

  opened(): Opened {
    const row = this.#db.prepare("SELECT value FROM meta WHERE name = 'compacted'").get();
    if (row === undefined) throw new StoreError('corrupt', {message: 'the table meta has no row "compacted"'});
    const compacted = Number(row['value']);
    return {revision: Math.max(compacted, revisionOf(this.lastId())), compacted};
  }

  lastId(): ChangeId {
    return Number(this.#db.prepare('SELECT max(id) AS id FROM change').get()?.['id'] ?? 0);
  }

  heads(after: ChangeId): ChangeHead[] {
    const statement = this.#db.prepare(
      'SELECT id, key, previous, created FROM change WHERE id > ? ORDER BY id LIMIT ?',
    );
    statement.setReturnArrays(true);
    const rows = statement.all(after, HEADS_MAX) as unknown as Row[];
    return rows.map(row => toHead(row));
  }

  /** One transaction, one sync. */
  append(changes: readonly Change[]): void {
    this.transaction(() => {
      for (const change of changes) {
        const {id, key, previousId, createRevision, value} = change;
        this.#insert.run(id, key, previousId, createRevision, sumOf(change, value), value ?? null);
      }
      this.#probe?.pass('before-commit');
    });
    this.#probe?.committed(changes.at(-1)?.id ?? 0);
    this.#probe?.pass('after-commit');
  }

  /** Removes what came behind `last`, the newest change that was answered. Throws `corrupt` when that one is not there. */
  cutBehind(last: ChangeId): void {
    this.transaction(() => void this.#db.prepare('DELETE FROM change WHERE id > ?').run(last));
    const found = this.opened().revision;
    if (found >= revisionOf(last)) return;
    const message = `the file ends at revision ${found}, but ${revisionOf(last)} was answered; stop the server and check the disk`;
    throw new StoreError('corrupt', {revision: BigInt(found), message});
  }

  read(ids: readonly ChangeId[]): Change[] {
    return ids.map(id => {
      const row = this.#one.get(id) as unknown as Row | undefined;
      if (row === undefined) throw new StoreError('compacted', {revision: BigInt(revisionOf(id))});
      return toChange(row);
    });
  }

  scan(prefix: string, range: {after: ChangeId; through: ChangeId; bytesMax: number}): Replay {
    const rows: Replayed[] = [];
    let [bytes, last] = [0, range.after];
    for (const found of this.#range.iterate(range.after, range.through, [...prefix].length, prefix)) {
      const row = found as unknown as Row;
      const change = toChange(row);
      const revision = revisionOf(change.id);
      // Everything below this revision was looked at.
      if (bytes >= range.bytesMax && revisionOf(last) < revision) return {rows, through: lastIdOf(revision - 1)};
      const previous = row[6] === null ? undefined : toChange(row.slice(6));
      if (previous === undefined && change.previousId !== 0)
        throw new StoreError('compacted', {key: change.key, revision: BigInt(revision)});
      rows.push({change, previous});
      bytes += change.value?.length ?? 0;
      last = change.id;
    }
    return {rows, through: range.through};
  }

  /** Notes that history below `compacted` is gone, without erasing anything of it. */
  markCompacted(compacted: number): void {
    this.transaction(() => void this.#setCompacted.run(compacted));
  }

  /** Erases some of what only revisions below `compacted` need. One transaction, until `isOver`. */
  erase(compacted: number, isOver: () => boolean): {readonly more: boolean; readonly erased: number} {
    try {
      return this.transaction(() => {
        if (compacted > this.opened().compacted) this.#setCompacted.run(compacted);
        return this.#dead.erase(compacted, isOver);
      });
    } catch (error) {
      this.#dead = new DeadChanges(this.#db); // what it counts as erased was rolled back
      throw error;
    }
  }

  /**
   * The oldest of the newest revisions up to `newest` that are no more than `revisions` and superseded no more than `bytes` of
   * values (nor more changes than a short look takes).
   */
  newestWithin(newest: number, {revisions, bytes}: HistoryBounds): number {
    const oldest = Math.max(0, newest - revisions);
    let [sum, count] = [0, 0];
    for (const found of this.#superseded.iterate(lastIdOf(oldest), lastIdOf(newest))) {
      const [id, size] = found as unknown as Row;
      sum += Number(size);
      if (sum > bytes || ++count === SUPERSEDED_MAX) return revisionOf(Number(id));
    }
    return oldest;
  }

  /** A transaction that changes nothing, but is written and synced. */
  touch(): void {
    this.markCompacted(0);
  }

  transaction<T>(body: () => T): T {
    this.#begin.run();
    try {
      const result = body();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

function toHead([id, key, previous, created]: Row): ChangeHead {
  const head = {id: Number(id), key: String(key), previousId: Number(previous), createRevision: Number(created)};
  const isSound = [head.id, head.previousId, head.createRevision].every(n => Number.isSafeInteger(n) && n >= 0);
  if (isSound) return head;
  const message = `the row ${head.id} of ${head.key} is damaged: previous ${head.previousId}, created ${head.createRevision}; restore the file from a backup`;
  throw new StoreError('corrupt', {key: head.key, message});
}

export function toChange(row: Row): Change {
  const head = toHead(row);
  const value = row[5] instanceof Uint8Array ? row[5] : undefined;
  if (sumOf(head, value) === row[4] && (value === undefined) === (head.createRevision === 0)) return {...head, value};
  const revision = revisionOf(head.id);
  throw new StoreError('corrupt', {
    key: head.key,
    revision: BigInt(revision),
    message: `the value of ${head.key} at revision ${revision} is damaged: its checksum does not fit; restore the file from a backup`,
  });
}
