// SPDX-License-Identifier: Apache-2.0
/**
 * Level-triggered work by name: one worker per name at a time; a name that is added while its worker runs is worked again after it.
 * A failing worker is tried again with a growing pause. Nothing is lost: the queue holds names, the facts are read by the worker.
 */
import {RETRY_DELAY_MAX_MS, RETRY_DELAY_MIN_MS} from '../limits.ts';
import type {Timer, Timers} from '../system.ts';

/** `again`: look once more at once. `done`: nothing to do until the name is added again. */
export type WorkResult = 'again' | 'done';

type Entry = {dirty: boolean; readonly failures: number};

export class WorkQueue {
  readonly #work: (name: string) => Promise<WorkResult>;
  readonly #onFailure: (name: string, error: unknown, retryMs: number) => void;
  readonly #timers: Timers;
  readonly #active = new Map<string, Entry>();
  /** Failures of names whose worker is not running, for the next pause. */
  readonly #failures = new Map<string, {count: number; retry: Timer}>();
  #idle: (() => void)[] = [];
  #stopped = false;

  constructor(options: {
    readonly work: (name: string) => Promise<WorkResult>;
    readonly onFailure: (name: string, error: unknown, retryMs: number) => void;
    readonly timers: Timers;
  }) {
    this.#work = options.work;
    this.#onFailure = options.onFailure;
    this.#timers = options.timers;
  }

  add(name: string): void {
    if (this.#stopped) return;
    const active = this.#active.get(name);
    if (active !== undefined) {
      active.dirty = true;
      return;
    }
    const failed = this.#failures.get(name);
    failed?.retry.cancel();
    const entry: Entry = {dirty: false, failures: failed?.count ?? 0};
    this.#active.set(name, entry);
    void this.#run(name, entry);
  }

  /** Like `add`, but leaves a name alone that waits to be tried again. */
  nudge(name: string): void {
    if (!this.#failures.has(name)) this.add(name);
  }

  /** No new work; resolves when the workers that run have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const {retry} of this.#failures.values()) retry.cancel();
    if (this.#active.size > 0) await new Promise<void>(resolve => this.#idle.push(resolve));
  }

  async #run(name: string, entry: Entry): Promise<void> {
    try {
      for (;;) {
        entry.dirty = false;
        const result = await this.#work(name);
        this.#failures.delete(name);
        if (this.#stopped || (result === 'done' && !entry.dirty)) break;
      }
    } catch (error) {
      if (!this.#stopped) this.#retryLater(name, entry.failures + 1, error);
    } finally {
      this.#active.delete(name);
      if (this.#active.size === 0) {
        for (const resolve of this.#idle) resolve();
        this.#idle = [];
      }
    }
  }

  #retryLater(name: string, count: number, error: unknown): void {
    const retryMs = Math.min(RETRY_DELAY_MIN_MS * 2 ** (count - 1), RETRY_DELAY_MAX_MS);
    this.#onFailure(name, error, retryMs);
    this.#failures.set(name, {count, retry: this.#timers.after(retryMs, () => this.add(name))});
  }
}
