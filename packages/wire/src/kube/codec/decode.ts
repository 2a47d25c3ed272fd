// SPDX-License-Identifier: Apache-2.0
/**
 * Request bodies into objects, as Go's decoder reads them.
 *
 * Two halves. The fast one is JSON.parse and one walk over the schema (shape.ts); it is taken when the text cannot mean
 * anything else to Go: every field known, no key twice (the keys in the text are counted), plain integers, canonical
 * times. Everything else goes through a scanner of our own (json-scan.ts) and a decoder that follows Go's step by step
 * (typed-decode.ts). Both end in the same shape.
 *
 * I1 An object that was decoded and is encoded again is what Go would write after reading it.
 * I2 No number is rounded: integers beyond 2^53 are bigint.
 */
import type {Json, TypeTable} from '../schema.ts';
import {encodeUntyped} from './encode.ts';
import {JsonSyntaxError, scanJson} from './json-scan.ts';
import {spelledNumber} from './number-text.ts';
import {type Shaped, shapeObject} from './shape.ts';
import {countKeys} from './suspicion.ts';
import {DecodeError, decodeTree} from './typed-decode.ts';
import {treeToJson} from './untyped.ts';

export type {Shaped} from './shape.ts';
export {DecodeError} from './typed-decode.ts';

export type DecodeOptions = {
  /** Fill in the API version's defaults (`protocol: TCP`). Default true. Apply compares before defaulting: false. */
  readonly defaults?: boolean | undefined;
};

export type Decoded = {
  /** The object in its kept form; the caller owns it. */
  readonly object: Shaped;
  /** `unknown field "a.b[0].c"`, `duplicate field "…"`, in order of appearance, each once, at most 100. */
  readonly strictErrors: readonly string[];
};

const NO_ERRORS: readonly string[] = [];

/**
 * Decodes JSON text as the struct `typeName`. Throws DecodeError with Go's text (`json: cannot unmarshal string into Go
 * struct field …`, `unexpected end of JSON input`), without any prefix.
 */
export function decodeObject(
  types: TypeTable,
  typeName: string,
  body: string | Uint8Array,
  options: DecodeOptions = {},
): Decoded {
  const defaults = options.defaults ?? true;
  const parsed = parseFast(body);
  if (parsed !== undefined) {
    const shaped = shapeObject(types, typeName, parsed.value, {defaults});
    if (shaped !== undefined && shaped.keys === countKeys(parsed.text)) {
      return {object: shaped.object, strictErrors: NO_ERRORS};
    }
  }
  return decodeSlowly(types, typeName, body, defaults);
}

/** Decodes a JSON value that was made here (a patched document). Same rules and errors as for text. */
export function decodeValue(types: TypeTable, typeName: string, value: Json, options: DecodeOptions = {}): Decoded {
  const shaped = shapeObject(types, typeName, value, {defaults: options.defaults ?? true});
  if (shaped !== undefined) return {object: shaped.object, strictErrors: NO_ERRORS};
  return decodeSlowly(types, typeName, encodeUntyped(value), options.defaults ?? true);
}

/** Adds the API version's defaults to an object in its kept form and returns the new one. */
export function withDefaults(types: TypeTable, typeName: string, object: Json): Shaped {
  return decodeValue(types, typeName, object, {defaults: true}).object;
}

/**
 * Decodes JSON without a schema (patches). The last of equal keys wins; `duplicates` are their paths, in order. With
 * `spelling` numbers that are no plain integers are NumberTexts. Throws DecodeError with Go's text for what is no JSON.
 */
export function decodeJson(
  body: string | Uint8Array,
  options: {readonly spelling?: boolean} = {},
): {value: Json; duplicates: readonly string[]} {
  const duplicates = new Set<string>();
  const spelled = options.spelling === true ? spelledNumber : undefined;
  const value = asDecodeError(() => treeToJson(scanJson(body), path => duplicates.add(path), '', 0, spelled));
  return {value, duplicates: [...duplicates]};
}

function parseFast(body: string | Uint8Array): {text: string; value: Json} | undefined {
  const text = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  try {
    return {text, value: JSON.parse(text) as Json};
  } catch {
    // Not JSON to V8 either: the scanner finds the same fault and names it in Go's words.
    return undefined;
  }
}

function decodeSlowly(types: TypeTable, typeName: string, body: string | Uint8Array, defaults: boolean): Decoded {
  const {object, strictErrors} = asDecodeError(() => decodeTree(types, typeName, scanJson(body)));
  const shaped = shapeObject(types, typeName, object, {defaults, exact: true});
  if (shaped === undefined) throw new Error(`decoded ${typeName} has no shape`);
  return {object: shaped.object, strictErrors};
}

function asDecodeError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new DecodeError(error.message, {cause: error});
    throw error;
  }
}
