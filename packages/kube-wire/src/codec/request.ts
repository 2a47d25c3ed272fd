// SPDX-License-Identifier: Apache-2.0
/**
 * A request body as an object of the kind that the path is for, with the words of a refusal.
 *
 * Order of the checks, which decides what a client is told: is it JSON with readable kind and apiVersion; is that kind
 * known; can the body be decoded; is it the kind of the path.
 * Ref: kubernetes v1.36 apimachinery pkg/runtime/serializer/json/json.go, apiserver
 * pkg/endpoints/handlers/rest.go (transformDecodeError, summarizeData).
 */
import {goQuote} from '../go/quote.ts';
import {decodeProtobuf, openEnvelope, ProtoError} from '../proto/envelope.ts';
import type {Json, JsonObject, TypeTable} from '../schema.ts';
import {type Decoded, type DecodeOptions, decodeObject, decodeValue} from './decode.ts';
import {DecodeError} from './decode-error.ts';
import {decodeUtf8} from './json-scan.ts';
import {goTypeOf, INTERNAL_VERSION, isInternalType, isKnownKind} from './known-kinds.ts';
import {
  completed,
  completedEnvelope,
  completedMeta,
  type ExpectedKind,
  type GroupVersionKind,
  groupVersionText,
  interpretTypeMeta,
  isExpected,
  kindFault,
  noProtobufOf,
  versionFault,
} from './type-meta.ts';

export type {ExpectedKind} from './type-meta.ts';

export type RequestBody = {
  /** As received: what a refusal quotes. */
  readonly bytes: Uint8Array;
  /** JSON that the body was turned into, where it was YAML. */
  readonly json?: string | Uint8Array | undefined;
  readonly protobuf?: boolean | undefined;
};

const SUMMARY_BYTES = 30;

/** Decodes a body. Throws DecodeError whose message is the whole text of the 400 answer. */
export function decodeRequestBody(
  types: TypeTable,
  expected: ExpectedKind,
  body: RequestBody,
  options: DecodeOptions = {},
): Decoded {
  if (body.protobuf === true) return decodeProtobufBody(types, expected, body.bytes, options);
  const json = body.json ?? body.bytes;
  const outcome = attempt(() => decodeObject(types, expected.typeName, json, options));
  if (isPlain(expected, outcome)) return outcome;
  let meta: GroupVersionKind;
  try {
    meta = completed(interpretTypeMeta(json), expected);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(unrecognized(expected, error.message, body.bytes), {cause: error});
  }
  const fault = kindFault(expected, meta, () => Buffer.from(body.bytes).toString());
  if (fault !== undefined)
    throw new DecodeError(cannotHandle(expected, meta, faultAsItself(types, meta, json) ?? fault));
  if (outcome instanceof DecodeError) {
    throw new DecodeError(cannotHandle(expected, meta, outcome.message), {cause: outcome});
  }
  refuseVersion(expected, meta);
  return outcome;
}

/**
 * Decodes a document that was made here (a patched object). One without apiVersion is of upstream's internal version,
 * and there no field is known: `undefined`. `live` is the stored object that it was made from. Throws DecodeError with the
 * bare text, which quotes `text()` if need be.
 */
export function decodePatched(
  types: TypeTable,
  expected: ExpectedKind,
  value: Json,
  {text, live}: {readonly text: () => string; readonly live: JsonObject},
): Decoded | undefined {
  const outcome = attempt(() => decodeValue(types, expected.typeName, value, {live, text}));
  if (isPlain(expected, outcome) && outcome.object['apiVersion'] === groupVersionText(expected)) return outcome;
  const found = interpretTypeMeta(text());
  const meta = completed(found, {...expected, version: INTERNAL_VERSION});
  const fault = kindFault(expected, meta, text);
  if (fault !== undefined) throw new DecodeError(fault);
  if (meta.version === INTERNAL_VERSION) return undefined;
  if (outcome instanceof DecodeError) throw outcome;
  return outcome;
}

function refuseVersion(expected: ExpectedKind, meta: GroupVersionKind): void {
  const fault = versionFault(expected, meta);
  if (fault !== undefined) throw new DecodeError(fault);
}

/** Upstream decodes a body of another known kind as that kind before it finds that it is not the one of the path. */
function faultAsItself(types: TypeTable, meta: GroupVersionKind, json: string | Uint8Array): string | undefined {
  if (!isKnownKind(groupVersionText(meta), meta.kind)) return undefined;
  const typeName = typeNameOf(types, meta);
  const outcome = typeName === undefined ? undefined : attempt(() => decodeObject(types, typeName, json));
  return outcome instanceof DecodeError ? outcome.message : undefined;
}

const META_TYPES = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The struct of a kind; those of metadata that every group has are not listed by group. */
function typeNameOf(types: TypeTable, {group, version, kind}: GroupVersionKind): string | undefined {
  const isIt = (gvk: GroupVersionKind): boolean => gvk.kind === kind && gvk.version === version && gvk.group === group;
  const found = Object.values(types).find(({gvk = []}) => gvk.some(isIt))?.name ?? `${META_TYPES}.${kind}`;
  return found in types ? found : undefined;
}

/** The error instead of throwing it: what the body is decides which error is told. */
function attempt(decode: () => Decoded): Decoded | DecodeError {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

/** Nothing to find fault with: what nearly every body is. */
function isPlain(expected: ExpectedKind, outcome: Decoded | DecodeError): outcome is Decoded {
  if (outcome instanceof DecodeError || outcome.strictErrors.length > 0) return false;
  const {kind, apiVersion} = outcome.object;
  if (kind === expected.kind && apiVersion === expected.version && expected.group === '') return true;
  try {
    return isExpected(expected, completedMeta(expected, {kind: textOf(kind), apiVersion: textOf(apiVersion)}));
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function decodeProtobufBody(
  types: TypeTable,
  expected: ExpectedKind,
  bytes: Uint8Array,
  options: DecodeOptions,
): Decoded {
  let meta: GroupVersionKind | undefined;
  let decoded: Decoded;
  try {
    const envelope = openEnvelope(bytes);
    meta = completedEnvelope(envelope, expected);
    const apiVersion = groupVersionText(meta);
    if (isInternalType(meta) && isKnownKind(apiVersion, meta.kind)) {
      throw new ProtoError(noProtobufOf(goTypeOf(apiVersion, meta.kind)));
    }
    const fault = kindFault(expected, meta, () => Buffer.from(bytes).toString());
    if (fault !== undefined) throw new ProtoError(fault);
    decoded = {object: decodeProtobuf(types, expected.typeName, envelope, options), strictErrors: []};
  } catch (error) {
    if (!(error instanceof ProtoError || error instanceof DecodeError)) throw error;
    const message =
      meta === undefined ? unrecognized(expected, error.message, bytes) : cannotHandle(expected, meta, error.message);
    throw new DecodeError(message, {cause: error});
  }
  refuseVersion(expected, meta);
  return decoded;
}

/** The text for a body of a known kind: `Endpoints in version "v1" cannot be handled as a Endpoints: …`. */
export const cannotHandle = (
  expected: {readonly kind: string},
  meta: {readonly kind: string; readonly version: string},
  why: string,
): string => `${meta.kind} in version ${goQuote(meta.version)} cannot be handled as a ${expected.kind}: ${why}`;

/** The text for a body that says nothing readable about itself. */
export const unrecognized = (expected: {readonly kind: string}, why: string, bytes: Uint8Array): string =>
  `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summarize(bytes)})`;

/** The first bytes of a body: as text when they look like JSON, else in hexadecimal. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = Buffer.from(bytes.subarray(0, SUMMARY_BYTES));
  const shown = bytes[0] === 0x7b ? decodeUtf8(head, 0, head.length) : head.toString('hex');
  return bytes.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
