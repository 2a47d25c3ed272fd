// SPDX-License-Identifier: Apache-2.0
/**
 * Group commit. Transactions are checked and numbered at once against the newest state, committed or not; those that arrive while
 * a batch is on its way to the disk form the next batch.
 *
 * I1. A promise resolves only after the driver's `append` of its batch did.
 * I2. When an append fails, every transaction of that batch and all that were numbered after it fail, and nothing of them stays.
 */

import type {Key, Revision, TxnOp} from '../store.ts';
import {StoreError} from '../store-error.ts';
import type {Change, Commit, LogDriver} from './driver.ts';

/** What a key will be once the transactions in flight are on disk; modRevision 0n: absent. */
type Head = {readonly modRevision: Revision; readonly createRevision: Revision};
type Waiting = {
  readonly commit: Commit;
  readonly resolve: (revision: Revision) => void;
  readonly reject: (error: unknown) => void;
};

export type CommitQueueOptions = {
  readonly driver: LogDriver;
  readonly revision: Revision;
  /** The committed head of a key. */
  readonly committed: (key: Key) => Head;
  /** Makes a durable commit visible; runs before its promise resolves, in revision order. */
  readonly onCommitted: (commit: Commit) => void;
  readonly batchCommitsMax: number;
  readonly queueCommitsMax: number;
};

export class CommitQueue {
  readonly #options: CommitQueueOptions;
  /** Keys changed by transactions that are not on disk yet. */
  readonly #heads = new Map<Key, Head>();
  #next: Revision;
  #durable: Revision;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#next = options.revision;
    this.#durable = options.revision;
  }

  /** Throws the first broken precondition at once; otherwise resolves when durable. */
  submit(ops: readonly TxnOp[]): Promise<Revision> {
    if (this.#queue.length >= this.#options.queueCommitsMax)
      throw new StoreError('unavailable', {
        message: `${this.#queue.length} transactions are waiting for the disk; try again later`,
      });
    for (const op of ops) this.#check(op);
    if (ops.every(op => op.op === 'check')) return Promise.resolve(this.#durable); // no change, no revision
    const revision = ++this.#next;
    const changes: Change[] = [];
    for (const op of ops) {
      if (op.op === 'check') continue;
      const before = this.#headOf(op.key);
      const createRevision = before.modRevision === 0n ? revision : before.createRevision;
      changes.push({key: op.key, value: op.op === 'put' ? op.value : undefined, createRevision});
      this.#heads.set(
        op.key,
        op.op === 'put' ? {modRevision: revision, createRevision} : {modRevision: 0n, createRevision: 0n},
      );
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({commit: {revision, changes}, resolve, reject});
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything submitted so far is settled. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #headOf(key: Key): Head {
    return this.#heads.get(key) ?? this.#options.committed(key);
  }

  #check(op: TxnOp): void {
    const found = this.#headOf(op.key).modRevision;
    if (op.op === 'delete' && found === 0n) throw new StoreError('key-not-found', {key: op.key, revision: 0n});
    if (op.expected === undefined || op.expected === found) return;
    const code = op.expected === 0n ? 'key-exists' : found === 0n ? 'key-not-found' : 'revision-conflict';
    throw new StoreError(code, {key: op.key, revision: found});
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // what is submitted in the same turn shares the batch
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#options.batchCommitsMax);
      try {
        await this.#options.driver.append(batch.map(item => item.commit));
      } catch (error) {
        this.#failAll(batch, error);
        continue;
      }
      for (const {commit, resolve} of batch) {
        this.#durable = commit.revision;
        this.#forget(commit);
        this.#options.onCommitted(commit);
        resolve(commit.revision);
      }
    }
    this.#running = undefined;
  }

  #forget(commit: Commit): void {
    for (const {key, value} of commit.changes) {
      const head = this.#heads.get(key);
      const mine = value === undefined ? head?.modRevision === 0n : head?.modRevision === commit.revision;
      if (mine && !this.#changedLater(key, commit.revision)) this.#heads.delete(key);
    }
  }

  /** A deleted head carries no revision: look whether a later transaction in flight deleted the key again. */
  #changedLater(key: Key, revision: Revision): boolean {
    if (this.#heads.get(key)?.modRevision !== 0n) return false;
    return this.#queue.some(
      ({commit}) => commit.revision > revision && commit.changes.some(change => change.key === key),
    );
  }

  #failAll(batch: readonly Waiting[], error: unknown): void {
    const later = this.#queue;
    this.#queue = [];
    this.#heads.clear();
    this.#next = this.#durable;
    for (const {reject} of [...batch, ...later]) reject(error);
  }
}
