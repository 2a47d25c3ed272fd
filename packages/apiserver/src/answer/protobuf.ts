// SPDX-License-Identifier: Apache-2.0
/** Kubernetes protobuf of what the server sends and reads. */
import {
  DecodeError,
  decodeProtobuf,
  encodeProtobuf,
  encodeWatchFrame,
  type JsonObject,
  jsonToProtobuf,
  kubeTypes,
  openEnvelope,
  ProtobufList,
  ProtoError,
  type Status,
  type TypeTable,
} from '@palisade/kube-wire';
import {groupVersionOf} from '../base/object.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';
import type {ListAnswer} from './answer.ts';
import {NOTHING_YET, type Steps} from './list-body.ts';
import type {ListMemory} from './list-memory.ts';
import {toPartialMetadata} from './metadata-of.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const METADATA_LIST = `${META}.PartialObjectMetadataList`;

/** v1beta1 numbers the items 1 and the metadata 2. Ref: kubernetes v1.36 apimachinery meta/v1beta1/generated.proto. */
const metadataListTypes = (): TypeTable => {
  const list = kubeTypes[METADATA_LIST];
  if (list === undefined) throw new Error(`no type ${METADATA_LIST}`);
  const numbers: Readonly<Record<string, number>> = {items: 1, metadata: 2};
  const fields = list.fields.map(field => ({...field, proto: numbers[field.name] ?? field.proto}));
  return {...kubeTypes, [METADATA_LIST]: {...list, fields}};
};

const METADATA_LIST_TYPES: ReadonlyMap<string, TypeTable> = new Map([
  ['v1', kubeTypes],
  ['v1beta1', metadataListTypes()],
]);

/** The object, or with `metadataVersion` its PartialObjectMetadata, in the usual envelope. */
export const protobufObject = (
  kind: KindDefinition,
  object: CachedObject,
  metadataVersion: string | undefined,
): Buffer => {
  if (metadataVersion === undefined) {
    const named = {kind: kind.kind, apiVersion: groupVersionOf(kind)};
    return jsonToProtobuf(kind.types, kind.typeName, named, object.item);
  }
  const named = {kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metadataVersion}`};
  return jsonToProtobuf(kubeTypes, `${META}.PartialObjectMetadata`, named, toPartialMetadata(object, metadataVersion));
};

/** Of a list: made in steps, all of which are done before the first byte. */
export function* protobufList(
  answer: ListAnswer,
  steps: Steps,
  metadataVersion: string | undefined,
  memory: ListMemory,
): Generator<Buffer> {
  const {kind, continueToken, remaining, resourceVersion} = answer;
  const metadata = {
    resourceVersion,
    ...(continueToken === undefined ? {} : {continue: continueToken}),
    ...(remaining === undefined || remaining === 0 ? {} : {remainingItemCount: remaining}),
  };
  const {list, named, read} = metadataVersion === undefined ? wholeList(kind) : metadataList(metadataVersion);
  const pieceOf = (step: readonly CachedObject[]): Buffer => list.items(step.map(read));
  const kept: Buffer[] = []; // of the first steps; the last of them is the first to be sent
  try {
    let bytes = 0;
    let isRoom = true;
    for (const step of steps) {
      const piece = pieceOf(step);
      bytes += piece.length;
      isRoom &&= memory.prepare(piece);
      if (isRoom) kept.push(piece);
      yield NOTHING_YET;
    }
    const {start, end} = list.around(named, metadata, bytes);
    yield start;
    kept.reverse();
    for (const step of steps) {
      const piece = kept.pop();
      if (piece !== undefined) memory.unprepare(piece);
      yield piece ?? pieceOf(step);
    }
    yield end;
  } finally {
    for (const piece of kept) memory.unprepare(piece);
  }
}

type ItemForm = {
  readonly list: ProtobufList;
  readonly named: {readonly kind: string; readonly apiVersion: string};
  /** The JSON of an item. */
  readonly read: (object: CachedObject) => Buffer;
};

const wholeList = (kind: KindDefinition): ItemForm => ({
  list: new ProtobufList(kind.types, `${kind.typeName}List`),
  named: {kind: kind.listKind, apiVersion: groupVersionOf(kind)},
  read: object => object.item,
});

const metadataList = (version: string): ItemForm => ({
  list: new ProtobufList(METADATA_LIST_TYPES.get(version) ?? kubeTypes, METADATA_LIST),
  named: {kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`},
  read: object => object.metadataBehind('{'),
});

export const protobufStatus = (status: Status): Buffer =>
  encodeProtobuf(kubeTypes, `${META}.Status`, status as unknown as JsonObject);

/** One frame of a watch: a length of four bytes and a WatchEvent around an enveloped object. */
export const protobufWatchEvent = (type: string, object: Buffer): Buffer => encodeWatchFrame(type, object);

/** Throws DecodeError. `check` sees kind and version before the object is decoded. */
export const decodeProtobufBody = (
  types: KindDefinition['types'],
  typeName: string,
  bytes: Buffer,
  check: (named: {readonly kind: string; readonly apiVersion: string}) => void,
): JsonObject => {
  try {
    const envelope = openEnvelope(bytes);
    check(envelope);
    return decodeProtobuf(types, typeName, envelope);
  } catch (error) {
    if (error instanceof ProtoError) throw new DecodeError(error.message, {cause: error});
    throw error;
  }
};

const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  APIVersions: `${META}.APIVersions`,
  APIGroupList: `${META}.APIGroupList`,
  APIGroup: `${META}.APIGroup`,
  APIResourceList: `${META}.APIResourceList`,
  APIGroupDiscoveryList: 'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList',
};

/** A discovery document. */
export const protobufDocument = (document: JsonObject): Buffer => {
  const typeName = DOCUMENT_TYPES[String(document['kind'])];
  if (typeName === undefined) throw new Error(`no protobuf of ${String(document['kind'])}`);
  return encodeProtobuf(kubeTypes, typeName, {apiVersion: '', ...document});
};
