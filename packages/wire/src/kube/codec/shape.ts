// SPDX-License-Identifier: Apache-2.0
/**
 * Gives a parsed object the form in which it is kept: fields in the order of the Go struct, empty values that Go would
 * leave out dropped, values that Go always writes present, times in UTC, defaults filled in. The same walk checks every
 * type; anything that does not fit in the plainest way makes it give up (`undefined`), and the slow half decides.
 */
import {isCanonicalTime} from '../go/time.ts';
import type {Field, FieldType, Json, JsonObject, TypeTable} from '../schema.ts';
import {planOf} from './plan.ts';
import {isSpelled} from './spelled-value.ts';
import {setOwn} from './typed-decode.ts';
import {KEPT_DEPTH_MAX} from './untyped.ts';

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

/** The kept form of `value` and the number of object keys met on the way; `undefined` if anything is out of place. */
export function shapeObject(
  types: TypeTable,
  typeName: string,
  value: Json,
  options: ShapeOptions,
): {object: Shaped; keys: number} | undefined {
  const shaper = new Shaper(types, options);
  try {
    return {object: shaper.struct(typeName, value, options.live), keys: shaper.keys};
  } catch (reason) {
    if (reason === MISFIT) return undefined;
    throw reason;
  }
}

class Shaper {
  keys = 0;
  readonly #types: TypeTable;
  readonly #defaults: boolean;
  readonly #exact: boolean;

  constructor(types: TypeTable, options: ShapeOptions) {
    this.#types = types;
    this.#defaults = options.defaults;
    this.#exact = options.exact === true;
  }

  struct(typeName: string, value: Json, live?: JsonObject): Shaped {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw MISFIT;
    const source = value as Shaped;
    const plan = planOf(this.#types, typeName);
    const out: Shaped = {};
    let known = 0;
    for (const field of plan.fields) {
      const given = source[field.name];
      if (given !== undefined) known++;
      const kept = isListOf(live, field, given) ? given : this.#field(field, given);
      if (kept !== undefined) out[field.name] = kept;
    }
    let count = 0;
    for (const _ in source) count++;
    this.keys += count;
    if (count !== known && !this.#onlyIgnored(source, plan)) throw MISFIT;
    return out;
  }

  #onlyIgnored(source: Shaped, plan: ReturnType<typeof planOf>): boolean {
    if (plan.ignored === undefined) return false;
    for (const key in source) {
      if (plan.byName.has(key)) continue;
      if (!plan.ignored.has(key)) return false;
      this.keys += countInside(source[key] ?? null);
    }
    return true;
  }

  #field(field: Field, given: Json | undefined): Json | undefined {
    const {type} = field;
    if (given === undefined || given === null) {
      if (this.#defaults && field.default !== undefined) return field.default;
      if (given === null && type.type === 'any' && type.raw !== true) return null;
      return field.keepEmpty === true ? this.#zero(field) : undefined;
    }
    const value = this.#value(type, given);
    if (field.pointer === true || field.keepEmpty === true || !isEmpty(value)) return value;
    return this.#defaults ? field.default : undefined;
  }

  #zero(field: Field): Json {
    if (field.pointer === true) return null;
    return this.#zeroOf(field.type);
  }

  #zeroOf(type: FieldType): Json {
    switch (type.type) {
      case 'string':
        return type.format === undefined ? '' : null;
      case 'integer':
      case 'number':
        return 0;
      case 'boolean':
        return false;
      case 'ref':
        return this.struct(type.ref, {});
      case 'any':
      case 'list':
      case 'map':
        return null;
    }
  }

  #value(type: FieldType, given: Json): Json {
    switch (type.type) {
      case 'string':
        if (typeof given !== 'string') throw MISFIT;
        if (type.format === 'date-time' && !isCanonicalTime(given)) throw MISFIT;
        if (type.format === 'micro-time' && !this.#exact) throw MISFIT;
        return given;
      case 'integer':
        return toInteger(given, type.format);
      case 'number':
        if (typeof given !== 'number') throw MISFIT;
        return given;
      case 'boolean':
        if (typeof given !== 'boolean') throw MISFIT;
        return given;
      case 'ref':
        return this.struct(type.ref, given);
      case 'list':
        return this.#list(type.item, given);
      case 'map':
        return this.#map(type.value, given);
      case 'any':
        if (!this.#exact) this.keys += countInside(given);
        return given;
    }
  }

  #list(item: FieldType, given: Json): Json {
    if (!Array.isArray(given)) throw MISFIT;
    const source = given as readonly Json[];
    const out: Json[] = new Array(source.length);
    for (let i = 0; i < source.length; i++) {
      const value = source[i] as Json;
      out[i] = value === null ? this.#zeroOf(item) : this.#value(item, value);
    }
    return out;
  }

  #map(value: FieldType, given: Json): Json {
    if (typeof given !== 'object' || given === null || Array.isArray(given) || isSpelled(given)) throw MISFIT;
    const source = given as Shaped;
    const out: Shaped = {};
    for (const key in source) {
      this.keys++;
      const member = source[key] as Json;
      setOwn(out, key, member === null ? this.#zeroOf(value) : this.#value(value, member));
    }
    return out;
  }
}

function isListOf(live: JsonObject | undefined, {name, type}: Field, given: Json | undefined): boolean {
  return live !== undefined && given !== undefined && type.type === 'list' && given === live[name];
}

function toInteger(given: Json, format: 'int32' | 'int64'): Json {
  if (typeof given === 'bigint' && format === 'int64') return given;
  if (typeof given !== 'number' || !Number.isSafeInteger(given)) throw MISFIT;
  if (format === 'int32' && (given > 2147483647 || given < -2147483648)) throw MISFIT;
  return given + 0;
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
