// SPDX-License-Identifier: Apache-2.0
/**
 * JSON text to a tree that still has everything Go's decoder looks at: duplicate keys, the order of appearance, the
 * spelling of numbers. It is the slow half of decoding (decode.ts), used when the fast half has met anything unusual,
 * and it refuses exactly what Go refuses, with Go's words. Iterative, so that depth costs no stack.
 * Ref: sigs.k8s.io/json internal/golang/encoding/json scanner.go, decode.go (unquoteBytes).
 */
import {goQuoteByte} from '../go/quote.ts';

export type JsonNode =
  | {readonly kind: 'object'; readonly keys: string[]; readonly values: JsonNode[]}
  | {readonly kind: 'array'; readonly items: JsonNode[]}
  /** `raw` is the literal as written, where it was asked for. */
  | {readonly kind: 'string'; readonly text: string; readonly raw?: string | undefined}
  /** `text` is the number as written. */
  | {readonly kind: 'number'; readonly text: string}
  | {readonly kind: 'bool'; readonly value: boolean}
  | {readonly kind: 'null'};

/** Go's limit on nesting. */
const JSON_DEPTH_MAX = 10_000;

/** Text that is no JSON. The message is Go's, without any prefix. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/** Parses one JSON value. Throws JsonSyntaxError. */
export function scanJson(input: string | Uint8Array, options: {readonly raw?: boolean} = {}): JsonNode {
  return new Scanner(typeof input === 'string' ? Buffer.from(input) : toBuffer(input), options.raw === true).run();
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

type Open = {node: Extract<JsonNode, {kind: 'object' | 'array'}>; key: string | undefined};

/** In the middle of a word, a number or an escape, Go reads the end of the text as a space. */
const END = 0x20;

const NULL: JsonNode = {kind: 'null'};
const TRUE: JsonNode = {kind: 'bool', value: true};
const FALSE: JsonNode = {kind: 'bool', value: false};

class Scanner {
  readonly #bytes: Buffer;
  readonly #keepsRaw: boolean;
  #at = 0;

  constructor(bytes: Buffer, keepsRaw: boolean) {
    this.#bytes = bytes;
    this.#keepsRaw = keepsRaw;
  }

  run(): JsonNode {
    const stack: Open[] = [];
    let value = this.#beginValue(stack, 'looking for beginning of value');
    for (;;) {
      // `value` is undefined right after an opening bracket, else it is a finished value of the innermost container.
      const open = stack.at(-1);
      if (open === undefined) {
        if (value === undefined) throw new Error('a scanner without a value has something open');
        this.#expectEnd();
        return value;
      }
      if (value !== undefined) addTo(open, value);
      value = this.#next(stack, open, value === undefined);
    }
  }

  /** The next value of a container, `undefined` when a new container was opened, or the container itself at its end. */
  #next(stack: Open[], open: Open, first: boolean): JsonNode | undefined {
    const isObject = open.node.kind === 'object';
    let byte = this.#skipSpace();
    if (byte === (isObject ? 0x7d : 0x5d)) {
      this.#at++;
      stack.pop();
      return open.node;
    }
    if (!first) {
      if (byte !== 0x2c) this.#fail(byte, isObject ? 'after object key:value pair' : 'after array element');
      this.#at++;
      byte = this.#skipSpace();
    }
    if (isObject) {
      if (byte !== 0x22) this.#fail(byte, 'looking for beginning of object key string');
      open.key = this.#string();
      byte = this.#skipSpace();
      if (byte !== 0x3a) this.#fail(byte, 'after object key');
      this.#at++;
    }
    return this.#beginValue(stack, 'looking for beginning of value');
  }

  #beginValue(stack: Open[], context: string): JsonNode | undefined {
    const byte = this.#skipSpace();
    switch (byte) {
      case 0x7b:
      case 0x5b:
        if (stack.length >= JSON_DEPTH_MAX) this.#fail(byte, 'exceeded max depth');
        this.#at++;
        stack.push({
          node: byte === 0x7b ? {kind: 'object', keys: [], values: []} : {kind: 'array', items: []},
          key: undefined,
        });
        return undefined;
      case 0x22:
        return this.#text();
      case 0x74:
        return this.#literal('true', TRUE);
      case 0x66:
        return this.#literal('false', FALSE);
      case 0x6e:
        return this.#literal('null', NULL);
      default:
        if (byte === 0x2d || isDigit(byte)) return {kind: 'number', text: this.#number()};
        return this.#fail(byte, context);
    }
  }

  #expectEnd(): void {
    const byte = this.#skipSpace();
    if (byte !== undefined) this.#fail(byte, 'after top-level value');
  }

  #skipSpace(): number | undefined {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at++;
    }
  }

  #fail(byte: number | undefined, context: string): never {
    if (byte === undefined) throw new JsonSyntaxError('unexpected end of JSON input');
    throw new JsonSyntaxError(`invalid character ${goQuoteByte(byte)} ${context}`);
  }

  #literal(word: string, node: JsonNode): JsonNode {
    for (let i = 1; i < word.length; i++) {
      const byte = this.#bytes[this.#at + i];
      if (byte !== word.charCodeAt(i)) this.#fail(byte ?? END, `in literal ${word} (expecting '${word[i]}')`);
    }
    this.#at += word.length;
    return node;
  }

  #number(): string {
    const start = this.#at;
    if (this.#bytes[this.#at] === 0x2d) this.#at++;
    if (this.#bytes[this.#at] === 0x30) this.#at++;
    else this.#digits('in numeric literal');
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    const e = this.#bytes[this.#at];
    if (e === 0x65 || e === 0x45) {
      this.#at++;
      const sign = this.#bytes[this.#at];
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
    return this.#bytes.toString('latin1', start, this.#at);
  }

  #digits(context: string): void {
    const byte = this.#bytes[this.#at];
    if (!isDigit(byte)) this.#fail(byte ?? END, context);
    while (isDigit(this.#bytes[this.#at])) this.#at++;
  }

  #text(): JsonNode {
    const from = this.#at;
    const text = this.#string();
    return this.#keepsRaw
      ? {kind: 'string', text, raw: decodeUtf8(this.#bytes, from, this.#at)}
      : {kind: 'string', text};
  }

  /** The string that begins at the cursor; escapes resolved, invalid UTF-8 and lone surrogates replaced. */
  #string(): string {
    const bytes = this.#bytes;
    const start = ++this.#at;
    let out = '';
    let from = start;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === undefined || byte < 0x20) this.#fail(byte, 'in string literal');
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        out += decodeUtf8(bytes, from, this.#at) + this.#escape();
        from = this.#at;
      } else this.#at++;
    }
    out += decodeUtf8(bytes, from, this.#at);
    this.#at++;
    return out.isWellFormed() ? out : out.toWellFormed();
  }

  #escape(): string {
    const byte = this.#bytes[++this.#at];
    if (byte === 0x75) return this.#unicodeEscape();
    const char = byte === undefined ? undefined : ESCAPES[String.fromCharCode(byte)];
    if (char === undefined) this.#fail(byte ?? END, 'in string escape code');
    this.#at++;
    return char;
  }

  #unicodeEscape(): string {
    let code = 0;
    for (let i = 0; i < 4; i++) {
      const byte = this.#bytes[++this.#at];
      const digit = byte === undefined ? Number.NaN : Number.parseInt(String.fromCharCode(byte), 16);
      if (Number.isNaN(digit)) this.#fail(byte ?? END, 'in \\u hexadecimal character escape');
      code = code * 16 + digit;
    }
    this.#at++;
    return String.fromCharCode(code);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function addTo(open: Open, value: JsonNode): void {
  if (open.node.kind === 'array') open.node.items.push(value);
  else {
    open.node.keys.push(open.key ?? '');
    open.node.values.push(value);
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** UTF-8 to text with one U+FFFD for every byte that is not part of a rune, as Go does (WHATWG decoders use fewer). */
export function decodeUtf8(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to);
  if (!text.includes('\ufffd')) return text;
  let out = '';
  for (let at = from; at < to; ) {
    const length = runeLength(bytes, at, to);
    out += length === 0 ? '\ufffd' : bytes.toString('utf8', at, at + length);
    at += length === 0 ? 1 : length;
  }
  return out;
}

/** Length of the well-formed rune at `at`, 0 when there is none. Ref: Unicode 16, table 3-7. */
function runeLength(bytes: Buffer, at: number, to: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > to) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
