// SPDX-License-Identifier: Apache-2.0
/** The rules that ConfigMaps and Secrets have in common. Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import type {KubeObject} from '@palisade/apiserver';
import {configKeyFaults, type FieldError, forbidden, invalid, keyPath, wasSentEmpty} from '@palisade/kube-wire';

/** Of all values together. */
export const DATA_BYTES_MAX = 1024 * 1024;
const IMMUTABLE = 'field is immutable when `immutable` is set';

/** By key; null is a value of no bytes that was sent as null. */
type Values = Readonly<Record<string, string | null>>;

export const keyFaults = (field: string, key: string): FieldError[] =>
  configKeyFaults(key).map(text => invalid(keyPath(field, key), key, text));

export const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Of values in base64. */
export const byteCount = (values: Values): number =>
  total(Object.values(values).map(value => Buffer.byteLength(value ?? '', 'base64')));

/** Fields that were sent as an empty map. The key survives copies of the object and is not encoded. */
const SENT_EMPTY = Symbol('sent empty');
type Marked = {[SENT_EMPTY]?: readonly string[]};

/**
 * Right after decoding. To the reference an empty map of bytes is not equal to none, which is what its storage makes of it; one of
 * texts is (measured).
 */
export const markSentEmpty = (object: KubeObject, fields: readonly string[]): void => {
  const empty = fields.filter(field => wasSentEmpty(object, field));
  if (empty.length > 0) (object as Marked)[SENT_EMPTY] = empty;
};

export const immutableFaults = (draft: KubeObject, current: KubeObject, fields: readonly string[]): FieldError[] => {
  const [next, before] = [draft, current] as unknown as readonly Readonly<Record<string, unknown>>[];
  if (before?.['immutable'] !== true) return [];
  const changed = fields.filter(
    field =>
      !equalValues(next?.[field] as Values | undefined, before[field] as Values | undefined) ||
      (next?.[field] === undefined && (draft as Marked)[SENT_EMPTY]?.includes(field) === true),
  );
  return [...(next?.['immutable'] === true ? [] : ['immutable']), ...changed].map(field => forbidden(field, IMMUTABLE));
};

const equalValues = (a: Values = {}, b: Values = {}): boolean => {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && a[key] === b[key]);
};

/** As the storage has them: null is no bytes. The same object where there is no null. */
export const withoutNulls = (values: Values): Values =>
  Object.values(values).includes(null)
    ? Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? '']))
    : values;
