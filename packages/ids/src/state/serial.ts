// SPDX-License-Identifier: Apache-2.0

/** Runs actions of one key one after another, those of different keys side by side. */
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  run<R>(key: string, action: () => Promise<R>): Promise<R> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(action, action);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return result;
  }
}
