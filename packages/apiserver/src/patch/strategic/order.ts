// SPDX-License-Identifier: Apache-2.0
/**
 * The order of a merged list: items of the patch in the order of the patch, items that only the server has in the
 * server's, the two interleaved by the server's order where it knows both.
 * Ref: kubernetes v1.36 apimachinery pkg/util/strategicpatch/patch.go, normalizeElementOrder, mergeSortedSlice.
 */
import type {Json, JsonObject} from '@palisade/wire/kube';
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

/** Where each identity first stands. */
function ranks(order: readonly Json[], mergeKey: string): Map<Json, number> {
  const out = new Map<Json, number>();
  order.forEach((item, i) => {
    const id = identity(item, mergeKey);
    if (!out.has(id)) out.set(id, i);
  });
  return out;
}

/** `merged` split by `patchOrder`, both parts put in order and interleaved. */
export function orderMerged(
  merged: readonly Json[],
  patchOrder: readonly Json[],
  serverOrder: readonly Json[],
  mergeKey: string,
): Json[] {
  const inPatch = ranks(patchOrder, mergeKey);
  const onServer = ranks(serverOrder, mergeKey);
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
  return interleave(serverOnly, fromPatch, onServer, mergeKey);
}

function sortBy(items: readonly Json[], order: ReadonlyMap<Json, number>, mergeKey: string): Json[] {
  const rank = (item: Json) => order.get(identity(item, mergeKey)) ?? -1;
  return [...items].sort((a, b) => rank(a) - rank(b));
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
