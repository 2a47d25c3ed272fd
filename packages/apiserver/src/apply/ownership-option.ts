// SPDX-License-Identifier: Apache-2.0
/**
 * A finer ownership than the schema's, that an object asks for by an annotation (E-221): the same types with other
 * list types, so that several writers can each hold their items of a list that is one block by default.
 * The annotation is a field like any other: it stays as long as somebody owns it, and when it goes, whoever owned a
 * part of the block owns the block again.
 */
import type {Json, JsonObject, TypeTable} from '@palisade/wire/kube';
import {isJsonObject} from '../patch/json-value.ts';

export type OwnershipOption = {
  readonly annotation: string;
  /** The value that turns it on; any other leaves it off. */
  readonly value: string;
  /** The type table to use while it is on. */
  readonly types: TypeTable;
};

/** The option's types, if one of the objects asks for them. */
export function finerTypes(
  option: OwnershipOption | undefined,
  ...objects: readonly (Json | undefined)[]
): TypeTable | undefined {
  return option !== undefined && objects.some(object => asksFor(option, object)) ? option.types : undefined;
}

function asksFor(option: OwnershipOption, object: Json | undefined): boolean {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) && (annotations as JsonObject)[option.annotation] === option.value;
}
