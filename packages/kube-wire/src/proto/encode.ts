// SPDX-License-Identifier: Apache-2.0
/**
 * Objects to Kubernetes protobuf, byte for byte as the generated Go code writes them: every field without a pointer is
 * written, also when it is zero; map entries in order of their keys; times as seconds.
 * Ref: kubernetes v1.36 api/*\/generated.pb.go (MarshalToSizedBuffer), apimachinery pkg/apis/meta/v1/time_proto.go.
 */
import {BinaryWriter, WireType} from '@bufbuild/protobuf/wire';
import {encodeAsGiven, encodeUntyped} from '../codec/encode.ts';
import {planOf} from '../codec/plan.ts';
import {compareUtf8} from '../go/order.ts';
import {parseGoTime, type TimeFormat} from '../go/time.ts';
import type {Field, FieldType, Json, JsonObject, TypeTable} from '../schema.ts';
import {finished} from './wire.ts';

/** The bare message of a struct, without the envelope. */
export function encodeProtoMessage(types: TypeTable, typeName: string, object: JsonObject): Buffer {
  const writer = new BinaryWriter();
  writeStruct(writer, types, typeName, object);
  return finished(writer);
}

/** The fields of a struct, in the order of their numbers. */
export function writeStruct(writer: BinaryWriter, types: TypeTable, typeName: string, object: JsonObject): void {
  for (const {name, proto, type, pointer} of fieldsOf(types, typeName)) {
    const value = object[name];
    if (value !== undefined && value !== null) writeValue(writer, types, proto, type, value);
    else if (pointer !== true && isWrittenEmpty(type)) writeEmpty(writer, types, proto, type);
  }
}

/** A struct as a field of another one. */
export function writeStructField(
  writer: BinaryWriter,
  types: TypeTable,
  number: number,
  typeName: string,
  object: JsonObject,
): void {
  writer.tag(number, WireType.LengthDelimited).fork();
  writeStruct(writer, types, typeName, object);
  writer.join();
}

const byNumber = new WeakMap<readonly Field[], readonly Field[]>();

/** Those that protobuf has. */
function fieldsOf(types: TypeTable, typeName: string): readonly Field[] {
  const {fields} = planOf(types, typeName);
  const known = byNumber.get(fields);
  if (known !== undefined) return known;
  const sorted = fields.filter(({proto}) => proto > 0).sort((a, b) => a.proto - b.proto);
  byNumber.set(fields, sorted);
  return sorted;
}

function writeValue(writer: BinaryWriter, types: TypeTable, number: number, type: FieldType, value: Json): void {
  switch (type.type) {
    case 'string':
      writeString(writer, number, type.format, value as string);
      return;
    case 'integer':
      writeInteger(writer.tag(number, WireType.Varint), value as number | bigint);
      return;
    case 'boolean':
      writer.tag(number, WireType.Varint).bool(value === true);
      return;
    case 'number':
      writer.tag(number, WireType.Bit64).double(value as number);
      return;
    case 'int-or-string':
      writeIntOrString(writer.tag(number, WireType.LengthDelimited).fork(), value as number | string).join();
      return;
    case 'quantity':
      writer.tag(number, WireType.LengthDelimited).fork();
      writer
        .tag(1, WireType.LengthDelimited)
        .string(value as string)
        .join();
      return;
    case 'any': {
      const json = type.raw === true ? encodeAsGiven(value) : encodeUntyped(value);
      writer.tag(number, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).string(json).join();
      return;
    }
    case 'ref':
      writeStructField(writer, types, number, type.ref, value as JsonObject);
      return;
    case 'list':
      writeList(writer, types, number, type, value as readonly Json[]);
      return;
    case 'map':
      writeMap(writer, types, number, type.value, value as JsonObject);
      return;
  }
}

/** Lists, maps and bytes write nothing when they are empty. */
const isWrittenEmpty = (type: FieldType): boolean =>
  type.type !== 'list' && type.type !== 'map' && !(type.type === 'string' && type.format === 'byte');

/** An unset field that is no pointer, or null in a list or map. */
function writeEmpty(writer: BinaryWriter, types: TypeTable, number: number, type: FieldType): void {
  if (type.type === 'integer' || type.type === 'boolean') writer.tag(number, WireType.Varint).uint32(0);
  else if (type.type === 'number') writer.tag(number, WireType.Bit64).double(0);
  else if (type.type === 'ref') writeStructField(writer, types, number, type.ref, {});
  else if (type.type === 'int-or-string') writeValue(writer, types, number, type, 0);
  else if (type.type === 'quantity') writeValue(writer, types, number, type, '0');
  else writer.tag(number, WireType.LengthDelimited).uint32(0);
}

function writeMember(writer: BinaryWriter, types: TypeTable, number: number, type: FieldType, value: Json): void {
  if (value === null) writeEmpty(writer, types, number, type);
  else writeValue(writer, types, number, type, value);
}

function writeList(
  writer: BinaryWriter,
  types: TypeTable,
  number: number,
  {item, wrapped}: Extract<FieldType, {type: 'list'}>,
  items: readonly Json[],
): void {
  if (wrapped !== true) {
    for (const value of items) writeMember(writer, types, number, item, value);
    return;
  }
  writer.tag(number, WireType.LengthDelimited).fork();
  for (const value of items) writeMember(writer, types, 1, item, value);
  writer.join();
}

function writeMap(writer: BinaryWriter, types: TypeTable, number: number, type: FieldType, map: JsonObject): void {
  for (const key of Object.keys(map).sort(compareUtf8)) {
    writer.tag(number, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key);
    writeMember(writer, types, 2, type, map[key] as Json);
    writer.join();
  }
}

function writeString(
  writer: BinaryWriter,
  number: number,
  format: TimeFormat | 'byte' | undefined,
  text: string,
): void {
  writer.tag(number, WireType.LengthDelimited);
  if (format === undefined) writer.string(text);
  else if (format === 'byte') writer.bytes(Buffer.from(text, 'base64'));
  else {
    const {seconds, nanos} = parseGoTime(text, format);
    writer.fork().tag(1, WireType.Varint).int64(seconds);
    writer.tag(2, WireType.Varint).uint32(format === 'micro-time' ? nanos : 0);
    writer.join();
  }
}

/** Ref: apimachinery pkg/util/intstr/generated.proto: which of the two it is, the number, the string. */
function writeIntOrString(writer: BinaryWriter, value: number | string): BinaryWriter {
  const isText = typeof value === 'string';
  writer.tag(1, WireType.Varint).uint32(isText ? 1 : 0);
  writer.tag(2, WireType.Varint).int32(isText ? 0 : value);
  return writer.tag(3, WireType.LengthDelimited).string(isText ? value : '');
}

function writeInteger(writer: BinaryWriter, value: number | bigint): void {
  if (typeof value === 'number' && value === (value | 0)) writer.int32(value);
  else writer.int64(value);
}
