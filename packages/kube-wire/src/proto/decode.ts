// SPDX-License-Identifier: Apache-2.0
/**
 * Kubernetes protobuf to objects. Unknown fields are skipped, the last scalar wins, messages that come twice merge.
 * Ref: kubernetes v1.36 api/*\/generated.pb.go (Unmarshal).
 */
import {BinaryReader, WireType} from '@bufbuild/protobuf/wire';
import {decodeUtf8, JsonSyntaxError, scanJson} from '../codec/json-scan.ts';
import {planOf} from '../codec/plan.ts';
import {type Shaped, shapeObject} from '../codec/shape.ts';
import {setOwn, treeToJson} from '../codec/untyped.ts';
import {parseQuantity, QuantityError, quantityText} from '../go/quantity.ts';
import {formatTime, type TimeFormat} from '../go/time.ts';
import type {Field, FieldType, Json, TypeTable} from '../schema.ts';
import {asBuffer, asProtoError, ProtoError, readFields} from './wire.ts';

type Loose = {[field: string]: Json};

/** Decodes the bare message of a struct into its kept form. Throws ProtoError. */
export function decodeProtoMessage(types: TypeTable, typeName: string, bytes: Uint8Array, defaults = true): Shaped {
  const loose: Loose = {};
  asProtoError(() => readStruct(types, typeName, bytes, loose));
  const shaped = shapeObject(types, typeName, loose, {defaults, exact: true});
  if (shaped === undefined) throw new Error(`decoded ${typeName} has no shape`);
  return shaped.object;
}

const byNumber = new WeakMap<readonly Field[], ReadonlyMap<number, Field>>();

function fieldsByNumber(fields: readonly Field[]): ReadonlyMap<number, Field> {
  const known = byNumber.get(fields);
  if (known !== undefined) return known;
  const made = new Map(fields.filter(f => f.proto > 0).map(f => [f.proto, f]));
  byNumber.set(fields, made);
  return made;
}

function readStruct(types: TypeTable, typeName: string, bytes: Uint8Array, into: Loose): void {
  const known = fieldsByNumber(planOf(types, typeName).fields);
  readFields(bytes, (reader, number, wireType) => {
    const field = known.get(number);
    if (field !== undefined) readField(types, reader, field, wireType, into);
    return field !== undefined;
  });
}

function readField(types: TypeTable, reader: BinaryReader, field: Field, wireType: WireType, into: Loose): void {
  const {type, name} = field;
  const isPacked =
    type.type === 'list' &&
    type.wrapped !== true &&
    wireType === WireType.LengthDelimited &&
    wireTypeOf(type.item) !== wireType;
  if (wireType !== wireTypeOf(type) && !isPacked) {
    const goName = name.charAt(0).toUpperCase() + name.slice(1);
    throw new ProtoError(`proto: wrong wireType = ${wireType} for field ${goName}`);
  }
  if (type.type === 'map') {
    const map = (into[name] as Loose | undefined) ?? {};
    into[name] = map;
    readMapEntry(types, type.value, reader.bytes(), map);
  } else if (type.type === 'list') {
    const list = (into[name] as Json[] | undefined) ?? [];
    into[name] = list;
    if (type.wrapped === true) readItems(types, type.item, reader.bytes(), list);
    else if (isPacked) readPacked(types, type.item, reader.bytes(), list);
    else list.push(readValue(types, reader, type.item, undefined));
  } else into[name] = readValue(types, reader, type, into[name]);
}

function wireTypeOf(type: FieldType): WireType {
  if (type.type === 'list' && type.wrapped !== true) return wireTypeOf(type.item);
  if (type.type === 'integer' || type.type === 'boolean') return WireType.Varint;
  return type.type === 'number' ? WireType.Bit64 : WireType.LengthDelimited;
}

/** A single value; `before` is what an earlier occurrence of the field left. */
function readValue(types: TypeTable, reader: BinaryReader, type: FieldType, before: Json | undefined): Json {
  switch (type.type) {
    case 'integer':
      return type.format === 'int32' ? reader.int32() : exact(reader.int64());
    case 'boolean':
      return reader.bool();
    case 'number':
      return finite(reader.double());
    case 'ref': {
      const object = (before as Loose | undefined) ?? {};
      readStruct(types, type.ref, reader.bytes(), object);
      return object;
    }
    case 'int-or-string':
      return readIntOrString(reader.bytes());
    case 'quantity':
      return readQuantity(reader.bytes());
    case 'any':
      return readRaw(reader.bytes());
    case 'list': {
      const list: Json[] = [];
      readItems(types, type.item, reader.bytes(), list);
      return list;
    }
    case 'string': {
      const bytes = reader.bytes();
      if (type.format === undefined) return textOf(bytes);
      return type.format === 'byte' ? asBuffer(bytes).toString('base64') : readTime(bytes, type.format);
    }
    default:
      throw new Error(`no protobuf form for ${type.type}`);
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ProtoError(`proto: ${value} cannot be encoded as JSON`);
  return value;
}

const textOf = (bytes: Uint8Array): string => decodeUtf8(asBuffer(bytes), 0, bytes.length);

function exact(value: bigint | string): number | bigint {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : BigInt(value);
}

/** Numbers one behind the other, without tags. */
function readPacked(types: TypeTable, item: FieldType, bytes: Uint8Array, into: Json[]): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) into.push(readValue(types, reader, item, undefined));
}

/** The items of a named list: field 1 of a message of its own. */
function readItems(types: TypeTable, item: FieldType, bytes: Uint8Array, into: Json[]): void {
  readFields(bytes, (reader, number) => {
    if (number === 1) into.push(readValue(types, reader, item, undefined));
    return number === 1;
  });
}

/** The value of an entry that has none: Go's zero value. Ref: gogo/protobuf plugin/unmarshal, `mapvalue := []byte{}`. */
function emptyOf(type: FieldType): Json {
  if (type.type === 'quantity') return '0';
  return type.type === 'string' && (type.format === undefined || type.format === 'byte') ? '' : null;
}

function readMapEntry(types: TypeTable, type: FieldType, bytes: Uint8Array, into: Loose): void {
  let key = '';
  let value = emptyOf(type);
  readFields(bytes, (reader, number) => {
    if (number === 1) key = textOf(reader.bytes());
    else if (number === 2) value = readValue(types, reader, type, undefined);
    return number === 1 || number === 2;
  });
  setOwn(into, key, value);
}

function readTime(bytes: Uint8Array, format: TimeFormat): Json {
  let seconds = 0;
  let nanos = 0;
  if (bytes.length === 0) return null;
  readFields(bytes, (reader, number) => {
    if (number === 1) seconds = Number(reader.int64());
    else if (number === 2) nanos = reader.int32();
    return number === 1 || number === 2;
  });
  // Years 1 to 9999: what the text form can hold.
  if (seconds < -62_135_596_800 || seconds > 253_402_300_799) throw new ProtoError('proto: time out of range');
  return formatTime({seconds, nanos: format === 'micro-time' ? nanos : 0}, format) ?? null;
}

function readIntOrString(bytes: Uint8Array): Json {
  let isText = false;
  let whole = 0;
  let text = '';
  readFields(bytes, (reader, number) => {
    if (number === 1) isText = Number(reader.int64()) === 1;
    else if (number === 2) whole = reader.int32();
    else if (number === 3) text = textOf(reader.bytes());
    return number >= 1 && number <= 3;
  });
  return isText ? text : whole;
}

function readQuantity(bytes: Uint8Array): Json {
  let text = '0';
  readFields(bytes, (reader, number) => {
    if (number === 1) text = textOf(reader.bytes());
    return number === 1;
  });
  try {
    return quantityText(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) throw new ProtoError(error.message, {cause: error});
    throw error;
  }
}

function readRaw(bytes: Uint8Array): Json {
  let raw: Uint8Array | undefined;
  readFields(bytes, (reader, number, wireType) => {
    const isRaw = number === 1 && wireType === WireType.LengthDelimited;
    if (isRaw) raw = reader.bytes();
    return isRaw;
  });
  if (raw === undefined || raw.length === 0) return null;
  try {
    return treeToJson(scanJson(raw));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ProtoError(error.message, {cause: error});
    throw error;
  }
}
