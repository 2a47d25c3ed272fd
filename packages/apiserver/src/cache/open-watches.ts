// SPDX-License-Identifier: Apache-2.0
/** The watches that are open: counted against the limit, and ended together when the server stops. */
export type Stoppable = {stop(): void};

export class OpenWatches {
  readonly #open = new Set<Stoppable>();
  /** Reports a reader that was ended because it did not keep up. */
  readonly onTooSlow: (path: string) => void;

  constructor(onTooSlow: (path: string) => void) {
    this.onTooSlow = onTooSlow;
  }

  get count(): number {
    return this.#open.size;
  }

  add(watch: Stoppable): void {
    this.#open.add(watch);
  }

  delete(watch: Stoppable): void {
    this.#open.delete(watch);
  }

  stopAll(): void {
    for (const watch of [...this.#open]) watch.stop();
  }
}
