// SPDX-License-Identifier: Apache-2.0
/** PartialObjectMetadata: cut out of the bytes that are there, nothing is decoded. */
import type {CachedObject} from '../cache/cached-object.ts';

/** `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{…}}` */
export const toPartialMetadata = (object: CachedObject, version: string): Buffer => {
  const head = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}",`;
  const out = Buffer.allocUnsafe(head.length - 1 + object.metadataBytes);
  object.writeMetadata(out, head.length - 1); // whose opening brace the head takes the place of
  out.write(head, 'latin1');
  return out;
};
