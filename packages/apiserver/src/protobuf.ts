// SPDX-License-Identifier: Apache-2.0
/** Kubernetes protobuf of what the server sends and reads. */
import type {JsonObject, Status} from '@palisade/wire/kube';
import type {CachedObject} from './cache/cached-object.ts';
import type {KindDefinition} from './kind.ts';
import {notServedYet} from './status-error.ts';
import type {ListAnswer} from './verbs/answer.ts';

/** The object, or with `metadataVersion` its PartialObjectMetadata, in the usual envelope. */
export const protobufObject = (_kind: KindDefinition, _object: CachedObject, _metadataVersion: string | undefined): Buffer => {
  throw notServedYet('protobuf');
};

export const protobufList = (_answer: ListAnswer, _metadataVersion: string | undefined): Buffer => {
  throw notServedYet('protobuf');
};

export const protobufStatus = (_status: Status): Buffer => {
  throw notServedYet('protobuf');
};

/** One frame of a watch: a length of four bytes and a WatchEvent around an enveloped object. */
export const protobufWatchEvent = (_type: string, _object: Buffer): Buffer => {
  throw notServedYet('protobuf');
};

/** Throws DecodeError. `check` sees kind and version before the object is decoded. */
export const decodeProtobufBody = (
  _kind: KindDefinition,
  _bytes: Buffer,
  _check: (named: {kind: string; apiVersion: string}) => void,
): JsonObject => {
  throw notServedYet('a protobuf body');
};
