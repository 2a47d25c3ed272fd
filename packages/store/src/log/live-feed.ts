// SPDX-License-Identifier: Apache-2.0
/** The live part of watches: each has a bounded buffer of its own, so a slow one ends alone and delays nobody. */
import type {StoreLimits} from '../limits.ts';
import type {Key, StoreEvent} from '../store.ts';
import {StoreError} from '../store-error.ts';

export type Batch = readonly StoreEvent[];

const keyOf = (event: StoreEvent): Key => (event.type === 'put' ? event.entry.key : event.key);
const sizeOf = (event: StoreEvent): number => (event.type === 'put' ? event.entry.value.length : 0);

export class LiveFeed {
  readonly #limits: StoreLimits;
  readonly #tails = new Set<Tail>();

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  /** How many watches are live. */
  get size(): number {
    return this.#tails.size;
  }

  /** Gets every batch that is published from now on, until `close` or abort. */
  subscribe(prefix: Key, signal: AbortSignal): Tail {
    const tail = new Tail(prefix, this.#limits, signal, () => this.#tails.delete(tail));
    this.#tails.add(tail);
    return tail;
  }

  /** The events of one or more whole revisions, in order. */
  publish(events: Batch): void {
    for (const tail of this.#tails) tail.offer(events);
  }

  /** Ends all watches, after what they hold. */
  end(error: StoreError): void {
    for (const tail of this.#tails) tail.end(error);
  }
}

/** One live watch. One reader, one `take` at a time. */
class Tail implements Disposable {
  readonly #prefix: Key;
  readonly #limits: StoreLimits;
  readonly #signal: AbortSignal;
  readonly #onClose: () => void;
  #held: Batch[] = [];
  #heldEvents = 0;
  #heldBytes = 0;
  #failure: StoreError | undefined;
  #wake: (() => void) | undefined;
  readonly #onAbort = (): void => this.#wake?.();

  constructor(prefix: Key, limits: StoreLimits, signal: AbortSignal, onClose: () => void) {
    this.#prefix = prefix;
    this.#limits = limits;
    this.#signal = signal;
    this.#onClose = onClose;
    signal.addEventListener('abort', this.#onAbort, {once: true});
  }

  offer(events: Batch): void {
    if (this.#failure !== undefined) return;
    const prefix = this.#prefix;
    const mine = events.every(event => keyOf(event).startsWith(prefix))
      ? events
      : events.filter(event => keyOf(event).startsWith(prefix));
    if (mine.length === 0) return;
    const bytes = mine.reduce((sum, event) => sum + sizeOf(event), 0);
    if (this.#held.length > 0 && this.#isOver(this.#heldEvents + mine.length, this.#heldBytes + bytes)) {
      this.#held = [];
      this.end(this.#tooSlow());
      return;
    }
    this.#held.push(mine);
    this.#heldEvents += mine.length;
    this.#heldBytes += bytes;
    this.#wake?.();
  }

  #isOver(events: number, bytes: number): boolean {
    return events > this.#limits.watchBufferEventsMax || bytes > this.#limits.watchBufferBytesMax;
  }

  #tooSlow(): StoreError {
    const {watchBufferEventsMax: events, watchBufferBytesMax: bytes} = this.#limits;
    const message = `the reader of ${JSON.stringify(this.#prefix)} fell behind by more than ${events} events or ${bytes} bytes; watch again from the last revision seen`;
    return new StoreError('too-slow', {key: this.#prefix, message});
  }

  end(error: StoreError): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  /** All that waits, else what comes next; undefined once the signal aborted. Throws how the watch ended. */
  async take(): Promise<Batch | undefined> {
    while (!this.#signal.aborted) {
      const [first] = this.#held;
      if (first !== undefined) {
        const batch = this.#held.length === 1 ? first : this.#held.flat();
        this.#held = [];
        this.#heldEvents = 0;
        this.#heldBytes = 0;
        return batch;
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#onClose();
  }
}
