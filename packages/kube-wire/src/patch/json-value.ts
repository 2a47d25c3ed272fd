// SPDX-License-Identifier: Apache-2.0
/** Small pure operations on decoded JSON, shared by apply and patch: tests, equality, Go's compact text. */

import {decodeJson} from '../codec/decode.ts';
import {isSpelled} from '../codec/spelled-value.ts';
import {setOwn} from '../codec/untyped.ts';
import {escapeForGo} from '../go/go-json.ts';
import {compareUtf8} from '../go/order.ts';
import type {Json, JsonObject} from '../schema.ts';

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSpelled(value);
}

export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Deep equality of JSON values; the order of keys does not matter. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isSpelled(a) || isSpelled(b)) return equalSpelled(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  return equalObjects(a as JsonObject, b as JsonObject);
}

function equalSpelled(a: Json, b: Json): boolean {
  if (isSpelled(a) && isSpelled(b) && a.text === b.text) return true;
  const [left, right] = [opened(a), opened(b)];
  return (left !== a || right !== b) && equalJson(left, right);
}

/** An object that is kept as it was written becomes one whose keys are told apart. */
export function opened(value: Json): Json {
  return isSpelled(value) && value.text.startsWith('{') ? decodeJson(value.text, {spelling: 'leaves'}).value : value;
}

/** The first number within a value that is beyond any float, as it was written. */
export function hugeNumber(value: Json): string | undefined {
  if (isSpelled(value)) {
    const inside = opened(value);
    if (inside !== value) return hugeNumber(inside);
    return value.text.startsWith('"') || Number.isFinite(Number(value.text)) ? undefined : value.text;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const child of Array.isArray(value) ? value : Object.values(value as JsonObject)) {
    const found = hugeNumber(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  let count = 0;
  for (const key in a) {
    const right = getKey(b, key);
    if (right === undefined || !equalJson(a[key], right)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** The value of an own key; never one of Object.prototype. */
export function getKey(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A deep, mutable copy. */
export function cloneJson(value: Json): Json {
  if (typeof value !== 'object' || value === null || isSpelled(value)) return value;
  if (Array.isArray(value)) return value.map(cloneJson);
  const out: {[key: string]: Json} = {};
  for (const [key, child] of Object.entries(value as JsonObject)) setOwn(out, key, cloneJson(child));
  return out;
}

/** Go's compact JSON: characters that are special in HTML are escaped. `sorted(o)` says whether o's keys are sorted. */
export function goJson(value: Json, sorted: (object: JsonObject) => boolean = () => true): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return JSON.stringify(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return goJsonString(value);
  if (Array.isArray(value)) return `[${value.map(item => goJson(item, sorted)).join(',')}]`;
  if (isSpelled(value)) return escapeForGo(value.text);
  const object = value as JsonObject;
  const keys = Object.keys(object);
  // JavaScript lists integer-like keys first whatever order they came in; only maps have such keys, and Go sorts those.
  if (sorted(object) || keys.some(key => /^\d+$/.test(key))) keys.sort(compareUtf8);
  return `{${keys.map(key => `${goJsonString(key)}:${goJson(object[key] ?? null, sorted)}`).join(',')}}`;
}

/** A JSON string as Go's encoder writes it. */
export function goJsonString(text: string): string {
  return escapeForGo(JSON.stringify(text));
}
