// SPDX-License-Identifier: Apache-2.0
/** Lookup tables derived once from a type table: what decoding and encoding would otherwise compute for every object. */
import type {Field, FieldType, StructType, TypeTable} from '../schema.ts';

export type StructPlan = {
  readonly struct: StructType;
  /** Last part of the name, as Go prints it in errors: `EndpointPort`. */
  readonly goName: string;
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  readonly ignored: ReadonlySet<string> | undefined;
};

const plans = new WeakMap<TypeTable, Map<string, StructPlan>>();

/** The plan of a struct. Throws on a name that the table does not have: a bug of the caller. */
export function planOf(types: TypeTable, name: string): StructPlan {
  return plansOf(types).get(name) ?? makePlan(types, name);
}

function plansOf(types: TypeTable): Map<string, StructPlan> {
  const known = plans.get(types);
  if (known !== undefined) return known;
  const made = new Map<string, StructPlan>();
  plans.set(types, made);
  return made;
}

function makePlan(types: TypeTable, name: string): StructPlan {
  const struct = types[name];
  if (struct === undefined) throw new Error(`no type ${name} in the table`);
  const plan: StructPlan = {
    struct,
    goName: name.slice(name.lastIndexOf('.') + 1),
    fields: struct.fields,
    byName: new Map(struct.fields.map(f => [f.name, f])),
    ignored: struct.ignored === undefined ? undefined : new Set(struct.ignored),
  };
  plansOf(types).set(name, plan);
  return plan;
}

/** `io.k8s.api.core.v1.Endpoints` as Go prints the type: `v1.Endpoints`. */
export function goTypeOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}

/** Type of the values of a map; of a named one (`v1.ResourceList`) it is the type below the name. */
export function goOfMember(go: string, value: FieldType): string {
  const end = go.indexOf(']');
  if (end >= 0) return go.slice(end + 1);
  return value.type === 'quantity' ? 'resource.Quantity' : 'string';
}

/** Type of the items of a list: `v1.EndpointSubset` of `[]v1.EndpointSubset`, `string` of `v1.Verbs`. */
export function goItemTypeOf(go: string): string {
  return go.startsWith('[]') ? go.slice(2) : 'string';
}
