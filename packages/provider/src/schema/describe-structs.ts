// SPDX-License-Identifier: Apache-2.0
/**
 * Types of a package from the struct table of a kind, so that a kind says its fields, their docs and defaults once.
 * tools/gen-platform-types.ts writes what this makes; the provider itself does not know the kinds.
 */
import type {Field, FieldType, TypeTable} from '@palisade/kube-wire';
import type {ObjectDescription, Properties, PropertyDescription, TypeDescription} from './package-description.ts';

export type StructSource = {
  readonly types: TypeTable;
  /** Structs to begin with; those that they refer to follow. */
  readonly roots: readonly string[];
  /** Module of the package by prefix of a struct's name: `io.k8s.api.core.v1` → `core/v1`. */
  readonly modules: Readonly<Record<string, string>>;
  /** Fields that are left out, by struct. */
  readonly without: Readonly<Record<string, readonly string[]>>;
};

/** By token tail, sorted. Nothing is `required`: the server decides what must be given. */
export function describeStructs(source: StructSource): Readonly<Record<string, ObjectDescription>> {
  const found = new Map<string, ObjectDescription>();
  const visit = (name: string): void => {
    const token = tokenOf(name, source);
    const struct = source.types[name];
    if (struct === undefined) throw new Error(`${name} is not in the type table`);
    if (found.has(token)) return;
    const fields = struct.fields.filter(field => !(source.without[name] ?? []).includes(field.name));
    const properties: Properties = Object.fromEntries(fields.map(field => [field.name, describeField(field, source)]));
    found.set(token, {doc: struct.doc, properties});
    for (const field of fields) for (const ref of refsOf(field.type)) visit(ref);
  };
  for (const root of source.roots) visit(root);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function tokenOf(name: string, {modules}: StructSource): string {
  const at = name.lastIndexOf('.');
  const module = modules[name.slice(0, at)];
  if (module === undefined) throw new Error(`${name}: no module is named for its prefix`);
  return `${module}:${name.slice(at + 1)}`;
}

function refsOf(type: FieldType): string[] {
  if (type.type === 'ref') return [type.ref];
  if (type.type === 'list') return refsOf(type.item);
  return type.type === 'map' ? refsOf(type.value) : [];
}

function describeField(field: Field, source: StructSource): PropertyDescription {
  const isBytes = field.type.type === 'string' && field.type.format === 'byte';
  return {
    type: describeType(field.type, source),
    doc: isBytes ? `${field.doc} In Base64.` : field.doc,
    ...(field.default === undefined ? {} : {default: field.default}),
    ...(field.pointer ? {keepsEmpty: true} : {}),
  };
}

function describeType(type: FieldType, source: StructSource): TypeDescription {
  switch (type.type) {
    case 'string':
    case 'integer':
    case 'boolean':
      return {kind: type.type};
    case 'any':
      return {kind: 'json'};
    case 'ref':
      return {kind: 'ref', to: tokenOf(type.ref, source)};
    case 'list':
      return {kind: 'list', of: describeType(type.item, source)};
    case 'map':
      return {kind: 'map', of: describeType(type.value, source)};
    default:
      throw new Error(`a package has no type for ${type.type}`);
  }
}
