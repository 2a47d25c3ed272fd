// SPDX-License-Identifier: Apache-2.0
/**
 * JSON merge patch (RFC 7386) with upstream's corners: nulls inside lists of a new value are dropped from the objects
 * in it, a list that replaces something inside an object is taken as it is.
 * Ref: evanphx/json-patch v4 merge.go; kubernetes v1.36 apiserver pkg/endpoints/handlers/patch.go.
 */

import {setOwn} from '../codec/untyped.ts';
import type {Json, JsonObject} from '../schema.ts';
import {badRequest, caughtFault, type PatchFault, undecodable} from './fault.ts';
import {goJsonKind} from './go-text.ts';
import {getKey, hugeNumber, isJsonArray, isJsonObject} from './json-value.ts';
import {asMutable, LazyDocument} from './lazy-document.ts';

export type PatchResult =
  | {
      readonly ok: true;
      /** The patched document, untyped; unchanged parts are the live ones, not copies. */
      readonly value: Json;
      /** The document as upstream quotes it in errors about it. */
      readonly text: () => string;
    }
  | {readonly ok: false; readonly fault: PatchFault};

/**
 * `patch` is the decoded body. `checked` is false only under `fieldValidation=Ignore`, where upstream does not look at
 * the shape of the patch first.
 */
export function mergePatch(live: JsonObject, patch: Json, checked = true): PatchResult {
  const result = caughtFault(() => applyMerge(live, patch, checked));
  if (!result.ok) return result;
  const document = result.value;
  return {ok: true, value: document.root, text: () => document.text()};
}

function applyMerge(live: JsonObject, patch: Json, checked: boolean): LazyDocument {
  if (isJsonObject(patch)) {
    const number = checked ? hugeNumber(patch) : undefined;
    if (number !== undefined) throw undecodable(`number ${number}`, 'value of type float64');
    const document = new LazyDocument(live);
    document.root = mergeObject(document, live, patch);
    return document;
  }
  if (checked && patch !== null) throw undecodable(goJsonKind(patch), 'value of type map[string]interface {}');
  if (!isJsonArray(patch)) throw badRequest('Invalid JSON Patch');
  const document = new LazyDocument(patch);
  document.root = prune(document, patch);
  return document;
}

function mergeObject(document: LazyDocument, live: JsonObject, patch: JsonObject): JsonObject {
  document.enter(live);
  let out = live;
  for (const key in patch) {
    const next = patch[key] as Json;
    const current = getKey(out, key);
    if (next === null) {
      if (current === undefined) continue;
      out = document.own(out);
      delete asMutable(out)[key];
      continue;
    }
    const merged = mergeValue(document, current, next);
    if (merged === current) continue;
    out = document.own(out);
    setOwn(asMutable(out), key, merged);
  }
  return out;
}

function mergeValue(document: LazyDocument, current: Json | undefined, patch: Json): Json {
  if (!isJsonObject(current)) return prune(document, patch);
  document.enter(current);
  return isJsonObject(patch) ? mergeObject(document, current, patch) : patch;
}

/** A new value: null members of its objects are gone, null items of its lists stay. */
function prune(document: LazyDocument, value: Json): Json {
  document.enter(value);
  if (isJsonArray(value)) {
    let out = value;
    value.forEach((item, i) => {
      const kept = item === null ? null : prune(document, item);
      if (kept === item) return;
      out = document.own(out);
      (out as Json[])[i] = kept;
    });
    return out;
  }
  if (!isJsonObject(value)) return value;
  let out = value;
  for (const key in value) {
    const child = value[key] as Json;
    if (child === null) {
      out = document.own(out);
      delete asMutable(out)[key];
      continue;
    }
    const kept = prune(document, child);
    if (kept === child) continue;
    out = document.own(out);
    setOwn(asMutable(out), key, kept);
  }
  return out;
}
