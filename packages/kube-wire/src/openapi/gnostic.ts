// SPDX-License-Identifier: Apache-2.0
/**
 * Documents as the messages of gnostic, from tables of their fields: how OpenAPI is protobuf. Only what our documents
 * use is in the tables; a key without a field is an error, so that nothing is left out unseen.
 * Ref: google/gnostic-models v0.7.0 openapiv2, openapiv3, compiler/helpers.go.
 */
import {BinaryWriter, WireType} from '@bufbuild/protobuf/wire';
import {finished} from '../proto/wire.ts';
import type {Json, JsonObject} from '../schema.ts';
import {blockYaml} from './block-yaml.ts';

export type Kind =
  | 'string'
  | 'bool'
  | 'double'
  | 'strings'
  /** A value as YAML text. */
  | 'any'
  | 'anys'
  | {readonly message: string}
  | {readonly list: string}
  /** An object as pairs of name and message, inside a message of its own. */
  | {readonly named: string; readonly field?: number}
  /** The value, inside a message that has it as field 1. */
  | {readonly wrap: Kind};
/** A key that ends in `*` stands for all that begin so, as pairs of name and value. */
type Row = readonly [field: number, key: string, kind: Kind];
/** A message that holds one of several: which. Undefined: it is empty. */
type Choice = (value: Json) => readonly [field: number, kind: Kind] | undefined;
export type Messages = Readonly<Record<string, readonly Row[] | Choice>>;

/** The document, which is the message `Document` of the tables. */
export function encodeGnostic(messages: Messages, document: JsonObject): Buffer {
  const encoder = new GnosticEncoder(messages);
  encoder.message('Document', document);
  return finished(encoder.writer);
}

/** The value is a reference to another part of the document. */
export const isReference = (value: Json): boolean => (value as JsonObject)['$ref'] !== undefined;

class GnosticEncoder {
  readonly writer = new BinaryWriter();
  readonly #messages: Messages;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  message(name: string, value: Json): void {
    const shape = this.#messages[name];
    if (shape === undefined) throw new Error(`no message ${name}`);
    if (typeof shape === 'function') {
      const chosen = shape(value);
      if (chosen !== undefined) this.#field(...chosen, value);
      return;
    }
    const keys = Object.keys(value as JsonObject);
    const unknown = keys.find(key => !shape.some(([, pattern]) => covers(pattern, key)));
    if (unknown !== undefined) throw new Error(`the message ${name} has no field for ${unknown}`);
    for (const row of shape) this.#row(row, value as JsonObject);
  }

  #row([field, pattern, kind]: Row, value: JsonObject): void {
    if (!pattern.endsWith('*')) {
      const member = value[pattern];
      if (member !== undefined) this.#field(field, kind, member);
      return;
    }
    for (const key of Object.keys(value)) {
      if (covers(pattern, key)) this.#pair(field, key, kind, value[key] as Json);
    }
  }

  #pair(field: number, name: string, kind: Kind, value: Json): void {
    this.#nested(field, () => {
      this.#string(1, name);
      this.#field(2, kind, value);
    });
  }

  #field(field: number, kind: Kind, value: Json): void {
    if (typeof kind === 'string') this.#plain(field, kind, value);
    else if ('list' in kind) this.#repeated(field, {message: kind.list}, value);
    else {
      this.#nested(field, () => {
        if ('message' in kind) this.message(kind.message, value);
        else if ('named' in kind) this.#row([kind.field ?? 1, '*', {message: kind.named}], value as JsonObject);
        else this.#field(1, kind.wrap, value);
      });
    }
  }

  #plain(field: number, kind: Extract<Kind, string>, value: Json): void {
    if (kind === 'string') this.#string(field, value as string);
    else if (kind === 'bool') this.writer.tag(field, WireType.Varint).bool(value === true);
    else if (kind === 'double') this.writer.tag(field, WireType.Bit64).double(value as number);
    else if (kind === 'any') this.#nested(field, () => this.#string(2, blockYaml(value)));
    else this.#repeated(field, kind === 'strings' ? 'string' : 'any', value);
  }

  #repeated(field: number, kind: Kind, values: Json): void {
    for (const item of values as readonly Json[]) this.#field(field, kind, item);
  }

  #nested(field: number, write: () => void): void {
    this.writer.tag(field, WireType.LengthDelimited).fork();
    write();
    this.writer.join();
  }

  #string(field: number, text: string): void {
    this.writer.tag(field, WireType.LengthDelimited).string(text);
  }
}

const covers = (pattern: string, key: string): boolean =>
  pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : pattern === key;
