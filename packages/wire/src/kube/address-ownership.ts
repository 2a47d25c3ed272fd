// SPDX-License-Identifier: Apache-2.0
/**
 * Ownership per address (E-221), for Endpoints that several writers fill: beyond Kubernetes, where `subsets` is one
 * block. An object asks for it by an annotation, so every client can.
 * While it is on, a subset is identified by its ports (in any order), an address by IP and `targetRef.uid`. An address
 * with its parts is one field; writers that list the same ports share the subset and each hold their addresses.
 */
import {kubeTypes} from '../gen/kube-types.ts';
import type {FieldType, StructType, TypeTable} from './schema.ts';

const CORE = 'io.k8s.api.core.v1';
const ADDRESS_KEYS = ['ip', 'targetRef.uid'];

export const ADDRESS_OWNERSHIP = {
  annotation: 'platform.io/address-ownership',
  value: 'per-address',
  structs: withMapLists(kubeTypes, {
    [`${CORE}.Endpoints`]: {subsets: ['ports']},
    [`${CORE}.EndpointSubset`]: {
      addresses: ADDRESS_KEYS,
      notReadyAddresses: ADDRESS_KEYS,
      ports: ['name', 'port', 'protocol'],
    },
  }),
} as const;

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
