// SPDX-License-Identifier: Apache-2.0
/** Property values as expressions of a program, before a language writes them. Ref: Pulumi pkg/importer/hcl2.go. */
import {isSecret, isUnknown, type PropertyMap, type PropertyValue} from '@palisade/provider';
import {type EnumMember, type PackageSchema, specAt, type TypeSpec} from './package-schema.ts';

export type Code =
  | {readonly kind: 'literal'; readonly value: null | boolean | number | string}
  | {readonly kind: 'list'; readonly members: readonly Code[]}
  /** `typed`: its keys are names of the SDK, which languages spell their own way. */
  | {readonly kind: 'map'; readonly typed: boolean; readonly members: CodeMembers}
  | {readonly kind: 'enum'; readonly member: EnumMember}
  | {readonly kind: 'secret'; readonly value: Code};

export type CodeMembers = readonly (readonly [key: string, value: Code])[];

/** Members that the schema does not have are left out, as with the CLI; all are kept when it says nothing. Sorted by name. */
export function membersCode(
  schema: PackageSchema,
  map: PropertyMap,
  specs: Readonly<Record<string, unknown>> | undefined,
): CodeMembers {
  return Object.keys(map)
    .filter(key => specs === undefined || key in specs)
    .sort()
    .flatMap(key => {
      const value = map[key];
      if (value === undefined || value === null || isUnknown(value)) return [];
      return [[key, valueCode(schema, value, specAt(specs?.[key] as never))] as const];
    });
}

export function valueCode(schema: PackageSchema, value: PropertyValue, spec: TypeSpec): Code {
  if (isSecret(value)) return {kind: 'secret', value: valueCode(schema, value.value, spec)};
  if (value === null || isUnknown(value)) return {kind: 'literal', value: null};
  if (Array.isArray(value)) {
    const items = specAt(spec?.['items']);
    return {kind: 'list', members: value.map((member: PropertyValue) => valueCode(schema, member, items))};
  }
  if (typeof value === 'object') {
    const map = value as PropertyMap;
    const members = schema.members(spec);
    if (members !== undefined) return {kind: 'map', typed: true, members: membersCode(schema, map, members)};
    const each = specAt(spec?.['additionalProperties']);
    const keys = Object.keys(map).sort();
    const entries = keys.map(key => [key, valueCode(schema, map[key] ?? null, each)] as const);
    return {kind: 'map', typed: false, members: entries};
  }
  const member = schema.enumMember(spec, value);
  return member === undefined ? {kind: 'literal', value} : {kind: 'enum', member};
}
