// SPDX-License-Identifier: Apache-2.0
/** Bytes of a stream in the sizes that a reader asks for; holds no more than one piece of the stream and what is asked for. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  #position = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Bytes taken and skipped until now. */
  get position(): number {
    return this.#position;
  }

  /** `size` bytes; fewer only where the stream ends. Rejects with the stream's error. */
  async take(size: number): Promise<Buffer> {
    if (this.#held.length < size) await this.#gather(size);
    const taken = this.#held.subarray(0, size);
    this.#held = this.#held.subarray(taken.length);
    this.#position += taken.length;
    return taken;
  }

  /** False: the stream has ended before. */
  async skip(size: number): Promise<boolean> {
    let left = size;
    while (left > 0) {
      if (this.#held.length === 0) await this.#gather(1);
      const {length} = await this.take(Math.min(left, this.#held.length));
      if (length === 0) return false;
      left -= length;
    }
    return true;
  }

  async #gather(size: number): Promise<void> {
    const pieces: Uint8Array[] = [this.#held];
    for (let bytes = this.#held.length; bytes < size; ) {
      const {value, done} = await this.#pieces.next();
      if (done === true) break;
      pieces.push(value);
      bytes += value.length;
    }
    this.#held = Buffer.concat(pieces);
  }
}
