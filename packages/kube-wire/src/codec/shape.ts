// SPDX-License-Identifier: Apache-2.0
/**
 * Gives a parsed object the form in which it is kept: fields in the order of the Go struct, empty values that Go would
 * leave out dropped, values that Go always writes present, times in UTC, defaults filled in. The same walk checks every
 * type; anything that does not fit in the plainest way makes it give up (`undefined`), and the slow half decides.
 */
import {isCanonicalBase64} from '../go/base64.ts';
import {isCanonicalQuantity} from '../go/quantity.ts';
import {isCanonicalMicroTime, isCanonicalTime} from '../go/time.ts';
import type {Field, FieldType, Json, JsonObject, TypeTable} from '../schema.ts';
import {planOf, type StructPlan} from './plan.ts';
import {Compiled, literal, Source} from './source.ts';
import {isSpelled} from './spelled-value.ts';
import {KEPT_DEPTH_MAX, setOwn} from './untyped.ts';

export type Shaped = {[field: string]: Json};

/** Thrown once per misfit and caught in `shapeObject`; an object, not an Error: it carries no stack. */
const MISFIT = Symbol('misfit');

export type ShapeOptions = {
  /** Fill in the defaults of the API version. */
  readonly defaults: boolean;
  /** The value comes from the slow half: numbers are exact, depth is checked, nothing needs counting. */
  readonly exact?: boolean;
  /** An object in its kept form that the value was made from: lists of it that the value has too are taken as they are. */
  readonly live?: JsonObject | undefined;
};

/** What one walk carries along; `dropped` counts the empty lists and maps that were left out. */
type Walk = {keys: number; dropped: number; readonly defaults: boolean; readonly exact: boolean};
type Shaper = (value: Json, walk: Walk, live: JsonObject | undefined) => Shaped;

/** The kept form of `value` and the number of object keys met on the way; `undefined` if anything is out of place. */
export function shapeObject(
  types: TypeTable,
  typeName: string,
  value: Json,
  {defaults, exact = false, live}: ShapeOptions,
): {object: Shaped; keys: number} | undefined {
  const walk: Walk = {keys: 0, dropped: 0, defaults, exact};
  try {
    return {object: shaperOf(types, typeName).run(value, walk, live), keys: walk.keys};
  } catch (reason) {
    if (reason === MISFIT) return undefined;
    throw reason;
  }
}

const shapers = new Compiled<StructPlan, Shaper>();

function shaperOf(types: TypeTable, typeName: string): {run: Shaper} {
  const plan = planOf(types, typeName);
  return shapers.holder(plan, () => new ShaperSource(types).struct(plan));
}

/** The text of the shaper of one struct. A value that it looks at is in a variable: texts may name it more than once. */
class ShaperSource {
  readonly #types: TypeTable;
  readonly #source = new Source();

  constructor(types: TypeTable) {
    this.#types = types;
  }

  struct(plan: StructPlan): Shaper {
    const source = this.#source;
    return source.compile(`(value, walk, live) => {
      if (value === null || typeof value !== 'object' || Array.isArray(value)) throw ${source.name(MISFIT)};
      const out = {};
      let known = 0, count = 0, given, kept;
      ${plan.fields.map(field => this.#field(field)).join('')}
      for (const _ in value) count++;
      walk.keys += count;
      if (count !== known) ${source.call(allowIgnored, 'value', source.name(plan), 'walk')};
      return out;
    }`);
  }

  #field(field: Field): string {
    const name = literal(field.name);
    const isLive = `live !== undefined && given === live[${name}]`;
    const set = (value: string): string => `out[${name}] = ${value};`;
    const fallback = field.default === undefined ? undefined : this.#source.name(field.default);
    const unset = this.#unset(field);
    // A null that is kept is told from an absent value, where no default is due.
    const keepsNull = field.type.type === 'any' && field.type.raw !== true;
    const whenNull = keepsNull ? `if (given === null) {${set('null')}} else ` : '';
    const whenUnset = `${whenNull}{${unset === undefined ? '' : set(unset)}}`;
    const whenAbsent = fallback === undefined ? whenUnset : `if (walk.defaults) ${set(fallback)} else ${whenUnset}`;
    const keepsEmpty = field.pointer === true || field.keepEmpty === true;
    const isCollection = field.type.type === 'list' || field.type.type === 'map';
    const note = field.type.type === 'map' ? this.#source.call(noteEmpty, 'out', name) : '';
    const whenDropped = isCollection ? `else { walk.dropped++; ${note} }` : '';
    const whenEmpty = fallback === undefined ? whenDropped : `else if (walk.defaults) ${set(fallback)}`;
    const whenGiven = `kept = ${this.#value(field.type, 'given')};
        ${keepsEmpty ? set('kept') : `if (${this.#isFull(field.type, 'kept')}) ${set('kept')} ${whenEmpty}`}`;
    return `
      given = value[${name}];
      if (given !== undefined) known++;
      if (given === undefined || given === null) {${whenAbsent}}
      else ${field.type.type === 'list' ? `if (${isLive}) ${set('given')} else ` : ''}{
        ${whenGiven}
      }`;
  }

  /** What Go writes for an unset field; undefined when it leaves the field out. */
  #unset(field: Field): string | undefined {
    if (field.keepEmpty !== true) return undefined;
    return field.pointer === true ? 'null' : this.#zero(field.type);
  }

  #zero(type: FieldType): string {
    switch (type.type) {
      case 'string':
        return type.format === undefined ? "''" : 'null';
      case 'integer':
      case 'number':
      case 'int-or-string':
        return '0';
      case 'quantity':
        return "'0'";
      case 'boolean':
        return 'false';
      case 'ref':
        return this.#ref(type.ref, '{}');
      case 'any':
      case 'list':
      case 'map':
        return 'null';
    }
  }

  #ref(typeName: string, value: string): string {
    return `${this.#source.name(shaperOf(this.#types, typeName))}.run(${value}, walk, undefined)`;
  }

  #value(type: FieldType, at: string): string {
    switch (type.type) {
      case 'string':
        if (type.format === 'date-time') return this.#source.call(toTime, at);
        if (type.format === 'micro-time') return this.#source.call(toMicroTime, at, 'walk');
        if (type.format === 'byte') return this.#source.call(toBytes, at);
        return `(typeof ${at} === 'string' ? ${at} : ${this.#source.call(refuse)})`;
      case 'integer':
        return this.#source.call(toInteger, at, literal(type.format));
      case 'int-or-string':
        return `(typeof ${at} === 'string' ? ${at} : ${this.#source.call(toInteger, at, literal('int32'))})`;
      case 'quantity':
        return this.#source.call(toQuantity, at);
      case 'number':
        return `(typeof ${at} === 'number' ? ${at} : ${this.#source.call(refuse)})`;
      case 'boolean':
        return `(typeof ${at} === 'boolean' ? ${at} : ${this.#source.call(refuse)})`;
      case 'ref':
        return this.#ref(type.ref, at);
      case 'list':
        return this.#source.call(toList, at, 'walk', this.#member(type.item));
      case 'map':
        return this.#source.call(toMap, at, 'walk', this.#member(type.value));
      case 'any':
        return this.#source.call(toAny, at, 'walk');
    }
  }

  /** A function for each member of a list or map. */
  #member(type: FieldType): string {
    const inner = new ShaperSource(this.#types);
    const zero = inner.#zero(type);
    const value = inner.#value(type, 'value');
    return this.#source.name(inner.#source.compile(`(value, walk) => value === null ? ${zero} : ${value}`));
  }

  /** That `omitempty` does not leave the value out. */
  #isFull(type: FieldType, at: string): string {
    switch (type.type) {
      case 'string':
        return `${at} !== ''`;
      case 'integer':
      case 'number':
        return `${at} !== 0`;
      case 'boolean':
        return at;
      case 'list':
        return `${at}.length > 0`;
      case 'int-or-string':
      case 'quantity':
        return 'true';
      case 'ref':
      case 'map':
      case 'any':
        return `!${this.#source.call(isEmpty, at)}`;
    }
  }
}

function refuse(): never {
  throw MISFIT;
}

/** Passes over names that are accepted and dropped; any other that the struct does not have is a misfit. */
function allowIgnored(value: Shaped, plan: StructPlan, walk: Walk): void {
  if (plan.ignored === undefined) throw MISFIT;
  for (const key in value) {
    if (plan.byName.has(key)) continue;
    if (!plan.ignored.has(key)) throw MISFIT;
    walk.keys += countInside(value[key] ?? null);
  }
}

function toTime(given: Json): Json {
  if (typeof given !== 'string' || !isCanonicalTime(given)) throw MISFIT;
  return given;
}

function toMicroTime(given: Json, walk: Walk): Json {
  if (typeof given !== 'string' || !(walk.exact || isCanonicalMicroTime(given))) throw MISFIT;
  return given;
}

function toBytes(given: Json): Json {
  if (typeof given !== 'string' || !isCanonicalBase64(given)) throw MISFIT;
  return given;
}

function toQuantity(given: Json): Json {
  if (typeof given !== 'string' || !isCanonicalQuantity(given)) throw MISFIT;
  return given;
}

function toInteger(given: Json, format: 'int32' | 'int64'): Json {
  if (typeof given === 'bigint' && format === 'int64') return given;
  if (typeof given !== 'number' || !Number.isSafeInteger(given)) throw MISFIT;
  if (format === 'int32' && (given > 2147483647 || given < -2147483648)) throw MISFIT;
  return given + 0;
}

function toAny(given: Json, walk: Walk): Json {
  if (!walk.exact) walk.keys += countInside(given);
  return given;
}

type Member = (value: Json, walk: Walk) => Json;

const lessThanSent = new WeakSet<readonly Json[]>();

/** Whether a decoded list lacks an empty list or map that an item of it was sent with: to Go they are not equal. */
export const lacksEmpties = (list: readonly Json[]): boolean => lessThanSent.has(list);

const sentEmpty = new WeakMap<object, Set<string>>();

function noteEmpty(struct: Shaped, field: string): void {
  const fields = sentEmpty.get(struct) ?? new Set();
  sentEmpty.set(struct, fields.add(field));
}

/** Whether a decoded struct, not a copy of it, was sent with an empty map in a field that it lacks: to Go it is not the same as none. */
export const wasSentEmpty = (struct: object, field: string): boolean => sentEmpty.get(struct)?.has(field) === true;

function toList(given: Json, walk: Walk, member: Member): Json {
  if (!Array.isArray(given)) throw MISFIT;
  const source = given as readonly Json[];
  const out: Json[] = new Array(source.length);
  const {dropped} = walk;
  for (let i = 0; i < source.length; i++) out[i] = member(source[i] as Json, walk);
  if (walk.dropped > dropped) lessThanSent.add(out);
  return out;
}

function toMap(given: Json, walk: Walk, member: Member): Json {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || isSpelled(given)) throw MISFIT;
  const source = given as Shaped;
  const out: Shaped = {};
  for (const key in source) {
    walk.keys++;
    setOwn(out, key, member(source[key] as Json, walk));
  }
  return out;
}

/** What `omitempty` leaves out. */
function isEmpty(value: Json): boolean {
  if (typeof value === 'string') return value === '';
  if (typeof value === 'number') return value === 0;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object' || value === null) return value === null;
  for (const _ in value) return false;
  return true;
}

/** Keys of all objects in what JSON.parse made; undefined when it may have rounded a number, or is too deep to be kept. */
export function keysInside(value: Json): number | undefined {
  try {
    return countInside(value);
  } catch (reason) {
    if (reason === MISFIT) return undefined;
    throw reason;
  }
}

/** Keys of all objects in a value that is kept as it is; a number that JSON.parse may have rounded is a misfit. */
function countInside(value: Json, depth = 0): number {
  if (depth > KEPT_DEPTH_MAX) throw MISFIT;
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw MISFIT;
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (isSpelled(value)) throw MISFIT;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) keys += countInside(item, depth + 1);
    return keys;
  }
  const object = value as Shaped;
  for (const key in object) keys += 1 + countInside(object[key] as Json, depth + 1);
  return keys;
}
