// SPDX-License-Identifier: Apache-2.0
/**
 * Whether a list with keys has an item without any of them: such an object has no typed form. Plain writes can store one.
 * Ref: structured-merge-diff v6 typed/validate.go, visitListItems, with duplicates allowed.
 */
import {getKey, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json} from '../../schema.ts';
import {ListItemError, listItemElement} from './list-item.ts';
import type {ListShape, MapShape, Shape} from './shape.ts';

/** Looks only where such a list can be, so it costs nothing for a kind that has none. */
export function hasNamelessItem(value: Json | undefined, shape: Shape): boolean {
  if (value === undefined || value === null || !canHold(shape)) return false;
  if (shape.kind === 'list') {
    return isJsonArray(value) && value.some(item => isNameless(item, shape) || hasNamelessItem(item, shape.item));
  }
  if (shape.kind !== 'map' || !isJsonObject(value)) return false;
  if (shape.value !== undefined) {
    for (const key in value) if (hasNamelessItem(value[key], shape.value)) return true;
  }
  for (const [key, member] of shape.fields) if (hasNamelessItem(getKey(value, key), member.shape)) return true;
  return false;
}

function isNameless(item: Json, list: ListShape): boolean {
  if (!needsKey(list)) return false;
  try {
    listItemElement(list, item);
    return false;
  } catch (error) {
    if (error instanceof ListItemError) return true;
    throw error;
  }
}

const needsKey = ({atomic, keys}: ListShape): boolean =>
  !atomic && keys !== undefined && [...keys.values()].every(fallback => fallback === undefined);

const known = new WeakMap<ListShape | MapShape, boolean>();

/** A shape within itself adds nothing to what it can hold. */
function canHold(shape: Shape): boolean {
  if (shape.kind !== 'list' && shape.kind !== 'map') return false;
  const found = known.get(shape);
  if (found !== undefined) return found;
  known.set(shape, false);
  const holds =
    shape.kind === 'list'
      ? needsKey(shape) || canHold(shape.item)
      : (shape.value !== undefined && canHold(shape.value)) ||
        [...shape.fields.values()].some(({shape: member}) => canHold(member));
  known.set(shape, holds);
  return holds;
}
