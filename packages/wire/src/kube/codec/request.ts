// SPDX-License-Identifier: Apache-2.0
/**
 * A request body as an object of the kind that the path is for, with the words of a refusal.
 *
 * Order of the checks, which decides what a client is told: is it JSON with readable kind and apiVersion; is that kind
 * known; can the body be decoded; is it the kind of the path.
 * Ref: kubernetes v1.36 apimachinery pkg/runtime/serializer/json/{json,meta}.go, apiserver
 * pkg/endpoints/handlers/rest.go (transformDecodeError, summarizeData).
 */
import {kubeKinds} from '../../gen/kube-openapi.ts';
import {goQuote} from '../go/quote.ts';
import {decodeProtobuf, openEnvelope, ProtoError, type TypeMeta} from '../proto/envelope.ts';
import type {TypeTable} from '../schema.ts';
import {type Decoded, type DecodeOptions, decodeObject} from './decode.ts';
import {type JsonNode, JsonSyntaxError, scanJson} from './json-scan.ts';
import {DecodeError} from './typed-decode.ts';

/** The kind of the path. */
export type ExpectedKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly typeName: string;
  /** How upstream calls its internal type: `core.Endpoints`. */
  readonly internalName: string;
};

export type RequestBody = {
  /** As received: what a refusal quotes. */
  readonly bytes: Uint8Array;
  /** JSON that the body was turned into, where it was YAML. */
  readonly json?: string | Uint8Array | undefined;
  readonly protobuf?: boolean | undefined;
};

/** The registry of kinds, as messages of a server built from the published modules name it. */
const SCHEME = 'pkg/runtime/scheme.go:111';
const SUMMARY_BYTES = 30;
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Decodes a body. Throws DecodeError whose message is the whole text of the 400 answer. */
export function decodeRequestBody(
  types: TypeTable,
  expected: ExpectedKind,
  body: RequestBody,
  options: DecodeOptions = {},
): Decoded {
  if (body.protobuf === true) return decodeProtobufBody(types, expected, body.bytes, options);
  const json = body.json ?? body.bytes;
  let decoded: Decoded | undefined;
  let fault: DecodeError | undefined;
  try {
    decoded = decodeObject(types, expected.typeName, json, options);
    if (decoded.strictErrors.length === 0) {
      const {kind, apiVersion} = decoded.object;
      if (isExpected(expected, named(expected, {kind: text(kind), apiVersion: text(apiVersion)}))) return decoded;
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    fault = error;
  }
  const meta = named(expected, interpretTypeMeta(expected, body.bytes, json));
  checkKind(expected, meta, fault);
  if (decoded === undefined) throw new Error('a body without a fault was not decoded');
  return decoded;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function decodeProtobufBody(
  types: TypeTable,
  expected: ExpectedKind,
  bytes: Uint8Array,
  options: DecodeOptions,
): Decoded {
  let meta: TypeMeta | undefined;
  try {
    const envelope = openEnvelope(bytes);
    meta = named(expected, envelope);
    checkKind(expected, meta, undefined);
    return {object: decodeProtobuf(types, expected.typeName, {...envelope, ...meta}, options), strictErrors: []};
  } catch (error) {
    if (!(error instanceof ProtoError)) throw error;
    const message =
      meta === undefined ? unrecognized(expected, error.message, bytes) : cannotHandle(expected, meta, error.message);
    throw new DecodeError(message, {cause: error});
  }
}

/** What the body says of itself, completed with what the path says. */
function named(expected: ExpectedKind, meta: TypeMeta): TypeMeta {
  const apiVersion = meta.apiVersion === '' ? apiVersionOf(expected) : meta.apiVersion;
  return {kind: meta.kind === '' ? expected.kind : meta.kind, apiVersion};
}

const apiVersionOf = ({group, version}: ExpectedKind): string => (group === '' ? version : `${group}/${version}`);

const isExpected = (expected: ExpectedKind, meta: TypeMeta): boolean =>
  meta.kind === expected.kind && meta.apiVersion === apiVersionOf(expected);

/** Refuses a kind that is unknown, a body that could not be decoded (`fault`), a kind that is not the path's. */
function checkKind(expected: ExpectedKind, meta: TypeMeta, fault: DecodeError | undefined): void {
  const known = kubeKinds[meta.apiVersion]?.includes(meta.kind) ?? false;
  if (!isExpected(expected, meta)) {
    const type = `${shortVersion(meta.apiVersion)}.${meta.kind}`;
    const why = known
      ? `converting (${type}) to (${expected.internalName}): unknown conversion`
      : `no kind ${goQuote(meta.kind)} is registered for version ${goQuote(meta.apiVersion)} in scheme ${goQuote(SCHEME)}`;
    throw new DecodeError(cannotHandle(expected, meta, why));
  }
  if (fault !== undefined) throw new DecodeError(cannotHandle(expected, meta, fault.message), {cause: fault});
}

const shortVersion = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

/** Reads `kind` and `apiVersion` only, without regard to case, as Go's standard decoder does. Throws DecodeError. */
function interpretTypeMeta(expected: ExpectedKind, bytes: Uint8Array, json: string | Uint8Array): TypeMeta {
  let node: JsonNode;
  try {
    node = scanJson(json);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new DecodeError(unrecognized(expected, unreadable(error.message), bytes), {cause: error});
  }
  const refuse = (why: string): never => {
    throw new DecodeError(unrecognized(expected, why, bytes));
  };
  if (node.kind === 'null') return {kind: '', apiVersion: ''};
  if (node.kind !== 'object') {
    return refuse(unreadable(`json: cannot unmarshal ${node.kind} into Go value of type ${TYPE_META}`));
  }
  const found = {kind: '', apiversion: ''};
  for (const [i, key] of node.keys.entries()) {
    const name = key.toLowerCase();
    if (name !== 'kind' && name !== 'apiversion') continue;
    const value = node.values[i];
    if (value?.kind === 'string') found[name] = value.text;
    else if (value !== undefined && value.kind !== 'null') {
      const field = name === 'kind' ? 'kind' : 'apiVersion';
      return refuse(unreadable(`json: cannot unmarshal ${value.kind} into Go struct field .${field} of type string`));
    }
  }
  if (found.apiversion.split('/').length > 2) refuse(`unexpected GroupVersion string: ${found.apiversion}`);
  return {kind: found.kind, apiVersion: found.apiversion};
}

const unreadable = (why: string): string => `couldn't get version/kind; json parse error: ${why}`;

/** The text for a body of a known kind: `Endpoints in version "v1" cannot be handled as a Endpoints: …`. */
export function cannotHandle(expected: {readonly kind: string}, meta: TypeMeta, why: string): string {
  const version = goQuote(shortVersion(meta.apiVersion));
  return `${meta.kind} in version ${version} cannot be handled as a ${expected.kind}: ${why}`;
}

/** The text for a body that says nothing readable about itself. */
export function unrecognized(expected: {readonly kind: string}, why: string, bytes: Uint8Array): string {
  return `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summarize(bytes)})`;
}

/** The first bytes of a body: as text when they look like JSON, else in hexadecimal. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = Buffer.from(bytes.subarray(0, SUMMARY_BYTES));
  const shown = bytes[0] === 0x7b ? head.toString() : head.toString('hex');
  return bytes.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
