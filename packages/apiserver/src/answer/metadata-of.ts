// SPDX-License-Identifier: Apache-2.0
/** PartialObjectMetadata: cut out of the bytes that are there, nothing is decoded. */
import type {CachedObject} from '../cache/cached-object.ts';

/** `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{…}}` */
export const toPartialMetadata = (object: CachedObject, version: string): Buffer =>
  object.metadataBehind(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}",`);
