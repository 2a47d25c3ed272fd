// SPDX-License-Identifier: Apache-2.0
/**
 * JSON values into objects the way a strategic merge patch does it: not through the decoder but by a converter with
 * rules and words of its own (`cannot restore slice from string`), which lets whole floats pass as integers.
 * Ref: kubernetes v1.36 apimachinery pkg/runtime/converter.go (fromUnstructured).
 */
import {Base64Error, normalizeBase64} from '../go/base64.ts';
import {canonicalQuantity} from '../go/quantity.ts';
import {normalizeTime} from '../go/time.ts';
import type {Field, FieldType, Json, TypeTable} from '../schema.ts';
import type {Decoded, DecodeOptions} from './decode.ts';
import {asDecodeError, cannotUnmarshal, DecodeError} from './decode-error.ts';
import {goItemTypeOf, goOfMember, planOf} from './plan.ts';
import {shapeObject} from './shape.ts';
import {isSpelled} from './spelled-value.ts';
import {memberPath} from './strict-faults.ts';
import type {Loose} from './typed-decode.ts';
import {setOwn} from './untyped.ts';

/** Converts an object. `strictErrors` are unknown fields, sorted. Throws DecodeError with the converter's text. */
export function convertUnstructured(
  types: TypeTable,
  typeName: string,
  value: Json,
  options: DecodeOptions = {},
): Decoded {
  const converter = new Converter(types);
  const object = converter.value(value, {type: 'ref', ref: typeName}, '', '') ?? {};
  const shaped = shapeObject(types, typeName, object, {defaults: options.defaults ?? true, exact: true});
  if (shaped === undefined) throw new Error(`converted ${typeName} has no shape`);
  return {object: shaped.object, strictErrors: converter.unknown.sort()};
}

/** The converter's words for a value that a field of this type does not hold. */
export function looseScalarFault(given: Json, type: 'int-or-string' | 'quantity'): string | undefined {
  try {
    new Converter({}).value(given, {type}, '', '');
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

class Converter {
  readonly unknown: string[] = [];
  readonly #types: TypeTable;

  constructor(types: TypeTable) {
    this.#types = types;
  }

  /** `undefined` is Go's zero value. */
  value(given: Json | undefined, type: FieldType, go: string, path: string): Json | undefined {
    if (given === undefined || given === null) return undefined;
    switch (type.type) {
      case 'any':
        return unspelled(given);
      case 'string':
        if (type.format === 'byte') return toBytes(given);
        return type.format === undefined ? toText(given, go) : toTime(given, type.format);
      case 'integer':
        return toInteger(given, type.format, go);
      case 'int-or-string':
        return toIntOrString(given);
      case 'quantity':
        return asDecodeError(() => canonicalQuantity(textOfQuantity(given)));
      case 'number':
        if (typeof given === 'number' || typeof given === 'bigint') return Number(given);
        if (isSpelled(given)) return Number(given.text);
        throw new DecodeError('unrecognized type: float64');
      case 'boolean':
        if (typeof given === 'boolean') return given;
        throw new DecodeError('unrecognized type: bool');
      case 'list':
        if (!Array.isArray(given)) throw new DecodeError(`cannot restore slice from ${kindOf(given)}`);
        return (given as readonly Json[]).map(
          (item, i) => this.value(item, type.item, goItemTypeOf(go), `${path}[${i}]`) ?? null,
        );
      case 'map':
        return this.#map(given, type.value, go, path);
      case 'ref':
        return this.#struct(given, type.ref, path);
    }
  }

  #map(given: Json, type: FieldType, go: string, path: string): Json {
    if (kindOf(given) !== 'map') throw new DecodeError(`cannot restore map from ${kindOf(given)}`);
    const out: Loose = {};
    for (const [key, member] of Object.entries(given as Loose)) {
      setOwn(out, key, this.value(member, type, goOfMember(go, type), memberPath(path, key)) ?? null);
    }
    return out;
  }

  #struct(given: Json, typeName: string, path: string): Json {
    if (kindOf(given) !== 'map') throw new DecodeError(`cannot restore struct from: ${kindOf(given)}`);
    const source = given as Loose;
    const plan = planOf(this.#types, typeName);
    const out: Loose = {};
    for (const field of plan.fields) {
      const value = this.#field(source, field, path);
      if (value !== undefined) out[field.name] = value;
    }
    for (const key of Object.keys(source)) {
      if (plan.byName.has(key) || plan.ignored?.has(key) === true) continue;
      this.unknown.push(`unknown field "${memberPath(path, key)}"`);
    }
    return out;
  }

  #field(source: Loose, field: Field, path: string): Json | undefined {
    if (!Object.hasOwn(source, field.name)) return undefined;
    return this.value(source[field.name], field.type, field.go.replace(/^\*/, ''), memberPath(path, field.name));
  }
}

/** Go's name for what a JSON value is decoded to. */
function kindOf(value: Json): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (isSpelled(value)) return 'float64';
  return Array.isArray(value) ? 'slice' : 'map';
}

function toBytes(given: Json): Json {
  if (Array.isArray(given)) return Buffer.from(given.map(toByte)).toString('base64');
  if (typeof given !== 'string') throw new DecodeError(`cannot restore slice from ${kindOf(given)}`);
  try {
    return normalizeBase64(given);
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    throw new DecodeError(`error decoding from json: ${error.message}`, {cause: error});
  }
}

/** Numbers lose what does not fit. */
function toByte(given: Json): number {
  if (given === null) return 0;
  return Number(BigInt.asUintN(8, BigInt(toInteger(given, 'uint8', 'uint8'))));
}

function toText(given: Json, go: string): string {
  if (typeof given === 'string') return given;
  if (kindOf(given) === 'int64') throw new DecodeError(`cannot convert int64 to ${go}`);
  throw new DecodeError('unrecognized type: string');
}

function toInteger(given: Json, format: 'int32' | 'int64' | 'uint8', go: string): number | bigint {
  const number = isSpelled(given) ? Number(given.text) : given;
  if (typeof number !== 'number' && typeof number !== 'bigint') throw new DecodeError(`unrecognized type: ${format}`);
  if (typeof number === 'number' && !Number.isInteger(number)) {
    throw new DecodeError(`cannot convert float64 to ${go}`);
  }
  const whole = BigInt(number);
  // Go's conversions cut off what does not fit; from a float that no 64 bits hold, the processor's least integer is left.
  const kept = whole === BigInt.asIntN(64, whole) ? whole : -(2n ** 63n);
  if (format === 'int32') return Number(BigInt.asIntN(32, kept));
  return Number.isSafeInteger(Number(kept)) ? Number(kept) : kept;
}

/** Raw JSON keeps no spelling of numbers. */
function unspelled(value: Json): Json {
  if (isSpelled(value)) return Number(value.text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(unspelled);
  const out: Loose = {};
  for (const [key, member] of Object.entries(value as Loose)) setOwn(out, key, unspelled(member));
  return out;
}

function toTime(given: Json, format: 'date-time' | 'micro-time'): Json | undefined {
  if (typeof given !== 'string') throw new DecodeError(cannotUnmarshal(jsonKindOf(given), 'value of type string'));
  return asDecodeError(() => normalizeTime(given, format));
}

/** What Go's JSON decoder calls the value. */
function jsonKindOf(given: Json): string {
  const what = kindOf(given);
  return what === 'slice'
    ? 'array'
    : what === 'map'
      ? 'object'
      : what === 'bool' || what === 'string'
        ? what
        : 'number';
}

function toIntOrString(given: Json): Json {
  if (typeof given === 'string') return given;
  const number = isSpelled(given) ? Number(given.text) : given;
  if (typeof number === 'number' && Number.isInteger(number) && number === (number | 0)) return number + 0;
  const kind = jsonKindOf(given);
  const shown = kind === 'number' ? `number ${isSpelled(given) ? given.text : String(given)}` : kind;
  throw new DecodeError(cannotUnmarshal(shown, 'value of type int32'));
}

/** Its decoder reads the JSON of the value, whatever that is. */
function textOfQuantity(given: Json): string {
  if (typeof given === 'string') return given;
  if (isSpelled(given)) return given.text;
  return typeof given === 'bigint' ? String(given) : JSON.stringify(given);
}
