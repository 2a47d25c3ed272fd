// SPDX-License-Identifier: Apache-2.0
/**
 * FieldsV1 on the wire ⇄ field set. An object per level, a key per step, `{}` for a member without anything below,
 * `"."` for a member that has fields below it in the set.
 * Ref: structured-merge-diff v6 fieldpath/serialize.go.
 */

import {isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';
import {EMPTY_SET, type FieldNode, type FieldSet, sortedSteps} from './field-set.ts';
import {comparePathElements, type PathElement, parsePathElement} from './path-element.ts';

const SELF = '.';
const MEMBER: JsonObject = Object.freeze({});
const MEMBER_ONLY: FieldNode = {member: true, children: undefined};

/** Keys come out in the order upstream writes them. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  return encodeLevel(set, false);
}

function encodeLevel(set: FieldSet, self: boolean): JsonObject {
  const out: {[key: string]: Json} = {};
  if (self) out[SELF] = MEMBER;
  for (const step of isSorted(set) ? set.keys() : sortedSteps(set)) {
    const node = set.get(step);
    out[step] = node?.children === undefined ? MEMBER : encodeLevel(node.children, node.member);
  }
  return out;
}

function isSorted(set: FieldSet): boolean {
  let previous: PathElement | undefined;
  for (const step of set.keys()) {
    if (previous !== undefined && comparePathElements(previous, step) > 0) return false;
    previous = step;
  }
  return true;
}

/** Steps of kinds that are not known are dropped. Throws SyntaxError for what is no FieldsV1. */
export function decodeFieldsV1(fields: Json | undefined): FieldSet {
  if (fields === undefined || fields === null) return EMPTY_SET;
  return decodeLevel(fields).children ?? EMPTY_SET;
}

/** A level that is null is an empty one, as upstream's JSON reader takes it. */
function decodeLevel(level: Json): FieldNode {
  if (level === null) return MEMBER_ONLY;
  if (!isJsonObject(level)) throw new SyntaxError('a level of FieldsV1 is not an object');
  let children: Map<PathElement, FieldNode> | undefined;
  let member = false;
  for (const key in level) {
    if (key === SELF) {
      member = true;
      continue;
    }
    const step = parsePathElement(key);
    if (step === undefined) continue;
    const node = decodeLevel(level[key] as Json);
    if (!node.member && node.children === undefined) continue;
    children ??= new Map();
    children.set(step, node);
  }
  return {member: member || children === undefined, children};
}
