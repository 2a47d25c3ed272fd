// SPDX-License-Identifier: Apache-2.0
/**
 * JSON values as YAML, laid out as go-yaml v2 does: two spaces, sequences at the level of their key, keys in natural
 * order, strings plain where they cannot be taken for something else. Ref: go.yaml.in/yaml/v2 v2.4.3 encode.go, sorter.go.
 */
import type {Json, JsonObject} from '@palisade/wire/kube';
import {resolveScalar} from './yaml-scalar.ts';

/** A whole document with a final newline. */
export function toYaml(value: Json): string {
  if (isEmptyCollection(value) || typeof value !== 'object' || value === null) return `${inline(value, '')}\n`;
  return Array.isArray(value) ? sequence(value as readonly Json[], '') : mapping(value as JsonObject, '');
}

function mapping(object: JsonObject, indent: string): string {
  let out = '';
  for (const key of Object.keys(object).sort(naturalOrder)) {
    const value = object[key] as Json;
    out += `${indent}${scalar(key, indent, true)}:`;
    if (isEmptyCollection(value) || typeof value !== 'object' || value === null) out += ` ${inline(value, indent)}\n`;
    else if (Array.isArray(value)) out += `\n${sequence(value as readonly Json[], indent)}`;
    else out += `\n${mapping(value as JsonObject, `${indent}  `)}`;
  }
  return out;
}

function sequence(items: readonly Json[], indent: string): string {
  let out = '';
  for (const item of items) {
    if (isEmptyCollection(item) || typeof item !== 'object' || item === null) {
      out += `${indent}- ${inline(item, indent)}\n`;
      continue;
    }
    const inner = `${indent}  `;
    const text = Array.isArray(item) ? sequence(item as readonly Json[], inner) : mapping(item as JsonObject, inner);
    out += `${indent}- ${text.slice(inner.length)}`;
  }
  return out;
}

function isEmptyCollection(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0;
}

function inline(value: Json, indent: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'object') return '{}';
  if (typeof value === 'string') return scalar(value, indent, false);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : floatText(value);
  return String(value);
}

function floatText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** What YAML lets stand as it is; everything else is written as an escape. */
const UNPRINTABLE = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const SPACE_BEFORE_BREAK = / [\n\x85\u2028\u2029]/;
const BREAK = /[\n\x85\u2028\u2029]/;

function scalar(text: string, indent: string, isKey: boolean): string {
  const special = UNPRINTABLE.test(text) || SPACE_BEFORE_BREAK.test(text);
  if (text.includes('\n')) {
    return special || isKey || text.endsWith(' ') ? doubleQuoted(text) : literal(text, indent);
  }
  if (resolveScalar(text).tag !== 'str' || BASE_60.test(text)) return doubleQuoted(text);
  if (special || (isKey && BREAK.test(text))) return doubleQuoted(text);
  if (isPlainSafe(text)) return text;
  return /[\x85\u2028\u2029] /.test(text) ? doubleQuoted(text) : `'${text.replaceAll("'", "''")}'`;
}

function isPlainSafe(text: string): boolean {
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[?:-]( |\t|$)/.test(text)) return false;
  if (text.startsWith('---') || text.startsWith('...')) return false;
  if (BREAK.test(text) || /^[ \t]|[ \t]$/.test(text)) return !/^ | $/.test(text) && !BREAK.test(text);
  return !/:( |\t|$)|[ \t]#/.test(text);
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\xa0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function doubleQuoted(text: string): string {
  let out = '"';
  for (const char of text) {
    const short = SHORT_ESCAPES[char];
    const keep = char === '\xa0' || !(UNPRINTABLE.test(char) || BREAK.test(char) || char === '"' || char === '\\');
    out += keep ? char : (short ?? escapeRune(char.codePointAt(0) ?? 0));
  }
  return `${out}"`;
}

function escapeRune(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** A block literal: the chomping sign says how the text ends, the digit that it begins with a space. */
function literal(text: string, indent: string): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = text.endsWith('\n') ? (text === '\n' || text.endsWith('\n\n') ? '+' : '') : '-';
  const body = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return `|${hint}${chomp}\n${body.map(line => (line === '' ? '' : `${indent}  ${line}`)).join('\n')}`;
}

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

/** Letters after everything else, runs of digits by value. */
export function naturalOrder(a: string, b: string): number {
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
