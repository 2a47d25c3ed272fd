// SPDX-License-Identifier: Apache-2.0
/**
 * Upstream keeps the `internalTrafficPolicy` of a Service that is only a name, and does not show it, but for the events of
 * watches. Ref: kubernetes v1.36 pkg/registry/core/service/storage/storage.go defaultOnReadInternalTrafficPolicy.
 */
import {CachedObject, decodeItem} from '@palisade/apiserver';
import {asService, EXTERNAL_NAME} from './types.ts';

const POLICY = Buffer.from(',"internalTrafficPolicy":"');
const NAME_ONLY = Buffer.from(`"type":"${EXTERNAL_NAME}"`);
const QUOTE = 0x22;

export const withoutInternalPolicy = (object: CachedObject): CachedObject => {
  const {value} = object;
  // The last one: a key of the selector may have the same name, and stands before it.
  const at = value.includes(NAME_ONLY) ? value.lastIndexOf(POLICY) : -1;
  if (at < 0) return object;
  const {spec} = asService(decodeItem(object));
  if (spec.type !== EXTERNAL_NAME || spec.internalTrafficPolicy === undefined) return object;
  const end = value.indexOf(QUOTE, at + POLICY.length) + 1;
  const shown = Buffer.concat([value.subarray(0, at), value.subarray(end)]);
  return new CachedObject(object, shown, object.revision, object.resourceVersion);
};
