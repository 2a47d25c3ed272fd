// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateConfigMap, ValidateConfigMapUpdate. */
import {type FieldError, invalid, keyPath, tooLong} from '@palisade/kube-wire';
import {byteCount, DATA_BYTES_MAX, immutableFaults, keyFaults, total} from '../immutable-data.ts';
import type {ConfigMap} from './types.ts';

/** The reference's text for the whole object. */
const WHOLE = '[]';

export const validateConfigMap = ({data = {}, binaryData = {}}: ConfigMap): FieldError[] => {
  const errors = Object.keys(data).flatMap(key => [
    ...keyFaults('data', key),
    ...(Object.hasOwn(binaryData, key)
      ? [invalid(keyPath('data', key), key, 'duplicate of key present in binaryData')]
      : []),
  ]);
  errors.push(...Object.keys(binaryData).flatMap(key => keyFaults('binaryData', key)));
  const bytes = total(Object.values(data).map(text => Buffer.byteLength(text))) + byteCount(binaryData);
  if (bytes > DATA_BYTES_MAX) errors.push(tooLong(WHOLE, DATA_BYTES_MAX));
  return errors;
};

export const validateConfigMapChange = (draft: ConfigMap, current: ConfigMap): FieldError[] =>
  immutableFaults(draft, current, ['data', 'binaryData']);
