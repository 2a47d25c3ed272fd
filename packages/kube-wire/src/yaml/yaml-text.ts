// SPDX-License-Identifier: Apache-2.0
/**
 * How one string is written in YAML: plain, quoted or as a block, folded behind the 80th column as libyaml folds.
 * Ref: go.yaml.in/yaml/v2 v2.4.3 encode.go stringv, emitterc.go yaml_emitter_analyze_scalar, yaml_emitter_write_*_scalar.
 */
import {resolveScalar} from './yaml-scalar.ts';

/** Where a scalar stands. */
export type Place = {
  /** Spaces before a line that goes on with it. */
  readonly indent: number;
  /** Characters of its first line before it. */
  readonly column: number;
  /** A key that is followed by its value on the same line: it is never folded. */
  readonly isKey: boolean;
};

const WIDTH = 80;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** What YAML lets stand as it is; everything else is written as an escape. */
const UNPRINTABLE = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const SPACE_BEFORE_BREAK = / [\n\x85\u2028\u2029]/;
const BREAK = /[\n\x85\u2028\u2029]/;

export const hasBreak = (text: string): boolean => BREAK.test(text);

/** The usual case: nothing in it has to be quoted or can be folded, unless it means something else than a text. */
const WORD = /^[A-Za-z][\w./-]*$/;

export function scalarText(text: string, place: Place): string {
  if (WORD.test(text) && resolveScalar(text).tag === 'str') return text;
  const special = UNPRINTABLE.test(text) || SPACE_BEFORE_BREAK.test(text);
  if (text.includes('\n')) {
    return special || place.isKey || text.endsWith(' ') ? doubleQuoted(text, place) : literal(text, place);
  }
  if (resolveScalar(text).tag !== 'str' || BASE_60.test(text)) return doubleQuoted(text, place);
  if (special || (place.isKey && BREAK.test(text))) return doubleQuoted(text, place);
  if (isPlainSafe(text)) return folded(text, place, 0);
  if (/[\x85\u2028\u2029] /.test(text)) return doubleQuoted(text, place);
  return `'${folded(text, {...place, column: place.column + 1}, 1).replaceAll("'", "''")}'`;
}

function isPlainSafe(text: string): boolean {
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[?:-]( |\t|$)/.test(text)) return false;
  if (text.startsWith('---') || text.startsWith('...')) return false;
  if (BREAK.test(text) || /^ | $/.test(text)) return false;
  return !/:( |\t|$)|[ \t]#/.test(text);
}

/** One space becomes the end of a line that is long enough. In quotes (`edge` 1) neither the first nor the last one does. */
function folded(text: string, {indent, column, isKey}: Place, edge: 0 | 1): string {
  const canFold = text.includes(' ') && column + 2 * text.length > WIDTH; // each character takes two columns at most
  if (!canFold && !BREAK.test(text)) return text;
  const chars = [...text];
  let out = '';
  let at = column;
  let afterSpace = false;
  let afterBreak = false;
  for (const [i, char] of chars.entries()) {
    const isInside = i >= edge && i < chars.length - edge;
    if (char === ' ' && !isKey && !afterSpace && at > WIDTH && isInside && chars[i + 1] !== ' ') {
      out += `\n${' '.repeat(indent)}`;
      at = indent;
    } else {
      if (afterBreak && !BREAK.test(char)) {
        out += ' '.repeat(indent);
        at = indent;
      }
      out += char;
      at += char === "'" && edge === 1 ? 2 : 1;
    }
    afterSpace = char === ' ';
    afterBreak = BREAK.test(char);
  }
  return out;
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

function doubleQuoted(text: string, {indent, column, isKey}: Place): string {
  const escapesAll = text.startsWith('\ufeff'); // as upstream, which looks for a byte order mark at the wrong place
  const chars = [...text];
  let out = '"';
  let line = column + 1;
  let afterSpace = false;
  for (const [i, char] of chars.entries()) {
    if (char === ' ' && !escapesAll && !isKey && !afterSpace && line > WIDTH && i > 0 && i < chars.length - 1) {
      out += `\n${' '.repeat(indent)}${chars[i + 1] === ' ' ? '\\' : ''}`;
      line = indent + (chars[i + 1] === ' ' ? 1 : 0);
    } else {
      const written = escapesAll || !isKept(char) ? escaped(char) : char;
      out += written;
      line += [...written].length;
    }
    afterSpace = char === ' ' && !escapesAll;
  }
  return `${out}"`;
}

const isKept = (char: string): boolean =>
  char === '\xa0' || !(UNPRINTABLE.test(char) || BREAK.test(char) || char === '"' || char === '\\');

const escaped = (char: string): string => SHORT_ESCAPES[char] ?? escapeRune(char.codePointAt(0) ?? 0);

function escapeRune(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** A block literal: the chomping sign says how the text ends, the digit that it begins with a space. Without a final newline. */
function literal(text: string, {indent}: Place): string {
  const hint = /^[ \n\x85\u2028\u2029]/.test(text) ? '2' : '';
  const chomp = /[\n\x85\u2028\u2029]$/.test(text)
    ? /(^|[\n\x85\u2028\u2029])[\n\x85\u2028\u2029]$/.test(text)
      ? '+'
      : ''
    : '-';
  const body = text.replace(/(^|[\n\x85\u2028\u2029])(?=[^\n\x85\u2028\u2029])/g, `$1${' '.repeat(indent)}`);
  return `|${hint}${chomp}\n${body.endsWith('\n') ? body.slice(0, -1) : body}`;
}
