// SPDX-License-Identifier: Apache-2.0
/**
 * A store file with given entries and no history: what a restore makes. Entries keep their revisions; the store begins long after
 * every revision that may have been handed out since, and nothing below that can be read. So a client that knows an older or a later
 * revision of the lost time gets `compacted`, and lists again, and no revision means two states.
 * Ref: etcdutl snapshot restore --bump-revision --mark-compacted.
 */
import type {DatabaseSync} from 'node:sqlite';
import {ChangeTable} from '../drivers/sqlite/change-table.ts';
import {toStoreError} from '../drivers/sqlite/faults.ts';
import type {Lock} from '../drivers/sqlite/lock.ts';
import {openDatabase} from '../drivers/sqlite/open-database.ts';
import {TXN_STEPS_MAX} from '../limits.ts';
import {type Change, changeId} from '../log/change.ts';
import type {Entry, Revision} from '../store.ts';
import {StoreError} from '../store-error.ts';

/** Changes of one transaction of the file. */
const BATCH_CHANGES = 4_096;

export class StoreFileWriter {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #lock: Lock;
  readonly #table: ChangeTable;
  /** By revision: the next step of its transaction. */
  readonly #steps = new Map<number, number>();
  #isClosed = false;

  /** The file must not exist. Throws what opening a store throws. */
  constructor(file: string) {
    this.#file = file;
    const {db, lock} = openDatabase(file, {fileBytesMax: 0});
    this.#db = db;
    this.#lock = lock;
    this.#table = new ChangeTable(db, undefined);
  }

  /** Each key once, in any order. Throws `corrupt` for revisions that no store gives, `disk-full`, `disk-failed`. */
  add(entries: readonly Entry[]): void {
    this.#write(() => {
      for (let start = 0; start < entries.length; start += BATCH_CHANGES)
        this.#table.append(entries.slice(start, start + BATCH_CHANGES).map(entry => this.#changeOf(entry)));
    });
  }

  /** Makes `revision` the newest and the oldest one that can be read, and closes the file. It is on disk then. */
  finish(revision: Revision): void {
    if (!Number.isSafeInteger(changeId(Number(revision), TXN_STEPS_MAX)))
      throw new StoreError('corrupt', {revision, message: `${this.#file}: revision ${revision} is too large`});
    this.#write(() => {
      this.#table.markCompacted(Number(revision));
      this.close();
    });
  }

  #write(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw toStoreError(error, this.#file);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#db.close();
    this.#lock.release();
  }

  #changeOf({key, value, createRevision, modRevision}: Entry): Change {
    const revision = Number(modRevision);
    const step = this.#steps.get(revision) ?? 0;
    this.#steps.set(revision, step + 1);
    if (step >= TXN_STEPS_MAX)
      throw new StoreError('corrupt', {
        ...{key, revision: modRevision},
        message: `more than ${TXN_STEPS_MAX} objects have the revision ${revision}`,
      });
    return {id: changeId(revision, step), key, value, previousId: 0, createRevision: Number(createRevision)};
  }
}
