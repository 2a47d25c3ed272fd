// SPDX-License-Identifier: Apache-2.0
/**
 * How Go prints values. Messages of the Kubernetes API quote patches and values with Go's own verbs (`%v`, `%#v`,
 * `%T`), so a client that compares them needs the same text. Ref: Go fmt.
 */

import {isSpelled} from '../codec/spelled-value.ts';
import {compareUtf8} from '../go/order.ts';
import {goQuote} from '../go/quote.ts';
import type {Json} from '../schema.ts';
import {isJsonObject} from './json-value.ts';

/**
 * `%v` of a number that came out of JSON. What is whole and fits in 64 bits is an integer there; anything else is a float,
 * whose shortest digits are written out while the exponent is from -4 to 5.
 */
export function goNumber(value: number | bigint): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : value.toString();
  return goFloat(value);
}

export function goFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  if (Number(exponent) >= -4 && Number(exponent) < 6) return String(value);
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`;
}

/** `%v` of a decoded JSON value: `map[a:1 b:[x y]]`, keys sorted, nil as `<nil>`. */
export function goText(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (isSpelled(value)) return goFloat(Number(value.text));
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  const object = value as {readonly [key: string]: Json};
  const keys = Object.keys(object).sort(compareUtf8);
  return `map[${keys.map(key => `${key}:${goText(object[key])}`).join(' ')}]`;
}

/** `%s` of a decoded JSON value: only strings are at home there, and nil inside of a list or map. */
export function goStringVerb(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) {
    const members = Object.keys(value).sort(compareUtf8);
    return `map[${members.map(key => `${key}:${insideStringVerb(value[key])}`).join(' ')}]`;
  }
  if (Array.isArray(value)) return `[${value.map(insideStringVerb).join(' ')}]`;
  if (value === null || value === undefined) return '%!s(<nil>)';
  return `%!s(${goTypeName(value)}=${goText(value)})`;
}

function insideStringVerb(value: Json | undefined): string {
  return value === null || value === undefined ? '<nil>' : goStringVerb(value);
}

/** `%#v` of a decoded JSON value. */
export function goSyntax(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (isSpelled(value)) return goFloat(Number(value.text));
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  const object = value as {readonly [key: string]: Json};
  const keys = Object.keys(object).sort(compareUtf8);
  return `map[string]interface {}{${keys.map(key => `${goQuote(key)}:${goSyntax(object[key])}`).join(', ')}}`;
}

/** The Go type of a decoded JSON value, as `%T` prints it. */
export function goTypeName(value: Json | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (isSpelled(value)) return 'float64';
  if (typeof value === 'boolean') return 'bool';
  return isJsonObject(value) ? 'map[string]interface {}' : '[]interface {}';
}

const SPELLED_KINDS: {readonly [first: string]: string} = {'"': 'string', '{': 'object'};

/** The word that Go's JSON decoder uses for a value of the wrong type. */
export function goJsonKind(value: Json): string {
  if (value === null) return 'null';
  if (isSpelled(value)) return SPELLED_KINDS[value.text[0] ?? ''] ?? 'number';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
