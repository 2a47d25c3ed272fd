// SPDX-License-Identifier: Apache-2.0
/** The live half of a watch: each reader has a bounded buffer; a full one ends that reader and delays nobody. */

import type {Key, Revision, StoreEvent} from '../store.ts';
import {StoreError} from '../store-error.ts';

export const keyOf = (event: StoreEvent): Key => (event.type === 'put' ? event.entry.key : event.key);

export class WatchReader {
  readonly #prefix: Key;
  readonly #eventsMax: number;
  #pending: StoreEvent[] = [];
  #failure: StoreError | undefined;
  #wake: (() => void) | undefined;

  constructor(prefix: Key, eventsMax: number) {
    this.#prefix = prefix;
    this.#eventsMax = eventsMax;
  }

  /** Takes the events of one commit; those of other prefixes are dropped here. */
  offer(events: readonly StoreEvent[]): void {
    if (this.#failure !== undefined) return;
    for (const event of events) if (keyOf(event).startsWith(this.#prefix)) this.#pending.push(event);
    if (this.#pending.length > this.#eventsMax) {
      const message = `the reader of ${this.#prefix} has ${this.#pending.length} events waiting; the limit is ${this.#eventsMax}`;
      this.fail(new StoreError('too-slow', {key: this.#prefix, message}));
    } else if (this.#pending.length > 0) this.#wake?.();
  }

  fail(error: StoreError): void {
    this.#failure ??= error;
    this.#pending = [];
    this.#wake?.();
  }

  /** What waits now, newer than `seen`; an empty list when nothing does. Throws the failure. */
  take(seen: Revision): readonly StoreEvent[] {
    if (this.#failure !== undefined) throw this.#failure;
    const batch = this.#pending;
    this.#pending = [];
    return (batch[0]?.revision ?? seen + 1n) > seen ? batch : batch.filter(event => event.revision > seen);
  }

  /** Resolves when there is something to take, or on abort. */
  wait(signal: AbortSignal): Promise<void> {
    if (this.#pending.length > 0 || this.#failure !== undefined || signal.aborted) return Promise.resolve();
    return new Promise(resolve => {
      const done = (): void => {
        this.#wake = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#wake = done;
      signal.addEventListener('abort', done, {once: true});
    });
  }
}
