// SPDX-License-Identifier: Apache-2.0
/** What the writer of protobuf looks up for a struct, made once from its schema. */
import {planOf} from '../codec/plan.ts';
import type {Field, FieldType, TypeTable} from '../schema.ts';
import {ProtoWriter} from './writer.ts';

export class MessagePlan {
  readonly typeName: string;
  /** All that JSON has, in its order. */
  readonly inJson: readonly FieldPlan[];
  /** Those that protobuf has, by number. */
  readonly byNumber: readonly FieldPlan[];
  /** Both orders are the same. */
  readonly isInOrder: boolean;

  constructor(typeName: string, inJson: readonly FieldPlan[]) {
    this.typeName = typeName;
    this.inJson = inJson;
    const sent = inJson.filter(({number}) => number > 0);
    this.byNumber = [...sent].sort((a, b) => a.number - b.number);
    this.isInOrder = sent.every((field, i) => field === this.byNumber[i]);
  }
}

type Part = Pick<Field, 'name' | 'proto' | 'type' | 'pointer'>;

/** A field, or (without a name) what a list or map has as its values. */
export class FieldPlan {
  /** `"name":` */
  readonly key: Buffer;
  /** Its place in the JSON. */
  readonly index: number;
  /** 0: only JSON has it. */
  readonly number: number;
  readonly type: FieldType;
  readonly isPointer: boolean;
  readonly #types: TypeTable;
  #message: MessagePlan | undefined;
  #value: FieldPlan | undefined;
  #zero: Buffer | undefined;

  constructor(types: TypeTable, {name, proto, type, pointer}: Part, index = 0) {
    this.#types = types;
    this.index = index;
    this.key = Buffer.from(`"${name}":`);
    this.number = proto;
    this.type = type;
    this.isPointer = pointer === true;
  }

  /** Of a struct. Looked up when it is first needed: a struct may hold others of its kind. */
  get message(): MessagePlan {
    this.#message ??= messagePlanOf(this.#types, (this.type as Extract<FieldType, {type: 'ref'}>).ref);
    return this.#message;
  }

  /** What a list or map holds. */
  get value(): FieldPlan {
    this.#value ??= new FieldPlan(this.#types, {name: '', proto: this.#valueNumber(), type: this.#valueType()});
    return this.#value;
  }

  /** What is written for null in a list or map, or for the field where it is always written and not set. */
  get zero(): Buffer {
    this.#zero ??= this.#zeroBytes();
    return this.#zero;
  }

  #zeroBytes(): Buffer {
    const {type, number} = this;
    const tag = (wireType: number): Buffer => varint(number * 8 + wireType);
    if (type.type === 'number') return Buffer.concat([tag(1), Buffer.alloc(8)]);
    if (type.type === 'integer' || type.type === 'boolean') return Buffer.concat([tag(0), varint(0)]);
    const content = type.type === 'ref' ? this.message.byNumber.filter(isAlwaysWritten).map(({zero}) => zero) : [];
    const bytes = Buffer.concat(content);
    return Buffer.concat([tag(2), varint(bytes.length), bytes]);
  }

  #valueNumber(): number {
    if (this.type.type === 'map') return 2;
    return this.type.type === 'list' && this.type.wrapped === true ? 1 : this.number;
  }

  #valueType(): FieldType {
    if (this.type.type === 'map') return this.type.value;
    if (this.type.type === 'list') return this.type.item;
    throw new Error(`a ${this.type.type} holds nothing`);
  }
}

/** Also when it is zero. Lists, maps and bytes write nothing then. */
export function isAlwaysWritten({type, isPointer}: FieldPlan): boolean {
  return !(
    isPointer ||
    type.type === 'list' ||
    type.type === 'map' ||
    (type.type === 'string' && type.format === 'byte')
  );
}

function varint(value: number): Buffer {
  const writer = new ProtoWriter();
  writer.varint(value);
  return writer.finish();
}

const plans = new WeakMap<TypeTable, Map<string, MessagePlan>>();

/** Throws on a name that the table does not have: a bug of the caller. */
export function messagePlanOf(types: TypeTable, typeName: string): MessagePlan {
  let known = plans.get(types);
  if (known === undefined) {
    known = new Map();
    plans.set(types, known);
  }
  let plan = known.get(typeName);
  if (plan === undefined) {
    plan = new MessagePlan(
      typeName,
      planOf(types, typeName).fields.map((field, index) => new FieldPlan(types, field, index)),
    );
    known.set(typeName, plan);
  }
  return plan;
}
