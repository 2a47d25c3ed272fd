// SPDX-License-Identifier: Apache-2.0
/** Test support: one object that is written and applied to, with the little of a server that ownership needs. */

import {kubeTypes} from '@palisade/kube-wire/gen/kube-types.ts';
import {cloneJson, equalJson, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject, TypeTable} from '../../schema.ts';
import {type ApplyResult, keepTimesIfUnchanged, manageApply, manageUpdate} from '../index.ts';

export type Defaulter = (object: JsonObject) => JsonObject;

/** Ports without a protocol get TCP, as the registry does. */
export function defaultProtocol(object: JsonObject): JsonObject {
  const copy = cloneJson(object) as {subsets?: {ports?: {protocol?: string}[]}[]};
  for (const subset of copy.subsets ?? []) for (const port of subset.ports ?? []) port.protocol ??= 'TCP';
  return copy as JsonObject;
}

/** Nulls and empty lists, maps and strings are not stored; an empty label value is. */
export function storedForm(value: Json): Json | undefined {
  if (value === null || value === '') return undefined;
  if (isJsonArray(value)) return value.length === 0 ? undefined : value.map(item => storedForm(item) ?? {});
  if (!isJsonObject(value)) return value;
  const out: {[key: string]: Json} = {};
  for (const [key, child] of Object.entries(value)) {
    const kept = key === 'fieldsV1' ? child : STRING_MAPS.has(key) ? storedStrings(child) : storedForm(child);
    if (kept !== undefined) out[key] = kept;
  }
  return Object.keys(out).length === 0 ? undefined : out;
}

const STRING_MAPS = new Set(['labels', 'annotations']);

function storedStrings(map: Json): Json | undefined {
  if (!isJsonObject(map) || Object.keys(map).length === 0) return undefined;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? '']));
}

export type Options = {
  readonly types?: TypeTable;
  readonly typeName?: string;
  readonly kind?: string;
  readonly specTimes?: boolean;
};

export class ObjectUnderApply {
  stored: JsonObject | undefined;
  now = '2026-01-01T00:00:00Z';
  version = 0;
  readonly #write: {
    types: TypeTable;
    typeName: string;
    apiVersion: string;
    specTimes: boolean;
  };
  readonly #kind: string;

  constructor(options: Options = {}) {
    this.#kind = options.kind ?? 'Endpoints';
    this.#write = {
      types: options.types ?? kubeTypes,
      typeName: options.typeName ?? 'io.k8s.api.core.v1.Endpoints',
      apiVersion: 'v1',
      specTimes: options.specTimes ?? true,
    };
  }

  /** Create or replace. Root keys and metadata of `body` are the whole object. */
  put(manager: string, body: {metadata?: JsonObject; [key: string]: Json | undefined}, subresource = ''): void {
    const sentManagedFields = body.metadata?.['managedFields'];
    const next = this.#complete(body as JsonObject);
    const {object} = manageUpdate({
      ...this.#write,
      live: this.stored,
      next,
      manager,
      now: this.now,
      subresource,
      ...(sentManagedFields !== undefined && {sentManagedFields}),
    });
    this.#store(object);
  }

  /** Changes the stored object with a function over a copy of it. */
  patch(manager: string, change: (object: {[key: string]: Json}) => void): void {
    const copy = cloneJson(this.stored ?? {}) as {[key: string]: Json};
    change(copy);
    this.put(manager, copy);
  }

  apply(manager: string, body: JsonObject, force = false): ApplyResult {
    const applied = {
      apiVersion: 'v1',
      kind: this.#kind,
      ...body,
      metadata: {name: 'a', ...(body['metadata'] as JsonObject)},
    };
    const result = manageApply({
      ...this.#write,
      kind: this.#kind,
      live: this.stored,
      applied,
      manager,
      force,
      now: this.now,
    });
    if (result.ok) this.#store(result.object);
    return result;
  }

  #complete(body: JsonObject): JsonObject {
    const uid = this.stored === undefined ? {} : {uid: 'u1'};
    return {
      apiVersion: 'v1',
      kind: this.#kind,
      ...body,
      metadata: {name: 'a', ...(body['metadata'] as JsonObject), ...uid},
    };
  }

  #store(object: JsonObject): void {
    let next = defaultProtocol((storedForm(object) ?? {}) as JsonObject);
    if (this.stored !== undefined) next = keepTimesIfUnchanged(this.stored, next, false);
    if (this.stored === undefined) {
      next = {...next, metadata: {...(next['metadata'] as JsonObject), uid: 'u1'}};
    }
    if (!equalJson(next, this.stored)) this.version++;
    this.stored = next;
  }

  get metadata(): JsonObject {
    return (this.stored?.['metadata'] ?? {}) as JsonObject;
  }

  get labels(): Json | undefined {
    return this.metadata['labels'];
  }

  /** `manager operation`: fields. */
  owners(): Record<string, Json> {
    const entries = (this.metadata['managedFields'] ?? []) as readonly JsonObject[];
    return Object.fromEntries(
      entries.map(entry => [`${entry['manager']} ${entry['operation']}`, entry['fieldsV1'] as Json]),
    );
  }

  times(): Record<string, Json | undefined> {
    const entries = (this.metadata['managedFields'] ?? []) as readonly JsonObject[];
    return Object.fromEntries(entries.map(entry => [`${entry['manager']} ${entry['operation']}`, entry['time']]));
  }
}
