// SPDX-License-Identifier: Apache-2.0
/** Arbitrary objects of a type of the table, for property tests: everything a client may send, well typed. */
import fc from 'fast-check';
import type {FieldType, Json, TypeTable} from '../schema.ts';

const text = fc.oneof(
  fc.constantFrom('', 'a', 'x/y', '<&>', 'TCP', '\u2028', 'é', '日本', '"\\\n'),
  fc.string({unit: 'binary', maxLength: 6}).map(s => s.toWellFormed()),
);
const key = fc.constantFrom('a', 'b', 'é', '10', '9', '__proto__', 'x.y/z');

function arbitraryValue(types: TypeTable, type: FieldType, depth: number): fc.Arbitrary<Json> {
  switch (type.type) {
    case 'string':
      if (type.format === 'byte') return fc.base64String({maxLength: 12});
      if (type.format === 'micro-time')
        return fc.constantFrom('2020-01-02T03:04:05.000006Z', '1950-12-31T23:59:59.000000Z');
      return type.format === undefined ? text : fc.constantFrom('2020-01-02T03:04:05Z', '1950-12-31T23:59:59Z');
    case 'integer':
      return fc.oneof(fc.constantFrom(0, 1, -1, 80), fc.integer({min: -2147483648, max: 2147483647}));
    case 'int-or-string':
      return fc.constantFrom<Json>(0, 80, 'http', '');
    case 'quantity':
      return fc.constantFrom('0', '1', '500m', '4Gi', '1500', '12e6', '-3');
    case 'boolean':
      return fc.boolean();
    case 'number':
      return fc.double({noNaN: true, noDefaultInfinity: true});
    case 'any':
      return fc.constantFrom<Json>({'f:a': {}}, {b: 1, a: [true, null]});
    case 'ref':
      return depth > 6 ? fc.constant({}) : arbitraryObject(types, type.ref, depth + 1);
    case 'list':
      return fc.array(arbitraryValue(types, type.item, depth + 1), {maxLength: 2});
    case 'map':
      return fc.array(fc.tuple(key, arbitraryValue(types, type.value, depth + 1)), {maxLength: 3}).map(toObject);
  }
}

function toObject(entries: readonly (readonly [string, Json])[]): Json {
  const out: {[key: string]: Json} = {};
  for (const [name, value] of entries) {
    Object.defineProperty(out, name, {value, enumerable: true, configurable: true, writable: true});
  }
  return out;
}

/** An object with any part of its fields. */
export function arbitraryObject(types: TypeTable, typeName: string, depth = 0): fc.Arbitrary<{[field: string]: Json}> {
  const fields = types[typeName]?.fields ?? [];
  const record = Object.fromEntries(fields.map(f => [f.name, arbitraryValue(types, f.type, depth)]));
  return fc.record(record, {requiredKeys: []}) as fc.Arbitrary<{[field: string]: Json}>;
}

const CORE = 'io.k8s.api.core.v1';
/** Kinds of every shape: lists of structs, maps of lists, raw JSON, always-written structs. */
export const SAMPLE_TYPES = [
  `${CORE}.Endpoints`,
  `${CORE}.EndpointsList`,
  `${CORE}.Namespace`,
  'io.k8s.api.rbac.v1.ClusterRole',
  'io.k8s.api.rbac.v1.RoleBinding',
  'io.k8s.api.discovery.v1.EndpointSlice',
  `${CORE}.Node`,
  `${CORE}.Secret`,
  `${CORE}.Service`,
  'io.k8s.api.coordination.v1.Lease',
  'io.k8s.api.events.v1.Event',
  'io.k8s.api.authorization.v1.SubjectAccessReview',
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList',
] as const;
