// SPDX-License-Identifier: Apache-2.0
/**
 * A body of options, which may leave out what it is: `meta.k8s.io/v1` DeleteOptions, in the version of any group.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/delete.go, apimachinery pkg/apis/meta/internalversion/scheme.
 */
import {goQuote} from '../go/quote.ts';
import {decodeProtobuf, openEnvelope, ProtoError} from '../proto/envelope.ts';
import type {JsonObject, TypeTable} from '../schema.ts';
import {decodeObject} from './decode.ts';
import {
  completed,
  type GroupVersionKind,
  groupVersionText,
  interpretTypeMeta,
  parseGroupVersion,
  SCHEME,
} from './type-meta.ts';
import {DecodeError} from './typed-decode.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const KIND = 'DeleteOptions';
/** Known in every version. */
const UNVERSIONED: readonly string[] = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'];
/** Known in meta.k8s.io/v1 only. */
const OF_META: readonly string[] = [
  ...['CreateOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'TableOptions', 'UpdateOptions'],
  ...['PartialObjectMetadata', 'PartialObjectMetadataList', 'Table', 'WatchEvent'],
];

export type OptionsBody = {
  /** As received: what a refusal quotes. */
  readonly bytes: Uint8Array;
  /** JSON that the body was turned into, where it was YAML. */
  readonly json?: string | undefined;
  readonly protobuf?: boolean | undefined;
};

/** Throws DecodeError whose message is the whole text of the 400 answer. */
export function decodeDeleteOptions(types: TypeTable, {bytes, json, protobuf}: OptionsBody): JsonObject {
  if (protobuf === true) return fromProtobuf(types, bytes);
  const text = json ?? bytes;
  refuseOther(interpretTypeMeta(text), bytes);
  return decodeObject(types, `${META}.${KIND}`, text).object;
}

function fromProtobuf(types: TypeTable, bytes: Uint8Array): JsonObject {
  try {
    const envelope = openEnvelope(bytes);
    refuseOther({...parseGroupVersion(envelope.apiVersion), kind: envelope.kind}, bytes);
    return decodeProtobuf(types, `${META}.${KIND}`, envelope);
  } catch (error) {
    if (error instanceof ProtoError) throw new DecodeError(error.message, {cause: error});
    throw error;
  }
}

function refuseOther(found: GroupVersionKind, bytes: Uint8Array): void {
  const meta = completed(found, {group: 'meta.k8s.io', version: 'v1', kind: KIND});
  if (meta.version === '')
    throw new DecodeError(`Object 'apiVersion' is missing in '${Buffer.from(bytes).toString()}'`);
  if (meta.kind === KIND) return;
  const version = groupVersionText(meta);
  if (UNVERSIONED.includes(meta.kind) || (version === 'meta.k8s.io/v1' && OF_META.includes(meta.kind))) {
    throw new DecodeError(`converting (v1.${meta.kind}) to (v1.${KIND}): unknown conversion`);
  }
  throw new DecodeError(
    `no kind ${goQuote(meta.kind)} is registered for version ${goQuote(version)} in scheme ${goQuote(SCHEME)}`,
  );
}
