// SPDX-License-Identifier: Apache-2.0
/**
 * What an applier gave up is removed, if it applied it last time, does not now, and nobody else owns it.
 * Ref: structured-merge-diff v6 merge/update.go, prune.
 */
import type {JsonObject} from '../schema.ts';
import {difference, EMPTY_SET, type FieldSet, intersection, union} from './fields/field-set.ts';
import type {Managers} from './managers.ts';
import {extractFields} from './typed/extract.ts';
import {removeFields, withNamedFields} from './typed/remove.ts';
import type {MapShape} from './typed/shape.ts';

/** `managers` holds the applier with its new fields already; `last` is what it had applied before. */
export function prune(merged: JsonObject, managers: Managers, last: FieldSet, shape: MapShape): JsonObject {
  if (last.size === 0) return merged;
  const named = (fields: FieldSet) => withNamedFields(fields, shape);
  const namedLast = named(last);
  let owned: FieldSet = EMPTY_SET;
  for (const manager of managers.values()) owned = union(owned, manager.fields);
  const mergedFields = named(extractFields(merged, shape));
  const remaining = named(extractFields(removeFields(merged, namedLast, shape), shape));
  const withOwned = removeFields(merged, difference(mergedFields, union(remaining, named(owned))), shape);
  // Only what this applier had owned may go; all else that fell with it comes back.
  const gone = difference(mergedFields, named(extractFields(withOwned, shape)));
  return removeFields(merged, intersection(gone, namedLast), shape);
}
