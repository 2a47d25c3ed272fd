// SPDX-License-Identifier: Apache-2.0
/** Mutations of a protobuf message by its fields. Ref: https://protobuf.dev/programming-guides/encoding. */
import {BinaryReader, BinaryWriter, WireType} from '@bufbuild/protobuf/wire';
import type {Random} from './random.ts';

type Field = {no: number; wire: number; bytes: Uint8Array};

const varint = (value: bigint): Uint8Array => new BinaryWriter().uint64(value).finish();
const VARINTS = [0n, 1n, 2n, 127n, 128n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n].map(
  varint,
);
const BROKEN_VARINTS = [
  Buffer.alloc(10, 0xff),
  Buffer.alloc(11, 0x80),
  Buffer.from([0x80]),
  Buffer.from('ffffffff0f', 'hex'),
];

const fieldsOf = (message: Uint8Array): Field[] | undefined => {
  const fields: Field[] = [];
  try {
    const reader = new BinaryReader(message);
    while (reader.pos < reader.len) {
      const [no, wire] = reader.tag();
      if (wire === WireType.LengthDelimited) fields.push({no, wire, bytes: reader.bytes()});
      else {
        const from = reader.pos;
        reader.skip(wire, no);
        fields.push({no, wire, bytes: message.subarray(from, reader.pos)});
      }
    }
    return fields;
  } catch {
    return undefined;
  }
};

const written = (fields: readonly Field[], random: Random): Uint8Array =>
  Buffer.concat(
    fields.flatMap(({no, wire, bytes}) => {
      const tag = varint((BigInt(no) << 3n) | BigInt(wire));
      if (wire !== WireType.LengthDelimited) return [tag, bytes];
      const length = random.once(40)
        ? varint(BigInt(bytes.length) + BigInt(random.int(9)) - (bytes.length > 4 ? 4n : 0n))
        : varint(BigInt(bytes.length));
      return [tag, length, bytes];
    }),
  );

const deep = (field: Field, depth: number): Uint8Array => {
  let {bytes} = field;
  const tag = varint((BigInt(field.no) << 3n) | 2n);
  for (let level = 0; level < depth; level++) bytes = Buffer.concat([tag, varint(BigInt(bytes.length)), bytes]);
  return bytes;
};

function mutateField(fields: Field[], at: number, random: Random): void {
  const field = fields[at] as Field;
  const way = random.int(9);
  if (way === 0) fields.splice(at, 1);
  else if (way === 1) fields.push({...field});
  else if (way === 2) field.no = random.pick([0, 1, 2, 3, 4, 5, 15, 16, 100, 2 ** 29 - 1, 2 ** 29]);
  else if (way === 3) field.wire = random.int(8);
  else if (way === 4) field.bytes = random.pick(random.once(4) ? BROKEN_VARINTS : VARINTS);
  else if (way === 5) field.bytes = Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]);
  else if (way === 6) field.bytes = deep(field, random.pick([1, 50, 120, 3000]));
  else if (way === 7) field.bytes = new Uint8Array();
  else field.bytes = Buffer.concat([field.bytes, field.bytes.subarray(0, random.int(field.bytes.length + 1))]);
}

const mutated = (message: Uint8Array, random: Random, depth: number): Uint8Array | undefined => {
  const fields = fieldsOf(message);
  if (fields === undefined || fields.length === 0) return undefined;
  const at = random.int(fields.length);
  const field = fields[at] as Field;
  const inner = depth > 0 && field.wire === 2 && !random.once(4) ? mutated(field.bytes, random, depth - 1) : undefined;
  if (inner === undefined) mutateField(fields, at, random);
  else field.bytes = inner;
  return written(fields, random);
};

/** Undefined: no message, or an empty one. */
export function mutateProtobuf(input: Buffer, random: Random, prefixBytes: number): Buffer | undefined {
  const message = mutated(input.subarray(prefixBytes), random, 8);
  return message && Buffer.concat([input.subarray(0, prefixBytes), message]);
}
