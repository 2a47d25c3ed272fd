// SPDX-License-Identifier: Apache-2.0
import type {Timers} from '../base/time.ts';

/**
 * Long work that is done in steps: each time round the event loop one step of one such work, in the order in which they were asked
 * for. What else there is to do comes between, however many long answers are under way.
 */
export class Turns {
  readonly #timers: Pick<Timers, 'soon'>;
  #last: Promise<void> = Promise.resolve();

  constructor(timers: Pick<Timers, 'soon'>) {
    this.#timers = timers;
  }

  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise(resolve => this.#timers.soon(resolve)));
    return this.#last;
  }
}
