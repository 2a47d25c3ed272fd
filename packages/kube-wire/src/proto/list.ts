// SPDX-License-Identifier: Apache-2.0
import {BinaryWriter} from '@bufbuild/protobuf/wire';
import {decodeObject} from '../codec/decode.ts';
import {planOf} from '../codec/plan.ts';
import type {Field, JsonObject, TypeTable} from '../schema.ts';
import {writeStructField} from './encode.ts';
import {ENVELOPE_END, envelopeStart, type TypeMeta} from './envelope.ts';
import {finished} from './wire.ts';

/**
 * A list with its envelope in pieces: `start`, the items some at a time, `end` are the bytes of `encodeProtobuf` of the whole list.
 * The length of all is in front, so nothing can be sent before that of the last item is known.
 */
export class ProtobufList {
  readonly #types: TypeTable;
  readonly #items: Member;
  readonly #metadata: Member;

  /** `typeName`: of the list. Throws if it is not one: a bug of the caller. */
  constructor(types: TypeTable, typeName: string) {
    const {byName} = planOf(types, typeName);
    this.#types = types;
    this.#items = memberOf(typeName, byName.get('items'));
    this.#metadata = memberOf(typeName, byName.get('metadata'));
  }

  /** Some items that follow each other, each as the bytes of `encodeJson`. */
  items(jsons: Iterable<Buffer>): Buffer {
    const {number, typeName} = this.#items;
    const writer = new BinaryWriter();
    for (const json of jsons) {
      const {object} = decodeObject(this.#types, typeName, json, {defaults: false});
      writeStructField(writer, this.#types, number, typeName, object);
    }
    return finished(writer);
  }

  /** What is around all items, which have `itemBytes` bytes. */
  around(named: TypeMeta, metadata: JsonObject, itemBytes: number): {readonly start: Buffer; readonly end: Buffer} {
    const {number, typeName} = this.#metadata;
    const writer = new BinaryWriter();
    writeStructField(writer, this.#types, number, typeName, metadata);
    const meta = finished(writer);
    const start = envelopeStart(named, meta.length + itemBytes);
    if (number < this.#items.number) return {start: Buffer.concat([start, meta]), end: ENVELOPE_END};
    return {start, end: Buffer.concat([meta, ENVELOPE_END])};
  }
}

type Member = {readonly number: number; readonly typeName: string};

function memberOf(typeName: string, field: Field | undefined): Member {
  const type = field?.type.type === 'list' ? field.type.item : field?.type;
  if (field === undefined || type?.type !== 'ref') throw new Error(`${typeName} is no list`);
  return {number: field.proto, typeName: type.ref};
}
