// SPDX-License-Identifier: Apache-2.0
/**
 * Compaction in steps of bounded time, with writes between them: first the index forgets old versions (in the thread of the
 * server), then the driver erases them and gives their room back (in its own thread).
 *
 * Reads at or above the compacted revision need nothing of what is forgotten or erased, so it may end after any step: an
 * erase that was cut short is continued by the next compaction, also of another process.
 */
import {StoreError} from '../store-error.ts';
import type {LogDriver, Step} from './driver.ts';
import type {KeyIndex} from './key-index.ts';

/** What a compaction did: `index` in the thread of the server, `erase` and `shrink` in that of the driver. */
export type CompactionStep = {readonly of: 'index' | 'erase' | 'shrink'; readonly ms: number; readonly erased: number};

export type CompactorOptions = {
  /** Milliseconds since some moment; never jumps. */
  readonly now: () => number;
  /** Resolves when the writes that wait now are durable; soon, if none waits. */
  readonly letWritesPass: () => Promise<void>;
  /** Milliseconds of one step in the thread of the server. */
  readonly stepMs: number;
  readonly onStep: (step: CompactionStep) => void;
};

export class Compactor {
  readonly #driver: Pick<LogDriver, 'erase' | 'shrink'>;
  readonly #index: Pick<KeyIndex, 'compact'>;
  readonly #options: CompactorOptions;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    driver: Pick<LogDriver, 'erase' | 'shrink'>,
    index: Pick<KeyIndex, 'compact'>,
    options: CompactorOptions,
  ) {
    this.#driver = driver;
    this.#index = index;
    this.#options = options;
  }

  /** After the compactions that were asked for earlier. `revision` does not become lower. Throws `closed`. */
  run(revision: number): Promise<void> {
    const run = async (): Promise<void> => {
      await this.#prune(revision);
      await this.#steps('erase', () => this.#driver.erase(revision));
      await this.#steps('shrink', () => this.#driver.shrink());
    };
    this.#running = this.#running.then(run, run); // a failure went to its own caller
    return this.#running;
  }

  /** Ends what runs after its step. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running.catch(() => undefined); // a failure went to its own caller
  }

  async #prune(revision: number): Promise<void> {
    const {now, stepMs, letWritesPass, onStep} = this.#options;
    const keys = this.#index.compact(revision);
    for (let done = false; !done; ) {
      this.#assertOpen();
      const began = now();
      do done = keys.next().done === true;
      while (!done && now() - began < stepMs);
      onStep({of: 'index', ms: now() - began, erased: 0});
      if (!done) await letWritesPass();
    }
  }

  async #steps(of: 'erase' | 'shrink', take: () => Promise<Step & {readonly erased?: number}>): Promise<void> {
    for (let more = true; more; ) {
      await this.#options.letWritesPass(); // so a write waits for one step at most
      this.#assertOpen();
      const step = await take();
      this.#options.onStep({of, ms: step.ms, erased: step.erased ?? 0});
      ({more} = step);
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('closed', {message: 'the store is closed'});
  }
}
