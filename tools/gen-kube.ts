// SPDX-License-Identifier: Apache-2.0
/**
 * Generates `packages/wire/src/gen/kube-types.ts` from `schemas/kubernetes/v1.36/`. One exported function without
 * arguments, so that `npm run gen` can call it; run directly it writes the file. Same input, same bytes.
 */
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import type {Field, FieldType, StructType} from '../packages/wire/src/kube/schema.ts';
import type {GoField, GoStruct} from './gen-kube-go.ts';

const SCHEMAS = new URL('../schemas/kubernetes/v1.36/', import.meta.url);
const OUT = new URL('../packages/wire/src/gen/kube-types.ts', import.meta.url);

const GROUPS = new Set([
  '',
  'rbac.authorization.k8s.io',
  'authorization.k8s.io',
  'authentication.k8s.io',
  'discovery.k8s.io',
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
  'io.k8s.api.discovery.v1.EndpointPort.protocol': 'TCP',
  'io.k8s.api.discovery.v1.EndpointPort.name': '',
};
/** Named lists that are messages in protobuf. */
const WRAPPED = new Set(['v1.Verbs', 'v1.ExtraValue']);

type Schema = {
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: string[];
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
  if (kind.startsWith('[]')) {
    kind = kind.slice(2);
    const listType = schema?.['x-kubernetes-list-type'] ?? (field.listType as 'atomic' | undefined) ?? 'atomic';
    const mapKeys = schema?.['x-kubernetes-list-map-keys'];
    return {
      type: 'list',
      item: toScalar(kind, field, schema?.items),
      listType,
      ...(mapKeys && {mapKeys}),
      ...(field.patchStrategy?.includes('merge') && {patchStrategy: 'merge' as const}),
      ...(field.patchMergeKey && {patchMergeKey: field.patchMergeKey}),
      ...(WRAPPED.has(go) && {wrapped: true as const}),
    };
  }
  if (kind.startsWith('map[string]')) {
    const inner = {...field, kind: kind.slice(11), go: go.slice(11)};
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
      if (inner === undefined) throw new Error(`${name}: nothing known of ${field.go}`);
      return toFields(field.ref as string, inner, structs, schema).map(f => ({...f, proto: 0, inline: field.goName}));
    }
    const type = toFieldType(field, own);
    const pointer = field.kind.startsWith('*');
    const isStruct =
      !pointer &&
      (type.type === 'ref' || (type.type === 'any' && type.raw === true) || /^(micro-)?time$/.test(field.kind));
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
        go: field.go,
        doc: own?.description ?? field.doc,
      },
    ];
  });
}

/** The whole text of `kube-types.ts`. */
export function generateKubeTypes(): string {
  const go = readSchema<Record<string, GoStruct>>('go-structs.json');
  const openapi = readSchema<Record<string, Schema>>('openapi-schemas.json');
  const lines: string[] = [];
  for (const [name, struct] of Object.entries(go.value)) {
    const schema = openapi.value[name];
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
  return [
    '// SPDX-License-Identifier: Apache-2.0',
    `// Generated by tools/gen-kube.ts from schemas/kubernetes/v1.36 (go-structs ${go.hash}, openapi-schemas ${openapi.hash}). Do not edit.`,
    "import type {TypeTable} from '../kube/schema.ts';",
    '',
    '/** Kubernetes v1.36 types by OpenAPI name, fields in the order of the Go structs. */',
    'export const kubeTypes: TypeTable = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(OUT, generateKubeTypes());
