// SPDX-License-Identifier: Apache-2.0
/**
 * Cuts what this product serves out of the Kubernetes sources into `schemas/kubernetes/v1.36/`. Run by hand, when the
 * version moves: `node tools/gen-kube-cut.ts GO_MODULE_CACHE`. Needs the modules k8s.io/{kubernetes,api,apimachinery}.
 *
 * 1. `openapi-schemas.json`: the OpenAPI v3 schemas, verbatim, of every type reachable from ROOTS.
 * 2. `go-structs.json`: the Go structs behind them: field order, JSON tags, protobuf numbers, Go types. This is what
 *    OpenAPI does not say and what the bytes on the wire depend on.
 * 3. `enums.json`: closed sets of values and their descriptions, which a running server shows and 1 does not have.
 * 4. `parameters.json`: the shared request parameters of the OpenAPI v2 document.
 * 5. `kinds.json`: every kind by group and version, for messages about kinds that are known but not served here.
 */
import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {type GoField, type GoPackage, parseGoPackage} from './gen-kube-go.ts';

const KUBERNETES = 'v1.36.3';
const STAGING = 'v0.36.3';
const OUT = new URL('../schemas/kubernetes/v1.36/', import.meta.url);

/** OpenAPI prefix of a Go package, its folder, and the files that hold its types. */
const PACKAGES: readonly {prefix: string; path: string; dir: (cache: string) => string; files: readonly string[]}[] = [
  pkg('io.k8s.apimachinery.pkg.apis.meta.v1', 'apimachinery', 'pkg/apis/meta/v1', [
    'types.go',
    'watch.go',
    'group_version.go',
  ]),
  pkg('io.k8s.apimachinery.pkg.version', 'apimachinery', 'pkg/version', ['types.go']),
  pkg('io.k8s.api.core.v1', 'api', 'core/v1', ['types.go']),
  pkg('io.k8s.api.rbac.v1', 'api', 'rbac/v1', ['types.go']),
  pkg('io.k8s.api.authorization.v1', 'api', 'authorization/v1', ['types.go']),
  pkg('io.k8s.api.authentication.v1', 'api', 'authentication/v1', ['types.go']),
  pkg('io.k8s.api.discovery.v1', 'api', 'discovery/v1', ['types.go']),
  pkg('io.k8s.api.coordination.v1', 'api', 'coordination/v1', ['types.go']),
  pkg('io.k8s.api.events.v1', 'api', 'events/v1', ['types.go']),
  pkg('io.k8s.api.apidiscovery.v2', 'api', 'apidiscovery/v2', ['types.go']),
];

/** The types that are served or decoded; what they refer to is added. */
const ROOTS: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1':
    'ObjectMeta ListMeta OwnerReference ManagedFieldsEntry DeleteOptions CreateOptions UpdateOptions PatchOptions ListOptions GetOptions Preconditions Status PartialObjectMetadata PartialObjectMetadataList Table TableOptions APIResourceList APIGroup APIGroupList APIVersions RootPaths WatchEvent LabelSelector Condition'.split(
      ' ',
    ),
  'io.k8s.apimachinery.pkg.version': ['Info'],
  'io.k8s.api.core.v1': [
    ...['Endpoints', 'EndpointsList', 'ObjectReference', 'Namespace', 'NamespaceList'],
    ...['ConfigMap', 'Event', 'Node', 'Secret', 'Service', 'ServiceAccount'].flatMap(kind => [kind, `${kind}List`]),
  ],
  'io.k8s.api.rbac.v1': [
    'Role',
    'RoleList',
    'ClusterRole',
    'ClusterRoleList',
    'RoleBinding',
    'RoleBindingList',
    'ClusterRoleBinding',
    'ClusterRoleBindingList',
  ],
  'io.k8s.api.authorization.v1': [
    'SelfSubjectAccessReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
    'LocalSubjectAccessReview',
  ],
  'io.k8s.api.authentication.v1': ['SelfSubjectReview', 'TokenRequest', 'TokenReview'],
  'io.k8s.api.discovery.v1': ['EndpointSlice', 'EndpointSliceList'],
  'io.k8s.api.coordination.v1': ['Lease', 'LeaseList'],
  'io.k8s.api.events.v1': ['Event', 'EventList'],
  'io.k8s.api.apidiscovery.v2': ['APIGroupDiscoveryList'],
};

/** OpenAPI v3 documents that hold the schemas. */
const OPENAPI_FILES = [
  'api',
  'api__v1',
  'apis__rbac.authorization.k8s.io__v1',
  'apis__authorization.k8s.io__v1',
  'apis__authentication.k8s.io__v1',
  'apis__discovery.k8s.io__v1',
  'apis__coordination.k8s.io__v1',
  'apis__events.k8s.io__v1',
  'apis',
  'version',
];

function pkg(prefix: string, module: string, path: string, files: readonly string[]) {
  return {
    prefix,
    path: `k8s.io/${module}/${path}`,
    dir: (cache: string) => join(cache, `k8s.io/${module}@${STAGING}`, path),
    files,
  };
}

type Schemas = Record<string, Record<string, unknown>>;

function readOpenApi(cache: string): {schemas: Schemas; parameters: Record<string, unknown>} {
  const dir = join(cache, `k8s.io/kubernetes@${KUBERNETES}/api/openapi-spec`);
  const schemas: Schemas = {};
  for (const name of OPENAPI_FILES) {
    const doc = JSON.parse(readFileSync(join(dir, 'v3', `${name}_openapi.json`), 'utf8'));
    Object.assign(schemas, doc.components?.schemas);
  }
  return {schemas, parameters: JSON.parse(readFileSync(join(dir, 'swagger.json'), 'utf8')).parameters};
}

type Enum = {description: string; enum: string[]; items?: true};

/** Fields with a closed set of values. Reads the generated Go code: the JSON documents are made without them. */
function readEnums(cache: string, keep: ReadonlySet<string>): Record<string, Record<string, Enum>> {
  const path = join(cache, `k8s.io/kubernetes@${KUBERNETES}/pkg/generated/openapi/zz_generated.openapi.go`);
  const enums: Record<string, Record<string, Enum>> = {};
  for (const m of readFileSync(path, 'utf8').matchAll(/^func schema_(\w+)\(ref[\s\S]*?^\}/gm)) {
    const name = (m[1] as string)
      .replace(/^k8sio_api_(\w+?)_(v\d)_(\w+)$/, 'io.k8s.api.$1.$2.$3')
      .replace(/^pkg_apis_meta_v1_/, 'io.k8s.apimachinery.pkg.apis.meta.v1.');
    if (!keep.has(name)) continue;
    const fields: Record<string, Enum> = {};
    for (const f of (m[0] as string).matchAll(/^\t{5}"(\w+)": \{\n([\s\S]*?)^\t{5}\},/gm)) {
      const block = f[2] as string;
      const values = /Enum:\s*\[\]interface\{\}\{([^}]*)\}/.exec(block)?.[1];
      if (values === undefined) continue;
      const description = JSON.parse(/Description:\s*("(?:[^"\\]|\\.)*")/.exec(block)?.[1] ?? '""') as string;
      fields[f[1] as string] = {
        description,
        enum: JSON.parse(`[${values}]`) as string[],
        ...(block.includes('Items:') && {items: true as const}),
      };
    }
    if (Object.keys(fields).length > 0) enums[name] = fields;
  }
  return enums;
}

type Gvk = {group: string; version: string; kind: string};

/** Kinds by `group/version`, from the definitions of the OpenAPI v2 document. */
function readKinds(cache: string): Record<string, string[]> {
  const path = join(cache, `k8s.io/kubernetes@${KUBERNETES}/api/openapi-spec/swagger.json`);
  const definitions = JSON.parse(readFileSync(path, 'utf8')).definitions as Schemas;
  const kinds: Record<string, string[]> = {};
  for (const schema of Object.values(definitions)) {
    for (const {group, version, kind} of (schema['x-kubernetes-group-version-kind'] as Gvk[] | undefined) ?? []) {
      const key = group === '' ? version : `${group}/${version}`;
      kinds[key] = [...(kinds[key] ?? []), kind];
    }
  }
  return Object.fromEntries(
    Object.entries(kinds)
      .map(([key, list]) => [key, [...new Set(list)].sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Structs reachable from ROOTS, in package order, then in the order of the source file. */
function reachable(packages: ReadonlyMap<string, GoPackage>): Set<string> {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const dot = name.lastIndexOf('.');
    const owner = packages.get(name.slice(0, dot));
    const struct = owner?.structs[name.slice(dot + 1)];
    if (seen.has(name) || struct === undefined) return;
    seen.add(name);
    for (const field of struct.fields) {
      if (field.kind.endsWith('unlisted'))
        throw new Error(`${name}.${field.json}: package of ${field.go} is not listed`);
      if (field.ref !== undefined) visit(field.ref);
    }
  };
  for (const [prefix, names] of Object.entries(ROOTS)) for (const name of names) visit(`${prefix}.${name}`);
  return seen;
}

/** A reference into another package may be a named string there (core/v1 Protocol). */
function resolveAlias(field: GoField, packages: ReadonlyMap<string, GoPackage>): GoField {
  if (field.ref === undefined) return field;
  const dot = field.ref.lastIndexOf('.');
  const owner = packages.get(field.ref.slice(0, dot));
  const name = field.ref.slice(dot + 1);
  if (owner?.structs[name] !== undefined) return field;
  const alias = owner?.aliases.get(name);
  if (alias !== 'string') throw new Error(`${field.json}: ${field.ref} is neither a struct nor a named string`);
  const {ref: _, ...rest} = field;
  return {...rest, kind: field.kind.replace(/ref$/, alias)};
}

function write(name: string, value: unknown): string {
  const text = `${JSON.stringify(value, null, 1)}\n`;
  writeFileSync(new URL(name, OUT), text);
  return createHash('sha256').update(text).digest('hex');
}

function main(cache: string | undefined): void {
  if (cache === undefined) throw new Error('usage: node tools/gen-kube-cut.ts GO_MODULE_CACHE');
  const prefixByPath = new Map(PACKAGES.map(p => [p.path, p.prefix]));
  const packages = new Map<string, GoPackage>();
  for (const p of PACKAGES) {
    const dir = p.dir(cache);
    const present = new Set(readdirSync(dir));
    const sources = p.files.filter(f => present.has(f)).map(f => readFileSync(join(dir, f), 'utf8'));
    packages.set(p.prefix, parseGoPackage(sources, {prefix: p.prefix, prefixByPath}));
  }
  const keep = reachable(packages);
  const structs: Record<string, unknown> = {};
  for (const [prefix, owner] of packages) {
    for (const [name, struct] of Object.entries(owner.structs)) {
      if (keep.has(`${prefix}.${name}`)) {
        structs[`${prefix}.${name}`] = {doc: struct.doc, fields: struct.fields.map(f => resolveAlias(f, packages))};
      }
    }
  }
  const {schemas, parameters} = readOpenApi(cache);
  const cut = Object.fromEntries(
    Object.entries(schemas)
      .filter(
        ([name]) =>
          name in structs || /\.(FieldsV1|Time|MicroTime|Patch|RawExtension|IntOrString|Quantity)$/.test(name),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const hashes = {
    'openapi-schemas.json': write('openapi-schemas.json', cut),
    'go-structs.json': write('go-structs.json', structs),
    'enums.json': write('enums.json', readEnums(cache, keep)),
    'kinds.json': write('kinds.json', readKinds(cache)),
    'parameters.json': write('parameters.json', parameters),
  };
  for (const [name, hash] of Object.entries(hashes)) console.log(`${hash}  ${name}`);
}

main(process.argv[2]);
