// SPDX-License-Identifier: Apache-2.0
/**
 * Shared memory between a test and the worker: how many COMMITs have returned (under synchronous=FULL each has synced
 * the WAL by then) and which change was the last of them; and a hold, at which the worker stops right before or right
 * after its COMMIT. So a test sees whether anything is answered before its sync. Without a probe nothing of it runs.
 */
import type {ChangeId} from '../../log/change.ts';

const [COMMITS, HOLD, STOPPED_AT, LAST_CHANGE] = [0, 1, 2, 3];
export type HoldPoint = 'before-commit' | 'after-commit';
const POINTS: Readonly<Record<HoldPoint, bigint>> = {'before-commit': 1n, 'after-commit': 2n};

export class CommitProbe {
  readonly #words: BigInt64Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#words = new BigInt64Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.#words.buffer;
  }

  /** COMMITs that have returned. */
  get commits(): number {
    return Number(Atomics.load(this.#words, COMMITS));
  }

  /** The last change of the last COMMIT that has returned. */
  get lastChange(): ChangeId {
    return Number(Atomics.load(this.#words, LAST_CHANGE));
  }

  /** Test side: the worker will stop at this point, until `release`. */
  hold(point: HoldPoint): void {
    Atomics.store(this.#words, HOLD, POINTS[point]);
  }

  /** Test side: resolves when the worker stands at the hold. */
  async stopped(): Promise<void> {
    const wait = Atomics.waitAsync(this.#words, STOPPED_AT, 0n);
    if (wait.async) await wait.value;
  }

  release(): void {
    Atomics.store(this.#words, HOLD, 0n);
    Atomics.notify(this.#words, HOLD);
  }

  /** Worker side. */
  committed(last: ChangeId): void {
    Atomics.store(this.#words, LAST_CHANGE, BigInt(last));
    Atomics.add(this.#words, COMMITS, 1n);
  }

  /** Worker side: blocks the thread when the test asked for it. */
  pass(point: HoldPoint): void {
    const mark = POINTS[point];
    if (Atomics.load(this.#words, HOLD) !== mark) return;
    Atomics.store(this.#words, STOPPED_AT, mark);
    Atomics.notify(this.#words, STOPPED_AT);
    Atomics.wait(this.#words, HOLD, mark);
    Atomics.store(this.#words, STOPPED_AT, 0n);
  }
}
