// SPDX-License-Identifier: Apache-2.0
/**
 * Generates `packages/kube-wire/src/gen/kube-types.ts` and `kube-openapi.ts` from `schemas/kubernetes/v1.36/`. Functions
 * without arguments, so that `npm run gen` can call them; run directly it writes the files. Same input, same bytes.
 */
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import type {Field, FieldType, StructType} from '../packages/kube-wire/src/schema.ts';
import type {GoField, GoStruct} from './gen-kube-go.ts';

const SCHEMAS = new URL('../schemas/kubernetes/v1.36/', import.meta.url);
const OUT = new URL('../packages/kube-wire/src/gen/', import.meta.url);

const GROUPS = new Set([
  '',
  'rbac.authorization.k8s.io',
  'authorization.k8s.io',
  'authentication.k8s.io',
  'discovery.k8s.io',
  'coordination.k8s.io',
  'events.k8s.io',
]);
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
/** Kinds that upstream's OpenAPI documents leave out. */
const EXTRA_KINDS: Readonly<Record<string, {group: string; version: string; kind: string}>> = {
  [`${META}.Table`]: {group: 'meta.k8s.io', version: 'v1', kind: 'Table'},
  [`${META}.PartialObjectMetadata`]: {group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadata'},
  [`${META}.PartialObjectMetadataList`]: {group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadataList'},
  'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList': {
    group: 'apidiscovery.k8s.io',
    version: 'v2',
    kind: 'APIGroupDiscoveryList',
  },
};
/** What the defaulting functions of the API packages fill in for a single field. Ref: pkg/apis/{core,discovery}/v1/defaults.go. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'io.k8s.api.core.v1.EndpointPort.protocol': 'TCP',
  'io.k8s.api.core.v1.ServicePort.protocol': 'TCP',
  'io.k8s.api.discovery.v1.EndpointPort.protocol': 'TCP',
  'io.k8s.api.discovery.v1.EndpointPort.name': '',
};
/** Named lists that are messages in protobuf. */
const WRAPPED = new Set(['v1.Verbs', 'v1.ExtraValue']);

/** What only a running server shows of a field: its closed set of values. */
type Enums = Record<string, Record<string, {description: string; enum: string[]; items?: true}>>;

type Schema = {
  type?: string;
  format?: string;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: string[];
  default?: unknown;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-group-version-kind'?: {group: string; version: string; kind: string}[];
};

function readSchema<T>(name: string): {value: T; hash: string} {
  const text = readFileSync(new URL(name, SCHEMAS), 'utf8');
  return {value: JSON.parse(text) as T, hash: createHash('sha256').update(text).digest('hex').slice(0, 16)};
}

function toFieldType(field: GoField, schema: Schema | undefined): FieldType {
  let kind = field.kind.replace(/^\*/, '');
  const go = field.go.replace(/^\*/, '');
  if (kind === '[]byte') return {type: 'string', format: 'byte'};
  if (kind.startsWith('[]')) {
    kind = kind.slice(2);
    const declared = schema?.['x-kubernetes-list-type'] ?? (field.listType as 'atomic' | undefined);
    const mapKeys = schema?.['x-kubernetes-list-map-keys'];
    return {
      type: 'list',
      item: toScalar(kind, field, schema?.items),
      listType: declared ?? 'atomic',
      ...(declared === undefined && {implicit: true as const}),
      ...(mapKeys && {mapKeys}),
      ...(field.patchStrategy?.includes('merge') && {patchStrategy: 'merge' as const}),
      ...(field.patchMergeKey && {patchMergeKey: field.patchMergeKey}),
      ...(WRAPPED.has(go) && {wrapped: true as const}),
    };
  }
  if (kind.startsWith('map[string]')) {
    const element = kind.slice(11);
    const named = element === 'quantity' ? 'resource.Quantity' : element; // of a named map, as ResourceList
    const inner = {...field, kind: element, go: go.startsWith('map[') ? go.slice(go.indexOf(']') + 1) : named};
    return {
      type: 'map',
      value: toFieldType(inner, undefined),
      ...(schema?.['x-kubernetes-map-type'] === 'atomic' && {atomic: true}),
    };
  }
  return toScalar(kind, field, schema);
}

function toScalar(kind: string, field: GoField, schema: Schema | undefined): FieldType {
  switch (kind) {
    case 'string':
      return {type: 'string', ...(schema?.enum && {enum: schema.enum})};
    case 'bool':
      return {type: 'boolean'};
    case 'int32':
    case 'int64':
      return {type: 'integer', format: kind};
    case 'time':
      return {type: 'string', format: 'date-time'};
    case 'micro-time':
      return {type: 'string', format: 'micro-time'};
    case 'int-or-string':
    case 'quantity':
      return {type: kind};
    case 'any':
      return field.go.endsWith('interface {}') ? {type: 'any'} : {type: 'any', raw: true};
    case 'ref':
      return {type: 'ref', ref: field.ref as string};
    default:
      throw new Error(`${field.json}: no field type for ${kind}`);
  }
}

function toFields(
  name: string,
  struct: GoStruct,
  structs: Record<string, GoStruct>,
  schema: Schema | undefined,
): Field[] {
  return struct.fields.flatMap((field): Field[] => {
    const own = schema?.properties?.[field.json];
    if (field.inline === true) {
      const inner = structs[field.ref as string];
      if (inner === undefined) throw new Error(`${name}: unknown type ${field.go}`);
      return toFields(field.ref as string, inner, structs, schema).map(f => ({...f, proto: 0, inline: field.goName}));
    }
    const type = toFieldType(field, own);
    const pointer = field.kind.startsWith('*');
    const isStruct =
      !pointer &&
      (type.type === 'ref' ||
        type.type === 'int-or-string' ||
        type.type === 'quantity' ||
        (type.type === 'any' && type.raw === true) ||
        /^(micro-)?time$/.test(field.kind));
    const required = schema?.required?.includes(field.json) ?? (field.omitempty !== true && field.optional !== true);
    const fallback = DEFAULTS[`${name}.${field.json}`];
    return [
      {
        name: field.json,
        proto: field.proto,
        type,
        ...(required && {required: true}),
        ...((field.omitempty !== true || (isStruct && field.omitzero !== true)) && {keepEmpty: true}),
        ...(pointer && {pointer: true}),
        ...(fallback !== undefined && {default: fallback}),
        ...(typeof own?.default === 'string' && field.omitempty === true && {published: own.default}),
        go: field.go.replaceAll('[]byte', '[]uint8'), // as Go prints the type
        doc: own?.description ?? field.doc,
      },
    ];
  });
}

/** Adds the closed sets of values to the schemas. */
function withEnums(schemas: Record<string, Schema>, enums: Enums): Record<string, Schema> {
  for (const [name, fields] of Object.entries(enums)) {
    for (const [field, values] of Object.entries(fields)) {
      const property = schemas[name]?.properties?.[field];
      if (property === undefined) throw new Error(`${name}.${field}: an enum without a property`);
      property.description = values.description;
      if (values.items === true) property.items = {...property.items, enum: values.enum};
      else property.enum = values.enum;
    }
  }
  return schemas;
}

const HEAD = [
  '// SPDX-License-Identifier: Apache-2.0',
  '// Generated by tools/gen-kube.ts from schemas/kubernetes/v1.36. Do not edit.',
];

/** The text of `kube-openapi.ts`: what OpenAPI documents need besides the types. */
export function generateKubeOpenApi(): string {
  const schemas = readSchema<Record<string, Schema>>('openapi-schemas.json').value;
  const parameters = readSchema<Record<string, unknown>>('parameters.json').value;
  const kinds = readSchema<Record<string, readonly string[]>>('kinds.json').value;
  const opaque = Object.fromEntries(Object.entries(schemas).filter(([, schema]) => schema.properties === undefined));
  const rows = (record: object) =>
    Object.entries(record).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  return [
    ...HEAD,
    "import type {Json} from '../schema.ts';",
    '',
    '/** Types that are not structs on the wire, by OpenAPI name. */',
    'export const kubeOpaqueTypes: Readonly<Record<string, {readonly [key: string]: Json}>> = {',
    ...rows(opaque),
    '};',
    '',
    '/** Shared request parameters by the key that the OpenAPI v2 document gives them. */',
    'export const kubeParameters: Readonly<Record<string, {readonly [key: string]: Json}>> = {',
    ...rows(parameters),
    '};',
    '',
    '/** Every kind of upstream by apiVersion, also those that are not served here. */',
    'export const kubeKinds: Readonly<Record<string, readonly string[]>> = {',
    ...rows(kinds),
    '};',
    '',
  ].join('\n');
}

/** The whole text of `kube-types.ts`. */
export function generateKubeTypes(): string {
  const go = readSchema<Record<string, GoStruct>>('go-structs.json');
  const openapi = readSchema<Record<string, Schema>>('openapi-schemas.json');
  const enums = readSchema<Enums>('enums.json');
  const schemas = withEnums(openapi.value, enums.value);
  const lines: string[] = [];
  for (const [name, struct] of Object.entries(go.value)) {
    const schema = schemas[name];
    const extra = EXTRA_KINDS[name];
    const gvk =
      schema?.['x-kubernetes-group-version-kind']?.filter(k => GROUPS.has(k.group) && k.version === 'v1') ??
      (extra && [extra]);
    const head: Omit<StructType, 'fields'> = {
      name,
      doc: schema?.description ?? struct.doc,
      ...(schema?.['x-kubernetes-map-type'] === 'atomic' && {atomic: true}),
      ...(gvk && gvk.length > 0 && {gvk}),
    };
    lines.push(`  ${JSON.stringify(name)}: {`);
    for (const [key, value] of Object.entries(head)) lines.push(`    ${key}: ${JSON.stringify(value)},`);
    lines.push('    fields: [');
    for (const f of toFields(name, struct, go.value, schema)) lines.push(`      ${JSON.stringify(f)},`);
    lines.push('    ],', '  },');
  }
  const inputs = [go, openapi, enums].map(input => input.hash).join(' ');
  return [
    ...HEAD,
    `// Inputs (go-structs, openapi-schemas, enums): ${inputs}.`,
    "import type {TypeTable} from '../schema.ts';",
    '',
    '/** Kubernetes v1.36 types by OpenAPI name, fields in the order of the Go structs. */',
    'export const kubeTypes: TypeTable = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

if (import.meta.main) {
  writeFileSync(new URL('kube-types.ts', OUT), generateKubeTypes());
  writeFileSync(new URL('kube-openapi.ts', OUT), generateKubeOpenApi());
}
