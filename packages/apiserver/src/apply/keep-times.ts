// SPDX-License-Identifier: Apache-2.0
/**
 * The last look before an object is stored: if nothing but times of managedFields changed, nothing changed.
 * Defaults and normalised values can undo what looked like a change when the owners were computed.
 * Ref: kubernetes v1.36 apiserver pkg/endpoints/handlers/fieldmanager/equality.go.
 */
import type {Json, JsonObject} from '@palisade/wire/kube';
import {equalJson, isJsonArray, isJsonObject} from '../patch/json-value.ts';
import {entriesOf, withEntries} from './manage-update.ts';

/** `next`, or `next` with the times of `live` where all else is equal. Both in stored form. */
export function keepTimesIfUnchanged(live: JsonObject, next: JsonObject): JsonObject {
  const before = entriesOf(live);
  const after = entriesOf(next);
  if (!isJsonArray(before) || !isJsonArray(after) || before.length !== after.length || before === after) return next;
  let moved = false;
  for (let i = 0; i < before.length; i++) {
    const left = before[i];
    const right = after[i];
    if (!isJsonObject(left) || !isJsonObject(right)) return next;
    if (left['time'] !== right['time']) moved = true;
    if (!equalJson(withoutTime(left), withoutTime(right))) return next;
  }
  if (!moved || !equalButEntries(live, next)) return next;
  return withEntries(next, before as readonly JsonObject[]).object;
}

function withoutTime(entry: JsonObject): JsonObject {
  const {time: _, ...rest} = entry;
  return rest;
}

function equalButEntries(live: JsonObject, next: JsonObject): boolean {
  return equalJson(strip(live), strip(next));
}

function strip(object: JsonObject): Json {
  const metadata = object['metadata'];
  if (!isJsonObject(metadata)) return object;
  const {managedFields: _, ...rest} = metadata;
  return {...object, metadata: rest};
}
