// SPDX-License-Identifier: Apache-2.0
/**
 * One step of a field path, kept as its text in FieldsV1:
 * `f:<name>` a field, `k:{…}` the list item with these keys, `v:<json>` the set member, `i:<n>` an index.
 * The text is canonical (keys sorted, Go's JSON), so equal steps are equal strings.
 * Ref: structured-merge-diff v6 fieldpath/element.go, serialize-pe.go.
 */

import {decodeJson} from '../../codec/decode.ts';
import {DecodeError} from '../../codec/decode-error.ts';
import {compareUtf8} from '../../go/order.ts';
import {goQuote} from '../../go/quote.ts';
import {goNumber} from '../../patch/go-text.ts';
import {goJson, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';

export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The list item whose key fields have these values. */
export function keyElement(keys: JsonObject): PathElement {
  return `k:${stepJson(keys)}`;
}

export function valueElement(value: Json): PathElement {
  return `v:${stepJson(value)}`;
}

const LONG_ESCAPES: Readonly<Record<string, string>> = {'\\b': '\\u0008', '\\f': '\\u000c'};

/** Steps are written by another encoder (json-iterator), which has no short escapes for these two. */
function stepJson(value: Json): string {
  const text = goJson(value);
  return text.includes('\\') ? text.replace(/\\./g, short => LONG_ESCAPES[short] ?? short) : text;
}

/** Undefined: a kind of step that this version does not know, to be dropped. Throws SyntaxError on nonsense. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError('key must be 2 characters long:');
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`);
  const body = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'k': {
      const keys = firstValue(body) ?? {};
      if (!isJsonObject(keys)) throw new SyntaxError(`key is not an object: ${text}`);
      return keyElement(keys);
    }
    case 'v':
      return valueElement(firstValue(body));
    case 'i':
      return `i:${indexOf(body)}`;
    default:
      return undefined;
  }
}

/** An integer of 64 bits. */
function indexOf(text: string): bigint {
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  const value = /^[+-]?\d{1,19}$/.test(digits) ? BigInt(digits.replace('+', '')) : undefined;
  if (value === undefined || value !== BigInt.asIntN(64, value))
    throw new SyntaxError(`index is not a number: ${text}`);
  return value;
}

/** The first value of a text; what follows it is not looked at, as upstream's reader does. Throws SyntaxError. */
function firstValue(text: string): Json {
  try {
    return decodeJson(text).value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const first = firstOf(text);
    if (first !== undefined && first !== text) return firstValue(first);
    throw new SyntaxError(error.message, {cause: error}); // also what is too deep, or a number beyond any float
  }
}

function firstOf(text: string): string | undefined {
  const token = /[\s,:]*("(?:[^"\\]|\\.)*"|true|false|null|[-+.eE\d]+|[[\]{}])/gy;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [, word = ''] = found;
    if (word === '{' || word === '[') depth++;
    else if (word === '}' || word === ']') depth--;
    if (depth <= 0) return text.slice(0, token.lastIndex);
  }
  return undefined;
}

const RANK: Readonly<Record<string, number>> = {f: 0, k: 1, v: 2, i: 3};

/** Fields, then keyed items, then set members, then indexes; each by value. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a.charAt(0);
  if (kind !== b.charAt(0)) return (RANK[kind] ?? 4) - (RANK[b.charAt(0)] ?? 4);
  if (kind === 'f') return compareUtf8(a, b);
  const left = JSON.parse(a.slice(2)) as Json;
  const right = JSON.parse(b.slice(2)) as Json;
  return kind === 'k' ? compareKeys(left as JsonObject, right as JsonObject) : compareValues(left, right);
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const left = Object.keys(a).sort(compareUtf8);
  const right = Object.keys(b).sort(compareUtf8);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [leftName = '', rightName = ''] = [left[i], right[i]];
    const order = compareUtf8(leftName, rightName) || compareValues(a[leftName] ?? null, b[rightName] ?? null);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers, strings, booleans, lists, maps, null. */
function compareValues(a: Json, b: Json): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b);
  return compareUtf8(goJson(a), goJson(b));
}

function valueRank(value: Json): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (isJsonArray(value)) return 3;
  return value === null ? 5 : 4;
}

/** As conflicts and errors print it: `.name`, `[uid="1"]`, `[="x"]`, `[0]`. */
export function pathElementText(element: PathElement): string {
  const body = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${body}`;
    case 'k': {
      const keys = JSON.parse(body) as JsonObject;
      const names = Object.keys(keys).sort(compareUtf8);
      return `[${names.map(name => `${name}=${valueText(keys[name] ?? null)}`).join(',')}]`;
    }
    case 'v':
      return `[=${valueText(JSON.parse(body) as Json)}]`;
    default:
      return `[${body}]`;
  }
}

function valueText(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  if (isJsonArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (isJsonObject(value)) {
    return Object.keys(value)
      .map(key => `${key}=${valueText(value[key] ?? null)}`)
      .join('');
  }
  return String(value);
}

export function pathText(path: readonly PathElement[]): string {
  return path.map(pathElementText).join('');
}
