// SPDX-License-Identifier: Apache-2.0
/** Block, quoted and plain scalars. Ref: go.yaml.in/yaml/v2 v2.4.3 scannerc.go, yaml_parser_scan_*_scalar. */
import {scannerFault} from './fault.ts';
import {isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, type YamlSource} from './source.ts';

/** The reader is at the `|` or `>`. `indent` is that of the collection around the scalar, -1 for none. */
export function scanBlockScalar(source: YamlSource, indent: number): string {
  const isLiteral = source.read() === '|';
  const {chomping, increment} = blockHeader(source);
  let own = increment > 0 ? Math.max(indent, 0) + increment : 0;
  const breaks = (): string => {
    const found = blockBreaks(source, own, indent);
    own = found.indent;
    return found.breaks;
  };
  let value = '';
  let leadingBreak = '';
  let wasBlank = false;
  let trailing = breaks();
  while (source.column === own && source.code() !== 0) {
    const startsBlank = isBlank(source.code());
    const folds = !isLiteral && !wasBlank && !startsBlank && leadingBreak.startsWith('\n');
    if (!folds) value += leadingBreak;
    else if (trailing === '') value += ' ';
    value += trailing;
    wasBlank = startsBlank;
    value += source.readWhile(code => !isBreakOrEnd(code));
    leadingBreak = source.readBreak();
    trailing = breaks();
  }
  if (chomping !== '-') value += leadingBreak;
  if (chomping === '+') value += trailing;
  return value;
}

function blockHeader(source: YamlSource): {chomping: string; increment: number} {
  let chomping = '';
  let increment = 0;
  const readChomping = (): void => {
    if (source.is('+') || source.is('-')) chomping = source.read();
  };
  readChomping();
  if (isDigit(source.code())) {
    if (source.is('0')) throw scannerFault(source.line, 'found an indentation indicator equal to 0');
    increment = Number(source.read());
    if (chomping === '') readChomping();
  }
  source.skipBlanks();
  source.skipComment();
  if (!isBreakOrEnd(source.code())) throw scannerFault(source.line, 'did not find expected comment or line break');
  source.readBreak();
  return {chomping, increment};
}

/** Empty lines and the indentation of the next one, which sets that of the scalar when it is 0. */
function blockBreaks(source: YamlSource, indent: number, outer: number): {breaks: string; indent: number} {
  let breaks = '';
  let widest = 0;
  for (;;) {
    const isOutside = (): boolean => indent === 0 || source.column < indent;
    while (isOutside() && source.is(' ')) source.skip();
    widest = Math.max(widest, source.column);
    if (isOutside() && source.is('\t')) {
      throw scannerFault(source.line, 'found a tab character where an indentation space is expected');
    }
    if (!isBreak(source.code())) break;
    breaks += source.readBreak();
  }
  return {breaks, indent: indent === 0 ? Math.max(widest, outer + 1, 1) : indent};
}

/** What is between two words: spaces, or line breaks that are folded. */
class Gap {
  blanks = '';
  isBroken = false;
  #first = '';
  #more = '';

  takeBreak(source: YamlSource): void {
    if (this.isBroken) this.#more += source.readBreak();
    else {
      this.blanks = '';
      this.#first = source.readBreak();
      this.isBroken = true;
    }
  }

  /** A line that ends with a backslash. */
  escapeBreak(source: YamlSource): void {
    source.readBreak();
    this.isBroken = true;
  }

  take(): string {
    const [blanks, first, more, isBroken] = [this.blanks, this.#first, this.#more, this.isBroken];
    this.blanks = '';
    this.#first = '';
    this.#more = '';
    this.isBroken = false;
    if (!isBroken) return blanks;
    if (!first.startsWith('\n')) return first + more;
    return more === '' ? ' ' : more;
  }
}

/** The reader is at the quote. */
export function scanQuotedScalar(source: YamlSource): string {
  const isSingle = source.is("'");
  const quote = source.read();
  const gap = new Gap();
  let value = '';
  for (;;) {
    if (source.isAtDocumentSign()) throw scannerFault(source.line, 'found unexpected document indicator');
    if (source.code() === 0) throw scannerFault(source.line, 'found unexpected end of stream');
    while (!isBlankOrEnd(source.code())) {
      if (isSingle && source.is("'") && source.is("'", 1)) {
        value += "'";
        source.skip(2);
      } else if (source.is(quote)) break;
      else if (isSingle || !source.is('\\')) value += source.read();
      else if (isBreak(source.code(1))) {
        source.skip();
        gap.escapeBreak(source);
        break;
      } else value += escaped(source);
    }
    if (source.is(quote)) break;
    while (isBlank(source.code()) || isBreak(source.code())) {
      if (isBreak(source.code())) gap.takeBreak(source);
      else if (gap.isBroken) source.skip();
      else gap.blanks += source.read();
    }
    value += gap.take();
  }
  source.skip();
  return value;
}

const ESCAPES: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const CODE_LENGTHS: Readonly<Record<string, number>> = {x: 2, u: 4, U: 8};

function escaped(source: YamlSource): string {
  const sign = String.fromCharCode(source.code(1));
  const length = CODE_LENGTHS[sign];
  const plain = ESCAPES[sign];
  if (length === undefined && plain === undefined) throw scannerFault(source.line, 'found unknown escape character');
  source.skip(2);
  if (plain !== undefined || length === undefined) return plain ?? '';
  let digits = '';
  for (let i = 0; i < length; i++) digits += String.fromCharCode(source.code(i));
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw scannerFault(source.line, 'did not find expected hexdecimal number');
  const value = Number.parseInt(digits, 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) {
    throw scannerFault(source.line, 'found invalid Unicode character escape code');
  }
  source.skip(length);
  return String.fromCodePoint(value);
}

const NO_PLAIN_START = '-?:,[]{}#&*!|>\'"%@`';

export function startsPlain(source: YamlSource, inFlow: boolean): boolean {
  const isAlone = isBlankOrEnd(source.code(1));
  if (source.is('-')) return !isAlone;
  if (source.is('?') || source.is(':')) return !inFlow && !isAlone;
  return !isBlankOrEnd(source.code()) && !NO_PLAIN_START.includes(String.fromCharCode(source.code()));
}

/** `endsLine`: line breaks behind it were read too. */
export function scanPlainScalar(
  source: YamlSource,
  indent: number,
  inFlow: boolean,
): {value: string; endsLine: boolean} {
  const gap = new Gap();
  let value = '';
  while (!source.isAtDocumentSign() && !source.is('#')) {
    while (!isBlankOrEnd(source.code()) && !endsPlain(source, inFlow)) {
      value += gap.take();
      value += source.read();
    }
    if (!isBlank(source.code()) && !isBreak(source.code())) break;
    while (isBlank(source.code()) || isBreak(source.code())) {
      if (isBreak(source.code())) gap.takeBreak(source);
      else if (!gap.isBroken) gap.blanks += source.read();
      else if (source.column <= indent && source.is('\t')) {
        throw scannerFault(source.line, 'found a tab character that violates indentation');
      } else source.skip();
    }
    if (!inFlow && source.column <= indent) break;
  }
  return {value, endsLine: gap.isBroken};
}

function endsPlain(source: YamlSource, inFlow: boolean): boolean {
  if (source.is(':') && isBlankOrEnd(source.code(1))) return true;
  return inFlow && ',?[]{}'.includes(String.fromCharCode(source.code()));
}
