// SPDX-License-Identifier: Apache-2.0
/**
 * How protobuf travels: `k8s\0`, then runtime.Unknown (1 typeMeta {1 apiVersion, 2 kind}, 2 raw, 3 contentEncoding,
 * 4 contentType) around the object. A watch sends frames of four bytes of length (big endian) and a bare WatchEvent,
 * whose object is enveloped. Ref: apimachinery pkg/runtime/serializer/protobuf/protobuf.go.
 */
import {BinaryWriter, WireType} from '@bufbuild/protobuf/wire';
import {decodeObject} from '../codec/decode.ts';
import {type Shaped, shapeObject} from '../codec/shape.ts';
import type {JsonObject, TypeTable} from '../schema.ts';
import {decodeProtoMessage} from './decode.ts';
import {encodeProtoMessage} from './encode.ts';
import {asBuffer, asProtoError, finished, ProtoError, readFields} from './wire.ts';

const MAGIC = Buffer.from('k8s\0', 'latin1');

export type TypeMeta = {readonly apiVersion: string; readonly kind: string};

/** An object with its envelope: the body of a request or an answer. Items of a list carry no kind of their own. */
export function encodeProtobuf(types: TypeTable, typeName: string, object: JsonObject): Buffer {
  return enveloped(object, encodeProtoMessage(types, typeName, object));
}

/** The same of an object that is stored as the bytes of `encodeJson`. */
export function jsonToProtobuf(types: TypeTable, typeName: string, named: TypeMeta, json: Buffer): Buffer {
  const {object} = decodeObject(types, typeName, json, {defaults: false});
  return enveloped(named, encodeProtoMessage(types, typeName, object));
}

function enveloped(named: JsonObject, message: Buffer): Buffer {
  return Buffer.concat([envelopeStart(named, message.length), message, ENVELOPE_END]);
}

/** What is in front of an object of `bytes` bytes. */
export function envelopeStart(named: JsonObject, bytes: number): Buffer {
  const writer = new BinaryWriter().raw(MAGIC).tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(textOf(named['apiVersion']));
  writer.tag(2, WireType.LengthDelimited).string(textOf(named['kind'])).join();
  return finished(writer.tag(2, WireType.LengthDelimited).uint32(bytes));
}

/** What is behind the object: the empty contentEncoding and contentType. */
export const ENVELOPE_END: Buffer = Buffer.from([
  3 * 8 + WireType.LengthDelimited,
  0,
  4 * 8 + WireType.LengthDelimited,
  0,
]);

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
  let meta: TypeMeta = {apiVersion: '', kind: ''};
  let raw: Buffer = Buffer.alloc(0);
  asProtoError(() =>
    readFields(bytes.subarray(MAGIC.length), (reader, number, wireType) => {
      const isOurs = (number === 1 || number === 2) && wireType === WireType.LengthDelimited;
      if (isOurs && number === 1) meta = readTypeMeta(reader.bytes());
      else if (isOurs) raw = asBuffer(reader.bytes());
      return isOurs;
    }),
  );
  return {...meta, raw};
}

function readTypeMeta(bytes: Uint8Array): TypeMeta {
  let apiVersion = '';
  let kind = '';
  readFields(bytes, (reader, number, wireType) => {
    const isOurs = (number === 1 || number === 2) && wireType === WireType.LengthDelimited;
    if (isOurs && number === 1) apiVersion = reader.string();
    else if (isOurs) kind = reader.string();
    return isOurs;
  });
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
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(type);
  writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).bytes(object).join();
  const event = writer.finish();
  const size = Buffer.alloc(4);
  size.writeUInt32BE(event.length);
  return Buffer.concat([size, event]);
}

export {ProtoError};
