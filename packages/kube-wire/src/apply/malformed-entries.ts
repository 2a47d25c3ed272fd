// SPDX-License-Identifier: Apache-2.0
/**
 * What is wrong with `metadata.managedFields` as a client sent it (E-211, E-220). Upstream silently falls back to the
 * stored entries instead, which `manageUpdate` does too; call this first where they are to be refused.
 */

import {isJsonArray, isJsonObject} from '../patch/json-value.ts';
import type {Json} from '../schema.ts';
import {childPath, type FieldError, indexPath, invalid, required} from '../validate/field-error.ts';
import {decodeFieldsV1} from './fields/fields-v1.ts';
import {isReset, isVersion} from './managers.ts';

const PATH = 'metadata.managedFields';

/** All faults of all entries. A reset (`[]`, `[{}]`), null and absence have none. */
export function malformedEntryFaults(sent: Json | undefined): FieldError[] {
  if (sent === undefined || sent === null || isReset(sent)) return [];
  if (!isJsonArray(sent)) return [invalid(PATH, sent, 'must be a list')];
  return sent.flatMap((entry, i) => entryFaults(entry, indexPath(PATH, i)));
}

function entryFaults(entry: Json, path: string): FieldError[] {
  if (!isJsonObject(entry)) return [invalid(path, entry, 'must be an object')];
  const {operation = '', apiVersion = '', fieldsType = '', fieldsV1} = entry;
  const faults: FieldError[] = [];
  if (operation !== 'Apply' && operation !== 'Update') {
    faults.push(invalid(childPath(path, 'operation'), operation, 'must be `Apply` or `Update`'));
  }
  if (apiVersion === '' || apiVersion === null) faults.push(required(childPath(path, 'apiVersion')));
  else if (typeof apiVersion === 'string' && !isVersion(apiVersion)) {
    faults.push(invalid(childPath(path, 'apiVersion'), apiVersion, 'must be in the form `group/version`'));
  }
  if (fieldsType !== 'FieldsV1') faults.push(invalid(childPath(path, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
  const fault = fieldsFault(fieldsV1);
  if (fault !== undefined) faults.push(invalid(childPath(path, 'fieldsV1'), fieldsV1, fault));
  return faults;
}

function fieldsFault(fields: Json | undefined): string | undefined {
  try {
    decodeFieldsV1(fields);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}
