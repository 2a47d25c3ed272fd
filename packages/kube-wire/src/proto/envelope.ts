// SPDX-License-Identifier: Apache-2.0
/**
 * How protobuf travels: `k8s\0`, then runtime.Unknown (1 typeMeta {1 apiVersion, 2 kind}, 2 raw, 3 contentEncoding,
 * 4 contentType) around the object. A watch sends frames of four bytes of length (big endian) and a bare WatchEvent,
 * whose object is enveloped. Ref: apimachinery pkg/runtime/serializer/protobuf/protobuf.go.
 */
import {encodeJson} from '../codec/encode.ts';
import {type Shaped, shapeObject} from '../codec/shape.ts';
import type {JsonObject, TypeTable} from '../schema.ts';
import {decodeProtoMessage} from './decode.ts';
import {ProtoError, ProtoReader} from './reader.ts';
import {Transcoder} from './transcode.ts';
import {ProtoWriter} from './writer.ts';

const MAGIC = Buffer.from('k8s\0', 'latin1');

export type TypeMeta = {readonly apiVersion: string; readonly kind: string};

/** The bare message of a struct, without the envelope. */
export function encodeProtoMessage(types: TypeTable, typeName: string, object: JsonObject): Buffer {
  return messageOfJson(types, typeName, Buffer.from(encodeJson(types, typeName, object)));
}

function messageOfJson(types: TypeTable, typeName: string, json: Buffer): Buffer {
  const transcoder = new Transcoder(types, json.length);
  transcoder.message(typeName, json);
  return transcoder.take();
}

/** An object with its envelope: the body of a request or an answer. Items of a list carry no kind of their own. */
export function encodeProtobuf(types: TypeTable, typeName: string, object: JsonObject): Buffer {
  return enveloped(object, encodeProtoMessage(types, typeName, object));
}

/** The same of an object that is there as the bytes of `encodeJson`. */
export function jsonToProtobuf(types: TypeTable, typeName: string, named: TypeMeta, json: Buffer): Buffer {
  return enveloped(named, messageOfJson(types, typeName, json));
}

function enveloped(named: JsonObject, message: Buffer): Buffer {
  const writer = new ProtoWriter();
  writeEnvelopeEnd(writer);
  writer.raw(message);
  writeEnvelopeStart(writer, named, message.length);
  return writer.finish();
}

/** What stands behind the object. */
export function writeEnvelopeEnd(writer: ProtoWriter): void {
  writer.stringField(4, '');
  writer.stringField(3, '');
}

/** What stands in front of an object of `bytes` bytes. */
export function writeEnvelopeStart(writer: ProtoWriter, object: JsonObject, bytes: number): void {
  writer.varint(bytes);
  writer.tag(2, 2);
  const meta = writer.length;
  writer.stringField(2, textOf(object['kind']));
  writer.stringField(1, textOf(object['apiVersion']));
  writer.endMessage(1, meta);
  writer.raw(MAGIC);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Opens the envelope. Throws ProtoError with upstream's text. */
export function openEnvelope(body: Uint8Array): TypeMeta & {readonly raw: Buffer} {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length === 0) throw new ProtoError('empty data');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    const prefix = [...MAGIC].join(' ');
    throw new ProtoError(`provided data does not appear to be a protobuf message, expected prefix [${prefix}]`);
  }
  if (bytes.length === MAGIC.length) throw new ProtoError('empty body');
  const reader = new ProtoReader(bytes, MAGIC.length);
  let meta: TypeMeta = {apiVersion: '', kind: ''};
  let raw: Buffer = Buffer.alloc(0);
  while (!reader.done) {
    const tag = reader.tag('Unknown');
    if (tag.field === 1 && tag.wireType === 2) meta = readTypeMeta(reader.bytes());
    else if (tag.field === 2 && tag.wireType === 2) raw = reader.bytes();
    else reader.skip(tag.wireType);
  }
  return {...meta, raw};
}

function readTypeMeta(bytes: Buffer): TypeMeta {
  const reader = new ProtoReader(bytes);
  let apiVersion = '';
  let kind = '';
  while (!reader.done) {
    const tag = reader.tag('TypeMeta');
    if (tag.field === 1 && tag.wireType === 2) apiVersion = reader.bytes().toString();
    else if (tag.field === 2 && tag.wireType === 2) kind = reader.bytes().toString();
    else reader.skip(tag.wireType);
  }
  return {apiVersion, kind};
}

/** The object of an opened envelope, with the kind it was sent under. Throws ProtoError. */
export function decodeProtobuf(
  types: TypeTable,
  typeName: string,
  envelope: TypeMeta & {readonly raw: Buffer},
  options: {readonly defaults?: boolean | undefined} = {},
): Shaped {
  const defaults = options.defaults ?? true;
  const object = decodeProtoMessage(types, typeName, envelope.raw, defaults);
  const named = {...object, kind: envelope.kind, apiVersion: envelope.apiVersion};
  return shapeObject(types, typeName, named, {defaults, exact: true})?.object ?? object;
}

/** One frame of a protobuf watch. `object` is an enveloped object (encodeProtobuf). */
export function encodeWatchFrame(type: string, object: Uint8Array): Buffer {
  const writer = new ProtoWriter();
  const mark = writer.length;
  writer.bytesField(1, object);
  writer.endMessage(2, mark);
  writer.stringField(1, type);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(writer.length);
  writer.raw(size);
  return writer.finish();
}

export {decodeProtoMessage, ProtoError};
