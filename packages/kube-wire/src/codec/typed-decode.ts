// SPDX-License-Identifier: Apache-2.0
/**
 * The slow half of decoding: a JSON tree into a struct, step by step as Go's decoder does it, for the sake of its
 * errors, its strict errors and what repeated keys do (a second object merges into the first, the last scalar wins).
 * The result holds what the document set and nothing else; decode.ts gives it its final form.
 * Ref: sigs.k8s.io/json internal/golang/encoding/json decode.go (object, array, literalStore), kubernetes_patch.go.
 */
import {Base64Error, normalizeBase64} from '../go/base64.ts';
import {canonicalQuantity} from '../go/quantity.ts';
import {goQuote} from '../go/quote.ts';
import {normalizeTime} from '../go/time.ts';
import type {Field, FieldType, Json, TypeTable} from '../schema.ts';
import {asDecodeError, cannotUnmarshal, DecodeError} from './decode-error.ts';
import type {JsonNode} from './json-scan.ts';
import {goItemTypeOf, goOfMember, goTypeOf, planOf, type StructPlan} from './plan.ts';
import {memberPath, StrictFaults} from './strict-faults.ts';
import {clampedNumber, setOwn, treeToJson} from './untyped.ts';

export type Loose = {[field: string]: Json};

type ListType = Extract<FieldType, {type: 'list'}>;

/** Decodes `node` as the struct `typeName`. Throws DecodeError. */
export function decodeTree(
  types: TypeTable,
  typeName: string,
  node: JsonNode,
): {object: Loose; strictErrors: string[]} {
  const decoder = new TypedDecoder(types);
  const value = decoder.value(node, {type: 'ref', ref: typeName}, goTypeOf(typeName), undefined);
  return {object: decoder.finish(value), strictErrors: decoder.strict.texts};
}

class TypedDecoder {
  readonly strict = new StrictFaults();
  readonly #types: TypeTable;
  /** Path of the value at hand, for strict errors: `subsets[0].addresses`. */
  #path = '';
  /** Names for type errors: the struct and the fields on the way, without list positions. */
  #struct = '';
  #fieldStack: string[] = [];
  #saved: string | undefined;

  constructor(types: TypeTable) {
    this.#types = types;
  }

  finish(value: Json | undefined): Loose {
    if (this.#saved !== undefined) throw new DecodeError(this.#saved);
    return (value ?? {}) as Loose;
  }

  /** The new value of a variable of the given type that held `current`; `undefined` is Go's zero value or nil. */
  value(node: JsonNode, type: FieldType, go: string, current: Json | undefined): Json | undefined {
    const pointer = go.startsWith('*');
    const goType = pointer ? go.slice(1) : go;
    if (node.kind === 'null') return this.#null(type, pointer, current);
    if (type.type === 'any') {
      // Raw values are bytes to Go: nobody looks inside for duplicates, nor how large a number is.
      if (type.raw === true) return treeToJson(node, {spelled: clampedNumber});
      return treeToJson(node, {onDuplicate: at => this.#strict('duplicate field', at), path: this.#path});
    }
    if (type.type === 'string' && type.format !== undefined && type.format !== 'byte') {
      return this.#time(node, type.format);
    }
    if (type.type === 'int-or-string') return this.#intOrString(node);
    if (type.type === 'quantity') return asDecodeError(() => canonicalQuantity(textOf(node)));
    switch (node.kind) {
      case 'bool':
        return type.type === 'boolean' ? node.value : this.#mismatch('bool', goType, current);
      case 'string':
        if (type.type !== 'string') return this.#mismatch('string', goType, current);
        return type.format === 'byte' ? this.#bytes(node.text, current) : node.text;
      case 'number':
        return this.#number(node.text, type, goType, current);
      case 'array':
        if (type.type === 'list') return this.#list(node, type, goType, current);
        return isBytes(type) ? this.#byteList(node.items) : this.#mismatch('array', goType, current);
      case 'object':
        if (type.type === 'ref') return this.#object(node, planOf(this.#types, type.ref), current);
        return type.type === 'map'
          ? this.#map(node, type.value, goType, current)
          : this.#mismatch('object', goType, current);
    }
  }

  #null(type: FieldType, pointer: boolean, current: Json | undefined): Json | undefined {
    if (pointer || type.type === 'list' || type.type === 'map') return undefined;
    if (type.type === 'any') return type.raw === true ? current : null;
    if ((type.type === 'string' && type.format !== undefined) || type.type === 'quantity') return undefined;
    return current;
  }

  #mismatch(what: string, goType: string, current: Json | undefined): Json | undefined {
    this.#saved ??= this.#typeError(what, goType);
    return current;
  }

  #typeError(what: string, goType: string): string {
    if (this.#struct === '' && this.#fieldStack.length === 0) {
      return cannotUnmarshal(what, `value of type ${goType}`);
    }
    const field = `${this.#struct}.${this.#fieldStack.join('.')}`;
    return cannotUnmarshal(what, `struct field ${field} of type ${goType}`);
  }

  /** Times have a decoder of their own, whose errors end everything at once. */
  #time(node: JsonNode, format: 'date-time' | 'micro-time'): Json | undefined {
    if (node.kind !== 'string') throw new DecodeError(this.#typeError(node.kind, 'string'));
    const {text} = node;
    return asDecodeError(() => normalizeTime(text, format));
  }

  /** As for times. */
  #intOrString(node: JsonNode): Json {
    if (node.kind === 'string') return node.text;
    const value = node.kind === 'number' ? parseInteger(node.text, 'int32') : undefined;
    if (value !== undefined) return value;
    throw new DecodeError(this.#typeError(node.kind === 'number' ? `number ${node.text}` : node.kind, 'int32'));
  }

  #bytes(text: string, current: Json | undefined): Json | undefined {
    try {
      return normalizeBase64(text);
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      this.#saved ??= error.message;
      return current;
    }
  }

  /** To Go bytes are a list of small numbers too. */
  #byteList(items: readonly JsonNode[]): string {
    const bytes = items.map(item => {
      if (item.kind === 'null') return 0;
      const isNumber = item.kind === 'number';
      if (isNumber && isByte(item.text)) return Number(item.text);
      this.#mismatch(isNumber ? `number ${item.text}` : item.kind, 'uint8', undefined);
      return 0;
    });
    return Buffer.from(bytes).toString('base64');
  }

  #number(text: string, type: FieldType, goType: string, current: Json | undefined): Json | undefined {
    if (type.type === 'number') return Number(text);
    if (type.type !== 'integer') return this.#mismatch('number', goType, current);
    const value = parseInteger(text, type.format);
    return value ?? this.#mismatch(`number ${text}`, goType, current);
  }

  #list(node: Extract<JsonNode, {kind: 'array'}>, type: ListType, goType: string, current: Json | undefined): Json {
    const before = Array.isArray(current) ? (current as readonly Json[]) : [];
    const itemGo = goItemTypeOf(goType);
    const path = this.#path;
    const items = node.items.map((item, i) => {
      this.#path = `${path}[${i}]`;
      return this.value(item, type.item, itemGo, before[i]) ?? null;
    });
    this.#path = path;
    return items;
  }

  #map(node: Extract<JsonNode, {kind: 'object'}>, type: FieldType, goType: string, current: Json | undefined): Json {
    const map: Loose = (current as Loose | undefined) ?? {};
    const seen = new Set<string>();
    const [path, struct, depth] = [this.#path, this.#struct, this.#fieldStack.length];
    for (const [i, key] of node.keys.entries()) {
      if (seen.has(key)) this.#strict('duplicate field', memberPath(path, key));
      seen.add(key);
      this.#path = memberPath(path, key);
      const value = this.value(node.values[i] as JsonNode, type, goOfMember(goType, type), undefined);
      setOwn(map, key, value ?? null);
      this.#fieldStack.length = depth;
      this.#struct = struct;
    }
    this.#path = path;
    return map;
  }

  #object(node: Extract<JsonNode, {kind: 'object'}>, plan: StructPlan, current: Json | undefined): Json {
    const object: Loose = (current as Loose | undefined) ?? {};
    const seen = new Set<Field>();
    const [path, struct, depth] = [this.#path, this.#struct, this.#fieldStack.length];
    for (const [i, key] of node.keys.entries()) {
      const field = plan.byName.get(key);
      if (field === undefined) {
        if (plan.ignored?.has(key) !== true) this.#strict('unknown field', memberPath(path, key));
        continue;
      }
      if (seen.has(field)) this.#strict('duplicate field', memberPath(path, key));
      seen.add(field);
      this.#path = memberPath(path, key);
      this.#struct = plan.goName;
      if (field.inline !== undefined) this.#fieldStack.push(field.inline);
      this.#fieldStack.push(key);
      const value = this.value(node.values[i] as JsonNode, field.type, field.go, object[key]);
      if (value === undefined) delete object[key];
      else object[key] = value;
      this.#fieldStack.length = depth;
      this.#struct = struct;
    }
    this.#path = path;
    return object;
  }

  #strict(what: string, path: string): void {
    this.strict.tell(() => `${what} ${goQuote(path)}`);
  }
}

const isBytes = (type: FieldType): boolean => type.type === 'string' && type.format === 'byte';
const BYTE_MAX = 255;
const isByte = (text: string): boolean => /^\d+$/.test(text) && Number(text) <= BYTE_MAX;

/** The JSON text of a value, without the quotes of a string. */
function textOf(node: JsonNode): string {
  if (node.kind === 'string' || node.kind === 'number') return node.text;
  return JSON.stringify(treeToJson(node));
}

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** strconv.ParseInt: no fraction, no exponent. Beyond 2^53 a bigint; `undefined` out of range. */
function parseInteger(text: string, format: 'int32' | 'int64'): number | bigint | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  const value = Number(text);
  if (format === 'int32') return value >= -2147483648 && value <= 2147483647 ? value + 0 : undefined;
  if (Number.isSafeInteger(value)) return value + 0;
  const exact = BigInt(text);
  return exact > INT64_MAX || exact < INT64_MIN ? undefined : exact;
}
