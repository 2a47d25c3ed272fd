// SPDX-License-Identifier: Apache-2.0
/**
 * An object without the fields of a set.
 * Ref: structured-merge-diff v6 typed/remove.go.
 */

import {setOwn} from '../../codec/untyped.ts';
import {isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';
import {EMPTY_SET, type FieldNode, type FieldSet} from '../fields/field-set.ts';
import {fieldElement, type PathElement} from '../fields/path-element.ts';
import {deduce} from './extract.ts';
import {listItemElement} from './list-item.ts';
import {type ListShape, type MapShape, memberShape, type Shape} from './shape.ts';

export function removeFields(value: JsonObject, fields: FieldSet, shape: MapShape): JsonObject {
  if (fields.size === 0) return value;
  const out = removeFromMap(value, fields, shape);
  return isJsonObject(out) ? out : {};
}

function remove(value: Json, fields: FieldSet, anyShape: Shape | undefined): Json {
  const shape = deduce(anyShape ?? {kind: 'any'}, value);
  if (shape.kind === 'scalar') return value;
  if (shape.atomic) return null;
  if (shape.kind === 'map') return isJsonObject(value) ? removeFromMap(value, fields, shape) : null;
  return isJsonArray(value) ? removeFromList(value, fields, shape) : null;
}

function removeFromMap(value: JsonObject, fields: FieldSet, shape: MapShape): Json {
  const out: {[key: string]: Json} = {};
  let left = 0;
  for (const key in value) {
    const node = fields.get(fieldElement(key));
    if (node?.member) continue;
    const child = value[key] as Json;
    setOwn(out, key, node?.children === undefined ? child : remove(child, node.children, memberShape(shape, key)));
    left++;
  }
  return left > 0 ? out : null;
}

function removeFromList(value: readonly Json[], fields: FieldSet, shape: ListShape): Json {
  const out: Json[] = [];
  for (const item of value) {
    const node = fields.get(listItemElement(shape, item));
    if (node?.member) continue;
    out.push(node?.children === undefined ? item : remove(item, node.children, shape.item));
  }
  return out.length > 0 ? out : null;
}

/**
 * The set with the struct fields that lie above its members as members too; keys of maps and items of lists are not.
 * Ref: structured-merge-diff v6 fieldpath/set.go, EnsureNamedFieldsAreMembers.
 */
export function withNamedFields(fields: FieldSet, shape: Shape | undefined): FieldSet {
  const out = new Map<PathElement, FieldNode>();
  const map = shape?.kind === 'map' ? shape : undefined;
  const list = shape?.kind === 'list' ? shape : undefined;
  for (const [step, node] of fields) {
    if (node.children === undefined) {
      out.set(step, node);
      continue;
    }
    const name = step.startsWith('f:') ? step.slice(2) : undefined;
    const child =
      name !== undefined && map ? memberShape(map, name) : step.startsWith('k:') && list ? list.item : undefined;
    const named = name !== undefined && (map?.fields.has(name) ?? false);
    out.set(step, {member: node.member || named, children: withNamedFields(node.children ?? EMPTY_SET, child)});
  }
  return out;
}
