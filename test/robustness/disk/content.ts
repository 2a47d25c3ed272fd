// SPDX-License-Identifier: Apache-2.0
/** The bytes of a file, which grow with zeros. */
export class Content {
  #bytes: Buffer;
  #size: number;
  /** Of others, until the first change. */
  #isShared = true;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  /** Not to be changed. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length;
    if (end > this.#size) this.resize(end);
    this.#own(end);
    bytes.copy(this.#bytes, offset);
  }

  resize(size: number): void {
    if (size === this.#size) return;
    this.#own(size);
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  #own(size: number): void {
    if (!this.#isShared && size <= this.#bytes.length) return;
    const own = Buffer.alloc(Math.max(size, this.#isShared ? this.#size : 2 * this.#bytes.length));
    this.bytes.copy(own);
    this.#bytes = own;
    this.#isShared = false;
  }
}
