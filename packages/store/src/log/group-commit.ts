// SPDX-License-Identifier: Apache-2.0
/**
 * Group commit: all writes that arrived while the last batch was on its way to the disk form the next one.
 *
 * I1 a write settles only after `append` of its batch ended: with success after `onDurable`, in the order of arrival.
 * I2 when a batch fails, all writes behind it fail too, because they were decided on a state that never came to be.
 * I3 one `append` at a time.
 */
import type {StoreLimits} from '../limits.ts';
import {StoreError} from '../store-error.ts';
import type {Change} from './change.ts';

/** A decided write. Without changes it only waits for what it was decided on. */
export type Write = {
  readonly changes: readonly Change[];
  readonly bytes: number;
  /** Called once, with the failure or with undefined when the write is durable. */
  readonly settle: (failure: StoreError | undefined) => void;
};

export type GroupCommitOptions = {
  readonly append: (changes: readonly Change[]) => Promise<void>;
  /** Makes a durable batch visible; runs before any of its writes settles. */
  readonly onDurable: (changes: readonly Change[]) => void;
  /** Forgets everything that was decided but is not durable. */
  readonly onFailed: () => void;
  /** Runs a task once the writes that are arriving right now have arrived. */
  readonly defer: (task: () => void) => void;
  readonly limits: StoreLimits;
};

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #queue: Write[] = [];
  #queueBytes = 0;
  #busy = false;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Throws `unavailable` when too much waits already. */
  assertRoom(): void {
    const {queueWritesMax, queueBytesMax} = this.#options.limits;
    if (this.#queue.length < queueWritesMax && this.#queueBytes < queueBytesMax) return;
    const message = `${this.#queue.length} writes (${this.#queueBytes} bytes) are waiting for the disk, at most ${queueWritesMax} (${queueBytesMax} bytes) are allowed; try again`;
    throw new StoreError('unavailable', {message});
  }

  add(write: Write): void {
    this.#queue.push(write);
    this.#queueBytes += write.bytes;
    if (!this.#busy) this.#schedule();
  }

  /** Resolves when the writes that wait now, and those under way, are durable or have failed. */
  passed(): Promise<void> {
    return new Promise(resolve => this.add({changes: [], bytes: 0, settle: () => resolve()}));
  }

  /** Resolves when no write waits or is under way. */
  drained(): Promise<void> {
    if (!this.#busy && this.#queue.length === 0) return Promise.resolve();
    return new Promise(resolve => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.defer(() => {
      this.#scheduled = false;
      void this.#commit(this.#takeBatch());
    });
  }

  #takeBatch(): Write[] {
    const {batchChangesMax, batchBytesMax} = this.#options.limits;
    let [count, changes, bytes] = [0, 0, 0];
    for (const write of this.#queue) {
      if (count > 0 && (changes + write.changes.length > batchChangesMax || bytes + write.bytes > batchBytesMax)) break;
      count++;
      changes += write.changes.length;
      bytes += write.bytes;
    }
    this.#queueBytes -= bytes;
    if (count < this.#queue.length) return this.#queue.splice(0, count);
    const all = this.#queue;
    this.#queue = [];
    return all;
  }

  /** Never rejects: every outcome goes to the writes. */
  async #commit(batch: readonly Write[]): Promise<void> {
    this.#busy = true;
    const changes = batch.flatMap(write => write.changes);
    try {
      if (changes.length > 0) await this.#options.append(changes);
    } catch (error) {
      this.#fail(batch, error);
      return;
    }
    this.#busy = false;
    this.#options.onDurable(changes);
    for (const write of batch) write.settle(undefined);
    this.#next();
  }

  #fail(batch: readonly Write[], cause: unknown): void {
    this.#busy = false;
    const lost = [...batch, ...this.#queue];
    this.#queue = [];
    this.#queueBytes = 0;
    this.#options.onFailed();
    const failure =
      cause instanceof StoreError
        ? cause
        : new StoreError('unavailable', {message: `the write failed: ${cause}`}, {cause});
    for (const write of lost) write.settle(failure);
    this.#next();
  }

  #next(): void {
    if (this.#queue.length > 0) {
      this.#schedule();
      return;
    }
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
