// SPDX-License-Identifier: Apache-2.0
/**
 * A finer ownership than the schema's, that an object asks for by an annotation (E-221): the same types with other
 * list types, so that several writers can each hold their items of a list that is one block by default.
 * The annotation is a field like any other: it stays as long as somebody owns it, and when it goes, whoever owned a
 * part of the block owns the block again.
 */

import {isJsonObject} from '../patch/json-value.ts';
import type {Json, JsonObject, TypeTable} from '../schema.ts';

export type OwnershipOption = {
  readonly annotation: string;
  /** The value that turns it on; any other leaves it off. */
  readonly value: string;
  /** The structs that are owned otherwise while it is on. */
  readonly structs: TypeTable;
};

const tables = new WeakMap<TypeTable, WeakMap<OwnershipOption, TypeTable>>();

/** The finer types, if one of the objects asks for them. */
export function finerTypes(
  types: TypeTable,
  option: OwnershipOption | undefined,
  ...objects: readonly (Json | undefined)[]
): TypeTable | undefined {
  if (option === undefined || !objects.some(object => asksFor(option, object))) return undefined;
  let options = tables.get(types);
  if (options === undefined) {
    options = new WeakMap();
    tables.set(types, options);
  }
  let finer = options.get(option);
  if (finer === undefined) {
    finer = {...types, ...option.structs};
    options.set(option, finer);
  }
  return finer;
}

function asksFor(option: OwnershipOption, object: Json | undefined): boolean {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) && (annotations as JsonObject)[option.annotation] === option.value;
}
