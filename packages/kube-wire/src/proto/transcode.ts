// SPDX-License-Identifier: Apache-2.0
/**
 * JSON to Kubernetes protobuf, byte for byte as the generated Go code writes it: every field without a pointer is
 * written, also when it is zero; times as seconds. The JSON is that of `encodeJson` (no white space, fields in the order of the
 * struct, keys of maps sorted), so it is read from front to back, and most texts are copied as the bytes they are. Where the
 * numbers of a struct's fields go another way than its JSON, it is looked through once before.
 * Ref: kubernetes v1.36 api/*\/generated.pb.go (MarshalToSizedBuffer), apimachinery pkg/apis/meta/v1/time_proto.go.
 */
import {encodeJson} from '../codec/encode.ts';
import {endOfValue} from '../codec/end-of-value.ts';
import {CANONICAL_TIME_LENGTH, type Instant, parseGoTime, secondsAt, type TimeFormat} from '../go/time.ts';
import type {JsonObject, TypeTable} from '../schema.ts';
import {type FieldPlan, isAlwaysWritten, type MessagePlan, messagePlanOf} from './message-plan.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5d];
const [MINUS, ZERO, NINE, FIRST_OF_NULL, FIRST_OF_TRUE] = [0x2d, 0x30, 0x39, 0x6e, 0x74];
const NOTHING: Buffer = Buffer.alloc(0);
/** More than one value takes beyond its JSON, with the lengths of all that it ends. */
const VALUE_OVERHEAD = 64;
/** So many digits are exact in a number of JavaScript. */
const EXACT_DIGITS = 15;

/** JSON that `encodeJson` did not write, or not for this version of the type. */
class OtherJsonError extends Error {
  override readonly name = 'OtherJsonError';
}

/** Writes one message, or fields one behind the other, and gives what it wrote. */
export class Transcoder {
  readonly #types: TypeTable;
  #out: Buffer;
  #length = 0;
  #json = NOTHING;
  #at = 0;
  /** Of the structs that are being written: where the value of each field begins, 0 where there is none. */
  readonly #places: number[] = [];

  /** `bytes`: how many are expected. */
  constructor(types: TypeTable, bytes = 0) {
    this.#types = types;
    this.#out = Buffer.allocUnsafe(bytes + VALUE_OVERHEAD);
  }

  /** What was written since the last time, in memory of its own. */
  take(): Buffer {
    if (this.#length > this.#out.length) throw new Error('more was written than there was room for');
    const taken = Buffer.from(this.#out.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  /** The bare message of a struct. */
  message(typeName: string, json: Buffer): void {
    this.#transcode(messagePlanOf(this.#types, typeName), json, 0, plan => this.#struct(plan));
  }

  /** A field that holds the struct whose JSON begins at `at`, or one member of a list of such. Returns the end of the JSON. */
  member(number: number, typeName: string, json: Buffer, at = 0): number {
    return this.#transcode(messagePlanOf(this.#types, typeName), json, at, plan => this.#structField(number, plan));
  }

  /** Returns the end of the JSON. */
  #transcode(plan: MessagePlan, json: Buffer, at: number, write: (plan: MessagePlan) => void): number {
    try {
      return this.#try(plan, json, at, write);
    } catch (error) {
      if (!(error instanceof OtherJsonError)) throw error;
      const end = endOfValue(json, at);
      this.#try(plan, this.#inOrderOf(plan, json.toString('utf8', at, end)), 0, write);
      return end;
    }
  }

  /** Nothing is written of what fails. */
  #try(plan: MessagePlan, json: Buffer, at: number, write: (plan: MessagePlan) => void): number {
    const before = this.#length;
    this.#json = json;
    this.#at = at;
    this.#room();
    try {
      write(plan);
      return this.#at;
    } catch (error) {
      this.#length = before;
      this.#places.length = 0;
      throw error;
    }
  }

  /** What another version of the type wrote: with members that this one does not have, or in another order. */
  #inOrderOf({typeName}: MessagePlan, json: string): Buffer {
    return Buffer.from(encodeJson(this.#types, typeName, JSON.parse(json) as JsonObject));
  }

  #struct(plan: MessagePlan): void {
    if (this.#json[this.#at] !== OPEN_BRACE) throw this.#unexpected(plan.typeName);
    this.#at++;
    if (plan.isInOrder) this.#inOrder(plan);
    else this.#byNumber(plan);
    if (this.#json[this.#at] !== CLOSE_BRACE) throw this.#unexpected(plan.typeName);
    this.#at++;
  }

  #inOrder({inJson}: MessagePlan): void {
    for (const field of inJson) {
      const isThere = this.#takes(field.key);
      if (field.number === 0) {
        if (isThere) this.#at = endOfValue(this.#json, this.#at);
      } else if (isThere) this.#field(field);
      else this.#zero(field);
      if (isThere && this.#json[this.#at] === COMMA) this.#at++;
    }
  }

  /** Looks where the fields are, and then writes them in the order of their numbers. */
  #byNumber({inJson, byNumber}: MessagePlan): void {
    const places = this.#places;
    const first = places.length;
    for (const {key} of inJson) {
      const isThere = this.#takes(key);
      places.push(isThere ? this.#at : 0);
      if (!isThere) continue;
      this.#at = endOfValue(this.#json, this.#at);
      if (this.#json[this.#at] === COMMA) this.#at++;
    }
    const end = this.#at;
    for (const field of byNumber) {
      this.#at = places[first + field.index] as number;
      if (this.#at > 0) this.#field(field);
      else this.#zero(field);
    }
    places.length = first;
    this.#at = end;
  }

  /** Whether the next member has this key, which is passed then. */
  #takes(key: Buffer): boolean {
    const [json, at] = [this.#json, this.#at];
    for (let i = key.length - 1; i > 0; i--) if (json[at + i] !== key[i]) return false;
    this.#at = at + key.length;
    return true;
  }

  #field(field: FieldPlan): void {
    if (!this.#takesNull()) this.#value(field);
    else this.#zero(field);
  }

  #takesNull(): boolean {
    if (this.#json[this.#at] !== FIRST_OF_NULL) return false;
    this.#at += 'null'.length;
    return true;
  }

  #value(field: FieldPlan): void {
    const {number, type} = field;
    this.#room();
    switch (type.type) {
      case 'string':
        if (type.format === undefined) this.#string(number);
        else if (type.format === 'byte') this.#bytes(number, Buffer.from(this.#parsed(), 'base64'));
        else this.#time(number, type.format);
        return;
      case 'integer':
        this.#tag(number, 0);
        this.#integer();
        return;
      case 'boolean':
        this.#tag(number, 0);
        this.#out[this.#length++] = this.#json[this.#at] === FIRST_OF_TRUE ? 1 : 0;
        this.#at = endOfValue(this.#json, this.#at);
        return;
      case 'number':
        this.#tag(number, 1);
        this.#length = this.#out.writeDoubleLE(Number(this.#text()), this.#length);
        return;
      case 'any':
        this.#raw(number);
        return;
      case 'ref':
        this.#structField(number, field.message);
        return;
      case 'list':
        this.#list(field, type.wrapped === true);
        return;
      case 'map':
        this.#map(field);
        return;
    }
  }

  #structField(number: number, plan: MessagePlan): void {
    const open = this.#open(number);
    this.#struct(plan);
    this.#close(open);
  }

  #list({number, value}: FieldPlan, isWrapped: boolean): void {
    const open = isWrapped ? this.#open(number) : 0;
    this.#at++;
    while (!this.#ends(CLOSE_BRACKET)) {
      if (this.#takesNull()) this.#empty(value);
      else this.#value(value);
    }
    if (isWrapped) this.#close(open);
  }

  #map({number, value}: FieldPlan): void {
    this.#at++;
    while (!this.#ends(CLOSE_BRACE)) {
      this.#room();
      const open = this.#open(number);
      this.#string(1);
      this.#at++; // the colon
      if (this.#takesNull()) this.#empty(value);
      else this.#value(value);
      this.#close(open);
    }
  }

  /** Whether a list or map ends here, whose end is passed then; else passes the comma. */
  #ends(end: number): boolean {
    const next = this.#json[this.#at];
    if (next === undefined) throw this.#unexpected('a list or map');
    if (next === end || next === COMMA) this.#at++;
    return next === end;
  }

  #time(number: number, format: TimeFormat): void {
    const {seconds, nanos} = this.#instant(format);
    const open = this.#open(number);
    this.#tag(1, 0);
    this.#varint(seconds);
    this.#tag(2, 0);
    this.#varint(format === 'micro-time' ? nanos : 0);
    this.#close(open);
  }

  #instant(format: TimeFormat): Instant {
    const seconds = format === 'date-time' ? secondsAt(this.#json, this.#at + 1) : undefined;
    if (seconds === undefined) return parseGoTime(this.#parsed(), format);
    this.#at += CANONICAL_TIME_LENGTH + 2;
    return {seconds, nanos: 0};
  }

  /** JSON that stays JSON: a message around its bytes. */
  #raw(number: number): void {
    const from = this.#at;
    this.#at = endOfValue(this.#json, from);
    const open = this.#open(number);
    this.#bytes(1, this.#json.subarray(from, this.#at));
    this.#close(open);
  }

  #zero(field: FieldPlan): void {
    if (isAlwaysWritten(field)) this.#empty(field);
  }

  #empty({zero}: FieldPlan): void {
    this.#room(zero.length);
    const out = this.#out;
    let length = this.#length;
    for (let i = 0; i < zero.length; i++) out[length++] = zero[i] as number;
    this.#length = length;
  }

  #integer(): void {
    const [json, from] = [this.#json, this.#at];
    let value = 0;
    let at = json[from] === MINUS ? from + 1 : from;
    for (let c = json[at] as number; c >= ZERO && c <= NINE; c = json[++at] as number) value = value * 10 + (c - ZERO);
    this.#at = at;
    if (at - from <= EXACT_DIGITS) this.#varint(json[from] === MINUS ? -value : value);
    else this.#varint(BigInt(json.toString('latin1', from, at)));
  }

  /** The JSON text of the next value. */
  #text(): string {
    const from = this.#at;
    this.#at = endOfValue(this.#json, from);
    return this.#json.toString('utf8', from, this.#at);
  }

  #parsed(): string {
    return JSON.parse(this.#text()) as string;
  }

  #bytes(number: number, bytes: Buffer): void {
    this.#room(bytes.length);
    this.#tag(number, 2);
    this.#varint(bytes.length);
    this.#length += bytes.copy(this.#out, this.#length);
  }

  /** A text: its bytes as they stand in the JSON, but where it has escapes. */
  #string(number: number): void {
    const open = this.#open(number);
    const [json, out] = [this.#json, this.#out];
    const end = json.length;
    let at = this.#at + 1;
    let length = this.#length;
    for (; at < end; at++) {
      const c = json[at] as number;
      if (c === QUOTE) break;
      if (c === BACKSLASH) {
        this.#escaped(open);
        return;
      }
      out[length++] = c;
    }
    this.#at = at + 1;
    this.#length = length;
    this.#close(open);
  }

  #escaped(open: number): void {
    this.#length += this.#out.write(this.#parsed(), this.#length);
    this.#close(open);
  }

  /** Begins what has its length in front; for `close`. */
  #open(number: number): number {
    this.#tag(number, 2);
    return this.#length++;
  }

  /** Puts the length in front of what was written since `open`. */
  #close(open: number): void {
    const [out, begin] = [this.#out, open + 1];
    const bytes = this.#length - begin;
    if (bytes < 0x80) {
      out[open] = bytes;
      return;
    }
    const size = varintSize(bytes);
    out.copyWithin(open + size, begin, this.#length);
    this.#length = open;
    this.#varint(bytes);
    this.#length += bytes;
  }

  #tag(number: number, wireType: 0 | 1 | 2): void {
    this.#varint(number * 8 + wireType);
  }

  /** Negative numbers as 64-bit two's complement. */
  #varint(value: number | bigint): void {
    const out = this.#out;
    let at = this.#length;
    let rest = value;
    if (typeof rest === 'bigint' || rest < 0) {
      let big = BigInt.asUintN(64, BigInt(rest));
      for (; big > 0x7fn; big >>= 7n) out[at++] = Number(big & 0x7fn) | 0x80;
      rest = Number(big);
    }
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) out[at++] = (rest % 0x80) | 0x80;
    out[at++] = rest;
    this.#length = at;
  }

  /** For what is left of the JSON (before each value, so that its end finds room as well), or for `bytes`. */
  #room(bytes = this.#json.length - this.#at): void {
    const needed = this.#length + bytes + VALUE_OVERHEAD;
    if (needed <= this.#out.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#out.length * 2, needed));
    this.#out.copy(grown, 0, 0, this.#length);
    this.#out = grown;
  }

  #unexpected(what: string): OtherJsonError {
    return new OtherJsonError(`the JSON of ${what} is not as encodeJson writes it at byte ${this.#at}`);
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size++;
  return size;
}
