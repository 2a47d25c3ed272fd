// SPDX-License-Identifier: Apache-2.0
/** An object with the defaults of its schema filled in, where a field is absent, null or empty. */
import {type Json, type JsonObject, setOwn} from '@palisade/wire/kube';
import {getKey, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import {type MapShape, memberShape, type Shape} from './shape.ts';

/** What does not change is shared. */
export function withDefaults(object: JsonObject, shape: MapShape): JsonObject {
  let out = object;
  const put = (key: string, value: Json) => {
    if (out === object) out = {...object};
    setOwn(out as {[key: string]: Json}, key, value);
  };
  for (const key in object) {
    const before = object[key] as Json;
    const after = fill(before, memberShape(shape, key));
    if (after !== before) put(key, after);
  }
  for (const [key, member] of shape.fields) {
    const value = getKey(object, key) ?? '';
    if (member.default !== undefined && value === '') put(key, member.default);
  }
  return out;
}

function fill(value: Json, shape: Shape | undefined): Json {
  if (shape?.kind === 'map' && isJsonObject(value)) return withDefaults(value, shape);
  if (shape?.kind !== 'list' || !isJsonArray(value)) return value;
  const filled = value.map(item => fill(item, shape.item));
  return filled.some((item, i) => item !== value[i]) ? filled : value;
}
