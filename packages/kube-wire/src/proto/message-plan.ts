// SPDX-License-Identifier: Apache-2.0
/** What the writer of protobuf looks up for a struct, made once from its schema. */
import {planOf, type StructPlan} from '../codec/plan.ts';
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
    const writer = new ProtoWriter();
    if (type.type === 'number') writer.doubleField(number, 0);
    else if (type.type === 'integer' || type.type === 'boolean') writer.varintField(number, 0);
    else {
      const always = type.type === 'ref' ? this.message.byNumber.filter(isAlwaysWritten) : [];
      writer.bytesField(number, Buffer.concat(always.map(({zero}) => zero)));
    }
    return writer.finish();
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

const plans = new WeakMap<StructPlan, MessagePlan>();

/** Throws on a name that the table does not have: a bug of the caller. */
export function messagePlanOf(types: TypeTable, typeName: string): MessagePlan {
  const struct = planOf(types, typeName);
  let plan = plans.get(struct);
  if (plan === undefined) {
    const inJson = struct.fields.map((field, index) => new FieldPlan(types, field, index));
    plan = new MessagePlan(typeName, inJson);
    plans.set(struct, plan);
  }
  return plan;
}
