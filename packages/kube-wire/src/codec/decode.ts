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
import type {Json, JsonObject, TypeTable} from '../schema.ts';
import {asDecodeError} from './decode-error.ts';
import {encodeUntyped, quoteJson} from './encode.ts';
import {type JsonNode, scanJson} from './json-scan.ts';
import {keysInside, type Shaped, shapeObject} from './shape.ts';
import {SpelledValue} from './spelled-value.ts';
import {StrictFaults} from './strict-faults.ts';
import {countKeys} from './suspicion.ts';
import {decodeTree} from './typed-decode.ts';
import {clampedNumber, treeToJson} from './untyped.ts';

export {DecodeError} from './decode-error.ts';
export {lacksEmpties, type Shaped, wasSentEmpty} from './shape.ts';

export type DecodeOptions = {
  /** Fill in the API version's defaults (`protocol: TCP`). Default true. Apply compares before defaulting: false. */
  readonly defaults?: boolean | undefined;
  /** Of a value that was made from an object in its kept form: that object. What both have is not looked at again. */
  readonly live?: JsonObject | undefined;
  /** Of a value that was made here: the text that upstream decodes in its place, whose first fault is the one told. */
  readonly text?: (() => string) | undefined;
};

export type Decoded = {
  /** The object in its kept form; the caller owns it. */
  readonly object: Shaped;
  /** `unknown field "a.b[0].c"`, `duplicate field "…"`, in order of appearance, each once, at most 100. */
  readonly strictErrors: readonly string[];
};

const NO_ERRORS: readonly string[] = [];
const NO_DUPLICATES: readonly string[] = [];

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
  const shaped = shapeObject(types, typeName, value, {defaults: options.defaults ?? true, live: options.live});
  if (shaped !== undefined) return {object: shaped.object, strictErrors: NO_ERRORS};
  return decodeSlowly(types, typeName, options.text?.() ?? encodeUntyped(value), options.defaults ?? true);
}

/** What is kept as it was written: numbers that are no integers of 64 bits; texts too; equal keys in operations too. */
export type Spelling = 'numbers' | 'leaves' | 'operations';

/**
 * Decodes JSON without a schema (patches). The last of equal keys wins; `duplicates` are the first of their paths, in order. What
 * `spelling` covers and Go would not write that way is a SpelledValue. Throws DecodeError with Go's text for what is no
 * JSON.
 */
export function decodeJson(
  body: string | Uint8Array,
  {spelling}: {readonly spelling?: Spelling | undefined} = {},
): {value: Json; duplicates: readonly string[]} {
  const plain = parsePlain(body);
  if (plain !== undefined) return {value: plain, duplicates: NO_DUPLICATES};
  const duplicates = new StrictFaults();
  const spelled =
    spelling === undefined ? undefined : (node: JsonNode, depth: number) => spelledValue(node, depth, spelling);
  const tree = asDecodeError(() => scanJson(body, {raw: spelling !== undefined && spelling !== 'numbers'}));
  const value = asDecodeError(() => treeToJson(tree, {onDuplicate: path => duplicates.tell(() => path), spelled}));
  return {value, duplicates: duplicates.texts};
}

/**
 * Decodes what stands at `path` in a JSON text, and nothing else of it; undefined when nothing does. A number beyond any float
 * is the largest one. Throws DecodeError for what is no JSON, or too deep.
 */
export function decodeMember(body: string | Uint8Array, path: readonly string[]): Json | undefined {
  let node: JsonNode | undefined = asDecodeError(() => scanJson(body));
  for (const name of path) node = node?.kind === 'object' ? node.values[node.keys.lastIndexOf(name)] : undefined;
  const found = node;
  return found && asDecodeError(() => treeToJson(found, {spelled: clampedNumber}));
}

/** How deep a JSON patch, a list, has its operations. */
const OPERATION_DEPTH = 1;

/** `undefined` for what is spelled as usual, or is not covered. */
function spelledValue(node: JsonNode, depth: number, spelling: Spelling): Json | undefined {
  const kept = spelling === 'operations' && depth > OPERATION_DEPTH;
  if (node.kind === 'object' && kept) return new SpelledValue(spellingOf(node)) as unknown as Json;
  if (node.kind === 'number') {
    const usual = spelling === 'numbers' ? isInteger(node.text) : isUsual(node.text);
    return usual ? undefined : (new SpelledValue(node.text) as unknown as Json);
  }
  if (node.kind !== 'string' || node.raw === undefined || node.raw === quoteJson(node.text)) return undefined;
  return new SpelledValue(node.raw) as unknown as Json;
}

/** As it was written, without spaces. */
function spellingOf(node: JsonNode): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.raw ?? quoteJson(node.text);
    case 'array':
      return `[${node.items.map(spellingOf).join(',')}]`;
    case 'object':
      return `{${node.keys.map((key, i) => `${quoteJson(key)}:${spellingOf(node.values[i] as JsonNode)}`).join(',')}}`;
  }
}

/** Printable ASCII without an escape or what Go escapes: each text in it is spelled as Go would write it. */
const PLAIN_TEXT = /^[\t\n\r -%'-;=?-[\]-~]*$/;
const NEGATIVE_ZERO = '-0';

/** The value of a JSON text that has no key twice, whole numbers only, and no other spelling; undefined for every other text. */
function parsePlain(body: string | Uint8Array): Json | undefined {
  const parsed = parseFast(body);
  if (parsed === undefined || !PLAIN_TEXT.test(parsed.text) || parsed.text.includes(NEGATIVE_ZERO)) return undefined;
  const keys = keysInside(parsed.value);
  return keys !== undefined && keys === countKeys(parsed.text) ? parsed.value : undefined;
}

/** Of 64 bits. */
const isInteger = (text: string): boolean =>
  /^-?\d{1,19}$/.test(text) && BigInt(text) === BigInt.asIntN(64, BigInt(text));

const isUsual = (text: string): boolean => isInteger(text) && text !== '-0';

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
