// SPDX-License-Identifier: Apache-2.0
/** Files that a running server reads again when it is told to (SIGHUP): each part logs what it took, or keeps what it has and logs why. */

/** Never rejects. */
type Part = () => Promise<void>;

/** Of the times it is asked for while it runs, one more run comes of all of them. */
export class Reload {
  readonly #parts: Part[] = [];
  #running = false;
  #again = false;
  #ended = false;

  add(part: Part): void {
    this.#parts.push(part);
  }

  async run(): Promise<void> {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    while (this.#again && !this.#ended) {
      this.#again = false;
      await Promise.all(this.#parts.map(part => part()));
    }
    this.#running = false;
  }

  /** What runs goes on; no other run begins. */
  end(): void {
    this.#ended = true;
  }
}
