// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 apimachinery/pkg/apis/meta/v1/validation/validation.go ValidateManagedFields. */
import {childPath, type FieldError, indexPath, invalid, namedText, tooLong} from '@palisade/kube-wire';
import type {ManagedFieldsEntry} from '../../base/object.ts';
import {validateFieldManager} from '../../request/options/write-options.ts';

const SUBRESOURCE_BYTES_MAX = 256;

export const validateManagedFields = (entries: readonly ManagedFieldsEntry[], path: string): FieldError[] =>
  entries.flatMap((entry, index) => {
    const here = indexPath(path, index);
    const errors: FieldError[] = [];
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(
        invalid(childPath(here, 'operation'), namedText(entry.operation ?? ''), 'must be `Apply` or `Update`'),
      );
    }
    if ((entry.fieldsType ?? '') !== '' && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalid(childPath(here, 'fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...validateFieldManager(entry.manager ?? '', childPath(here, 'manager')));
    if (Buffer.byteLength(entry.subresource ?? '') > SUBRESOURCE_BYTES_MAX) {
      errors.push(tooLong(childPath(here, 'subresource'), SUBRESOURCE_BYTES_MAX));
    }
    return errors;
  });
