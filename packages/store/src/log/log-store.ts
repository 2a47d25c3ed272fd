// SPDX-License-Identifier: Apache-2.0
/**
 * The Store over any LogDriver: current entries in memory, history with the driver.
 *
 * I1. An answered write is durable (CommitQueue). I2. Readers see only durable commits, in revision order, each as a whole.
 * I3. A watch delivers every change after its revision, once, in order: replay of what is older than memory, then the recent
 *     commits, then live; the reader is registered before the last replay step and what it got twice is dropped (`take`).
 */

import type {StoreLimits} from '../limits.ts';
import type {Entry, Key, Page, Revision, Store, StoreEvent, TxnOp} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {CommitQueue} from './commit-queue.ts';
import type {Commit, Loaded, LogDriver, PastChange} from './driver.ts';
import {SortedKeys} from './keys.ts';
import {RecentCommits} from './recent-commits.ts';
import {keyOf, WatchReader} from './watch-readers.ts';

const ABSENT = {modRevision: 0n, createRevision: 0n};

const toEvent = (change: PastChange): StoreEvent => {
  const {key, value, createRevision, revision, previous} = change;
  if (value !== undefined)
    return {type: 'put', revision, entry: {key, value, createRevision, modRevision: revision}, previous};
  if (previous === undefined)
    throw new StoreError('corrupt', {
      key,
      revision,
      message: `the history of ${key} has a deletion of nothing at ${revision}`,
    });
  return {type: 'delete', revision, key, previous};
};

export class LogStore implements Store {
  readonly #driver: LogDriver;
  readonly #limits: StoreLimits;
  readonly #current = new Map<Key, Entry>();
  readonly #keys = new SortedKeys();
  readonly #readers = new Set<WatchReader>();
  readonly #queue: CommitQueue;
  readonly #recent: RecentCommits;
  #revision: Revision;
  #compacted: Revision;
  #closed = false;

  constructor(driver: LogDriver, loaded: Loaded, limits: StoreLimits) {
    this.#driver = driver;
    this.#limits = limits;
    this.#revision = loaded.revision;
    this.#compacted = loaded.compacted;
    for (const entry of loaded.entries) this.#current.set(entry.key, entry);
    this.#keys.load(this.#current.keys());
    this.#recent = new RecentCommits(loaded.revision, {
      countMax: limits.recentCommitsMax,
      bytesMax: limits.recentBytesMax,
    });
    this.#queue = new CommitQueue({
      driver,
      revision: loaded.revision,
      committed: key => this.#current.get(key) ?? ABSENT,
      onCommitted: commit => this.#apply(commit),
      batchCommitsMax: limits.batchCommitsMax,
      queueCommitsMax: limits.queueCommitsMax,
    });
  }

  async currentRevision(): Promise<Revision> {
    return this.#revision;
  }

  async compactedRevision(): Promise<Revision> {
    return this.#compacted;
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    this.#assertReadable(at);
    return at === undefined || at === this.#revision ? this.#current.get(key) : this.#driver.entryAt(key, at);
  }

  async list(
    prefix: Key,
    opts: {readonly at?: Revision | undefined; readonly after?: Key | undefined; readonly limit: number},
  ): Promise<Page> {
    const {at = this.#revision, after, limit} = opts;
    this.#assertReadable(at);
    if (!Number.isInteger(limit) || limit < 1 || limit > this.#limits.pageItemsMax)
      throw new StoreError('invalid-argument', {
        key: prefix,
        message: `limit ${limit}: must be from 1 to ${this.#limits.pageItemsMax}`,
      });
    if (at !== this.#revision) return {...(await this.#driver.pageAt(prefix, {at, after, limit})), revision: at};
    const {keys, remaining} = this.#keys.range(prefix, after, limit);
    return {entries: keys.map(key => this.#current.get(key) as Entry), revision: at, remaining};
  }

  put(key: Key, value: Uint8Array, expected?: Revision): Promise<Revision> {
    return this.txn([{op: 'put', key, value, expected}]);
  }

  delete(key: Key, expected?: Revision): Promise<Revision> {
    return this.txn([{op: 'delete', key, expected}]);
  }

  async txn(ops: readonly TxnOp[]): Promise<Revision> {
    this.#assertOpen();
    this.#validate(ops);
    return this.#queue.submit(ops);
  }

  async *watch(prefix: Key, from: Revision, signal: AbortSignal): AsyncGenerator<readonly StoreEvent[]> {
    this.#assertReadable(from);
    let seen = from;
    // 1. behind: pages of history, nothing is buffered
    while (!this.#recent.holdsAllAfter(seen)) {
      if (signal.aborted) return;
      const until = this.#revision;
      const past = await this.#driver.changes(prefix, seen, until, this.#limits.replayEvents);
      if (seen < this.#compacted) throw new StoreError('compacted', {key: prefix, revision: seen});
      if (past.length > 0) yield past.map(toEvent);
      seen = past.length < this.#limits.replayEvents ? until : (past.at(-1)?.revision ?? until);
    }
    // 2. the seam: registering and reading the recent commits happen in one turn, so nothing can come between
    const reader = new WatchReader(prefix, this.#limits.watchBufferEventsMax);
    const recent = [...this.#recent.after(seen)];
    seen = this.#revision > seen ? this.#revision : seen;
    this.#readers.add(reader);
    try {
      const missed = recent.filter(event => keyOf(event).startsWith(prefix));
      if (missed.length > 0) yield missed;
      // 3. live
      while (!signal.aborted) {
        const batch = reader.take(seen);
        if (batch.length > 0) {
          seen = batch.at(-1)?.revision ?? seen;
          yield batch;
        } else await reader.wait(signal);
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  async compact(below: Revision): Promise<void> {
    this.#assertOpen();
    if (below > this.#revision) throw new StoreError('future-revision', {revision: below});
    if (below <= this.#compacted) return;
    this.#compacted = below;
    await this.#driver.compact(below);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue.drain();
    for (const reader of this.#readers) reader.fail(new StoreError('closed', {message: 'the store is closing'}));
    await this.#driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #apply(commit: Commit): void {
    this.#revision = commit.revision;
    const events: StoreEvent[] = [];
    for (const {key, value, createRevision} of commit.changes) {
      const previous = this.#current.get(key);
      if (value !== undefined) {
        const entry = {key, value, createRevision, modRevision: commit.revision};
        if (previous === undefined) this.#keys.add(key);
        this.#current.set(key, entry);
        events.push({type: 'put', revision: commit.revision, entry, previous});
      } else if (previous !== undefined) {
        this.#keys.remove(key);
        this.#current.delete(key);
        events.push({type: 'delete', revision: commit.revision, key, previous});
      }
    }
    this.#recent.add(commit.revision, events);
    for (const reader of this.#readers) reader.offer(events);
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('closed', {message: 'the store is closed'});
  }

  #assertReadable(at: Revision | undefined): void {
    this.#assertOpen();
    if (at === undefined) return;
    if (at > this.#revision) throw new StoreError('future-revision', {revision: at});
    if (at < this.#compacted) throw new StoreError('compacted', {revision: at});
  }

  #validate(ops: readonly TxnOp[]): void {
    const refuse = (key: Key, message: string): never => {
      throw new StoreError('invalid-argument', {key, message});
    };
    const {txnOpsMax, keyBytesMax, valueBytesMax} = this.#limits;
    if (ops.length < 1 || ops.length > txnOpsMax)
      refuse('', `a transaction of ${ops.length} steps: must be from 1 to ${txnOpsMax}`);
    const keys = new Set<Key>();
    for (const op of ops) {
      if (op.key.length === 0 || op.key.includes('\0')) refuse(op.key, 'a key must not be empty and has no NUL');
      if (op.key.length * 3 > keyBytesMax && Buffer.byteLength(op.key) > keyBytesMax)
        refuse(op.key, `a key of more than ${keyBytesMax} bytes`);
      if (keys.has(op.key)) refuse(op.key, `${op.key} stands twice in one transaction`);
      keys.add(op.key);
      if (op.op === 'put' && op.value.length > valueBytesMax)
        throw new StoreError('too-large', {
          key: op.key,
          message: `a value of ${op.value.length} bytes for ${op.key}: at most ${valueBytesMax} are stored`,
        });
    }
  }
}

/** Loads the driver and puts the rules over it. */
export const openLogStore = async (driver: LogDriver, limits: StoreLimits): Promise<Store> =>
  new LogStore(driver, await driver.load(), limits);
