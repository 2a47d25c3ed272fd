// SPDX-License-Identifier: Apache-2.0
/** Removes what is kept no longer: request ids after 24 h, finished operations after their retention. In batches, by a timer. */
import {isDiskRefusal, type TxnOp} from '@palisade/store';
import {
  JANITOR_BATCH,
  JANITOR_INTERVAL_MS,
  OPERATION_KEPT_MS,
  OPERATIONS_KEPT_MAX,
  REQUEST_ID_KEPT_MS,
} from '../limits.ts';
import {keyOf} from '../model/keys.ts';
import type {Service} from '../state/service.ts';
import {messageOf, type Timer, type Timers} from '../system.ts';
import {isExpired} from './replay.ts';

export class Janitor {
  readonly #service: Pick<Service, 'state' | 'clock' | 'log'>;
  readonly #timers: Timers;
  readonly #more: () => Promise<void>;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  /** `more`: what else is to be tidied each time. */
  constructor(service: Pick<Service, 'state' | 'clock' | 'log'>, timers: Timers, more: () => Promise<void>) {
    this.#service = service;
    this.#timers = timers;
    this.#more = more;
  }

  start(): void {
    this.#timer = this.#timers.after(JANITOR_INTERVAL_MS, () => {
      this.#running = this.tidy().then(() => {
        if (!this.#stopped) this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  /** One round. Failures are logged; the next round tries again. */
  async tidy(): Promise<void> {
    try {
      await this.#remove(this.#expired());
      await this.#more();
    } catch (error) {
      if (!isDiskRefusal(error)) this.#service.log.warn({err: messageOf(error)}, 'ids: cleanup failed, retrying');
    }
  }

  #expired(): readonly TxnOp[] {
    const {state, clock} = this.#service;
    const nowMs = clock.now();
    const requests = [...state.requests.entries()]
      .filter(([, held]) => isExpired(held.record, nowMs))
      .map(([name, held]): TxnOp => ({op: 'delete', key: keyOf('requests', name), expected: held.revision}));
    const finished = [...state.operations.entries()]
      .filter(([, {record}]) => record.endTimeMs !== undefined && nowMs - record.endTimeMs >= REQUEST_ID_KEPT_MS)
      .sort(([, a], [, b]) => (a.record.endTimeMs ?? 0) - (b.record.endTimeMs ?? 0));
    const surplus = state.operations.size - OPERATIONS_KEPT_MAX;
    const operations = finished
      .filter(
        ([, {record}], i) =>
          i < surplus || record.hidden === true || nowMs - (record.endTimeMs ?? 0) >= OPERATION_KEPT_MS,
      )
      .map(([name, held]): TxnOp => ({op: 'delete', key: keyOf('operations', name), expected: held.revision}));
    return [...requests, ...operations];
  }

  async #remove(ops: readonly TxnOp[]): Promise<void> {
    for (let at = 0; at < ops.length && !this.#stopped; at += JANITOR_BATCH)
      await this.#service.state.commit(() => ({ops: ops.slice(at, at + JANITOR_BATCH), result: undefined}));
  }
}
