// SPDX-License-Identifier: Apache-2.0
/**
 * JSON values as YAML, laid out as go-yaml v2 does: two spaces, sequences at the level of their key, keys in natural
 * order. Ref: go.yaml.in/yaml/v2 v2.4.3 encode.go, sorter.go.
 */
import type {Json, JsonObject} from '../schema.ts';
import {hasBreak, type Place, scalarText} from './yaml-text.ts';

/** A key of more bytes does not stand on one line with its value. */
const SIMPLE_KEY_BYTES_MAX = 128;

/** A whole document with a final newline. */
export function toYaml(value: Json): string {
  if (isCollection(value)) return collection(value, '');
  return `${inline(value, {indent: 0, column: 0, isKey: false})}\n`;
}

function mapping(object: JsonObject, indent: string): string {
  let out = '';
  for (const key of Object.keys(object).sort(naturalOrder)) {
    const value = object[key] as Json;
    if (Buffer.byteLength(key) > SIMPLE_KEY_BYTES_MAX || hasBreak(key)) {
      out += `${indent}? ${behindSign(key, indent)}${indent}: ${behindSign(value, indent)}`;
      continue;
    }
    const name = scalarText(key, {indent: indent.length + 2, column: indent.length, isKey: true});
    out += `${indent}${name}:`;
    if (isCollection(value)) out += `\n${collection(value, Array.isArray(value) ? indent : `${indent}  `)}`;
    else {
      const column = indent.length + name.length + 2;
      out += ` ${inline(value, {indent: indent.length + 2, column, isKey: false})}\n`;
    }
  }
  return out;
}

function sequence(items: readonly Json[], indent: string): string {
  return items.map(item => `${indent}- ${behindSign(item, indent)}`).join('');
}

/** What stands behind `- `, `? ` or `: ` at the begin of a line. */
function behindSign(value: Json, indent: string): string {
  const column = indent.length + 2;
  if (isCollection(value)) return collection(value, `${indent}  `).slice(column);
  return `${inline(value, {indent: column, column, isKey: false})}\n`;
}

const collection = (value: readonly Json[] | JsonObject, indent: string): string =>
  Array.isArray(value) ? sequence(value as readonly Json[], indent) : mapping(value as JsonObject, indent);

/** Not an empty one: that is written in a line. */
function isCollection(value: Json): value is readonly Json[] | JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  return (Array.isArray(value) ? value : Object.keys(value)).length > 0;
}

function inline(value: Json, place: Place): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'object') return '{}';
  if (typeof value === 'string') return scalarText(value, place);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : floatText(value);
  return String(value);
}

function floatText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

const LETTERS = /^[A-Za-z]*$/;

/** Letters after everything else, runs of digits by value. */
function naturalOrder(a: string, b: string): number {
  if (LETTERS.test(a) && LETTERS.test(b)) return a < b ? -1 : 1; // keys of one object: never equal
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const l = left[i] as string;
    const r = right[i] as string;
    if (l === r) continue;
    const [isLeft, isRight] = [LETTER.test(l), LETTER.test(r)];
    if (isLeft && isRight) return (l.codePointAt(0) ?? 0) - (r.codePointAt(0) ?? 0);
    if (isLeft || isRight) return isRight ? -1 : 1;
    return compareDigits(left, right, i);
  }
  return left.length - right.length;
}

function compareDigits(left: readonly string[], right: readonly string[], from: number): number {
  const seed = (left[from] === '0' || right[from] === '0') && endsNonZeroDigits(left, from) ? '1' : '';
  const [l, r] = [digitsFrom(left, from), digitsFrom(right, from)];
  const difference = Number(seed + l || '0') - Number(seed + r || '0');
  if (difference !== 0) return difference;
  if (l.length !== r.length) return l.length - r.length;
  return (left[from]?.codePointAt(0) ?? 0) - (right[from]?.codePointAt(0) ?? 0);
}

function digitsFrom(text: readonly string[], from: number): string {
  let end = from;
  while (end < text.length && DIGIT.test(text[end] as string)) end++;
  return text.slice(from, end).join('');
}

function endsNonZeroDigits(text: readonly string[], before: number): boolean {
  for (let i = before - 1; i >= 0 && DIGIT.test(text[i] as string); i--) if (text[i] !== '0') return true;
  return false;
}
