// SPDX-License-Identifier: Apache-2.0
/**
 * Kubernetes protobuf to objects. Unknown fields are skipped, the last scalar wins, messages that come twice merge.
 * Ref: kubernetes v1.36 api/*\/generated.pb.go (Unmarshal).
 */
import {decodeUtf8, JsonSyntaxError, scanJson} from '../codec/json-scan.ts';
import {planOf} from '../codec/plan.ts';
import {type Shaped, shapeObject} from '../codec/shape.ts';
import {setOwn, treeToJson} from '../codec/untyped.ts';
import {formatTime} from '../go/time.ts';
import type {Field, FieldType, Json, TypeTable} from '../schema.ts';
import {ProtoError, ProtoReader} from './reader.ts';

type Loose = {[field: string]: Json};

/** Decodes the bare message of a struct into its kept form. Throws ProtoError. */
export function decodeProtoMessage(types: TypeTable, typeName: string, bytes: Buffer, defaults = true): Shaped {
  const loose: Loose = {};
  readStruct(types, typeName, bytes, loose);
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

function readStruct(types: TypeTable, typeName: string, bytes: Buffer, into: Loose): void {
  const plan = planOf(types, typeName);
  const known = fieldsByNumber(plan.fields);
  const reader = new ProtoReader(bytes);
  while (!reader.done) {
    const tag = reader.tag(plan.goName);
    const field = known.get(tag.field);
    if (field === undefined) reader.skip(tag.wireType);
    else readField(types, reader, field, tag.wireType, into);
  }
}

function readField(types: TypeTable, reader: ProtoReader, field: Field, wireType: number, into: Loose): void {
  const {type, name} = field;
  const isPacked = type.type === 'list' && type.wrapped !== true && wireType === 2 && wireTypeOf(type.item) !== 2;
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

/** How a field is laid out: 0 varint, 1 eight bytes, 2 with its length. */
function wireTypeOf(type: FieldType): 0 | 1 | 2 {
  if (type.type === 'list' && type.wrapped !== true) return wireTypeOf(type.item);
  if (type.type === 'integer' || type.type === 'boolean') return 0;
  return type.type === 'number' ? 1 : 2;
}

/** A single value; `before` is what an earlier occurrence of the field left. */
function readValue(types: TypeTable, reader: ProtoReader, type: FieldType, before: Json | undefined): Json {
  switch (type.type) {
    case 'integer':
      return toInteger(reader.varint(), type.format);
    case 'boolean':
      return reader.varint() !== 0n;
    case 'number':
      return finite(reader.double());
    case 'ref': {
      const object = (before as Loose | undefined) ?? {};
      readStruct(types, type.ref, reader.bytes(), object);
      return object;
    }
    case 'any':
      return readRaw(reader.bytes());
    case 'list': {
      const list: Json[] = [];
      readItems(types, type.item, reader.bytes(), list);
      return list;
    }
    case 'string': {
      const bytes = reader.bytes();
      if (type.format === 'date-time' || type.format === 'micro-time') return readTime(bytes, type.format);
      if (type.format === 'byte') return bytes.toString('base64');
      return decodeUtf8(bytes, 0, bytes.length);
    }
    default:
      throw new Error(`no protobuf form for ${type.type}`);
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ProtoError(`proto: ${value} cannot be encoded as JSON`);
  return value;
}

function toInteger(value: bigint, format: 'int32' | 'int64'): number | bigint {
  if (format === 'int32') return Number(BigInt.asIntN(32, value));
  const signed = BigInt.asIntN(64, value);
  const plain = Number(signed);
  return Number.isSafeInteger(plain) ? plain : signed;
}

/** Numbers one behind the other, without tags. */
function readPacked(types: TypeTable, item: FieldType, bytes: Buffer, into: Json[]): void {
  const reader = new ProtoReader(bytes);
  while (!reader.done) into.push(readValue(types, reader, item, undefined));
}

/** The items of a named list: field 1 of a message of its own. */
function readItems(types: TypeTable, item: FieldType, bytes: Buffer, into: Json[]): void {
  const reader = new ProtoReader(bytes);
  while (!reader.done) {
    const tag = reader.tag('list');
    if (tag.field === 1) into.push(readValue(types, reader, item, undefined));
    else reader.skip(tag.wireType);
  }
}

function readMapEntry(types: TypeTable, type: FieldType, bytes: Buffer, into: Loose): void {
  const reader = new ProtoReader(bytes);
  let key = '';
  let value: Json = null;
  while (!reader.done) {
    const tag = reader.tag('map');
    if (tag.field === 1) {
      const text = reader.bytes();
      key = decodeUtf8(text, 0, text.length);
    } else if (tag.field === 2) value = readValue(types, reader, type, undefined);
    else reader.skip(tag.wireType);
  }
  setOwn(into, key, value);
}

function readTime(bytes: Buffer, format: 'date-time' | 'micro-time'): Json {
  let seconds: number | bigint = 0;
  let nanos: number | bigint = 0;
  if (bytes.length === 0) return null;
  const reader = new ProtoReader(bytes);
  while (!reader.done) {
    const tag = reader.tag('Timestamp');
    if (tag.field === 1) seconds = toInteger(reader.varint(), 'int64');
    else if (tag.field === 2) nanos = toInteger(reader.varint(), 'int32');
    else reader.skip(tag.wireType);
  }
  const at = {seconds: Number(seconds), nanos: format === 'micro-time' ? Number(nanos) : 0};
  // Years 1 to 9999: what the text form can hold.
  if (at.seconds < -62_135_596_800 || at.seconds > 253_402_300_799) throw new ProtoError('proto: time out of range');
  return formatTime(at, format) ?? null;
}

function readRaw(bytes: Buffer): Json {
  const reader = new ProtoReader(bytes);
  let raw: Buffer | undefined;
  while (!reader.done) {
    const tag = reader.tag('RawExtension');
    if (tag.field === 1 && tag.wireType === 2) raw = reader.bytes();
    else reader.skip(tag.wireType);
  }
  if (raw === undefined || raw.length === 0) return null;
  try {
    return treeToJson(scanJson(raw));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ProtoError(error.message, {cause: error});
    throw error;
  }
}
