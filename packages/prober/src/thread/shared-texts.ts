// SPDX-License-Identifier: Apache-2.0
/** One copy of each text while somebody uses it. */
export class SharedTexts {
  readonly #texts = new Map<string, {readonly text: string; uses: number}>();

  get size(): number {
    return this.#texts.size;
  }

  share(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const known = this.#texts.get(text) ?? {text, uses: 0};
    known.uses++;
    this.#texts.set(known.text, known);
    return known.text;
  }

  release(text: string | undefined): void {
    if (text === undefined) return;
    const known = this.#texts.get(text);
    if (known !== undefined && --known.uses === 0) this.#texts.delete(text);
  }
}
