// SPDX-License-Identifier: Apache-2.0
/**
 * Protobuf bytes, written from the end to the front: a message is written before its length, so no size has to be
 * known beforehand. Write the last field first.
 */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #at = 1024;

  /** Bytes written so far: the mark to give to `endMessage`. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  finish(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  #reserve(count: number): void {
    if (this.#at >= count) return;
    const used = this.length;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + count));
    this.#bytes.copy(grown, grown.length - used, this.#at);
    this.#bytes = grown;
    this.#at = grown.length - used;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  /** A varint of a whole number that is not negative. */
  varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#reserve(size);
    this.#at -= size;
    let rest = value;
    for (let i = 0; i < size; i++) {
      this.#bytes[this.#at + i] = (rest % 128) | (i < size - 1 ? 0x80 : 0);
      rest = Math.floor(rest / 128);
    }
  }

  tag(field: number, wireType: 0 | 1 | 2): void {
    this.varint(field * 8 + wireType);
  }

  varintField(field: number, value: number): void {
    this.varint(value);
    this.tag(field, 0);
  }

  doubleField(field: number, value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
    this.tag(field, 1);
  }

  bytesField(field: number, bytes: Uint8Array): void {
    this.raw(bytes);
    this.varint(bytes.length);
    this.tag(field, 2);
  }

  stringField(field: number, text: string): void {
    this.bytesField(field, Buffer.from(text));
  }

  /** Closes a message whose content was written since `mark` (the `length` before it). */
  endMessage(field: number, mark: number): void {
    this.varint(this.length - mark);
    this.tag(field, 2);
  }
}
