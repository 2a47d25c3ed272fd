// SPDX-License-Identifier: Apache-2.0
/**
 * `metadata.managedFields` ⇄ who owns what. One entry per manager, operation, subresource and (for Update) version.
 * Ref: kubernetes v1.36 apimachinery pkg/util/managedfields/internal/managedfields.go.
 */
import {compareUtf8} from '../go/order.ts';
import {isCanonicalTime, normalizeTime} from '../go/time.ts';
import {goJsonString, isJsonArray, isJsonObject} from '../patch/json-value.ts';
import type {Json, JsonObject} from '../schema.ts';
import type {FieldSet} from './fields/field-set.ts';
import {decodeFieldsV1, encodeFieldsV1} from './fields/fields-v1.ts';

export type Operation = 'Apply' | 'Update';

/** One owner and its fields. */
export type Manager = {
  readonly name: string;
  readonly operation: Operation;
  /** Version that the field set is written in: `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, UTC, whole seconds; undefined where none is known. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
};

/** Owners by identity. */
export type Managers = Map<string, Manager>;

/** What makes an owner the same one; sorts as upstream's identifier does. Appliers keep theirs over versions. */
export function managerId(manager: Omit<Manager, 'time' | 'fields'>): string {
  const name = manager.name === '' ? '' : `"manager":${goJsonString(manager.name)},`;
  let id = `{${name}"operation":"${manager.operation}"`;
  if (manager.operation === 'Update' && manager.apiVersion !== '') {
    id += `,"apiVersion":${goJsonString(manager.apiVersion)}`;
  }
  if (manager.subresource !== '') id += `,"subresource":${goJsonString(manager.subresource)}`;
  return `${id}}`;
}

/** At most one slash: what else a version says is for the schema to know. */
export const isVersion = (apiVersion: string): boolean => apiVersion.split('/').length <= 2;

/** An entry of `managedFields` that cannot be understood. */
export class ManagedFieldsError extends Error {}

/** Throws ManagedFieldsError for the first entry that is malformed. Absent and null mean nobody. */
export function decodeManagers(entries: Json | undefined): Managers {
  const managers: Managers = new Map();
  if (entries === undefined || entries === null) return managers;
  if (!isJsonArray(entries)) throw new ManagedFieldsError('managedFields is not a list');
  for (const [i, entry] of entries.entries()) {
    const manager = decodeManager(entry, i);
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function decodeManager(entry: Json, index: number): Manager {
  if (!isJsonObject(entry)) throw new ManagedFieldsError(`managed fields entry ${index} is not an object`);
  const operation = entry['operation'];
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  }
  const apiVersion = textOf(entry, 'apiVersion');
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  const fieldsType = textOf(entry, 'fieldsType');
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  return {
    name: textOf(entry, 'manager'),
    operation,
    apiVersion,
    subresource: textOf(entry, 'subresource'),
    time: timeOf(entry),
    fields: decodeSet(entry['fieldsV1']),
  };
}

function decodeSet(fields: Json | undefined): FieldSet {
  try {
    return decodeFieldsV1(fields);
  } catch (error) {
    if (error instanceof SyntaxError) throw new ManagedFieldsError(`error decoding set: ${error.message}`);
    throw error;
  }
}

/** As the server writes times, also what was sent with an offset or a fraction. */
function timeOf(entry: JsonObject): string | undefined {
  const text = textOf(entry, 'time');
  if (text === '') return undefined;
  return isCanonicalTime(text) ? text : normalizeTime(text, 'date-time');
}

function textOf(entry: JsonObject, key: string): string {
  const value = entry[key];
  return typeof value === 'string' ? value : '';
}

/** The list for the wire, in upstream's order; undefined when nobody owns anything. */
export function encodeManagers(managers: Managers): readonly JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(compareManagers).map(encodeManager);
}

function encodeManager(manager: Manager): JsonObject {
  return {
    ...(manager.name !== '' && {manager: manager.name}),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time !== undefined && {time: manager.time}),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFieldsV1(manager.fields),
    ...(manager.subresource !== '' && {subresource: manager.subresource}),
  };
}

/** Apply before Update, older before newer, then by name, version and subresource. */
function compareManagers(a: Manager, b: Manager): number {
  if (a.operation !== b.operation) return a.operation < b.operation ? -1 : 1;
  return (
    secondsOf(a.time) - secondsOf(b.time) ||
    compareUtf8(a.name, b.name) ||
    compareUtf8(a.apiVersion, b.apiVersion) ||
    compareUtf8(a.subresource, b.subresource)
  );
}

/** Whole seconds since 1970; an entry without a time is the oldest. */
export function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;
}

const TEXT_FIELDS = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'subresource'];

/** A list that asks for tracking to be dropped: `[]` or `[{}]`, where null counts as `{}`. What no entry has counts for nothing. */
export function isReset(entries: Json | undefined): boolean {
  if (!isJsonArray(entries)) return false;
  if (entries.length === 0) return true;
  const only = entries[0] ?? {};
  return (
    entries.length === 1 &&
    isJsonObject(only) &&
    (only['fieldsV1'] ?? null) === null &&
    TEXT_FIELDS.every(field => (only[field] ?? '') === '')
  );
}
