// SPDX-License-Identifier: Apache-2.0
/**
 * An applied object whose list items stand in the order that the live object has them in; new ones keep their places. Where several
 * writers fill a list, the order in which each of them names the shared items is then no change.
 */

import {setOwn} from '../../codec/untyped.ts';
import {getKey, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json} from '../../schema.ts';
import {listItemElement} from './list-item.ts';
import {type ListShape, memberShape, type Shape} from './shape.ts';

/** What does not change is shared. Throws ListItemError. */
export function inLiveOrder<T extends Json>(applied: T, live: Json | undefined, shape: Shape | undefined): T;
export function inLiveOrder(applied: Json, live: Json | undefined, shape: Shape | undefined): Json {
  if (shape === undefined || shape.kind === 'any' || shape.kind === 'scalar' || shape.atomic) return applied;
  if (shape.kind === 'list')
    return isJsonArray(applied) && isJsonArray(live) ? orderItems(applied, live, shape) : applied;
  if (!isJsonObject(applied) || !isJsonObject(live)) return applied;
  const out: {[key: string]: Json} = {};
  for (const key in applied) {
    const value = applied[key] as Json;
    setOwn(out, key, inLiveOrder(value, getKey(live, key), memberShape(shape, key)));
  }
  return out;
}

function orderItems(applied: readonly Json[], live: readonly Json[], shape: ListShape): Json[] {
  const places = new Map(live.map((item, at) => [listItemElement(shape, item), at]));
  const items = applied.map(item => {
    const at = places.get(listItemElement(shape, item));
    return {at, item: at === undefined ? item : inLiveOrder(item, live[at], shape.item)};
  });
  const shared = items.filter(({at}) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  return items.map(entry => (entry.at === undefined ? entry : shared.shift()) ?? entry).map(({item}) => item);
}
