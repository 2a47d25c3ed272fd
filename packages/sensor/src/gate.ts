// SPDX-License-Identifier: Apache-2.0

/** Lets at most `most` pieces of work run at once, the rest in the order they came. */
export class Gate {
  readonly #most: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = Math.max(1, most);
  }

  /** Gives up its place in the queue when `signal` aborts; then `work` gets the aborted signal at once and must throw. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most && !signal.aborted) {
      await new Promise<void>(resolve => {
        const onAbort = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          resolve();
        };
        const go = (): void => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        signal.addEventListener('abort', onAbort, {once: true});
        this.#waiting.push(go);
      });
    }
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
