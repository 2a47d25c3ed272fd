// SPDX-License-Identifier: Apache-2.0
/**
 * What changed between two objects, field by field.
 * An atomic list or map is one field: it is compared and never entered, and nothing at all is done where both sides
 * are the same value in memory, which is what a patch leaves where it changed nothing.
 * Ref: structured-merge-diff v6 typed/compare.go.
 */

import {lacksEmpties} from '../../codec/shape.ts';
import {equalJson, getKey, isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';
import {type FieldSet, FieldSetBuilder} from '../fields/field-set.ts';
import {fieldElement, type PathElement} from '../fields/path-element.ts';
import {deduce} from './extract.ts';
import {indexItems} from './list-item.ts';
import type {ListShape, MapShape, Shape} from './shape.ts';

export type Comparison = {readonly added: FieldSet; readonly modified: FieldSet; readonly removed: FieldSet};

const EMPTY_OBJECT: JsonObject = Object.freeze({});

export type CompareOptions = {
  /** Keys of the root and of `metadata` that nobody owns, not looked at. */
  readonly skip?: {readonly root: ReadonlySet<string>; readonly metadata: ReadonlySet<string>} | undefined;
  /** A struct that is always there counts as removed or added where it is absent all the same, as changed where null. */
  readonly literal?: boolean;
  /** An atomic list counts as changed where an item of it was sent with an empty list or map, which is never stored. */
  readonly empties?: boolean | undefined;
};

export function compareObjects(
  before: JsonObject,
  after: JsonObject,
  shape: MapShape,
  options: CompareOptions = {},
): Comparison {
  const walk = new CompareWalk(options);
  if (before !== after) walk.mapItems(before, after, shape, options.skip?.root);
  return {added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build()};
}

class CompareWalk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  readonly #path: PathElement[] = [];
  readonly #skipInMetadata: ReadonlySet<string> | undefined;
  readonly #literal: boolean;
  readonly #empties: boolean;

  constructor({skip, literal, empties}: CompareOptions) {
    this.#skipInMetadata = skip?.metadata;
    this.#literal = literal ?? false;
    this.#empties = empties ?? false;
  }

  /** Undefined stands for absent; null is a value. At least one side is there. */
  compare(before: Json | undefined, after: Json | undefined, anyShape: Shape): void {
    if (before === after) return;
    const left = deduce(anyShape, before);
    const right = deduce(anyShape, after);
    if (after === undefined || before === undefined || left.kind === right.kind) {
      if (this.#compareAs(before, after, after === undefined ? left : right)) return;
    } else {
      // A value of any type that changed its kind: both readings count.
      this.#compareAs(before, after, left);
      if (this.#compareAs(before, after, right)) return;
    }
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
  }

  /** True when the value was compared as one leaf. */
  #compareAs(before: Json | undefined, after: Json | undefined, shape: Exclude<Shape, {kind: 'any'}>): boolean {
    if (shape.kind === 'scalar') return this.#leaf(before, after);
    if (shape.kind === 'map') {
      const left = isJsonObject(before) ? before : EMPTY_OBJECT;
      const right = isJsonObject(after) ? after : EMPTY_OBJECT;
      if (shape.atomic || (isEmpty(left) && isEmpty(right))) return this.#leaf(before, after);
      this.mapItems(left, right, shape, undefined);
      return false;
    }
    const left = isJsonArray(before) ? before : [];
    const right = isJsonArray(after) ? after : [];
    if (shape.atomic || (left.length === 0 && right.length === 0)) return this.#leaf(before, after);
    this.#listItems(left, right, shape);
    return false;
  }

  #leaf(before: Json | undefined, after: Json | undefined): true {
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!equalJson(before, after) || this.#isLess(after)) this.modified.insert(this.#path);
    return true;
  }

  #isLess(after: Json): boolean {
    return this.#empties && isJsonArray(after) && lacksEmpties(after);
  }

  mapItems(before: JsonObject, after: JsonObject, shape: MapShape, skip: ReadonlySet<string> | undefined): void {
    for (const key in before) {
      if (skip?.has(key)) continue;
      this.#mapItem(key, before[key], getKey(after, key), shape);
    }
    for (const key in after) {
      if (skip?.has(key) || getKey(before, key) !== undefined) continue;
      this.#mapItem(key, undefined, after[key], shape);
    }
  }

  #mapItem(key: string, before: Json | undefined, after: Json | undefined, shape: MapShape): void {
    if (before === after) return;
    const member = shape.fields.get(key);
    const childShape = member?.shape ?? shape.value;
    if (childShape === undefined) return;
    this.#path.push(fieldElement(key));
    const isAbsent = before === undefined || after === undefined || after === null;
    if (member?.embedded && childShape.kind === 'map' && !(this.#literal && isAbsent)) {
      const inMetadata = key === 'metadata' && this.#path.length === 1;
      this.#embedded(before, after, childShape, inMetadata ? this.#skipInMetadata : undefined);
    } else {
      this.compare(before, after, childShape);
    }
    this.#path.pop();
  }

  /** A struct without a pointer is always there, so it is neither added nor removed. */
  #embedded(
    before: Json | undefined,
    after: Json | undefined,
    shape: MapShape,
    skip: ReadonlySet<string> | undefined,
  ): void {
    const left = before ?? EMPTY_OBJECT;
    const right = after ?? EMPTY_OBJECT;
    if (shape.atomic || !isJsonObject(left) || !isJsonObject(right)) this.compare(left, right, shape);
    else this.mapItems(left, right, shape, skip);
  }

  #listItems(before: readonly Json[], after: readonly Json[], shape: ListShape): void {
    const left = indexItems(shape, before);
    const right = indexItems(shape, after);
    for (const [step, items] of left) this.#listItem(step, items, right.get(step) ?? [], shape);
    for (const [step, items] of right) if (!left.has(step)) this.#listItem(step, [], items, shape);
  }

  /** Items that share a step are one unit; `[0]` only where there is exactly one. */
  #listItem(step: PathElement, before: readonly Json[], after: readonly Json[], shape: ListShape): void {
    this.#path.push(step);
    if (before.length <= 1 && after.length <= 1) this.compare(before[0], after[0], shape.item);
    else if (before.length >= 2 && after.length >= 2) {
      if (!equalJson(before, after)) this.modified.insert(this.#path);
    } else if (before.length >= 2) {
      if (after.length === 1) this.compare(undefined, after[0], shape.item);
      this.removed.insert(this.#path);
    } else {
      if (before.length === 1) this.compare(before[0], undefined, shape.item);
      this.added.insert(this.#path);
    }
    this.#path.pop();
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
