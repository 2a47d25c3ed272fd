// SPDX-License-Identifier: Apache-2.0
/**
 * Whether a configuration that fits the schema can also be stored: upstream's ownership schema knows numbers and
 * scalars only, so fractions and texts that are no time, no bytes or no quantity are found when the merged object becomes a struct again.
 * Ref: kubernetes v1.36 apimachinery pkg/runtime/converter.go, FromUnstructured.
 */
import {cannotUnmarshal} from '../../codec/decode-error.ts';
import {looseScalarFault} from '../../codec/unstructured.ts';
import {Base64Error, normalizeBase64} from '../../go/base64.ts';
import {parseGoTime, TimeParseError} from '../../go/time.ts';
import {goJsonKind} from '../../patch/go-text.ts';
import {isJsonArray, isJsonObject} from '../../patch/json-value.ts';
import type {Json, JsonObject} from '../../schema.ts';
import {type MapShape, memberShape, type ScalarShape, type Shape} from './shape.ts';

/** Go's words for the first value that cannot be converted. */
export function conversionFault(value: Json, shape: Shape): string | undefined {
  if (value === null) return undefined;
  if (shape.kind === 'scalar') return scalarFault(value, shape);
  if (shape.kind === 'list' && isJsonArray(value)) return firstFault(value.map(item => [item, shape.item] as const));
  if (shape.kind !== 'map' || !isJsonObject(value)) return undefined;
  return firstFault(inGoOrder(value, shape).map(key => [value[key] as Json, memberShape(shape, key)] as const));
}

/** Go converts the fields of a struct in its own order, whatever order they were sent in. */
function inGoOrder(value: JsonObject, {fields}: MapShape): readonly string[] {
  const known = [...fields.keys()].filter(key => Object.hasOwn(value, key));
  return [...known, ...Object.keys(value).filter(key => !fields.has(key))];
}

function firstFault(parts: readonly (readonly [Json, Shape | undefined])[]): string | undefined {
  for (const [value, shape] of parts) {
    const fault = shape && conversionFault(value, shape);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function scalarFault(value: Json, {format}: ScalarShape): string | undefined {
  if (format === undefined) return undefined;
  if (format === 'int32' || format === 'int64') {
    return typeof value === 'number' && !Number.isInteger(value) ? `cannot convert float64 to ${format}` : undefined;
  }
  if (format === 'byte') return bytesFault(value);
  if (format === 'quantity' || format === 'int-or-string') return looseScalarFault(value, format);
  if (typeof value !== 'string') return cannotUnmarshal(goJsonKind(value), 'value of type string');
  try {
    parseGoTime(value, format);
    return undefined;
  } catch (error) {
    if (error instanceof TimeParseError) return error.message;
    throw error;
  }
}

function bytesFault(value: Json): string | undefined {
  try {
    normalizeBase64(String(value));
    return undefined;
  } catch (error) {
    if (error instanceof Base64Error) return `error decoding from json: ${error.message}`;
    throw error;
  }
}
