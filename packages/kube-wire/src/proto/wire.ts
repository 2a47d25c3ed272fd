// SPDX-License-Identifier: Apache-2.0
/** What reading and writing of protobuf share, over the library's `BinaryReader` and `BinaryWriter`. */
import {BinaryReader, type BinaryWriter, type WireType} from '@bufbuild/protobuf/wire';

/** Protobuf bytes that cannot be read. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError';
}

/** The library's word for what Go calls "unexpected EOF". */
const CUT_SHORT = 'premature EOF';

/** What `read` gives. Throws ProtoError where the library finds the bytes malformed. */
export function asProtoError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof ProtoError || error instanceof TypeError) throw error;
    throw new ProtoError(error.message === CUT_SHORT ? 'unexpected EOF' : `proto: ${error.message}`, {cause: error});
  }
}

/** Gives each field of a message to `read`, which says whether it took the value; skips it otherwise. */
export function readFields(
  bytes: Uint8Array,
  read: (reader: BinaryReader, field: number, wireType: WireType) => boolean,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (!read(reader, field, wireType)) reader.skip(wireType, field);
  }
}

/** Memory of the library as a Buffer. */
export const asBuffer = ({buffer, byteOffset, byteLength}: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** All that was written, as a Buffer. */
export const finished = (writer: BinaryWriter): Buffer => asBuffer(writer.finish());
