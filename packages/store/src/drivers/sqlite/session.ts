// SPDX-License-Identifier: Apache-2.0
/**
 * The worker's side: requests against the database, and what happens after a failed write.
 * Out of room is a clean rollback, and the next write may do. Any other failure of the disk leaves it open what SQLite
 * has in memory and what the file holds (a failed fsync must not be believed the second time), so the connection is
 * closed, the file is opened again, and the rest of the failed write is removed: before it is answered as failed or, where that
 * fails too, before the next write. SQLite reports an exceeded quota and a broken disk alike, so the system is asked for the
 * reason.
 */
import type {DatabaseSync} from 'node:sqlite';
import type {ChangeId} from '../../log/change.ts';
import {StoreError} from '../../store-error.ts';
import {ChangeTable} from './change-table.ts';
import {CommitProbe} from './commit-probe.ts';
import {cutTail} from './cut-tail.ts';
import {refusalOf, tryRoom} from './disk-room.ts';
import {resultCode, SQLITE, toStoreError} from './faults.ts';
import type {Lock} from './lock.ts';
import type {Request, Requests} from './messages.ts';
import {connect, openDatabase} from './open-database.ts';
import {type PackedChanges, packChanges, toHeadsOnly, transferOf, unpackChanges} from './packed-changes.ts';
import {shrink, spaceOf} from './space.ts';

type Outcome = {readonly answer: unknown; readonly transfer: readonly ArrayBuffer[]};
const outcome = (answer: unknown, ...packed: readonly PackedChanges[]): Outcome => ({
  answer,
  transfer: packed.flatMap(transferOf),
});
const DONE: Outcome = {answer: undefined, transfer: []};

export class Session {
  #file = '';
  #fileBytesMax = 0;
  #probe: CommitProbe | undefined;
  #lock: Lock | undefined;
  #db: DatabaseSync | undefined;
  #table: ChangeTable | undefined;
  /** After a failed write, until the end of the file was looked at. */
  #suspect = false;

  handle(request: Request): Outcome {
    switch (request.name) {
      case 'open':
        return outcome(this.#open(request.args));
      case 'heads': {
        const packed = packChanges(toHeadsOnly(this.#ready().heads(request.args.after)));
        return outcome(packed, packed);
      }
      case 'append':
        return this.#append(request.args);
      case 'read': {
        const packed = packChanges(this.#ready().read(request.args.ids));
        return outcome(packed, packed);
      }
      case 'scan':
        return this.#scan(request.args);
      case 'tryDisk':
        this.#tryDisk(request.args);
        return DONE;
      case 'erase':
        this.#writing(0, () => this.#ready().erase(request.args.compacted, request.args.ids));
        return DONE;
      case 'shrink':
        return outcome(this.#writing(0, () => shrink(this.#database())));
      case 'space':
        return outcome(spaceOf(this.#database()));
      case 'close':
        this.#disconnect();
        this.#lock?.release();
        this.#lock = undefined;
        return DONE;
    }
  }

  toStoreError(error: unknown): StoreError {
    const failure = toStoreError(error, this.#file);
    if (failure.message.startsWith(this.#file)) return failure;
    return new StoreError(failure.code, {...failure, message: `${this.#file}: ${failure.message}`}, {cause: failure});
  }

  #open({file, fileBytesMax, probe}: Requests['open']['args']): Requests['open']['answer'] {
    this.#file = file;
    this.#fileBytesMax = fileBytesMax;
    this.#probe = probe === undefined ? undefined : new CommitProbe(probe);
    const {db, lock, tail} = openDatabase(file, {fileBytesMax});
    this.#lock = lock;
    this.#db = db;
    this.#table = new ChangeTable(db, this.#probe);
    if (tail !== undefined) cutTail(db, tail, this.#table.opened().revision);
    return {...this.#table.opened(), tail};
  }

  #append({after, changes}: Requests['append']['args']): Outcome {
    const table = this.#ready();
    try {
      this.#writing(changes.bytes.length, () => {
        this.#cutSuspect(table, after);
        table.append(unpackChanges(changes));
      });
    } catch (error) {
      this.#cutAtOnce(after);
      throw error;
    }
    const {buffer} = changes.bytes;
    return {answer: buffer, transfer: [buffer]};
  }

  #scan({prefix, ...range}: Requests['scan']['args']): Outcome {
    const {rows, through} = this.#ready().scan(prefix, range);
    const changes = packChanges(rows.map(row => row.change));
    const previous = packChanges(rows.flatMap(row => row.previous ?? []));
    return outcome({changes, previous, through}, changes, previous);
  }

  #cutSuspect(table: ChangeTable, after: ChangeId): void {
    if (!this.#suspect) return;
    table.cutBehind(after);
    // A later sync succeeds without writing what an earlier one failed to: no write may be answered behind such frames.
    this.#database().exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#suspect = false;
  }

  /**
   * A COMMIT whose sync failed is whole in the log, and would be there after a kill. So it is removed before the failure is
   * answered. A removal that cannot be synced either outlives a kill, as that COMMIT would; a power cut it may not outlive.
   */
  #cutAtOnce(after: ChangeId): void {
    if (!this.#suspect) return;
    try {
      this.#cutSuspect(this.#ready(), after);
    } catch {
      this.#disconnect(); // before the next write it is removed
    }
  }

  #tryDisk({after, bytes}: Requests['tryDisk']['args']): void {
    tryRoom(this.#file, bytes);
    const table = this.#ready();
    this.#writing(bytes, () => {
      this.#cutSuspect(table, after);
      table.touch();
    });
  }

  #writing<T>(bytes: number, write: () => T): T {
    try {
      return write();
    } catch (error) {
      // Asked before the file is closed, which may move the log into it and make room.
      const reason = resultCode(error) === SQLITE.IOERR ? refusalOf(this.#file, bytes) : undefined;
      if (resultCode(error) !== SQLITE.FULL) {
        this.#suspect = true;
        this.#disconnect();
      }
      throw reason ?? error;
    }
  }

  #disconnect(): void {
    const db = this.#db;
    this.#db = undefined;
    this.#table = undefined;
    db?.close();
  }

  #database(): DatabaseSync {
    this.#ready();
    if (this.#db === undefined) throw new StoreError('closed', {message: `${this.#file}: not open`});
    return this.#db;
  }

  #ready(): ChangeTable {
    if (this.#lock === undefined) throw new StoreError('closed', {message: `${this.#file}: not open`});
    if (this.#table !== undefined) return this.#table;
    this.#db = connect(this.#file, {fileBytesMax: this.#fileBytesMax});
    this.#table = new ChangeTable(this.#db, this.#probe);
    return this.#table;
  }
}
