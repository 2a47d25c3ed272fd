// SPDX-License-Identifier: Apache-2.0
import type {JsonObject, TypeTable} from '../schema.ts';
import {fieldsDescending, writeMember} from './encode.ts';
import {writeEnvelopeEnd, writeEnvelopeStart} from './envelope.ts';
import {ProtoWriter} from './writer.ts';

/**
 * A list with its envelope in pieces: `start`, the items some at a time, `end` are the bytes of `encodeProtobuf` of the whole list.
 * The length of all stands in front, so nothing can be sent before that of the last item is known.
 */
export class ProtobufList {
  readonly #types: TypeTable;
  readonly #typeName: string;

  /** `typeName`: of the list. */
  constructor(types: TypeTable, typeName: string) {
    this.#types = types;
    this.#typeName = typeName;
  }

  /** Some items that follow each other. */
  items(items: readonly JsonObject[]): Buffer {
    return this.#member('items', items as JsonObject[]);
  }

  /** What stands around all items, which have `itemBytes` bytes. `list` is without them. */
  around(list: JsonObject, itemBytes: number): {readonly start: Buffer; readonly end: Buffer} {
    const names = fieldsDescending(this.#types, this.#typeName).map(({name}) => name);
    names.reverse();
    const at = names.indexOf('items');
    const before = names.slice(0, at).map(name => this.#member(name, list[name]));
    const behind = names.slice(at + 1).map(name => this.#member(name, list[name]));
    const [front, back] = [new ProtoWriter(), new ProtoWriter()];
    writeEnvelopeStart(
      front,
      list,
      [...before, ...behind].reduce((sum, {length}) => sum + length, itemBytes),
    );
    writeEnvelopeEnd(back);
    return {start: Buffer.concat([front.finish(), ...before]), end: Buffer.concat([...behind, back.finish()])};
  }

  #member(name: string, value: JsonObject[string] | undefined): Buffer {
    const field = fieldsDescending(this.#types, this.#typeName).find(one => one.name === name);
    const writer = new ProtoWriter();
    if (field !== undefined) writeMember(writer, this.#types, field, value);
    return writer.finish();
  }
}
