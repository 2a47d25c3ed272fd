// SPDX-License-Identifier: Apache-2.0
/**
 * The directives of strategic merge patch: keys of the patch that say how, not what.
 * Ref: kubernetes v1.36 apimachinery pkg/util/strategicpatch/patch.go.
 */
import type {Json, JsonObject} from '../../schema.ts';
import {badRequest, type PatchRefused, unclassified} from '../fault.ts';
import {goStringVerb, goText} from '../go-text.ts';
import {getKey, isJsonArray, isJsonObject} from '../json-value.ts';
import type {MutableObject} from '../lazy-document.ts';

export const PATCH_DIRECTIVE = '$patch';
export const DELETE_FROM_LIST_PREFIX = '$deleteFromPrimitiveList';
export const SET_ORDER_PREFIX = '$setElementOrder';
const RETAIN_KEYS = '$retainKeys';

export function badPatchType(directive: Json | undefined, patch: JsonObject): PatchRefused {
  return unclassified(`unknown patch type: ${goStringVerb(directive)} in map: ${goText(patch)}`);
}

export function badSetOrder(): PatchRefused {
  return badRequest('invalid patch format of setElementOrder list');
}

/** The field that a parallel list (`$prefix/field`) is about. */
export function fieldOfDirective(key: string, prefix: string): string {
  const slash = key.indexOf('/');
  if (slash < 0 || key.slice(0, slash) !== prefix) {
    throw prefix === SET_ORDER_PREFIX ? badSetOrder() : badRequest('invalid patch format of primitive list');
  }
  return key.slice(slash + 1);
}

/** Removes from `live` what `$retainKeys` does not name, and the directive from the patch. */
export function applyRetainKeys(live: MutableObject, patch: MutableObject): void {
  const list = getKey(patch, RETAIN_KEYS);
  if (list === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!isJsonArray(list)) throw badRetainKeys();
  const kept = new Set<Json>(list);
  for (const key in patch) {
    if (patch[key] === null || key.startsWith(DELETE_FROM_LIST_PREFIX) || key.startsWith(SET_ORDER_PREFIX)) continue;
    if (!kept.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(live)) if (!kept.has(key)) delete live[key];
}

function badRetainKeys(): PatchRefused {
  return badRequest('invalid patch format of retainKeys');
}

/** Drops null members, all the way down. Changes `value`, which is the patch's own copy. */
export function dropNulls(value: Json): void {
  if (isJsonArray(value)) {
    for (const item of value) dropNulls(item);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete (value as MutableObject)[key];
      else dropNulls(value[key] as Json);
    }
  }
}

/** The value without objects that are directives; undefined when it is one itself. Changes `value`. */
export function withoutDirectives(value: Json): Json | undefined {
  if (isJsonArray(value)) {
    return value.map(withoutDirectives).filter((item): item is Json => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (getKey(value, PATCH_DIRECTIVE) !== undefined) return undefined;
  const object = value as MutableObject;
  for (const key of Object.keys(object)) {
    const kept = withoutDirectives(object[key] as Json);
    if (kept === undefined) delete object[key];
    else object[key] = kept;
  }
  return object;
}
