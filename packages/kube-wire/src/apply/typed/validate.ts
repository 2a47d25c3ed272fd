// SPDX-License-Identifier: Apache-2.0
/**
 * Whether an applied object fits its schema, in upstream's words.
 * Ref: structured-merge-diff v6 typed/validate.go, helpers.go.
 */

import {setOwn} from '../../codec/untyped.ts';
import {compareUtf8} from '../../go/order.ts';
import {goSyntax, goText} from '../../patch/go-text.ts';
import {isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';
import {fieldElement, type PathElement, pathElementText} from '../fields/path-element.ts';
import {deduce} from './extract.ts';
import {ListItemError, listItemElement} from './list-item.ts';
import {type ListShape, type MapShape, memberShape, type ScalarKind, type Shape} from './shape.ts';

/** All faults as one text (`.a: …`, or `errors:` and a line each); undefined when there is none. A stored object may have duplicates. */
export function validateTyped(
  value: JsonObject,
  shape: MapShape,
  duplicates: 'none' | 'allowed' = 'none',
): string | undefined {
  const check = (of: Json): string[] => {
    const faults: string[] = [];
    validate(of, shape, '', faults);
    return duplicates === 'none' ? faults : faults.filter(fault => !DUPLICATE.test(fault));
  };
  const faults = check(value);
  if (faults.length === 0) return undefined;
  // Again, in the order that upstream's maps mostly keep, by key.
  const sorted = check(inKeyOrder(value));
  if (sorted.length === 1) return sorted[0];
  return ['errors:', ...sorted.map(fault => `  ${fault}`)].join('\n');
}

const DUPLICATE = /: duplicate entries for key /;

function inKeyOrder(value: Json): Json {
  if (isJsonArray(value)) return value.map(inKeyOrder);
  if (!isJsonObject(value)) return value;
  const out: {[key: string]: Json} = {};
  for (const key of Object.keys(value).sort(compareUtf8)) setOwn(out, key, inKeyOrder(value[key] as Json));
  return out;
}

function add(faults: string[], path: string, message: string): void {
  faults.push(path === '' ? message : `${path}: ${message}`);
}

function validate(value: Json, anyShape: Shape, path: string, faults: string[]): void {
  if (value === null) return;
  const shape = deduce(anyShape, value);
  if (shape.kind === 'scalar') {
    const message = scalarFault(value, shape.scalar);
    if (message !== undefined) add(faults, path, message);
  } else if (shape.kind === 'map') {
    if (isJsonObject(value)) validateMap(value, shape, path, faults);
    else add(faults, path, `expected map, got ${valuePointer(value)}`);
  } else if (isJsonArray(value)) validateList(value, shape, path, faults);
  else add(faults, path, `expected list, got ${valuePointer(value)}`);
}

/** `%v` of upstream's value wrapper. */
function valuePointer(value: Json): string {
  return `&{${goText(value)}}`;
}

function scalarFault(value: Json, scalar: ScalarKind): string | undefined {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${valuePointer(value)}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got ${valuePointer(value)}` : undefined;
  }
}

function goType(value: Json): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return isJsonArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

function validateMap(value: JsonObject, shape: MapShape, path: string, faults: string[]): void {
  for (const key in value) {
    const childPath = path + pathElementText(fieldElement(key));
    const childShape = memberShape(shape, key);
    if (childShape === undefined && shape.ignored?.includes(key)) continue;
    if (childShape === undefined) {
      add(faults, childPath, 'field not declared in schema');
      return; // as upstream: the rest of this struct is not looked at
    }
    validate(value[key] as Json, childShape, childPath, faults);
  }
}

function validateList(value: readonly Json[], shape: ListShape, path: string, faults: string[]): void {
  const seen = new Set<PathElement>();
  for (const [i, item] of value.entries()) {
    let step = `i:${i}`;
    if (!shape.atomic) {
      try {
        step = listItemElement(shape, item);
      } catch (error) {
        if (!(error instanceof ListItemError)) throw error;
        add(faults, path, `element ${i}: ${error.message}`);
        return;
      }
      if (seen.has(step)) add(faults, path, `duplicate entries for key ${pathElementText(step)}`);
      seen.add(step);
    }
    validate(item, shape.item, path + pathElementText(step), faults);
  }
}
