// SPDX-License-Identifier: Apache-2.0
/**
 * The order of a merged list: items of the patch in the order of the patch, items that only the server has in the
 * server's, the two interleaved by the server's order where it knows both.
 * Ref: kubernetes v1.36 apimachinery pkg/util/strategicpatch/patch.go, normalizeElementOrder, mergeSortedSlice.
 */
import type {Json, JsonObject} from '../../schema.ts';
import {unclassified} from '../fault.ts';
import {goText, goTypeName} from '../go-text.ts';
import {getKey, isJsonObject} from '../json-value.ts';

export function noMergeKey(item: JsonObject, mergeKey: string): Error {
  return unclassified(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

export function badArgType(expected: 'map' | 'list', actual: Json | undefined): Error {
  const name = expected === 'map' ? 'map[string]interface {}' : '[]interface {}';
  return unclassified(`expected a ${name}, but received a ${goTypeName(actual)}`);
}

/** What identifies an item: itself, or the value of its merge key. Throws for an object without it. */
export function identity(item: Json, mergeKey: string): Json {
  if (mergeKey === '') return item;
  if (!isJsonObject(item)) throw badArgType('map', item);
  const value = getKey(item, mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

/** Where each identity first stands. What is no object is met by who looks for an item that does not stand before it. */
function ranks(order: readonly Json[], mergeKey: string, wanted: readonly Json[]): Map<Json, number> {
  const out = new Map<Json, number>();
  for (const [i, item] of order.entries()) {
    if (mergeKey !== '' && !isJsonObject(item)) {
      if (wanted.every(one => out.has(identity(one, mergeKey)))) break;
      throw unclassified(`value for key ${i} is not a map`);
    }
    const id = mergeKey === '' ? item : getKey(item as JsonObject, mergeKey);
    if (id !== undefined && !out.has(id)) out.set(id, i);
  }
  return out;
}

/** `merged` split by `patchOrder`, both parts put in order and interleaved. */
export function orderMerged(
  merged: readonly Json[],
  patchOrder: readonly Json[],
  serverOrder: readonly Json[],
  mergeKey: string,
  areMaps = mergeKey !== '',
): Json[] {
  const inPatch = ranks(patchOrder, mergeKey, merged);
  const onServer = ranks(serverOrder, mergeKey, merged);
  const fromPatch = sortBy(
    merged.filter(item => inPatch.has(identity(item, mergeKey))),
    inPatch,
    mergeKey,
  );
  const serverOnly = sortBy(
    merged.filter(item => !inPatch.has(identity(item, mergeKey))),
    onServer,
    mergeKey,
  );
  if (areMaps) checkMergeKeys([...fromPatch, ...patchOrder, ...serverOnly, ...serverOrder], mergeKey);
  return interleave(serverOnly, fromPatch, onServer, mergeKey);
}

/**
 * Upstream's validateMergeKeyInLists: what gives the order must be items of the list, whether or not one is met. Of lists
 * of maps without a merge key only empty ones can be ordered: no map has the key that has no name.
 */
function checkMergeKeys(items: readonly Json[], mergeKey: string): void {
  for (const item of items) {
    if (!isJsonObject(item)) throw badArgType('map', item);
    if (getKey(item, mergeKey) === undefined) throw noMergeKey(item, mergeKey);
  }
}

/** Up to here an item that the order does not name goes where upstream's sort would put it. */
const INSERTION_SORT_ITEMS_MAX = 20;

/**
 * By rank. An item without one comes before whatever stands in front of it: upstream's comparison says so, and with
 * its insertion sort that is a defined order.
 */
function sortBy(items: readonly Json[], order: ReadonlyMap<Json, number>, mergeKey: string): Json[] {
  const ranked = items.map(item => ({item, rank: order.get(identity(item, mergeKey)) ?? -1}));
  if (ranked.length > INSERTION_SORT_ITEMS_MAX || ranked.every(({rank}) => rank >= 0)) {
    return ranked.sort((a, b) => a.rank - b.rank).map(({item}) => item);
  }
  for (let i = 1; i < ranked.length; i++) {
    for (let j = i; j > 0; j--) {
      const [before, current] = [ranked[j - 1], ranked[j]];
      if (before === undefined || current === undefined) break;
      if (before.rank >= 0 && current.rank >= 0 && current.rank >= before.rank) break;
      ranked[j - 1] = current;
      ranked[j] = before;
    }
  }
  return ranked.map(({item}) => item);
}

function interleave(
  left: readonly Json[],
  right: readonly Json[],
  serverOrder: ReadonlyMap<Json, number>,
  mergeKey: string,
): Json[] {
  const out: Json[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const a = left[l];
    const b = right[r];
    if (a === undefined) r++;
    else if (b === undefined) l++;
    if (a === undefined) out.push(b as Json);
    else if (b === undefined) out.push(a);
    else if (isBefore(serverOrder.get(identity(a, mergeKey)), serverOrder.get(identity(b, mergeKey)))) {
      out.push(a);
      l++;
    } else {
      out.push(b);
      r++;
    }
  }
  return out;
}

function isBefore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a < b;
}
