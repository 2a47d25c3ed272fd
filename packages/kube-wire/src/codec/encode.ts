// SPDX-License-Identifier: Apache-2.0
/**
 * Objects to JSON as Go's encoder writes it: fields in the order of the struct, map keys by bytes, `<`, `>`, `&`,
 * U+2028 and U+2029 escaped, empty values left out where the struct says so. Compact; `pretty` indents by two spaces.
 * Ref: Go encoding/json encode.go; apimachinery pkg/runtime/serializer/json/json.go (final newline only when compact).
 */
import {compareUtf8} from '../go/order.ts';
import type {Field, FieldType, Json, JsonObject, TypeTable} from '../schema.ts';
import {planOf, type StructPlan} from './plan.ts';
import {Compiled, literal, Source} from './source.ts';
import {isSpelled} from './spelled-value.ts';

/** Compact JSON of a struct, without a final newline. Fields that the type does not have are left out. */
export function encodeJson(types: TypeTable, typeName: string, object: JsonObject): string {
  return encoderOf(types, typeName).run(object);
}

/** Compact JSON of a value without a schema: keys by bytes, as Go writes maps. */
export function encodeUntyped(value: Json): string {
  switch (typeof value) {
    case 'string':
      return quoteJson(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value); // Go writes exponents as JavaScript does: 1e-7, 1e+21
    case 'bigint':
      return value.toString();
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return encodeList(value as readonly Json[], encodeUntyped);
      return isSpelled(value) ? value.text : encodeMap(value as JsonObject, encodeUntyped);
  }
}

/**
 * Compact JSON text with two spaces of indentation and no final newline, as `?pretty=1` shows it. Takes text, so that
 * stored bytes can be shown without decoding them. Ref: Go encoding/json Indent.
 */
export function prettyJson(compact: string): string {
  let out = '';
  let indent = '\n';
  const length = compact.length;
  for (let at = 0; at < length; at++) {
    const char = compact[at] as string;
    if (char === '"') {
      const end = endOfString(compact, at);
      out += compact.slice(at, end + 1);
      at = end;
    } else if (char === '{' || char === '[') {
      const next = compact[at + 1];
      if (next === '}' || next === ']') {
        out += char + next;
        at++;
      } else {
        indent += '  ';
        out += char + indent;
      }
    } else if (char === '}' || char === ']') {
      indent = indent.slice(0, -2);
      out += indent + char;
    } else if (char === ',') out += char + indent;
    else if (char === ':') out += ': ';
    else if (char !== '\n' && char !== ' ') out += char;
  }
  return out;
}

function endOfString(text: string, open: number): number {
  for (let at = open + 1; ; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at++;
    else if (char === 0x22 || Number.isNaN(char)) return at;
  }
}

type Encoder = (value: JsonObject) => string;

const encoders = new Compiled<StructPlan, Encoder>();

function encoderOf(types: TypeTable, typeName: string): {run: Encoder} {
  const plan = planOf(types, typeName);
  return encoders.holder(plan, () => new EncoderSource(types).struct(plan));
}

/** The text of the encoder of one struct. A value that it looks at is in a variable: texts may name it more than once. */
class EncoderSource {
  readonly #types: TypeTable;
  readonly #source = new Source();

  constructor(types: TypeTable) {
    this.#types = types;
  }

  struct(plan: StructPlan): Encoder {
    return this.#source.compile(`object => {
      let out = '{', value;
      ${plan.fields.map(field => this.#field(field)).join('')}
      return out + '}';
    }`);
  }

  #field(field: Field): string {
    const key = `${quoteJson(field.name)}:`;
    const append = (value: string): string =>
      `out += (out.length > 1 ? ${literal(`,${key}`)} : ${literal(key)}) + ${value};`;
    const whenGiven = append(this.#value(field.type, 'value'));
    const keepsEmpty = field.pointer === true || field.keepEmpty === true;
    const zero = field.pointer === true ? literal('null') : this.#zero(field.type);
    return `
      value = object[${literal(field.name)}];
      if (value !== undefined && value !== null) {${keepsEmpty ? whenGiven : `if (${this.#isFull(field.type)}) ${whenGiven}`}}
      ${field.keepEmpty === true ? `else ${append(zero)}` : ''}`;
  }

  /** What Go writes for an unset value that has no `omitempty`. */
  #zero(type: FieldType): string {
    switch (type.type) {
      case 'string':
        return literal(type.format === undefined ? '""' : 'null');
      case 'integer':
      case 'number':
      case 'int-or-string':
        return literal('0');
      case 'quantity':
        return literal('"0"');
      case 'boolean':
        return literal('false');
      case 'ref':
        return this.#ref(type.ref, '{}');
      default:
        return literal('null');
    }
  }

  #ref(typeName: string, value: string): string {
    return `${this.#source.name(encoderOf(this.#types, typeName))}.run(${value})`;
  }

  #value(type: FieldType, at: string): string {
    switch (type.type) {
      case 'string':
      case 'quantity':
        return this.#source.call(quoteJson, at);
      case 'int-or-string':
        return `(typeof ${at} === 'string' ? ${this.#source.call(quoteJson, at)} : String(${at}))`;
      case 'integer':
      case 'boolean':
        return `String(${at})`;
      case 'ref':
        return this.#ref(type.ref, at);
      case 'list':
        return this.#source.call(encodeList, at, this.#member(type.item));
      case 'map':
        return this.#source.call(encodeMap, at, this.#member(type.value));
      case 'any':
        return this.#source.call(type.raw === true ? encodeAsGiven : encodeUntyped, at);
      case 'number':
        return this.#source.call(encodeUntyped, at);
    }
  }

  /** A function for each member of a list or map. */
  #member(type: FieldType): string {
    const inner = new EncoderSource(this.#types);
    const value = inner.#value(type, 'value');
    const text = `value => value === null ? ${inner.#zero(type)} : ${value}`;
    return this.#source.name(inner.#source.compile(text));
  }

  /** That `omitempty` does not leave the value out. */
  #isFull(type: FieldType): string {
    switch (type.type) {
      case 'string':
        return "value !== ''";
      case 'integer':
        return 'value !== 0';
      case 'boolean':
        return 'value !== false';
      case 'list':
        return 'value.length > 0';
      default:
        return `!${this.#source.call(isEmpty, 'value')}`;
    }
  }
}

function isEmpty(value: Json): boolean {
  if (typeof value === 'object') {
    if (Array.isArray(value)) return value.length === 0;
    for (const _ in value) return false;
    return true;
  }
  return value === '' || value === 0 || value === false;
}

/** JSON of a value that Go keeps as bytes: keys stay in the order they came in. */
export function encodeAsGiven(value: Json): string {
  if (typeof value !== 'object' || value === null) return encodeUntyped(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(encodeAsGiven).join(',')}]`;
  const object = value as JsonObject;
  let out = '{';
  for (const key in object) {
    out += `${out.length > 1 ? ',' : ''}${quoteJson(key)}:${encodeAsGiven(object[key] as Json)}`;
  }
  return `${out}}`;
}

function encodeList(items: readonly Json[], encodeMember: (member: Json) => string): string {
  let out = '[';
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out += ',';
    out += encodeMember(items[i] as Json);
  }
  return `${out}]`;
}

function encodeMap(map: JsonObject, encodeMember: (member: Json) => string): string {
  const keys = Object.keys(map);
  if (keys.length > 1) keys.sort(compareUtf8);
  let out = '{';
  for (const key of keys) {
    out += `${out.length > 1 ? ',' : ''}${quoteJson(key)}:${encodeMember(map[key] as Json)}`;
  }
  return `${out}}`;
}

const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;
const NEEDS_ESCAPE = /[<>&\u2028\u2029\b\f]/g;

/** Longer strings are looked at by the regular expression, which is faster for them. */
const SHORT = 40;

/** Printable ASCII but for `"`, `\`, `<`, `>` and `&`. */
function isPlain(text: string): boolean {
  if (text.length > SHORT) return PLAIN.test(text);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return false;
    if (unit === 0x22 || unit === 0x26 || unit === 0x3c || unit === 0x3e || unit === 0x5c) return false;
  }
  return true;
}

/** A JSON string as Go writes it. */
export function quoteJson(text: string): string {
  if (isPlain(text)) return `"${text}"`;
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed()).replace(NEEDS_ESCAPE, escapeUnit);
}

/** One UTF-16 unit as a JSON string has it in ASCII: `\\u00e9`. */
export function escapeUnit(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
