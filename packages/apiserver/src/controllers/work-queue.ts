// SPDX-License-Identifier: Apache-2.0
/** Keys to work on, each once at a time, a few side by side; a key that fails comes again later, with growing pauses. */
import {isDiskRefusal} from '@palisade/store';
import type {Log} from '../base/log.ts';
import type {QueueCounts} from '../base/queue-counts.ts';
import type {Timer, Timers} from '../base/time.ts';

const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 30_000;

export type WorkQueueOptions<T> = {
  readonly timers: Timers;
  readonly log: Log;
  /** In the log. */
  readonly name: string;
  readonly counts: QueueCounts;
  readonly concurrency: number;
  /** Throws: tried again later. */
  readonly work: (item: T) => Promise<void>;
};

export class WorkQueue<T extends {readonly key: string}> {
  readonly #options: WorkQueueOptions<T>;
  readonly #waiting = new Map<string, T>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Map<string, T>();
  readonly #retries = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #scheduled = false;
  #stopped = false;

  constructor(options: WorkQueueOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    if (this.#stopped) return;
    this.#options.counts.added(item.key);
    if (this.#running.has(item.key)) this.#again.set(item.key, item);
    else this.#waiting.set(item.key, item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.timers.soon(() => {
      this.#scheduled = false;
      this.#fill();
    });
  }

  /** Keys that wait for another try. */
  get retrying(): number {
    return this.#retries.size;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const retry of this.#retries.values()) retry.cancel();
    this.#retries.clear();
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #fill(): void {
    for (const [key, item] of this.#waiting) {
      if (this.#stopped || this.#running.size >= this.#options.concurrency) return;
      this.#waiting.delete(key);
      this.#running.set(key, this.#run(key, item));
    }
  }

  async #run(key: string, item: T): Promise<void> {
    const {counts, work} = this.#options;
    counts.begun(key);
    try {
      await work(item);
      this.#failures.delete(key);
      this.#forgetRetry(key);
    } catch (error) {
      this.#retryLater(item, error);
    }
    counts.ended(key);
    this.#running.delete(key);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) this.add(again);
    this.#fill();
  }

  #retryLater(item: T, error: unknown): void {
    const failures = (this.#failures.get(item.key) ?? 0) + 1;
    this.#failures.set(item.key, failures);
    if (!isDiskRefusal(error))
      this.#options.log.warn({err: error, key: item.key, failures}, `${this.#options.name} failed, retrying`);
    if (this.#stopped) return;
    this.#options.counts.retries++;
    this.#forgetRetry(item.key);
    const delayMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (failures - 1));
    this.#retries.set(
      item.key,
      this.#options.timers.after(delayMs, () => {
        this.#retries.delete(item.key);
        this.add(item);
      }),
    );
  }

  #forgetRetry(key: string): void {
    this.#retries.get(key)?.cancel();
    this.#retries.delete(key);
  }
}
