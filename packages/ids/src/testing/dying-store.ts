// SPDX-License-Identifier: Apache-2.0
/** A store that a server loses: as when the process is killed around its n-th write, or the disk refuses for a while. */
import {type Page, type Revision, type Store, StoreError, type StoreEvent, type TxnOp} from '@palisade/store';

export type Death = {
  /** Writes that succeed before it. */
  readonly afterTxns: number;
  /** Whether the fatal write itself reached the disk. */
  readonly written: boolean;
};

export class DyingStore implements Store {
  readonly #inner: Store;
  readonly #death: Death | undefined;
  txns = 0;
  isDead = false;
  /** While set, writes fail with this and change nothing. */
  refusing: StoreError | undefined;

  constructor(inner: Store, death?: Death) {
    this.#inner = inner;
    this.#death = death;
  }

  async txn(ops: readonly TxnOp[]): Promise<Revision> {
    if (this.refusing !== undefined) throw this.refusing;
    this.#assertAlive();
    this.txns += 1;
    if (this.#death === undefined || this.txns <= this.#death.afterTxns) return this.#inner.txn(ops);
    this.isDead = true;
    if (this.#death.written) await this.#inner.txn(ops);
    throw new StoreError('closed', {message: 'the process was killed'});
  }

  put(key: string, value: Uint8Array, expected?: Revision): Promise<Revision> {
    return this.txn([{op: 'put', key, value, expected}]);
  }
  delete(key: string, expected?: Revision): Promise<Revision> {
    return this.txn([{op: 'delete', key, expected}]);
  }
  currentRevision(): Promise<Revision> {
    return this.#inner.currentRevision();
  }
  async get(key: string, at?: Revision) {
    this.#assertAlive();
    return this.#inner.get(key, at);
  }
  async list(prefix: string, opts: Parameters<Store['list']>[1]): Promise<Page> {
    this.#assertAlive();
    return this.#inner.list(prefix, opts);
  }
  watch(prefix: string, from: Revision, signal: AbortSignal): AsyncIterable<readonly StoreEvent[]> {
    return this.#inner.watch(prefix, from, signal);
  }
  compact(below: Revision): Promise<void> {
    return this.#inner.compact(below);
  }
  compactedRevision(): Promise<Revision> {
    return this.#inner.compactedRevision();
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertAlive(): void {
    if (this.isDead) throw new StoreError('closed', {message: 'the process was killed'});
  }
}
