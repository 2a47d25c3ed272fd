// SPDX-License-Identifier: Apache-2.0
/** The bytes of a file, which grow with zeros. */
export class Content {
  #bytes: Buffer;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  /** Not to be changed. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  copy(): Content {
    return new Content(this.bytes);
  }

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length;
    if (end > this.#size) this.resize(end);
    bytes.copy(this.#bytes, offset);
  }

  resize(size: number): void {
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length));
      this.bytes.copy(larger);
      this.#bytes = larger;
    }
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }
}
