// SPDX-License-Identifier: Apache-2.0
import {encodeJson} from '../codec/encode.ts';
import {planOf} from '../codec/plan.ts';
import type {Field, JsonObject, TypeTable} from '../schema.ts';
import {type TypeMeta, writeEnvelopeEnd, writeEnvelopeStart} from './envelope.ts';
import {Transcoder} from './transcode.ts';
import {ProtoWriter} from './writer.ts';

const NOTHING = Buffer.alloc(0);

/**
 * A list with its envelope in pieces: `start`, the items some at a time, `end` are the bytes of `encodeProtobuf` of the whole list.
 * The length of all stands in front, so nothing can be sent before that of the last item is known.
 */
export class ProtobufList {
  readonly #types: TypeTable;
  readonly #transcoder: Transcoder;
  readonly #items: Member;
  readonly #metadata: Member;

  /** `typeName`: of the list. Throws where that is none: a bug of the caller. */
  constructor(types: TypeTable, typeName: string) {
    const {byName} = planOf(types, typeName);
    this.#types = types;
    this.#transcoder = new Transcoder(types);
    this.#items = memberOf(typeName, byName.get('items'));
    this.#metadata = memberOf(typeName, byName.get('metadata'));
  }

  /** Some items that follow each other, each as `encodeJson` writes it, with nothing between them. */
  items(jsons: Buffer): Buffer {
    const {number, typeName} = this.#items;
    for (let at = 0; at < jsons.length; ) at = this.#transcoder.member(number, typeName, jsons, at);
    return this.#transcoder.take();
  }

  /** What stands around all items, which have `itemBytes` bytes. */
  around(named: TypeMeta, metadata: JsonObject, itemBytes: number): {readonly start: Buffer; readonly end: Buffer} {
    const {number, typeName} = this.#metadata;
    const json = Buffer.from(encodeJson(this.#types, typeName, metadata));
    this.#transcoder.member(number, typeName, json);
    const meta = this.#transcoder.take();
    const [before, behind] = number < this.#items.number ? [meta, NOTHING] : [NOTHING, meta];
    const [front, back] = [new ProtoWriter(), new ProtoWriter()];
    writeEnvelopeStart(front, named, meta.length + itemBytes);
    writeEnvelopeEnd(back);
    return {start: Buffer.concat([front.finish(), before]), end: Buffer.concat([behind, back.finish()])};
  }
}

type Member = {readonly number: number; readonly typeName: string};

function memberOf(typeName: string, field: Field | undefined): Member {
  const type = field?.type.type === 'list' ? field.type.item : field?.type;
  if (field === undefined || type?.type !== 'ref') throw new Error(`${typeName} is no list`);
  return {number: field.proto, typeName: type.ref};
}
