// SPDX-License-Identifier: Apache-2.0
/**
 * Resource states ⇄ the JSON of a deployment v3. Member order is the CLI's, property maps are sorted by key, empty members are left
 * out. A secret is `{"4dab…": "1b47…", "ciphertext": "v1:…"}` of the value's JSON text; on import also `"plaintext"`.
 * Ref: Pulumi sdk/go/common/apitype ResourceV3, pkg/resource/stack deployment.go.
 */

import {
  isSecret,
  isUnknown,
  type PropertyMap,
  type PropertyValue,
  SECRET_SIGNATURE,
  SIGNATURE_KEY,
  secretOf,
  UNKNOWN,
  UNKNOWN_SENTINEL,
} from '@palisade/provider';
import {StateFault} from '../engine-error.ts';
import {type CustomTimeouts, emptyState, type ResourceState} from './resource-state.ts';
import {isReference, isUrn} from './urn.ts';

export type Json = null | boolean | number | string | readonly Json[] | {readonly [key: string]: Json};
export type JsonObject = {readonly [key: string]: Json};

/** How secrets are written. `seal` gets the JSON text of the value and returns the object's other members. */
export type SecretWriter = (text: string) => JsonObject;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True when a secret stands anywhere: reading it needs the key. */
export function holdsSealedSecrets(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSealedSecrets);
  if (!isJsonObject(value)) return false;
  if (value[SIGNATURE_KEY] === SECRET_SIGNATURE) return true;
  return Object.values(value).some(holdsSealedSecrets);
}

export function propertiesToJson(map: PropertyMap, seal: SecretWriter): JsonObject {
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .flatMap(key => {
        const value = map[key];
        return value === undefined ? [] : [[key, valueToJson(value, seal)] as const];
      }),
  );
}

/** Whether a value has more than so many levels. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(part => isDeeper(part, levels - 1)));

export function valueToJson(value: PropertyValue, seal: SecretWriter): Json {
  if (value === null || typeof value !== 'object') return value;
  if (isUnknown(value)) return UNKNOWN_SENTINEL;
  if (isSecret(value)) {
    const text = JSON.stringify(valueToJson(value.value, inner => JSON.parse(inner) as JsonObject));
    return {[SIGNATURE_KEY]: SECRET_SIGNATURE, ...seal(text)};
  }
  if (Array.isArray(value)) return value.map((member: PropertyValue) => valueToJson(member, seal));
  return propertiesToJson(value as PropertyMap, seal);
}

/** `open` gets a ciphertext and returns the JSON text. */
export function propertiesFromJson(json: unknown, open: (sealed: string) => string): PropertyMap {
  if (!isJsonObject(json)) return {};
  // An assignment of the key `__proto__` would set the prototype.
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, valueFromJson(value, open)]));
}

function valueFromJson(json: Json, open: (sealed: string) => string): PropertyValue {
  if (json === UNKNOWN_SENTINEL) return UNKNOWN;
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return json.map((member: Json) => valueFromJson(member, open));
  const object = json as JsonObject;
  if (object[SIGNATURE_KEY] !== SECRET_SIGNATURE) return propertiesFromJson(object, open);
  const {ciphertext, plaintext} = object as {ciphertext?: Json; plaintext?: Json};
  const text = typeof ciphertext === 'string' ? open(ciphertext) : plaintext;
  if (typeof text !== 'string') throw new StateFault('a secret in the state has neither ciphertext nor plaintext');
  return secretOf(valueFromJson(parsedSecret(text), open));
}

function parsedSecret(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // A SyntaxError would quote the secret.
    throw new StateFault('a secret in the state is not JSON: the state was changed by hand or is damaged');
  }
}

/** Members that this engine reads and writes itself, in the CLI's order; the others are kept in `extra`. */
const MEMBERS = [
  'urn', 'custom', 'delete', 'id', 'type', 'inputs', 'outputs', 'parent', 'protect', 'taint', 'external', 'dependencies',
  'initErrors', 'provider', 'propertyDependencies', 'pendingReplacement', 'additionalSecretOutputs', 'aliases',
  'customTimeouts', 'importID', 'retainOnDelete', 'deletedWith', 'replaceWith', 'created', 'modified', 'sourcePosition',
  'stackTrace', 'ignoreChanges', 'hideDiff', 'replaceOnChanges', 'replacementTrigger', 'refreshBeforeUpdate', 'viewOf',
  'resourceHooks', 'extensionRef', 'snippetID',
] as const; // biome-ignore format: a table

const OWN = new Set<string>([
  'urn', 'custom', 'delete', 'id', 'type', 'inputs', 'outputs', 'parent', 'protect', 'external', 'dependencies', 'initErrors',
  'provider', 'propertyDependencies', 'pendingReplacement', 'additionalSecretOutputs', 'aliases', 'customTimeouts', 'importID',
  'retainOnDelete', 'deletedWith', 'created', 'modified', 'sourcePosition', 'ignoreChanges', 'replaceOnChanges',
]); // biome-ignore format: a table

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

export function stateToJson(state: ResourceState, seal: SecretWriter): JsonObject {
  const members: Record<string, unknown> = {
    ...state.extra,
    delete: state.delete,
    id: state.id,
    inputs: propertiesToJson(state.inputs, seal),
    outputs: propertiesToJson(state.outputs, seal),
    parent: state.parent,
    protect: state.protect,
    external: state.external,
    dependencies: state.dependencies,
    initErrors: state.initErrors,
    provider: state.provider,
    propertyDependencies: sortedByKey(state.propertyDependencies),
    pendingReplacement: state.pendingReplacement,
    additionalSecretOutputs: state.additionalSecretOutputs,
    customTimeouts: state.customTimeouts,
    importID: state.importId,
    retainOnDelete: state.retainOnDelete,
    deletedWith: state.deletedWith,
    created: state.created,
    modified: state.modified,
    sourcePosition: state.sourcePosition,
    ignoreChanges: state.ignoreChanges,
    replaceOnChanges: state.replaceOnChanges,
  };
  const json: Record<string, unknown> = {urn: state.urn, custom: state.custom};
  for (const key of MEMBERS) {
    if (key === 'type') json[key] = state.type;
    else if (key !== 'urn' && key !== 'custom' && !isEmpty(members[key])) json[key] = members[key];
  }
  for (const [key, value] of Object.entries(state.extra)) if (!(key in json)) json[key] = value;
  return json as JsonObject;
}

const sortedByKey = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((member): member is string => typeof member === 'string') : [];

/** Throws when `urn` or `type` is missing. */
export function stateFromJson(json: unknown, open: (sealed: string) => string): ResourceState {
  if (!isJsonObject(json)) throw new StateFault('a resource in the state is not an object');
  const members: Readonly<Record<string, Json | undefined>> = json;
  const urn = text(members['urn']);
  const type = text(members['type']);
  if (urn === '' || type === '') throw new StateFault('a resource in the state has no urn or no type');
  if (!isUrn(urn)) throw new StateFault(`a resource in the state has an invalid urn: ${JSON.stringify(urn)}`);
  const provider = text(members['provider']);
  if (provider !== '' && !isReference(provider))
    throw new StateFault(`resource ${urn} in the state has an invalid provider reference: ${JSON.stringify(provider)}`);
  const propertyDependencies = isJsonObject(members['propertyDependencies']) ? members['propertyDependencies'] : {};
  return {
    ...emptyState(urn, type),
    custom: members['custom'] === true,
    delete: members['delete'] === true,
    id: text(members['id']),
    inputs: propertiesFromJson(members['inputs'], open),
    outputs: propertiesFromJson(members['outputs'], open),
    parent: text(members['parent']),
    protect: members['protect'] === true,
    external: members['external'] === true,
    dependencies: texts(members['dependencies']),
    initErrors: texts(members['initErrors']),
    provider,
    propertyDependencies: Object.fromEntries(
      Object.entries(propertyDependencies).map(([key, urns]) => [key, texts(urns)]),
    ),
    pendingReplacement: members['pendingReplacement'] === true,
    additionalSecretOutputs: texts(members['additionalSecretOutputs']),
    customTimeouts: timeoutsFromJson(members['customTimeouts']),
    importId: text(members['importID']),
    retainOnDelete: members['retainOnDelete'] === true,
    deletedWith: text(members['deletedWith']),
    created: text(members['created']),
    modified: text(members['modified']),
    sourcePosition: text(members['sourcePosition']),
    ignoreChanges: texts(members['ignoreChanges']),
    replaceOnChanges: texts(members['replaceOnChanges']),
    extra: Object.fromEntries(Object.entries(json).filter(([key]) => !OWN.has(key))),
  };
}

function timeoutsFromJson(json: Json | undefined): CustomTimeouts {
  if (!isJsonObject(json)) return {};
  const timeouts: CustomTimeouts = {};
  for (const key of ['create', 'update', 'delete'] as const) {
    const seconds = json[key];
    if (typeof seconds === 'number' && seconds > 0) timeouts[key] = seconds;
  }
  return timeouts;
}
