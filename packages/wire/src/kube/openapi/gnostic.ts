// SPDX-License-Identifier: Apache-2.0
/**
 * The OpenAPI v2 document as protobuf (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`): what kubectl and
 * client-go ask for first. The tables name the fields of the messages; only what our documents use is there.
 * Ref: google/gnostic-models v0.7.0 openapiv2/OpenAPIv2.proto.
 */
import {encodeUntyped} from '../codec/encode.ts';
import {ProtoWriter} from '../proto/writer.ts';
import type {Json, JsonObject} from '../schema.ts';

type Kind =
  | 'string'
  | 'bool'
  | 'strings'
  /** A message. */
  | {readonly message: string}
  | {readonly list: string}
  /** An object as pairs of name and message, inside a message of its own. */
  | {readonly named: string; readonly field?: number}
  /** The value, inside a message that has it as field `wrap`; nested from the outside in. */
  | {readonly wrap: readonly number[]; readonly as: Kind}
  /** Values as text. */
  | 'anys';
type Row = readonly [field: number, key: string, kind: Kind];

const EXTENSIONS: Readonly<Record<string, number>> = {Schema: 31, Operation: 13};

const MESSAGES: Readonly<Record<string, readonly Row[]>> = {
  Document: [
    [1, 'swagger', 'string'],
    [2, 'info', {message: 'Info'}],
    [8, 'paths', {named: 'PathItem', field: 2}],
    [9, 'definitions', {named: 'Schema'}],
    [10, 'parameters', {named: 'Parameter'}],
    [12, 'security', {list: 'SecurityRequirement'}],
    [13, 'securityDefinitions', {named: 'SecurityDefinition'}],
  ],
  Info: [
    [1, 'title', 'string'],
    [2, 'version', 'string'],
  ],
  PathItem: [
    [2, 'get', {message: 'Operation'}],
    [3, 'put', {message: 'Operation'}],
    [4, 'post', {message: 'Operation'}],
    [5, 'delete', {message: 'Operation'}],
    [8, 'patch', {message: 'Operation'}],
    [9, 'parameters', {list: 'ParametersItem'}],
  ],
  Operation: [
    [1, 'tags', 'strings'],
    [3, 'description', 'string'],
    [5, 'operationId', 'string'],
    [6, 'produces', 'strings'],
    [7, 'consumes', 'strings'],
    [8, 'parameters', {list: 'ParametersItem'}],
    [9, 'responses', {named: 'ResponseValue'}],
    [10, 'schemes', 'strings'],
  ],
  JsonReference: [[1, '$ref', 'string']],
  BodyParameter: [
    [1, 'description', 'string'],
    [2, 'name', 'string'],
    [3, 'in', 'string'],
    [4, 'required', 'bool'],
    [5, 'schema', {message: 'Schema'}],
  ],
  QueryParameter: [
    [1, 'required', 'bool'],
    [2, 'in', 'string'],
    [3, 'description', 'string'],
    [4, 'name', 'string'],
    [6, 'type', 'string'],
    [20, 'uniqueItems', 'bool'],
  ],
  PathParameter: [
    [1, 'required', 'bool'],
    [2, 'in', 'string'],
    [3, 'description', 'string'],
    [4, 'name', 'string'],
    [5, 'type', 'string'],
    [19, 'uniqueItems', 'bool'],
  ],
  Response: [
    [1, 'description', 'string'],
    [2, 'schema', {wrap: [1], as: {message: 'Schema'}}],
  ],
  Schema: [
    [1, '$ref', 'string'],
    [2, 'format', 'string'],
    [4, 'description', 'string'],
    [19, 'required', 'strings'],
    [20, 'enum', 'anys'],
    [21, 'additionalProperties', {wrap: [1], as: {message: 'Schema'}}],
    [22, 'type', {wrap: [1], as: 'string'}],
    [23, 'items', {wrap: [1], as: {message: 'Schema'}}],
    [25, 'properties', {named: 'Schema'}],
  ],
  ApiKey: [
    [1, 'type', 'string'],
    [2, 'name', 'string'],
    [3, 'in', 'string'],
    [4, 'description', 'string'],
  ],
};

/** Encodes the document that `openApiV2` makes. */
export function encodeOpenApiV2Protobuf(document: JsonObject): Buffer {
  const writer = new ProtoWriter();
  writeMessage(writer, 'Document', document);
  return writer.finish();
}

/** Fields from the last to the first: the writer goes backwards. */
function writeMessage(writer: ProtoWriter, name: string, value: JsonObject): void {
  if (writeUnion(writer, name, value)) return;
  const rows = MESSAGES[name];
  if (rows === undefined) throw new Error(`no message ${name}`);
  const extension = EXTENSIONS[name];
  if (extension !== undefined) {
    for (const key of Object.keys(value).reverse()) {
      if (key.startsWith('x-')) writeNamed(writer, extension, key, () => writeAny(writer, 2, value[key] as Json));
    }
  }
  for (let i = rows.length - 1; i >= 0; i--) {
    const [field, key, kind] = rows[i] as Row;
    const member = value[key];
    if (member !== undefined) writeField(writer, field, kind, member);
  }
}

/** Messages that hold one of several. Returns false for the others. */
function writeUnion(writer: ProtoWriter, name: string, value: JsonObject): boolean {
  switch (name) {
    case 'ParametersItem':
      if (value['$ref'] !== undefined) writeField(writer, 2, {message: 'JsonReference'}, value);
      else writeField(writer, 1, {message: 'Parameter'}, value);
      return true;
    case 'Parameter':
      if (value['in'] === 'body') writeField(writer, 1, {message: 'BodyParameter'}, value);
      else if (value['in'] === 'path') writeField(writer, 2, {wrap: [4], as: {message: 'PathParameter'}}, value);
      else writeField(writer, 2, {wrap: [3], as: {message: 'QueryParameter'}}, value);
      return true;
    case 'ResponseValue':
      writeField(writer, 1, {message: 'Response'}, value);
      return true;
    case 'SecurityDefinition':
      writeField(writer, 2, {message: 'ApiKey'}, value);
      return true;
    case 'SecurityRequirement':
      for (const key of Object.keys(value).reverse()) {
        writeNamed(writer, 1, key, () => {
          const mark = writer.length;
          writeField(writer, 1, 'strings', value[key] as Json);
          writer.endMessage(2, mark);
        });
      }
      return true;
    default:
      return false;
  }
}

function writeField(writer: ProtoWriter, field: number, kind: Kind, value: Json): void {
  if (kind === 'string') writer.stringField(field, value as string);
  else if (kind === 'bool') writer.varintField(field, value === true ? 1 : 0);
  else if (kind === 'strings') for (const text of reversed(value)) writer.stringField(field, text as string);
  else if (kind === 'anys') for (const item of reversed(value)) writeAny(writer, field, item);
  else if ('list' in kind) for (const item of reversed(value)) writeField(writer, field, {message: kind.list}, item);
  else {
    const mark = writer.length;
    if ('message' in kind) writeMessage(writer, kind.message, value as JsonObject);
    else if ('named' in kind) writePairs(writer, kind, value as JsonObject);
    else {
      const [inner = 1] = kind.wrap;
      writeField(writer, inner, kind.as, value);
    }
    writer.endMessage(field, mark);
  }
}

const reversed = (value: Json): Json[] => [...(value as readonly Json[])].reverse();

function writePairs(
  writer: ProtoWriter,
  kind: {readonly named: string; readonly field?: number},
  value: JsonObject,
): void {
  for (const key of Object.keys(value).reverse()) {
    writeNamed(writer, kind.field ?? 1, key, () => writeField(writer, 2, {message: kind.named}, value[key] as Json));
  }
}

function writeNamed(writer: ProtoWriter, field: number, name: string, writeValue: () => void): void {
  const mark = writer.length;
  writeValue();
  writer.stringField(1, name);
  writer.endMessage(field, mark);
}

/** A value as YAML text, of which JSON is a part. */
function writeAny(writer: ProtoWriter, field: number, value: Json): void {
  const mark = writer.length;
  writer.stringField(2, `${encodeUntyped(value)}\n`);
  writer.endMessage(field, mark);
}
