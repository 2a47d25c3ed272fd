// SPDX-License-Identifier: Apache-2.0
/**
 * The characters of a YAML text and the place of the reader in them. Bytes that are no text, and characters that YAML
 * does not have, are told when the reader comes to the block of 512 bytes that holds them, as in libyaml.
 * Ref: go.yaml.in/yaml/v2 v2.4.3 readerc.go, yamlprivateh.go.
 */
import {isUtf8} from 'node:buffer';
import {DecodeError} from '../../codec/decode-error.ts';

/** Lines and columns from 0, in characters; `index` counts them from the begin of the text. */
export type Mark = {readonly index: number; readonly line: number; readonly column: number};

const BLOCK_BYTES = 512;
/** One belongs to the encoding, another one may begin a line. */
const BYTE_ORDER_MARKS = /^\ufeff{1,2}/;
const CONTROL = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
export const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
export const isBreakOrEnd = (code: number): boolean => code === 0 || isBreak(code);
export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isBreakOrEnd(code);
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
export const isWord = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code === 0x2d;

export class YamlSource {
  readonly #text: string;
  readonly #unreadable: Unreadable | undefined;
  readonly #limit: number;
  #at = 0;
  index = 0;
  line = 0;
  column = 0;

  constructor(bytes: Uint8Array) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    this.#text = text.replace(BYTE_ORDER_MARKS, '');
    this.#unreadable = isUtf8(bytes) && !CONTROL.test(this.#text) ? undefined : findUnreadable(bytes);
    this.#limit = this.#unreadable?.from ?? Infinity;
    this.#checkReadable();
  }

  mark(): Mark {
    return {index: this.index, line: this.line, column: this.column};
  }

  /** The character `ahead` of the reader; 0 behind the end. */
  code(ahead = 0): number {
    return this.#at + ahead < this.#text.length ? this.#text.charCodeAt(this.#at + ahead) : 0;
  }

  is(char: string, ahead = 0): boolean {
    return this.#text[this.#at + ahead] === char;
  }

  /** `---` or `...` at the begin of a line. */
  isAtDocumentSign(): boolean {
    if (this.column !== 0) return false;
    return (
      (this.#text.startsWith('---', this.#at) || this.#text.startsWith('...', this.#at)) && isBlankOrEnd(this.code(3))
    );
  }

  skip(count = 1): void {
    for (let i = 0; i < count; i++) this.#step();
    this.index += count;
    this.column += count;
    this.#checkReadable();
  }

  /** Takes one character. */
  read(): string {
    const from = this.#at;
    this.skip();
    return this.#text.slice(from, this.#at);
  }

  /** Takes characters as long as `accept` says so. */
  readWhile(accept: (code: number) => boolean): string {
    const from = this.#at;
    while (accept(this.code())) this.skip();
    return this.#text.slice(from, this.#at);
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.skip();
  }

  skipComment(): void {
    if (this.is('#')) while (!isBreakOrEnd(this.code())) this.skip();
  }

  /** Takes a line break, if there is one; all but the Unicode separators are given as `\n`. */
  readBreak(): string {
    const code = this.code();
    if (!isBreak(code)) return '';
    const width = code === 0x0d && this.code(1) === 0x0a ? 2 : 1;
    this.#at += width;
    this.index += width;
    this.column = 0;
    this.line++;
    this.#checkReadable();
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n';
  }

  /** The stream ends with a line. */
  endLine(): void {
    if (this.column === 0) return;
    this.column = 0;
    this.line++;
  }

  #step(): void {
    const code = this.#text.charCodeAt(this.#at);
    this.#at += code >= 0xd800 && code <= 0xdbff ? 2 : 1;
  }

  #checkReadable(): void {
    if (this.index >= this.#limit) throw new DecodeError(`yaml: ${this.#unreadable?.problem}`);
  }
}

/** `from` is the first character of the block that cannot be read. */
type Unreadable = {readonly from: number; readonly problem: string};

function findUnreadable(bytes: Uint8Array): Unreadable | undefined {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let end = Math.min(BLOCK_BYTES, bytes.length);
  let from = 0;
  let index = 0;
  while (at < bytes.length) {
    const width = widthOf(bytes[at] ?? 0);
    if (width > 0 && at + width > end && end < bytes.length) {
      // The character goes on in the next block, which begins with it.
      end = Math.min(at + BLOCK_BYTES, bytes.length);
      from = index;
      continue;
    }
    const problem = problemAt(bytes, at, width);
    // What is cut off at the end is noticed only there.
    if (problem !== undefined) return {from: at + width > bytes.length ? index : from, problem};
    at += width;
    index++;
    if (at === end) {
      end = Math.min(at + BLOCK_BYTES, bytes.length);
      from = index;
    }
  }
  return undefined;
}

/** Of the UTF-8 sequence that begins with this octet; 0 for none. */
function widthOf(octet: number): number {
  if (octet < 0x80) return 1;
  if ((octet & 0xe0) === 0xc0) return 2;
  if ((octet & 0xf0) === 0xe0) return 3;
  return (octet & 0xf8) === 0xf0 ? 4 : 0;
}

const LEAST = [0, 0, 0x80, 0x800, 0x10000];

function problemAt(bytes: Uint8Array, at: number, width: number): string | undefined {
  if (width === 0) return 'invalid leading UTF-8 octet';
  if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence';
  let value = width === 1 ? (bytes[at] ?? 0) : (bytes[at] ?? 0) & (0x7f >> width);
  for (let i = 1; i < width; i++) {
    const octet = bytes[at + i] ?? 0;
    if ((octet & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet';
    value = (value << 6) | (octet & 0x3f);
  }
  if (value < (LEAST[width] ?? 0)) return 'invalid length of a UTF-8 sequence';
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) return 'invalid Unicode character';
  return CONTROL.test(String.fromCodePoint(value)) ? 'control characters are not allowed' : undefined;
}
