// SPDX-License-Identifier: Apache-2.0
/**
 * Objects to Kubernetes protobuf, byte for byte as the generated Go code writes them: every field without a pointer is
 * written, also when it is zero; map entries in order of their keys; times as seconds.
 * Ref: kubernetes v1.36 api/*\/generated.pb.go (MarshalToSizedBuffer), apimachinery pkg/apis/meta/v1/time_proto.go.
 */
import {encodeAsGiven} from '../codec/encode.ts';
import {planOf} from '../codec/plan.ts';
import {compareUtf8} from '../go/order.ts';
import {parseGoTime} from '../go/time.ts';
import type {Field, FieldType, Json, JsonObject, TypeTable} from '../schema.ts';
import {ProtoWriter} from './writer.ts';

/** The bare message of a struct, without the envelope. */
export function encodeProtoMessage(types: TypeTable, typeName: string, object: JsonObject): Buffer {
  const writer = new ProtoWriter();
  writeStruct(writer, types, typeName, object);
  return writer.finish();
}

/** Writes the fields of a struct, highest number first, as the writer wants them. */
export function writeStruct(writer: ProtoWriter, types: TypeTable, typeName: string, object: JsonObject): void {
  for (const field of fieldsDescending(types, typeName)) writeMember(writer, types, field, object[field.name]);
}

/** One field of a struct. */
export function writeMember(writer: ProtoWriter, types: TypeTable, field: Field, value: Json | undefined): void {
  if (value !== undefined && value !== null) writeField(writer, types, field.proto, field.type, value);
  else if (field.pointer !== true) writeZero(writer, types, field);
}

const descending = new WeakMap<readonly Field[], readonly Field[]>();

/** Those that protobuf has, highest number first. */
export function fieldsDescending(types: TypeTable, typeName: string): readonly Field[] {
  const {fields} = planOf(types, typeName);
  const known = descending.get(fields);
  if (known !== undefined) return known;
  const sorted = fields.filter(f => f.proto > 0).sort((a, b) => b.proto - a.proto);
  descending.set(fields, sorted);
  return sorted;
}

function writeField(writer: ProtoWriter, types: TypeTable, number: number, type: FieldType, value: Json): void {
  switch (type.type) {
    case 'string':
      if (type.format === 'date-time' || type.format === 'micro-time') writeTime(writer, number, value, type.format);
      else if (type.format === 'byte') writer.bytesField(number, Buffer.from(value as string, 'base64'));
      else writer.stringField(number, value as string);
      return;
    case 'integer':
      writer.varintField(number, value as number | bigint);
      return;
    case 'boolean':
      writer.varintField(number, value === true ? 1 : 0);
      return;
    case 'any':
      writeRaw(writer, number, value);
      return;
    case 'ref': {
      const mark = writer.length;
      writeStruct(writer, types, type.ref, value as JsonObject);
      writer.endMessage(number, mark);
      return;
    }
    case 'list':
      writeList(writer, types, number, type, value as readonly Json[]);
      return;
    case 'map':
      writeMap(writer, types, number, type.value, value as JsonObject);
      return;
    case 'number':
      writer.doubleField(number, value as number);
      return;
  }
}

function writeList(
  writer: ProtoWriter,
  types: TypeTable,
  number: number,
  type: Extract<FieldType, {type: 'list'}>,
  items: readonly Json[],
): void {
  const mark = writer.length;
  const itemNumber = type.wrapped === true ? 1 : number;
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i] as Json;
    if (item !== null) writeField(writer, types, itemNumber, type.item, item);
    else if (type.item.type === 'ref') writeField(writer, types, itemNumber, type.item, {});
    else writeField(writer, types, itemNumber, type.item, '');
  }
  if (type.wrapped === true) writer.endMessage(number, mark);
}

function writeMap(writer: ProtoWriter, types: TypeTable, number: number, type: FieldType, map: JsonObject): void {
  for (const key of Object.keys(map).sort(compareUtf8).reverse()) {
    const mark = writer.length;
    const value = map[key] as Json;
    if (value !== null) writeField(writer, types, 2, type, value);
    else if (type.type === 'list') writeField(writer, types, 2, type, []);
    else writeField(writer, types, 2, type, '');
    writer.stringField(1, key);
    writer.endMessage(number, mark);
  }
}

function writeTime(writer: ProtoWriter, number: number, value: Json, format: 'date-time' | 'micro-time'): void {
  const at = parseGoTime(value as string, format);
  const mark = writer.length;
  writer.varintField(2, format === 'micro-time' ? at.nanos : 0);
  writer.varintField(1, at.seconds);
  writer.endMessage(number, mark);
}

/** Raw JSON: a message around the bytes, empty when there are none. */
function writeRaw(writer: ProtoWriter, number: number, value: Json): void {
  const mark = writer.length;
  writer.stringField(1, encodeAsGiven(value));
  writer.endMessage(number, mark);
}

/** What is written for an unset field that is no pointer. Lists, maps and bytes write nothing. */
function writeZero(writer: ProtoWriter, types: TypeTable, field: Field): void {
  const {type, proto} = field;
  switch (type.type) {
    case 'string':
      if (type.format === undefined) writer.stringField(proto, '');
      else if (type.format !== 'byte') writer.endMessage(proto, writer.length);
      return;
    case 'integer':
    case 'boolean':
      writer.varintField(proto, 0);
      return;
    case 'number':
      writer.doubleField(proto, 0);
      return;
    case 'ref':
      writeField(writer, types, proto, type, {});
      return;
    case 'any':
      writer.endMessage(proto, writer.length);
      return;
    default:
      return;
  }
}
