// SPDX-License-Identifier: Apache-2.0
/** Requests to an issuer that nobody has signed in for: each takes a connection, and a slow issuer keeps it. */

/** Sign-ins whose code is with the issuer; it has ten seconds for each. */
const EXCHANGES_MAX = 64;

export class Exchanges {
  readonly #max: number;
  #underWay = 0;

  constructor(max = EXCHANGES_MAX) {
    this.#max = max;
  }

  /** Undefined: too many are under way, and `work` was not begun. Rejects as `work` does. */
  async run<T extends object>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#underWay >= this.#max) return undefined;
    this.#underWay++;
    try {
      return await work();
    } finally {
      this.#underWay--;
    }
  }
}
