// SPDX-License-Identifier: Apache-2.0
/**
 * What a body says it is, and whether that is what the path is for.
 * Ref: kubernetes v1.36 apimachinery pkg/runtime/serializer/json/{json,meta}.go (Interpret, gvkWithDefaults),
 * pkg/runtime/schema/group_version.go (ParseGroupVersion).
 */
import {goQuote} from '../go/quote.ts';
import type {TypeMeta} from '../proto/envelope.ts';
import {cannotUnmarshal, DecodeError} from './decode-error.ts';
import {type JsonNode, JsonSyntaxError, scanJson} from './json-scan.ts';
import {goTypeOf, INTERNAL_VERSION, isKnownKind} from './known-kinds.ts';

/** The kind of the path. */
export type ExpectedKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly typeName: string;
  /** How upstream calls its internal type: `core.Endpoints`. */
  readonly internalName: string;
};

export type GroupVersionKind = {readonly group: string; readonly version: string; readonly kind: string};

/** The registry of kinds, as messages of a server built from the published modules name it. */
const SCHEME = 'pkg/runtime/scheme.go:111';
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** `v1`, `apps/v1`. */
export const groupVersionText = ({group, version}: {readonly group: string; readonly version: string}): string =>
  group === '' ? version : `${group}/${version}`;

/** Throws DecodeError for a text of more than two parts. */
function parseGroupVersion(text: string): {group: string; version: string} {
  const [first = '', second, ...more] = text.split('/');
  if (more.length > 0 && text !== '/') throw new DecodeError(`unexpected GroupVersion string: ${text}`);
  return second === undefined ? {group: '', version: first} : {group: first, version: second};
}

/** Reads `kind` and `apiVersion` only, without regard to case, as Go's standard decoder does. Throws DecodeError. */
export function interpretTypeMeta(json: string | Uint8Array): GroupVersionKind {
  const found = {kind: '', apiversion: ''};
  const node = scanned(json);
  if (node.kind === 'null') return {group: '', version: '', kind: ''};
  if (node.kind !== 'object') throw unreadable(node.kind, `value of type ${TYPE_META}`);
  for (const [i, key] of node.keys.entries()) {
    const name = key.toLowerCase();
    if (name !== 'kind' && name !== 'apiversion') continue;
    const value = node.values[i];
    if (value?.kind === 'string') found[name] = value.text;
    else if (value !== undefined && value.kind !== 'null') {
      const field = name === 'kind' ? 'kind' : 'apiVersion';
      throw unreadable(value.kind, `struct field .${field} of type string`);
    }
  }
  return {...parseGroupVersion(found.apiversion), kind: found.kind};
}

function scanned(json: string | Uint8Array): JsonNode {
  try {
    return scanJson(json);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new DecodeError(`couldn't get version/kind; json parse error: ${error.message}`, {cause: error});
  }
}

const unreadable = (what: string, where: string): DecodeError =>
  new DecodeError(`couldn't get version/kind; json parse error: ${cannotUnmarshal(what, where)}`);

/** `meta` with what it leaves out taken from `known`. */
export function completed(meta: GroupVersionKind, known: GroupVersionKind): GroupVersionKind {
  const kind = meta.kind === '' ? known.kind : meta.kind;
  const isBare = meta.version === '' && (meta.group === '' || meta.group === known.group);
  return {group: isBare ? known.group : meta.group, version: isBare ? known.version : meta.version, kind};
}

/**
 * The same for what stands in a protobuf envelope: an apiVersion that is none counts as left out, and a group without a version too.
 * Ref: kubernetes v1.36 apimachinery pkg/runtime/schema/group_version.go (FromAPIVersionAndKind),
 * pkg/runtime/serializer/protobuf/protobuf.go (copyKindDefaults).
 */
export function completedEnvelope({kind, apiVersion}: TypeMeta, known: GroupVersionKind): GroupVersionKind {
  const named = kind === '' ? known.kind : kind;
  const {group, version} = apiVersion.split('/').length > 2 ? NO_VERSION : parseGroupVersion(apiVersion);
  return version === '' ? {group: known.group, version: known.version, kind: named} : {group, version, kind: named};
}

const NO_VERSION = {group: '', version: ''};

/** The same for what stands in a decoded object. Throws DecodeError. */
export const completedMeta = (expected: ExpectedKind, {kind, apiVersion}: TypeMeta): GroupVersionKind =>
  completed({...parseGroupVersion(apiVersion), kind}, expected);

/** The version of the path is the only one that is taken. */
export const versionFault = (expected: ExpectedKind, meta: GroupVersionKind): string | undefined =>
  isExpected(expected, meta)
    ? undefined
    : `the API version in the data (${groupVersionText(meta)}) does not match the expected API version (${groupVersionText(expected)})`;

export const isExpected = (expected: ExpectedKind, {group, version, kind}: GroupVersionKind): boolean =>
  kind === expected.kind && version === expected.version && group === expected.group;

/** The text for a kind that the registry does not know. */
export function unknownKind(meta: GroupVersionKind): string {
  const where =
    meta.version === INTERNAL_VERSION
      ? `the internal version of group ${goQuote(meta.group)}`
      : `version ${goQuote(groupVersionText(meta))}`;
  return `no kind ${goQuote(meta.kind)} is registered for ${where} in scheme ${goQuote(SCHEME)}`;
}

/** Internal types have no protobuf: the text for a body in it that says that it is one. */
export const noProtobufOf = (goType: string): string =>
  `object *${goType} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`;

/**
 * Why a body of this kind cannot be read as the expected one; `undefined` when it can (another version of the kind can).
 * `body` is what is quoted when no version can be found.
 */
export function kindFault(expected: ExpectedKind, meta: GroupVersionKind, body: () => string): string | undefined {
  if (meta.version === '') return `Object 'apiVersion' is missing in '${body()}'`;
  if (isExpected(expected, meta)) return undefined;
  const apiVersion = groupVersionText(meta);
  if (!isKnownKind(apiVersion, meta.kind)) return unknownKind(meta);
  if (meta.kind === expected.kind && meta.group === expected.group) return undefined;
  return `converting (${goTypeOf(apiVersion, meta.kind)}) to (${expected.internalName}): unknown conversion`;
}
