// SPDX-License-Identifier: Apache-2.0
/** Which step of a path names a list item. Ref: structured-merge-diff v6 typed/helpers.go, listItemToPathElement. */
import {goQuote} from '../../go/quote.ts';
import {getKey, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json} from '../../schema.ts';
import {keyElement, type PathElement, valueElement} from '../fields/path-element.ts';
import type {ListShape} from './shape.ts';

/** An item that the list's type does not allow; `message` is upstream's. */
export class ListItemError extends Error {}

/** The step of an item of a set or of a list with keys. Throws ListItemError. */
export function listItemElement(list: ListShape, item: Json): PathElement {
  return list.keys === undefined ? setMember(item) : keyedItem(list.keys, item);
}

function setMember(item: Json): PathElement {
  if (isJsonObject(item)) throw new ListItemError("associative list without keys has an element that's a map type");
  if (isJsonArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  return valueElement(item);
}

function keyedItem(keys: NonNullable<ListShape['keys']>, item: Json): PathElement {
  if (item === null) throw new ListItemError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new ListItemError('associative list with keys may not have non-map elements');
  const found: {[key: string]: Json} = {};
  let count = 0;
  for (const [name, fallback] of keys) {
    const sent = getKey(item, name);
    const value = sent === undefined ? fallback : sent; // as upstream: null is a value
    if (value === undefined) continue;
    found[name] = value;
    count++;
  }
  if (count === 0) {
    const names = [...keys.keys()].map(goQuote).join(' ');
    throw new ListItemError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(found);
}

/** Items by their step, in the order of their first occurrence. */
export function indexItems(list: ListShape, items: readonly Json[]): Map<PathElement, Json[]> {
  const out = new Map<PathElement, Json[]>();
  for (const item of items) {
    const step = listItemElement(list, item);
    const found = out.get(step);
    if (found === undefined) out.set(step, [item]);
    else found.push(item);
  }
  return out;
}
