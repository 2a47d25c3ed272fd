// SPDX-License-Identifier: Apache-2.0
/**
 * A type table as ownership sees it: scalars, lists and maps, each owned as a whole (`atomic`) or part by part.
 * Compiled once per table, so that walks do no look-ups by name.
 * Ref: structured-merge-diff v6 schema; kube-openapi's conversion of x-kubernetes-list-type and -map-type.
 */
import type {Field, FieldType, Json, StructType, TypeTable} from '../../schema.ts';

export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'untyped';

export type Shape = ScalarShape | ListShape | MapShape | AnyShape;
export type ScalarShape = {
  readonly kind: 'scalar';
  readonly scalar: ScalarKind;
  /** What the stored value must be beyond that. */
  readonly format?: 'int32' | 'int64' | 'date-time' | 'micro-time' | 'byte' | 'int-or-string' | 'quantity';
};
export type ListShape = {
  readonly kind: 'list';
  readonly atomic: boolean;
  readonly item: Shape;
  /** Names of the key fields, and what a missing one stands for; undefined for a set. */
  readonly keys: ReadonlyMap<string, Json | undefined> | undefined;
};
/** A struct has `fields`, a map has `value`. */
export type MapShape = {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Member>;
  readonly value: Shape | undefined;
  /** Names that may stand here and mean nothing. */
  readonly ignored?: readonly string[] | undefined;
};
/** Any JSON: scalars and lists as a whole, maps key by key. */
export type AnyShape = {readonly kind: 'any'};

export type Member = {
  readonly shape: Shape;
  /** A struct that is always there (no pointer in Go): absent and `{}` are the same. */
  readonly embedded: boolean;
};

const ANY: AnyShape = {kind: 'any'};
/** What a deduced value looks like once its kind is known. */
export const DEDUCED_MAP: MapShape = {kind: 'map', atomic: false, fields: new Map(), value: ANY};
export const DEDUCED_LIST: ListShape = {kind: 'list', atomic: true, item: ANY, keys: undefined};
export const DEDUCED_SCALAR: ScalarShape = {kind: 'scalar', scalar: 'untyped'};

const compiled = new WeakMap<TypeTable, Map<string, MapShape>>();

/** The shape of a struct of the table; throws RangeError for a name that is not in it. */
export function shapeOf(types: TypeTable, typeName: string): MapShape {
  let shapes = compiled.get(types);
  if (shapes === undefined) {
    shapes = new Map();
    compiled.set(types, shapes);
  }
  return shapes.get(typeName) ?? compileStruct(types, typeName, shapes);
}

function compileStruct(types: TypeTable, name: string, shapes: Map<string, MapShape>): MapShape {
  const known = shapes.get(name);
  if (known !== undefined) return known;
  const struct: StructType | undefined = types[name];
  if (struct === undefined) throw new RangeError(`no type found matching: ${name}`);
  const fields = new Map<string, Member>();
  const shape: MapShape = {
    kind: 'map',
    atomic: struct.atomic ?? false,
    fields,
    value: undefined,
    ignored: struct.ignored,
  };
  shapes.set(name, shape);
  for (const field of struct.fields) {
    fields.set(field.name, {
      shape: compileType(types, field.type, shapes),
      embedded: field.type.type === 'ref' && field.pointer !== true,
    });
  }
  if (struct.gvk !== undefined) {
    const text: Member = {shape: {kind: 'scalar', scalar: 'string'}, embedded: false};
    for (const key of ['apiVersion', 'kind']) if (!fields.has(key)) fields.set(key, text);
  }
  return shape;
}

function compileType(types: TypeTable, type: FieldType, shapes: Map<string, MapShape>): Shape {
  switch (type.type) {
    case 'string':
      return type.format === 'date-time' || type.format === 'micro-time'
        ? {kind: 'scalar', scalar: 'untyped', format: type.format}
        : {kind: 'scalar', scalar: 'string', ...(type.format === 'byte' && {format: type.format})};
    case 'integer':
      return {kind: 'scalar', scalar: 'numeric', format: type.format};
    case 'number':
      return {kind: 'scalar', scalar: 'numeric'};
    case 'boolean':
      return {kind: 'scalar', scalar: 'boolean'};
    case 'int-or-string':
    case 'quantity':
      return {...DEDUCED_SCALAR, format: type.type};
    case 'any':
      return type.raw === true ? DEDUCED_MAP : ANY;
    case 'ref':
      return compileStruct(types, type.ref, shapes);
    case 'map':
      return {
        kind: 'map',
        atomic: type.atomic ?? false,
        fields: new Map(),
        value: compileType(types, type.value, shapes),
      };
    case 'list':
      return {
        kind: 'list',
        atomic: type.listType === 'atomic',
        item: compileType(types, type.item, shapes),
        keys: type.listType === 'map' ? keyDefaults(types, type.item, type.mapKeys ?? []) : undefined,
      };
    default:
      return assertNever(type);
  }
}

function keyDefaults(types: TypeTable, item: FieldType, keys: readonly string[]): ListShape['keys'] {
  const fields: readonly Field[] = item.type === 'ref' ? (types[item.ref]?.fields ?? []) : [];
  return new Map(
    keys.map(key => {
      const field = fields.find(candidate => candidate.name === key);
      return [key, field && (field.default ?? zeroValue(field))];
    }),
  );
}

/** OpenAPI gives a field that Go always writes its zero value as default. */
function zeroValue(field: Field): Json | undefined {
  if (field.keepEmpty !== true || field.pointer === true) return undefined;
  if (field.type.type === 'string') return '';
  if (field.type.type === 'boolean') return false;
  return field.type.type === 'integer' || field.type.type === 'number' ? 0 : undefined;
}

function assertNever(value: never): never {
  throw new TypeError(`unknown field type: ${JSON.stringify(value)}`);
}

/** The shape of one key of a map or struct; undefined: the schema does not know it. */
export function memberShape(shape: MapShape, key: string): Shape | undefined {
  return shape.fields.get(key)?.shape ?? shape.value;
}
