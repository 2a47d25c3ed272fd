// SPDX-License-Identifier: Apache-2.0
/**
 * Faults of a field: data first, text last. A validation returns all of them as a list and throws none.
 * Ref: kubernetes v1.36 apimachinery pkg/util/validation/field/errors.go.
 */
import {encodeUntyped, quoteJson} from '../codec/encode.ts';
import {goQuote} from '../go/quote.ts';
import type {Json} from '../schema.ts';

/** What is wrong, and what it is called in a message. The keys are the `reason` of a Status cause. */
const TYPE_TEXTS = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueTooShort: 'Too short',
  InternalError: 'Internal error',
} as const;

export type FieldErrorType = keyof typeof TYPE_TEXTS;

const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
]);

/** A bad value whose text the caller knows better: a struct in Go's key order, a named string as JSON. */
export class PrintedValue {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value of a string type with a name of its own (a protocol, a uid), which is printed as JSON. */
export const namedText = (text: string): PrintedValue => new PrintedValue(quoteJson(text));

/** A plain string is printed as Go's `%q`, everything else as JSON. `undefined` prints no value. */
export type BadValue = Json | PrintedValue | undefined;

export type FieldError = {
  /** `subsets[0].addresses[1].ip`. */
  readonly path: string;
  readonly type: FieldErrorType;
  readonly badValue: BadValue;
  readonly detail: string;
  /** Names the rule that was broken, independent of the text: `format=ip-sloppy`, `minimum`. */
  readonly origin?: string | undefined;
};

export const required = (path: string, detail = ''): FieldError => make('FieldValueRequired', path, '', detail);
export const notFoundValue = (path: string, badValue: BadValue): FieldError =>
  make('FieldValueNotFound', path, badValue, '');
export const forbidden = (path: string, detail: string): FieldError => make('FieldValueForbidden', path, '', detail);
export const invalid = (path: string, badValue: BadValue, detail: string, origin?: string): FieldError =>
  make('FieldValueInvalid', path, badValue, detail, origin);
export const duplicate = (path: string, badValue: BadValue): FieldError =>
  make('FieldValueDuplicate', path, badValue, '');

/** `supported` is listed as given: sort it where upstream does. */
export function notSupported(path: string, badValue: BadValue, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return make('FieldValueNotSupported', path, badValue, detail);
}

export function tooLong(path: string, bytesMax: number): FieldError {
  return make('FieldValueTooLong', path, '', `may not be more than ${bytesMax} ${bytesMax === 1 ? 'byte' : 'bytes'}`);
}

export const tooMany = (path: string, count: number, max: number): FieldError =>
  make('FieldValueTooMany', path, count, `must have at most ${max} ${max === 1 ? 'item' : 'items'}`);

function make(
  type: FieldErrorType,
  path: string,
  badValue: BadValue,
  detail: string,
  origin?: string | undefined,
): FieldError {
  return {path, type, badValue, detail, ...(origin !== undefined && {origin})};
}

/** The text without the path: `Invalid value: "x": must be …`. */
export function fieldErrorBody(error: FieldError): string {
  let text: string = TYPE_TEXTS[error.type];
  if (!WITHOUT_VALUE.has(error.type) && error.badValue !== undefined) text += `: ${printValue(error.badValue)}`;
  return error.detail === '' ? text : `${text}: ${error.detail}`;
}

export function fieldErrorText(error: FieldError): string {
  return `${error.path}: ${fieldErrorBody(error)}`;
}

function printValue(value: Exclude<BadValue, undefined>): string {
  if (value instanceof PrintedValue) return value.text;
  return typeof value === 'string' ? goQuote(value) : encodeUntyped(value);
}

/** One fault as it is, several as `[a, b]`, equal texts once. Ref: apimachinery pkg/util/errors (aggregate). */
export function aggregateText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}

/** The path of a field, an element, a map entry; `''` is the root. */
export const childPath = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`);
export const indexPath = (parent: string, index: number): string => `${parent}[${index}]`;
export const keyPath = (parent: string, key: string): string => `${parent}[${key}]`;
