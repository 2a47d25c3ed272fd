// SPDX-License-Identifier: Apache-2.0
/** Texts up to this length are written character by character. */
const SHORT = 48;

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

  /** A varint; negative numbers as 64-bit two's complement. */
  varint(value: number | bigint): void {
    if (value >= 0 && value < 128) {
      this.#reserve(1);
      this.#bytes[--this.#at] = Number(value);
      return;
    }
    if (typeof value === 'bigint' || value < 0) {
      this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
      return;
    }
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

  #bigVarint(value: bigint): void {
    const out: number[] = [];
    let rest = value;
    do {
      out.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
      rest >>= 7n;
    } while (rest > 0n);
    this.raw(Uint8Array.from(out));
  }

  tag(field: number, wireType: 0 | 1 | 2): void {
    this.varint(field * 8 + wireType);
  }

  varintField(field: number, value: number | bigint): void {
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
    const size = this.#shortAscii(text) ? text.length : this.#text(text);
    this.varint(size);
    this.tag(field, 2);
  }

  /** False: it is longer, or has other characters; nothing was written. For short ones quicker than a call of Node's. */
  #shortAscii(text: string): boolean {
    const {length} = text;
    if (length > SHORT) return false;
    this.#reserve(length);
    const bytes = this.#bytes;
    const at = this.#at - length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[at + i] = code;
    }
    this.#at = at;
    return true;
  }

  /** The number of bytes. */
  #text(text: string): number {
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#at -= size;
    this.#bytes.write(text, this.#at, 'utf8');
    return size;
  }

  /** Closes a message whose content was written since `mark` (the `length` before it). */
  endMessage(field: number, mark: number): void {
    this.varint(this.length - mark);
    this.tag(field, 2);
  }
}
