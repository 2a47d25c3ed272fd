// SPDX-License-Identifier: Apache-2.0
/**
 * The fields that an object sets.
 * Ref: structured-merge-diff v6 typed/tofieldset.go.
 */

import {isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';
import {type FieldSet, FieldSetBuilder} from '../fields/field-set.ts';
import {fieldElement, type PathElement} from '../fields/path-element.ts';
import {listItemElement} from './list-item.ts';
import {
  DEDUCED_LIST,
  DEDUCED_MAP,
  DEDUCED_SCALAR,
  type ListShape,
  type MapShape,
  memberShape,
  type Shape,
} from './shape.ts';

/** Leaves, empty maps, keys of maps and items of lists; not the structs on the way. The object must be valid. */
export function extractFields(value: JsonObject, shape: MapShape): FieldSet {
  const builder = new FieldSetBuilder();
  walk(value, shape, [], builder);
  return builder.build();
}

/** The shape that a value of `any` takes. */
export function deduce(shape: Shape, value: Json | undefined): Exclude<Shape, {kind: 'any'}> {
  if (shape.kind !== 'any') return shape;
  if (isJsonObject(value)) return DEDUCED_MAP;
  return isJsonArray(value) ? DEDUCED_LIST : DEDUCED_SCALAR;
}

function walk(value: Json, anyShape: Shape, path: PathElement[], out: FieldSetBuilder): void {
  const shape = deduce(anyShape, value);
  if (shape.kind === 'scalar' || shape.atomic) out.insert(path);
  else if (shape.kind === 'map') walkMap(value, shape, path, out);
  else if (isJsonArray(value)) walkList(value, shape, path, out);
}

function walkMap(value: Json, shape: MapShape, path: PathElement[], out: FieldSetBuilder): void {
  if (!isJsonObject(value)) return;
  for (const key in value) {
    const child = value[key] as Json;
    const childShape = memberShape(shape, key);
    path.push(fieldElement(key));
    if (childShape !== undefined) walk(child, childShape, path, out);
    if (child === null || isEmptyObject(child) || !shape.fields.has(key)) out.insert(path);
    path.pop();
  }
}

function isEmptyObject(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

function walkList(value: readonly Json[], shape: ListShape, path: PathElement[], out: FieldSetBuilder): void {
  const count = new Map<PathElement, number>();
  const steps = value.map(item => listItemElement(shape, item));
  for (const step of steps) count.set(step, (count.get(step) ?? 0) + 1);
  steps.forEach((step, i) => {
    path.push(step);
    // The parts of items that share a step belong to nobody; the step itself does.
    if (count.get(step) === 1) walk(value[i] as Json, shape.item, path, out);
    out.insert(path);
    path.pop();
  });
}
