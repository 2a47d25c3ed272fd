// SPDX-License-Identifier: Apache-2.0
/**
 * The last look before an object is stored: if nothing but times of managedFields changed, nothing changed.
 * Defaults and normalised values can undo what looked like a change when the owners were computed.
 * Ref: kubernetes v1.36 apiserver pkg/endpoints/handlers/fieldmanager/equality.go.
 */

import {equalJson, isJsonArray, isJsonObject} from '../patch/json-value.ts';
import type {Json, JsonObject} from '../schema.ts';
import {entriesOf, withEntries} from './manage-update.ts';

/**
 * `next`, or `next` with the entries of `live` where all but their times is equal. Both in stored form; the version does
 * not count. A new time can move an entry: with `inOrder`, as upstream, that is a change.
 */
export function keepTimesIfUnchanged(live: JsonObject, next: JsonObject, inOrder: boolean): JsonObject {
  const before = entriesOf(live);
  const after = entriesOf(next);
  if (!isJsonArray(before) || !isJsonArray(after) || before === after) return next;
  // mostly the first that differs
  if (before.length !== after.length || !equalJson(withoutEntries(live), withoutEntries(next))) return next;
  if (!sameButTimes(before, after, inOrder)) return next;
  return withEntries(next, before as readonly JsonObject[]).object;
}

function sameButTimes(before: readonly Json[], after: readonly Json[], inOrder: boolean): boolean {
  if (inOrder) return before.every((entry, i) => equalJson(withoutTime(entry), withoutTime(after[i])));
  const left = new Map(before.map(entry => [owner(entry), entry]));
  return after.every(entry => equalJson(withoutTime(left.get(owner(entry))), withoutTime(entry)));
}

function owner(entry: Json): string {
  if (!isJsonObject(entry)) return '';
  return JSON.stringify([entry['manager'], entry['operation'], entry['apiVersion'], entry['subresource']]);
}

function withoutTime(entry: Json | undefined): Json | undefined {
  if (!isJsonObject(entry)) return undefined;
  const {time: _, ...rest} = entry;
  return rest;
}

/** Kind and version are those of the path; a body may leave them out. */
function withoutEntries(object: JsonObject): Json {
  const {kind: _k, apiVersion: _a, metadata, ...content} = object;
  if (!isJsonObject(metadata)) return object;
  const {managedFields: _, resourceVersion: __, ...rest} = metadata;
  return {...content, metadata: rest};
}
