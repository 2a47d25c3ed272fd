// SPDX-License-Identifier: Apache-2.0
/** What passes through the queue of a controller, for metrics. Ref: kubernetes v1.36 client-go/util/workqueue/metrics.go. */
import {Buckets} from './buckets.ts';
import type {Clock} from './time.ts';

/** Upper bounds of the buckets, in seconds. Ref: kubernetes v1.36 component-base/metrics/prometheus/workqueue: ExponentialBuckets(10e-9, 10, 10). */
export const QUEUE_BUCKETS_S = [
  1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 1e-3, 1e-2, 0.1, 1, 10,
] as const;

const MS_PER_S = 1_000;

export class QueueCounts {
  /** The label `name`: upstream's where the queue is the same. */
  readonly name: string;
  /** Keys that came into the queue; not those that were in it already. */
  adds = 0;
  /** Keys that wait for another try after a failure. */
  retries = 0;
  /** Seconds in the queue. */
  readonly waited = new Buckets(QUEUE_BUCKETS_S);
  /** Seconds of work. */
  readonly worked = new Buckets(QUEUE_BUCKETS_S);
  readonly #stopwatch: Pick<Clock, 'now'>;
  /** When each key came, and when work on it began. */
  readonly #addedMs = new Map<string, number>();
  readonly #begunMs = new Map<string, number>();

  constructor(name: string, stopwatch: Pick<Clock, 'now'>) {
    this.name = name;
    this.#stopwatch = stopwatch;
  }

  /** Keys that wait, also those that came while they were worked on. */
  get depth(): number {
    return this.#addedMs.size;
  }

  /** Seconds of the work that is under way, in sum. */
  get unfinishedSeconds(): number {
    const nowMs = this.#stopwatch.now();
    let sumMs = 0;
    for (const begunMs of this.#begunMs.values()) sumMs += nowMs - begunMs;
    return sumMs / MS_PER_S;
  }

  added(key: string): void {
    if (this.#addedMs.has(key)) return;
    this.adds++;
    this.#addedMs.set(key, this.#stopwatch.now());
  }

  begun(key: string): void {
    const nowMs = this.#stopwatch.now();
    const addedMs = this.#addedMs.get(key);
    this.#addedMs.delete(key);
    this.#begunMs.set(key, nowMs);
    if (addedMs !== undefined) this.waited.add((nowMs - addedMs) / MS_PER_S);
  }

  ended(key: string): void {
    const begunMs = this.#begunMs.get(key);
    this.#begunMs.delete(key);
    if (begunMs !== undefined) this.worked.add((this.#stopwatch.now() - begunMs) / MS_PER_S);
  }

  /** It left the queue without work. */
  forgot(key: string): void {
    this.#addedMs.delete(key);
  }
}

/** The queues of all controllers of a server. */
export class Queues {
  readonly #stopwatch: Pick<Clock, 'now'>;
  readonly #all: QueueCounts[] = [];

  /** `stopwatch`: milliseconds since some moment; never jumps. */
  constructor(stopwatch: Pick<Clock, 'now'>) {
    this.#stopwatch = stopwatch;
  }

  open(name: string): QueueCounts {
    const counts = new QueueCounts(name, this.#stopwatch);
    this.#all.push(counts);
    return counts;
  }

  all(): Iterable<QueueCounts> {
    return this.#all;
  }
}
