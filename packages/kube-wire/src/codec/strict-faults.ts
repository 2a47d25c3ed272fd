// SPDX-License-Identifier: Apache-2.0
/** What a strict reading finds, each once and in order. Ref: sigs.k8s.io/json kubernetes_patch.go, saveStrictError. */

/** More are not kept. */
export const STRICT_FAULTS_MAX = 100;
/** More are not looked at, though they may be the same: a path can be as long as the body, and be told as often. */
const TELLINGS_MAX = 2 * STRICT_FAULTS_MAX;

/** Where the member of an object stands: `subsets[0].addresses`. */
export const memberPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

export class StrictFaults {
  readonly #texts = new Set<string>();
  #tellings = 0;

  /** `text` is made only if it may be kept. */
  tell(text: () => string): void {
    if (this.#texts.size >= STRICT_FAULTS_MAX || this.#tellings >= TELLINGS_MAX) return;
    this.#tellings++;
    this.#texts.add(text());
  }

  get texts(): string[] {
    return [...this.#texts];
  }
}
