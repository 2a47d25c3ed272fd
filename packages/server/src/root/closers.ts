// SPDX-License-Identifier: Apache-2.0
import type {Logger} from '../process/logger.ts';
import {monotonicClock} from '../process/system.ts';

type Closer = {readonly name: string; readonly close: () => Promise<void>};

/** Closes what was opened, last first; a failure is logged and the others still close. */
export class Closers {
  readonly #items: Closer[] = [];
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(name: string, close: () => Promise<void> | void): void {
    this.#items.push({name, close: async () => close()});
  }

  async closeAll(): Promise<void> {
    for (let item = this.#items.pop(); item !== undefined; item = this.#items.pop()) {
      const since = monotonicClock.now();
      try {
        await item.close();
        this.#log.debug({part: item.name, ms: Math.round(monotonicClock.now() - since)}, 'component closed');
      } catch (error) {
        this.#log.error({err: error, part: item.name}, 'component did not close cleanly');
      }
    }
  }
}
