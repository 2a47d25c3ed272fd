// SPDX-License-Identifier: Apache-2.0
/** Protobuf bytes that cannot be read. The message is that of the generated Go code. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError';
}

/** A cursor over protobuf bytes. Throws ProtoError where the generated Go code returns an error. */
export class ProtoReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** A varint that is small in any sane message: tags and lengths. */
  #uint(): number | bigint {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 0x80 && this.#at < this.#end) {
      this.#at++;
      return first;
    }
    const value = this.varint();
    return value <= 0x7fff_ffffn ? Number(value) : value;
  }

  /** An unsigned 64-bit varint. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (shift >= 64n) throw new ProtoError('proto: integer overflow');
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
  }

  double(): number {
    const start = this.#at;
    this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  #byte(): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (byte === undefined) throw new ProtoError('unexpected EOF');
    this.#at++;
    return byte;
  }

  /** Field number and wire type. */
  tag(message: string): {field: number; wireType: number} {
    const wire = this.#uint();
    const wireType = Number(typeof wire === 'number' ? wire & 7 : wire & 7n);
    const field = typeof wire === 'number' ? wire >>> 3 : Number(BigInt.asIntN(32, wire >> 3n));
    if (wireType === 4) throw new ProtoError(`proto: ${message}: wiretype end group for non-group`);
    if (field <= 0) throw new ProtoError(`proto: ${message}: illegal tag ${field} (wire type ${wire})`);
    return {field, wireType};
  }

  /** The bytes of a length-delimited field; a view, not a copy. */
  bytes(): Buffer {
    const size = this.#uint();
    const length = typeof size === 'number' ? size : BigInt.asIntN(64, size);
    if (length < 0) throw new ProtoError('proto: negative length found during unmarshaling');
    if (length > this.#end - this.#at) throw new ProtoError('unexpected EOF');
    const start = this.#at;
    this.#at += Number(length);
    return this.#bytes.subarray(start, this.#at);
  }

  /** Passes over the value of an unknown field. */
  skip(wireType: number): void {
    let depth = 0;
    let type = wireType;
    for (;;) {
      depth += this.#skipValue(type);
      if (depth < 0) throw new ProtoError('proto: unexpected end of group');
      if (depth === 0) return;
      type = Number(this.varint() & 7n);
    }
  }

  /** Returns the change of group depth. */
  #skipValue(wireType: number): number {
    switch (wireType) {
      case 0:
        this.varint();
        return 0;
      case 1:
        this.#advance(8);
        return 0;
      case 2:
        this.bytes();
        return 0;
      case 3:
        return 1;
      case 4:
        return -1;
      case 5:
        this.#advance(4);
        return 0;
      default:
        throw new ProtoError(`proto: illegal wireType ${wireType}`);
    }
  }

  #advance(count: number): void {
    if (this.#at + count > this.#end) throw new ProtoError('unexpected EOF');
    this.#at += count;
  }
}
