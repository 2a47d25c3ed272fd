// SPDX-License-Identifier: Apache-2.0
/** Lists owned item by item where the schema says otherwise, for kinds that offer a finer ownership. */
import type {FieldType, StructType, TypeTable} from './schema.ts';

/** These structs of the table, with these lists owned item by item, by these keys. Throws RangeError for a field that is no list. */
export function withMapLists(
  types: TypeTable,
  keysOf: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): TypeTable {
  const out: Record<string, StructType> = {};
  for (const [name, lists] of Object.entries(keysOf)) {
    const struct = types[name];
    if (struct === undefined) throw new RangeError(`no type ${name}`);
    const fields = struct.fields.map(field => {
      const mapKeys = lists[field.name];
      return mapKeys === undefined ? field : {...field, type: mapList(field.type, mapKeys)};
    });
    out[name] = {...struct, fields};
  }
  return out;
}

function mapList(type: FieldType, mapKeys: readonly string[]): FieldType {
  if (type.type !== 'list') throw new RangeError(`a field of type ${type.type} is no list`);
  return {...type, listType: 'map', mapKeys};
}
