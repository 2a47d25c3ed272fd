// SPDX-License-Identifier: Apache-2.0
/**
 * Strategic merge patch: objects merge key by key, lists are replaced unless their field says that they merge (by a
 * key, or as sets of scalars), directives override. The live object is copied where it changes; the patch is the
 * caller's own copy and is changed, because upstream quotes it in errors as it is left.
 * Ref: kubernetes v1.36 apimachinery pkg/util/strategicpatch/patch.go, mergeMap.
 */

import {setOwn} from '../../codec/untyped.ts';
import type {Json, JsonObject} from '../../schema.ts';
import {unclassified, unprocessable} from '../fault.ts';
import {goText, goTypeName} from '../go-text.ts';
import {equalJson, getKey, isJsonArray, isJsonObject} from '../json-value.ts';
import type {MutableObject} from '../lazy-document.ts';
import {
  applyRetainKeys,
  badPatchType,
  badSetOrder,
  DELETE_FROM_LIST_PREFIX,
  dropNulls,
  fieldOfDirective,
  PATCH_DIRECTIVE,
  SET_ORDER_PREFIX,
  withoutDirectives,
} from './directives.ts';
import {badArgType, identity, noMergeKey, orderMerged} from './order.ts';
import {fieldOf, goKind, type ListPatch, listOf, type PatchType} from './patch-schema.ts';

export function mergeMaps(live: JsonObject, patch: MutableObject, type: PatchType): JsonObject {
  const directive = getKey(patch, PATCH_DIRECTIVE);
  if (directive !== undefined) {
    if (directive === 'replace') {
      delete patch[PATCH_DIRECTIVE];
      return patch;
    }
    if (directive === 'delete') return {};
    throw badPatchType(directive, patch);
  }
  const out: MutableObject = {...live};
  applyRetainKeys(out, patch);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(SET_ORDER_PREFIX)) mergeOrderedList(out, patch, key, type);
  }
  for (const key of Object.keys(patch)) mergeMember(out, key, patch[key] as Json, type);
  return out;
}

function mergeMember(out: MutableObject, patchKey: string, value: Json, type: PatchType): void {
  const isDeletion = patchKey.startsWith(DELETE_FROM_LIST_PREFIX);
  const key = (isDeletion && fieldOfDirective(patchKey, DELETE_FROM_LIST_PREFIX)) || patchKey;
  if (value === null) {
    delete out[key];
    return;
  }
  const current = getKey(out, key);
  const merges = isJsonObject(current) && isJsonObject(value);
  const mergesList = isJsonArray(current) && isJsonArray(value);
  if (merges) {
    setOwn(out, key, mergeMaps(current, value as MutableObject, fieldOf(type, key)));
  } else if (mergesList) {
    setOwn(out, key, mergeLists(current, value, listOf(type, key), isDeletion).merged);
  } else if (!isDeletion || (current !== undefined && goTypeName(current) === goTypeName(value))) {
    dropNulls(value);
    const kept = withoutDirectives(value);
    if (kept === undefined) delete out[key];
    else setOwn(out, key, kept);
  }
}

/**
 * `liveOrder`: the live list as it is left, for a later look at its order. Upstream deletes and appends in place, so
 * items that are added take the places of those that were deleted.
 */
type MergedList = {readonly merged: readonly Json[]; readonly liveOrder: readonly Json[]};

function mergeLists(live: readonly Json[], patch: readonly Json[], list: ListPatch, isDeletion: boolean): MergedList {
  if (!list.merge && !isDeletion) return {merged: patch, liveOrder: live};
  if (live.length === 0 && patch.length === 0) return {merged: live, liveOrder: live};
  const itemType = commonType([live, patch]);
  if (itemType !== MAP) {
    if (isDeletion) {
      const gone = new Set(patch);
      return {merged: live.filter(item => !gone.has(item)), liveOrder: live};
    }
    const liveOrder = patch.length === 0 ? filledUp(live) : live;
    return {merged: orderMerged([...new Set([...live, ...patch])], patch, liveOrder, list.mergeKey), liveOrder};
  }
  if (list.mergeKey === '') {
    throw unclassified(`cannot merge lists without merge key for ${goKind(list.item.type)}`);
  }
  return mergeKeyedLists(live, patch as readonly JsonObject[], list);
}

/** A longer list is left as it is: what upstream does to repeated items takes the square of its length. */
const FILLED_UP_MAX = 1000;

/**
 * A list whose repeated items are replaced by its last ones: so upstream leaves a list that nothing is added to, which it
 * then takes for the order. Ref: deduplicateScalars.
 */
function filledUp(live: readonly Json[]): readonly Json[] {
  if (live.length > FILLED_UP_MAX) return live;
  const out = [...live];
  let last = out.length - 1;
  for (let i = 0; i < last; i++) {
    for (let j = i + 1; j <= last; j++) {
      if (out[i] !== out[j]) continue;
      out[j] = out[last] as Json;
      last--;
      j--;
    }
  }
  return out;
}

/** Items with `$patch` act on the list; the others merge into the live item of their key, or are added. */
function mergeKeyedLists(live: readonly Json[], patch: readonly JsonObject[], list: ListPatch): MergedList {
  const {mergeKey} = list;
  const {items, deleted, replace} = actOnList(patch, mergeKey);
  const kept = live.filter(item => !deleted.has(keyOf(item, mergeKey) ?? null));
  const base = replace ? items : kept;
  const merged: Json[] = [...base];
  const places = new Map<Json, number>();
  merged.forEach((item, i) => {
    const key = keyOf(item, mergeKey);
    if (key !== undefined && !places.has(key)) places.set(key, i);
  });
  const patchItems = replace ? [] : items;
  for (const item of patchItems) {
    const key = identity(item, mergeKey);
    const place = places.get(key);
    if (place === undefined) {
      places.set(key, merged.length);
      merged.push(item);
    } else {
      merged[place] = mergeMaps(merged[place] as JsonObject, item as MutableObject, list.item);
    }
  }
  const inPlace = replace ? kept : merged.slice(0, live.length);
  const liveOrder = [...inPlace, ...live.slice(inPlace.length)];
  return {merged: orderMerged(merged, patchItems, base, mergeKey), liveOrder};
}

/** What the items with `$patch` ask for, and the items without. */
function actOnList(patch: readonly JsonObject[], mergeKey: string) {
  const items: JsonObject[] = [];
  const deleted = new Set<Json>();
  let replace = false;
  for (const item of patch) {
    const directive = getKey(item, PATCH_DIRECTIVE);
    if (directive === undefined) {
      items.push(item);
    } else if (directive === 'delete') {
      const key = getKey(item, mergeKey);
      if (key === undefined) throw noMergeKey(item, mergeKey);
      deleted.add(key);
    } else if (directive === 'replace') {
      replace = true;
    } else if (directive === 'merge') {
      throw unclassified('merging lists cannot yet be specified in the patch');
    } else {
      throw badPatchType(directive, item);
    }
  }
  return {items, deleted, replace};
}

function keyOf(item: Json, mergeKey: string): Json | undefined {
  return isJsonObject(item) ? getKey(item, mergeKey) : undefined;
}

const MAP = 'map[string]interface {}';

/** The one Go type of all items. */
function commonType(lists: readonly (readonly Json[])[]): string {
  let type: string | undefined;
  for (const item of lists.flat()) {
    const current = goTypeName(item);
    if (type === undefined) {
      type = current;
      if (isJsonArray(item)) throw unprocessable();
    } else if (type !== current) {
      throw unclassified(`list element types are not identical: ${goText(lists)}`);
    }
  }
  if (type === undefined) throw unclassified('no elements in any of the given slices');
  return type;
}

/** `$setElementOrder/field`: merges the field's list, if the patch has one, and puts the result in that order. */
function mergeOrderedList(out: MutableObject, patch: MutableObject, directive: string, type: PatchType): void {
  const order = patch[directive];
  delete patch[directive];
  if (!isJsonArray(order)) throw badArgType('list', order);
  const key = fieldOfDirective(directive, SET_ORDER_PREFIX);
  const live = listOrAbsent(getKey(out, key));
  const items = listOrAbsent(getKey(patch, key));
  const list = listOf(type, key);
  if (items === undefined && getKey(patch, key) === null) throw badSetOrder();
  checkOrder(items ?? [], order, list.mergeKey);
  if (live === undefined && items === undefined) return;
  const {merged, liveOrder} = mergeForOrder(live, items, list);
  const areMaps = commonType([live ?? [], items ?? []]) === MAP;
  setOwn(out, key, orderMerged(merged, order, liveOrder, list.mergeKey, areMaps));
  delete patch[key];
}

function mergeForOrder(
  live: readonly Json[] | undefined,
  items: readonly Json[] | undefined,
  list: ListPatch,
): MergedList {
  if (live === undefined) return {merged: withoutDirectives(items ?? []) as readonly Json[], liveOrder: []};
  return items === undefined ? {merged: live, liveOrder: live} : mergeLists(live, items, list, false);
}

function listOrAbsent(value: Json | undefined): readonly Json[] | undefined {
  if (value === undefined || isJsonArray(value)) return value;
  throw badArgType('list', value);
}

/** The patch's items must stand in the order list, in the same order; deletions by key aside. */
function checkOrder(items: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (items.length === 0 || order.length === 0) return;
  const stray = mergeKey === '' ? undefined : items.find(item => !isJsonObject(item));
  if (stray !== undefined) throw badArgType('map', stray);
  const relevant = mergeKey === '' ? items : items.filter(item => directiveOf(item) !== 'delete');
  let next = 0;
  let expected = 0;
  while (next < relevant.length && expected < order.length) {
    const item = relevant[next] as Json;
    if (directiveOf(item) !== undefined) {
      next++;
      continue;
    }
    if (equalJson(identity(item, mergeKey), identity(order[expected] as Json, mergeKey))) next++;
    expected++;
  }
  if (next < relevant.length) {
    throw unclassified(
      `The order in patch list:\n${goText(items)}\n doesn't match ${SET_ORDER_PREFIX} list:\n${goText(order)}\n`,
    );
  }
}

function directiveOf(item: Json): Json | undefined {
  return isJsonObject(item) ? getKey(item, PATCH_DIRECTIVE) : undefined;
}
