// SPDX-License-Identifier: Apache-2.0
import type {JsonObject, TypeTable} from '../schema.ts';
import {fieldsDescending, writeMember} from './encode.ts';
import {writeEnvelopeEnd, writeEnvelopeStart} from './envelope.ts';
import {ProtoWriter} from './writer.ts';

/**
 * A list with its envelope, made some items at a time: the bytes of `encodeProtobuf` of the whole list. The length of all stands in
 * front, so nothing can be sent before the last item is made.
 */
export class ProtobufList {
  readonly #types: TypeTable;
  readonly #typeName: string;
  readonly #items: Buffer[] = [];

  /** `typeName`: of the list. */
  constructor(types: TypeTable, typeName: string) {
    this.#types = types;
    this.#typeName = typeName;
  }

  /** The next items, in order. */
  add(items: readonly JsonObject[]): void {
    this.#items.push(this.#member('items', items as JsonObject[]));
  }

  /** `list` is without its items. */
  finish(list: JsonObject): Buffer[] {
    const names = fieldsDescending(this.#types, this.#typeName).map(({name}) => name);
    const body = names.reverse().flatMap(name => (name === 'items' ? this.#items : [this.#member(name, list[name])]));
    const start = new ProtoWriter();
    writeEnvelopeStart(
      start,
      list,
      body.reduce((sum, {length}) => sum + length, 0),
    );
    const end = new ProtoWriter();
    writeEnvelopeEnd(end);
    return [start.finish(), ...body, end.finish()];
  }

  #member(name: string, value: JsonObject[string] | undefined): Buffer {
    const field = fieldsDescending(this.#types, this.#typeName).find(one => one.name === name);
    const writer = new ProtoWriter();
    if (field !== undefined) writeMember(writer, this.#types, field, value);
    return writer.finish();
  }
}
