// SPDX-License-Identifier: Apache-2.0
/**
 * What is made of lists before their lengths, which stand in front, are known: so much is kept to be sent, of all lists together,
 * however many readers there are and however slow. What is behind it is made a second time.
 */
export class KeptPieces {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** False: there is no room for it. */
  keep({length}: Buffer): boolean {
    if (this.#bytes + length > this.#bytesMax) return false;
    this.#bytes += length;
    return true;
  }

  release({length}: Buffer): void {
    this.#bytes -= length;
  }
}

export const keptOfAll = new KeptPieces(64 * 1024 * 1024);
