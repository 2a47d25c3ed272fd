// SPDX-License-Identifier: Apache-2.0
/**
 * What strategic merge asks of the schema: how the list in a field merges, and what the type below a field is.
 * Ref: kubernetes v1.36 apimachinery pkg/util/strategicpatch/meta.go; third_party/forked/golang/json/fields.go.
 */

import {goQuote} from '../../go/quote.ts';
import type {Field, FieldType, StructType, TypeTable} from '../../schema.ts';
import {unclassified} from '../fault.ts';

export type PatchType = {readonly types: TypeTable; readonly type: FieldType};
export type ListPatch = {
  /** Type of the items. */
  readonly item: PatchType;
  readonly merge: boolean;
  /** Empty for lists of scalars. */
  readonly mergeKey: string;
};

export function rootType(types: TypeTable, typeName: string): PatchType {
  return {types, type: {type: 'ref', ref: typeName}};
}

/** The type of a field that holds an object. */
export function fieldOf(parent: PatchType, key: string): PatchType {
  return {types: parent.types, type: lookUp(parent, key).type};
}

/** How the list in a field merges. */
export function listOf(parent: PatchType, key: string): ListPatch {
  const {type} = lookUp(parent, key);
  if (type.type !== 'list') throw unclassified(`expected slice or array type, but got: ${goKind(parent.type)}`);
  if (type.item.type === 'list') throw unclassified('unexpected slice of slice');
  return {
    item: {types: parent.types, type: type.item},
    merge: type.patchStrategy === 'merge',
    mergeKey: type.patchMergeKey ?? '',
  };
}

/** By exact name, else by name in any case, as Go's JSON decoder finds fields. */
function lookUp(parent: PatchType, key: string): Field {
  const {type, types} = parent;
  if (type.type !== 'ref') {
    throw unclassified(`merging an object in json but data type is not struct, instead is: ${goKind(type)}`);
  }
  const struct = structOf(types, type.ref);
  const folded = key.toLowerCase();
  const field =
    struct.fields.find(candidate => candidate.name === key) ??
    struct.fields.find(candidate => candidate.name.toLowerCase() === folded);
  if (field !== undefined) return field;
  const name = struct.name.slice(struct.name.lastIndexOf('.') + 1);
  throw unclassified(`unable to find api field in struct ${name} for the json field ${goQuote(key)}`);
}

function structOf(types: TypeTable, name: string): StructType {
  const struct = types[name];
  if (struct === undefined) throw new RangeError(`no type found matching: ${name}`);
  return struct;
}

/** `reflect.Kind` of the Go type behind a field type. */
export function goKind(type: FieldType): string {
  switch (type.type) {
    case 'string':
      return type.format === 'byte' ? 'slice' : type.format === undefined ? 'string' : 'struct';
    case 'integer':
      return type.format;
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'int-or-string':
    case 'quantity':
    case 'any':
    case 'ref':
      return 'struct';
    case 'map':
      return 'map';
    case 'list':
      return 'slice';
    default:
      return 'invalid';
  }
}
