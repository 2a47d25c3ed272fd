// SPDX-License-Identifier: Apache-2.0
/**
 * A body of options, which may leave out what it is: `meta.k8s.io/v1` DeleteOptions, in the version of any group.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/delete.go, apimachinery
 * pkg/apis/meta/internalversion/{register.go,scheme}.
 */
import {decodeProtobuf, openEnvelope, ProtoError} from '../proto/envelope.ts';
import type {JsonObject, TypeTable} from '../schema.ts';
import {decodeObject} from './decode.ts';
import {DecodeError} from './decode-error.ts';
import {INTERNAL_VERSION} from './known-kinds.ts';
import {
  completed,
  completedEnvelope,
  type GroupVersionKind,
  groupVersionText,
  interpretTypeMeta,
  unknownKind,
} from './type-meta.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const KIND = 'DeleteOptions';
const EXPECTED: GroupVersionKind = {group: 'meta.k8s.io', version: 'v1', kind: KIND};
/** Known in every version. */
const UNVERSIONED: ReadonlySet<string> = new Set([
  ...['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'],
  ...['CreateOptions', 'UpdateOptions'],
]);
const METADATA = {
  PartialObjectMetadata: 'v1.PartialObjectMetadata',
  PartialObjectMetadataList: 'v1beta1.PartialObjectMetadataList',
  Table: 'v1.Table',
  TableOptions: 'v1.TableOptions',
};
/** The Go types of the kinds that one version only knows. */
const OF_VERSION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'meta.k8s.io/v1': {
    ...METADATA,
    PartialObjectMetadataList: 'v1.PartialObjectMetadataList',
    GetOptions: 'v1.GetOptions',
    ListOptions: 'v1.ListOptions',
    PatchOptions: 'v1.PatchOptions',
    WatchEvent: 'v1.WatchEvent',
  },
  'meta.k8s.io/v1beta1': METADATA,
  [`meta.k8s.io/${INTERNAL_VERSION}`]: {
    ...METADATA,
    GetOptions: 'v1.GetOptions',
    ListOptions: 'internalversion.ListOptions',
    WatchEvent: 'v1.InternalEvent',
  },
};

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
  const meta = completed(interpretTypeMeta(text), EXPECTED);
  if (meta.version === '') {
    throw new DecodeError(`Object 'apiVersion' is missing in '${Buffer.from(bytes).toString()}'`);
  }
  refuseOther(meta);
  return decodeObject(types, `${META}.${KIND}`, text).object;
}

function fromProtobuf(types: TypeTable, bytes: Uint8Array): JsonObject {
  try {
    const envelope = openEnvelope(bytes);
    refuseOther(completedEnvelope(envelope, EXPECTED));
    return decodeProtobuf(types, `${META}.${KIND}`, envelope);
  } catch (error) {
    if (error instanceof ProtoError) throw new DecodeError(error.message, {cause: error});
    throw error;
  }
}

function refuseOther(meta: GroupVersionKind): void {
  if (meta.kind === KIND) return;
  const goType = goTypeIn(groupVersionText(meta), meta.kind);
  throw new DecodeError(
    goType === undefined ? unknownKind(meta) : `converting (${goType}) to (v1.${KIND}): unknown conversion`,
  );
}

/** A client may send any word, `constructor` too. */
function goTypeIn(apiVersion: string, kind: string): string | undefined {
  if (UNVERSIONED.has(kind)) return `v1.${kind}`;
  const known = Object.hasOwn(OF_VERSION, apiVersion) ? OF_VERSION[apiVersion] : undefined;
  return known !== undefined && Object.hasOwn(known, kind) ? known[kind] : undefined;
}
