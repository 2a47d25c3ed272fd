// SPDX-License-Identifier: Apache-2.0
/** PartialObjectMetadata: cut out of the bytes that are there, nothing is decoded. */
import {type CachedObject, endOfValue} from '../cache/cached-object.ts';

const METADATA_AT = '{"metadata":'.length;

/** `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{…}}` */
export const toPartialMetadata = (object: CachedObject, version: string): Buffer => {
  const {item} = object;
  const end = endOfValue(item, METADATA_AT);
  return Buffer.concat([
    Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`),
    item.subarray(METADATA_AT, end),
    Buffer.from('}'),
  ]);
};
