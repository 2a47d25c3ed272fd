// SPDX-License-Identifier: Apache-2.0
/**
 * The live object with an applied one laid over it. Nothing is removed here; leaves come from the applied object.
 * Items of lists keep the live order, unless the applied object moves or adds some.
 * Ref: structured-merge-diff v6 typed/merge.go.
 */

import {setOwn} from '../../codec/untyped.ts';
import {getKey, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';
import type {PathElement} from '../fields/path-element.ts';
import {deduce} from './extract.ts';
import {listItemElement} from './list-item.ts';
import {type ListShape, type MapShape, memberShape, type Shape} from './shape.ts';

export function mergeObjects(live: JsonObject, applied: JsonObject, shape: MapShape): JsonObject {
  return (mergeMaps(live, applied, shape) ?? {}) as JsonObject;
}

/** Undefined where nothing is left to say. */
function merge(live: Json | undefined, applied: Json | undefined, anyShape: Shape): Json | undefined {
  if (applied === undefined) return live;
  if (live === undefined || live === applied) return applied;
  const shape = deduce(anyShape, applied);
  if (shape.kind === 'scalar' || shape.atomic) return applied;
  if (shape.kind === 'map') {
    const left = isJsonObject(live) ? live : {};
    const right = isJsonObject(applied) ? applied : {};
    return isEmpty(left) && isEmpty(right) ? applied : mergeMaps(left, right, shape);
  }
  const left = isJsonArray(live) ? live : [];
  const right = isJsonArray(applied) ? applied : [];
  return left.length === 0 && right.length === 0 ? applied : mergeLists(left, right, shape);
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

function mergeMaps(live: JsonObject, applied: JsonObject, shape: MapShape): Json | undefined {
  const out: {[key: string]: Json} = {};
  for (const key in live) mergeMember(out, key, live[key], getKey(applied, key), shape);
  for (const key in applied) if (getKey(live, key) === undefined) mergeMember(out, key, undefined, applied[key], shape);
  return isEmpty(out) ? undefined : out;
}

function mergeMember(
  out: {[key: string]: Json},
  key: string,
  live: Json | undefined,
  applied: Json | undefined,
  shape: MapShape,
) {
  const childShape = memberShape(shape, key);
  const merged = childShape === undefined ? (applied ?? live) : merge(live, applied, childShape);
  if (merged !== undefined) setOwn(out, key, merged);
}

/** The applied list has no duplicates (validated); of live items that share a step the applied one replaces all. */
function mergeLists(live: readonly Json[], applied: readonly Json[], shape: ListShape): Json | undefined {
  const liveSteps = live.map(item => listItemElement(shape, item));
  const appliedSteps = applied.map(item => listItemElement(shape, item));
  const liveByStep = new Map<PathElement, Json>();
  liveSteps.forEach((step, i) => {
    liveByStep.set(step, liveByStep.has(step) ? null : (live[i] as Json));
  });
  const inApplied = new Set(appliedSteps);
  const shared = appliedSteps.filter(step => liveByStep.has(step));
  const merged = new Set<PathElement>();
  const out: Json[] = [];
  let nextShared = 0;
  let l = 0;
  let a = 0;
  const take = (step: PathElement, appliedItem: Json) => {
    merged.add(step);
    const item = merge(liveByStep.get(step), appliedItem, shape.item);
    if (item !== undefined) out.push(item);
    a++;
  };
  while (l < live.length || a < applied.length) {
    const liveStep = liveSteps[l];
    const appliedStep = appliedSteps[a];
    if (liveStep !== undefined && appliedStep !== undefined) {
      if (liveStep === appliedStep) {
        take(appliedStep, applied[a] as Json);
        l++;
        nextShared++;
        continue;
      }
      const wanted = shared[nextShared];
      if (inApplied.has(liveStep) && wanted !== undefined && wanted !== liveStep) {
        l++; // shared, but not the one whose turn it is
        continue;
      }
    }
    if (liveStep !== undefined) {
      if (!inApplied.has(liveStep)) {
        out.push(live[l] as Json);
        l++;
        continue;
      }
      if (merged.has(liveStep)) l++;
    }
    if (appliedStep !== undefined) {
      const isWanted = shared[nextShared] === appliedStep;
      take(appliedStep, applied[a] as Json);
      if (isWanted) nextShared++;
    }
  }
  return out.length > 0 ? out : undefined;
}

/**
 * The object with the structs that are always there as `{}` where they are absent, as Go's typed objects have them:
 * an applier can own and give up an empty one.
 */
export function withEmbeddedStructs(object: JsonObject, shape: MapShape): JsonObject {
  let out = object;
  for (const [key, member] of shape.fields) {
    if (!member.embedded || member.shape.kind !== 'map') continue;
    const value = getKey(object, key) ?? {};
    const filled = isJsonObject(value) ? withEmbeddedStructs(value, member.shape) : value;
    if (filled === getKey(object, key)) continue;
    if (out === object) out = {...object};
    setOwn(out as {[key: string]: Json}, key, filled);
  }
  return out;
}
