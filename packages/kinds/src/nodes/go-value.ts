// SPDX-License-Identifier: Apache-2.0
/**
 * JSON in an annotation as Go's own decoder reads it: names of fields in any case, unknown ones ignored, the first value of a
 * wrong type reported once everything is read. Ref: Go encoding/json decode.go; metav1.Time UnmarshalJSON.
 */
import {cannotUnmarshal, DecodeError, decodeJson, type Json, normalizeTime, TimeParseError} from '@palisade/kube-wire';

/** A Go type by its name, with what is in it: the items of a list, or the fields of a struct. */
export type GoShape = {
  readonly go: string;
  readonly item?: GoShape;
  readonly fields?: Readonly<Record<string, GoShape>>;
};

/** A text that the type does not hold. The message is Go's. */
export class GoValueError extends Error {
  override readonly name = 'GoValueError';
}

type Walk = {saved: string | undefined};

/** Undefined: nothing, Go's zero value. Throws GoValueError. */
export const goValue = (text: string, shape: GoShape): Json | undefined => {
  const walk: Walk = {saved: undefined};
  try {
    const value = take(decodeJson(text).value, shape, '', [], walk);
    if (walk.saved !== undefined) throw new GoValueError(walk.saved);
    return value;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof TimeParseError)
      throw new GoValueError(error.message, {cause: error});
    throw error;
  }
};

const take = (value: Json, shape: GoShape, struct: string, path: readonly string[], walk: Walk): Json | undefined => {
  if (value === null) return undefined;
  if (shape.go === 'v1.Time') return timeOf(value);
  if (Array.isArray(value)) {
    const {item} = shape;
    if (item !== undefined) return (value as readonly Json[]).map(each => take(each, item, struct, path, walk) ?? {});
  } else if (typeof value === 'object') {
    if (shape.fields !== undefined) return structOf(value as {readonly [key: string]: Json}, shape, path, walk);
  } else if (typeof value === (shape.go === 'bool' ? 'boolean' : 'string') && !isCollection(shape)) return value;
  const where =
    path.length === 0 ? `value of type ${shape.go}` : `struct field ${struct}.${path.join('.')} of type ${shape.go}`;
  walk.saved ??= cannotUnmarshal(kindOf(value), where);
  return undefined;
};

const isCollection = ({item, fields}: GoShape): boolean => item !== undefined || fields !== undefined;

const structOf = (
  given: {readonly [key: string]: Json},
  {go, fields = {}}: GoShape,
  path: readonly string[],
  walk: Walk,
): Json => {
  const struct = go.slice(go.indexOf('.') + 1);
  const out: {[key: string]: Json} = {};
  for (const [key, member] of Object.entries(given)) {
    const name = Object.keys(fields).find(each => each.toLowerCase() === key.toLowerCase());
    if (name === undefined) continue;
    const value = take(member, fields[name] as GoShape, struct, [...path, name], walk);
    if (value !== undefined) out[name] = value;
  }
  return out;
};

const timeOf = (value: Json): Json | undefined => {
  if (typeof value === 'string') return normalizeTime(value, 'date-time') ?? undefined;
  throw new GoValueError(cannotUnmarshal(kindOf(value), 'value of type string'));
};

const kindOf = (value: Json): string => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
};
