// SPDX-License-Identifier: Apache-2.0
/**
 * Types as OpenAPI schemas, in the two dialects that Kubernetes publishes. Version 3 names Go's zero value as the default
 * of every field that is always written, and wraps references so that something can stand beside them; version 2 has
 * neither. Ref: kube-openapi pkg/generators/openapi.go, pkg/schemaconv, pkg/handler3.
 */
import {kubeKinds, kubeOpaqueTypes} from '../gen/kube-openapi.ts';
import type {Field, FieldType, Json, StructType, TypeTable} from '../schema.ts';

export type Dialect = 2 | 3;
export type JsonRecord = {[key: string]: Json};

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const GO_OPAQUE: Readonly<Record<string, string>> = {
  'v1.Time': `${META}.Time`,
  'v1.MicroTime': `${META}.MicroTime`,
  'v1.FieldsV1': `${META}.FieldsV1`,
  'runtime.RawExtension': 'io.k8s.apimachinery.pkg.runtime.RawExtension',
};
/** Field types that are a definition of their own. */
const NAMED: Readonly<Partial<Record<FieldType['type'], string>>> = {
  'int-or-string': 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
};
/** Version 2 has no `oneOf`. */
const TEXT_ONLY: Readonly<Record<string, JsonRecord>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {type: 'string', format: 'int-or-string'},
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {type: 'string'},
};
const IGNORED = 'Ignored if it is set in a create or update request.';
/** Kinds that every group version has: their list of versions depends on the document. */
const COMMON_KINDS = new Set(['DeleteOptions', 'WatchEvent']);

export const refTo = (name: string, dialect: Dialect): string =>
  dialect === 2 ? `#/definitions/${name}` : `#/components/schemas/${name}`;

/**
 * Schemas of `roots` and of everything they refer to, by name, sorted. `groupVersion` is the document's own (version 3
 * has one document each); without it the document is about all of them.
 */
export function definitionsOf(
  types: TypeTable,
  roots: readonly string[],
  dialect: Dialect,
  groupVersion?: {readonly group: string; readonly version: string},
): JsonRecord {
  const out = new Map<string, Json>();
  const visit = (name: string): void => {
    if (out.has(name)) return;
    const struct = types[name];
    const opaque = kubeOpaqueTypes[name];
    if (struct === undefined && opaque === undefined) throw new Error(`no type ${name} in the table`);
    out.set(
      name,
      struct === undefined
        ? toOpaque(name, opaque as JsonRecord, dialect)
        : toDefinition(struct, dialect, groupVersion),
    );
    const fields = struct?.open === true ? [] : (struct?.fields ?? []);
    for (const field of fields) for (const ref of refsOf(field.type, field.go)) visit(ref);
  };
  for (const root of roots) visit(root);
  return Object.fromEntries([...out].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function toOpaque(name: string, schema: JsonRecord, dialect: Dialect): JsonRecord {
  const plain = dialect === 2 ? TEXT_ONLY[name] : undefined;
  if (plain === undefined) return schema;
  return {...(schema['description'] !== undefined && {description: schema['description']}), ...plain};
}

function refsOf(type: FieldType, go: string): string[] {
  switch (type.type) {
    case 'ref':
      return [type.ref];
    case 'list':
      return refsOf(type.item, go.replace(/^\*?\[\]/, ''));
    case 'map':
      return refsOf(type.value, go.replace(/^map\[string\]/, ''));
    default: {
      const opaque = NAMED[type.type] ?? GO_OPAQUE[go.replace(/^\*/, '')];
      return opaque === undefined ? [] : [opaque];
    }
  }
}

function toDefinition(
  struct: StructType,
  dialect: Dialect,
  groupVersion: {readonly group: string; readonly version: string} | undefined,
): JsonRecord {
  const kinds = kindsOf(struct, groupVersion);
  const head = {...(struct.doc !== '' && {description: struct.doc}), type: 'object'};
  const tail = kinds.length > 0 && {'x-kubernetes-group-version-kind': kinds};
  // Without properties: kubectl takes those that are named for all there are. Ref: apiextensions-apiserver controller/openapi/builder.
  if (struct.open === true) return {...head, ...tail, 'x-kubernetes-preserve-unknown-fields': true};
  const fields = [...struct.fields].sort((a, b) => (a.name < b.name ? -1 : 1));
  const required = fields.filter(f => f.required === true).map(f => f.name);
  const properties: JsonRecord = Object.fromEntries(fields.map(f => [f.name, toProperty(f, dialect)]));
  for (const name of struct.ignored ?? []) properties[name] = {description: IGNORED, type: 'string'};
  return {
    ...head,
    ...(required.length > 0 && {required: inGoOrder(struct, required)}),
    ...(Object.keys(properties).length > 0 && {properties}),
    ...tail,
    ...(struct.atomic === true && {'x-kubernetes-map-type': 'atomic'}),
  };
}

const inGoOrder = (struct: StructType, names: readonly string[]): string[] =>
  struct.fields.map(f => f.name).filter(name => names.includes(name));

type Kind = {readonly group: string; readonly kind: string; readonly version: string};

function kindsOf(struct: StructType, groupVersion: {group: string; version: string} | undefined): Kind[] {
  const kind = struct.gvk?.[0]?.kind;
  if (kind === undefined) return [];
  if (!COMMON_KINDS.has(kind)) {
    return (struct.gvk ?? []).map(k => ({group: k.group, kind: k.kind, version: k.version}));
  }
  const core: Kind = {group: '', kind, version: 'v1'};
  if (groupVersion !== undefined) {
    return groupVersion.group === ''
      ? [core]
      : [core, {group: groupVersion.group, kind, version: groupVersion.version}];
  }
  return Object.entries(kubeKinds)
    .filter(([, list]) => list.includes(kind))
    .map(([apiVersion]) => {
      const slash = apiVersion.indexOf('/');
      return {group: apiVersion.slice(0, Math.max(slash, 0)), kind, version: apiVersion.slice(slash + 1)};
    })
    .sort((a, b) => (a.group === b.group ? compareVersions(a.version, b.version) : a.group < b.group ? -1 : 1));
}

const compareVersions = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function toProperty(field: Field, dialect: Dialect): JsonRecord {
  const {type} = field;
  const value = toValue(type, field.go.replace(/^\*/, ''), dialect);
  const zero = dialect === 3 && field.pointer !== true ? zeroOf(field) : undefined;
  return {
    ...(field.doc !== '' && {description: field.doc}),
    ...value,
    ...(zero !== undefined && {default: zero}),
    ...(type.type === 'list' && listExtensions(type)),
    ...(type.type === 'map' && type.atomic === true && {'x-kubernetes-map-type': 'atomic'}),
  };
}

/** The default of a field that is always written. */
function zeroOf(field: Field): Json | undefined {
  if (field.published !== undefined) return field.published;
  if (field.type.type === 'ref') return {};
  return field.keepEmpty === true ? zeroOfScalar(field.type) : undefined;
}

function zeroOfScalar(type: FieldType): Json | undefined {
  switch (type.type) {
    case 'string':
      return type.format === undefined ? '' : undefined;
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return undefined;
  }
}

function listExtensions(type: Extract<FieldType, {type: 'list'}>): JsonRecord {
  return {
    ...(type.mapKeys && {'x-kubernetes-list-map-keys': type.mapKeys}),
    ...(type.implicit !== true && {'x-kubernetes-list-type': type.listType}),
    ...(type.patchMergeKey !== undefined && {'x-kubernetes-patch-merge-key': type.patchMergeKey}),
    ...(type.patchStrategy !== undefined && {'x-kubernetes-patch-strategy': type.patchStrategy}),
  };
}

/** The schema of a type without what belongs to its field. */
function toValue(type: FieldType, go: string, dialect: Dialect): JsonRecord {
  const opaque = NAMED[type.type] ?? GO_OPAQUE[go];
  if (opaque !== undefined) return reference(opaque, dialect);
  switch (type.type) {
    case 'ref':
      return reference(type.ref, dialect);
    case 'string':
      return {type: 'string', ...(type.format === 'byte' && {format: 'byte'}), ...(type.enum && {enum: type.enum})};
    case 'integer':
      return {type: 'integer', format: type.format};
    case 'number':
      return {type: 'number', format: 'double'};
    case 'boolean':
      return {type: 'boolean'};
    case 'list':
      return {type: 'array', items: toElement(type.item, go.replace(/^\[\]/, ''), dialect)};
    case 'map':
      return {type: 'object', additionalProperties: toElement(type.value, go.replace(/^map\[string\]/, ''), dialect)};
    default:
      return {type: 'object'};
  }
}

/** Elements are never pointers, so version 3 names their zero value. */
function toElement(type: FieldType, go: string, dialect: Dialect): JsonRecord {
  const named = NAMED[type.type];
  if (named !== undefined) return {$ref: refTo(named, dialect)};
  const value = toValue(type, go, dialect);
  if (dialect === 2) return value;
  const zero = type.type === 'ref' ? {} : zeroOfScalar(type);
  return zero === undefined ? value : {...value, default: zero};
}

const reference = (name: string, dialect: Dialect): JsonRecord =>
  dialect === 2 ? {$ref: refTo(name, dialect)} : {allOf: [{$ref: refTo(name, dialect)}]};
