// SPDX-License-Identifier: Apache-2.0
/**
 * Lets a few costly reads run at once; others wait in the order they came.
 *
 * I1: what runs and what waits is bounded, in all and for each user; more is refused with RESOURCE_EXHAUSTED.
 */
import {tooMany} from '../rpc-error.ts';

export type ReadGateLimits = {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** Running and waiting, of one user. */
  readonly perUserMax: number;
};

export class ReadGate {
  readonly #limits: ReadGateLimits;
  /** By user; none with 0. */
  readonly #ofUser = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: ReadGateLimits) {
    this.#limits = limits;
  }

  /** Throws RESOURCE_EXHAUSTED, and what `read` throws. */
  async run<T>(user: string, read: () => Promise<T>): Promise<T> {
    const {runningMax, waitingMax, perUserMax} = this.#limits;
    const own = this.#ofUser.get(user) ?? 0;
    if (own >= perUserMax)
      throw tooMany(
        `user "${user}" has ${perUserMax} such requests open already, as many as one user may; wait for their answers, then try again`,
      );
    if (this.#running >= runningMax && this.#waiting.length >= waitingMax)
      throw tooMany(`${runningMax + waitingMax} such requests are open already, the maximum; try again later`);
    this.#ofUser.set(user, own + 1);
    try {
      await this.#enter();
      try {
        return await read();
      } finally {
        this.#leave();
      }
    } finally {
      const left = (this.#ofUser.get(user) ?? 1) - 1;
      if (left === 0) this.#ofUser.delete(user);
      else this.#ofUser.set(user, left);
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#limits.runningMax) this.#running++;
    else await new Promise<void>(resolve => this.#waiting.push(resolve)); // it gets the place of the one that leaves
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
