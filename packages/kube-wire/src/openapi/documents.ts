// SPDX-License-Identifier: Apache-2.0
/**
 * The OpenAPI documents of a server, from the kinds it serves. Version 2 is one document; version 3 is one for each
 * group version, with an index that names them with a hash, so that clients can keep them for ever.
 */
import {kubeParameters} from '../gen/kube-openapi.ts';
import type {Json, TypeTable} from '../schema.ts';
import {type Dialect, definitionsOf, type JsonRecord, refTo} from './definitions.ts';
import {basePath, groupWord, type Operation, type PathItem, pathsOf} from './operations.ts';
import {groupVersionText, listTypeName, type ServedKind} from './served-kind.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const UNVERSIONED = 'unversioned';
const SECURITY = {
  BearerToken: {description: 'Bearer Token authentication', in: 'header', name: 'authorization', type: 'apiKey'},
};
const ALWAYS = ['DeleteOptions', 'Status', 'WatchEvent', 'Patch'].map(name => `${META}.${name}`);

const producedBy = (operation: Operation): string[] => {
  if (operation.produces === 'json') return ['application/json'];
  return operation.produces === 'stream' ? [...OBJECT_TYPES, ...STREAM_TYPES] : OBJECT_TYPES;
};

/** The whole API as one document. */
export function openApiV2(types: TypeTable, kinds: readonly ServedKind[], version = UNVERSIONED): JsonRecord {
  const items = [...rootPaths(kinds), ...pathsOf(kinds)].sort((a, b) => (a.path < b.path ? -1 : 1));
  const used = new Set<string>();
  const paths = Object.fromEntries(items.map(item => [item.path, toPathV2(item, types, used)]));
  const roots = [...rootTypes(items), ...ALWAYS];
  return {
    swagger: '2.0',
    info: {title: 'Kubernetes', version},
    paths,
    definitions: definitionsOf(types, roots, 2),
    parameters: Object.fromEntries([...used].sort().map(key => [key, kubeParameters[key] as Json])),
    securityDefinitions: SECURITY,
    security: [{BearerToken: []}],
  };
}

/** Documents by the path below `/openapi/v3/`: `api`, `api/v1`, `apis`, `apis/GROUP`, `apis/GROUP/VERSION`, `version`. */
export function openApiV3(
  types: TypeTable,
  kinds: readonly ServedKind[],
  version = UNVERSIONED,
): ReadonlyMap<string, JsonRecord> {
  const documents = new Map<string, JsonRecord>();
  for (const item of rootPaths(kinds)) {
    const gv = kinds.find(kind => `${basePath(kind)}/` === item.path);
    const items = gv === undefined ? [item] : [item, ...pathsOf(kinds.filter(k => sameGroupVersion(k, gv)))];
    const roots = gv === undefined ? rootTypes(items) : [...rootTypes(items), ...lists(kinds, gv)];
    documents.set(item.path.slice(1, -1), {
      openapi: '3.0.0',
      info: {title: 'Kubernetes', version},
      paths: Object.fromEntries(items.map(i => [i.path, toPathV3(i, types)])),
      components: {schemas: definitionsOf(types, roots, 3, gv), securitySchemes: SECURITY},
    });
  }
  return documents;
}

const sameGroupVersion = (a: ServedKind, b: ServedKind): boolean => groupVersionText(a) === groupVersionText(b);
const lists = (kinds: readonly ServedKind[], gv: ServedKind): string[] =>
  kinds.filter(k => sameGroupVersion(k, gv) && k.verbs.includes('list')).map(listTypeName);

/** The index of the version 3 documents, from the digest of each one's text, by path; it names the document in its URL. */
export function openApiV3Index(digests: ReadonlyMap<string, string>): {
  readonly paths: Readonly<Record<string, {readonly serverRelativeURL: string}>>;
} {
  const entries = [...digests].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    paths: Object.fromEntries(
      entries.map(([path, digest]) => [path, {serverRelativeURL: `/openapi/v3/${path}?hash=${digest}`}]),
    ),
  };
}

/** What is not about a kind: the discovery documents and the version. */
function rootPaths(kinds: readonly ServedKind[]): PathItem[] {
  const groups = [...new Set(kinds.map(k => k.group))].filter(g => g !== '').sort();
  const versions = [...new Map(kinds.map(k => [groupVersionText(k), k])).values()];
  const item = (
    path: string,
    operation: Pick<Operation, 'description' | 'operationId' | 'tag'>,
    type: string,
  ): PathItem => ({
    path,
    parameters: [],
    operations: [{method: 'get', parameters: [], produces: 'object', responses: {200: type}, ...operation}],
  });
  const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const versionInfo = 'get the version information for this server';
  const root = item(
    '/version/',
    {description: versionInfo, operationId: 'getCodeVersion', tag: 'version'},
    VERSION_INFO,
  );
  return [
    item(
      '/api/',
      {description: 'get available API versions', operationId: 'getCoreAPIVersions', tag: 'core'},
      `${META}.APIVersions`,
    ),
    item(
      '/apis/',
      {description: 'get available API versions', operationId: 'getAPIVersions', tag: 'apis'},
      `${META}.APIGroupList`,
    ),
    ...groups.map(group => {
      const word = groupWord(group);
      const operation = {
        description: 'get information of a group',
        operationId: `get${upper(word)}APIGroup`,
        tag: word,
      };
      return item(`/apis/${group}/`, operation, `${META}.APIGroup`);
    }),
    ...versions.map(gv => {
      const word = groupWord(gv.group);
      const operationId = `get${upper(word)}${upper(gv.version)}APIResources`;
      const operation = {description: 'get available resources', operationId, tag: `${word}_${gv.version}`};
      return item(`${basePath(gv)}/`, operation, `${META}.APIResourceList`);
    }),
    {...root, operations: root.operations.map(o => ({...o, produces: 'json' as const}))},
  ];
}

const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info';

function rootTypes(items: readonly PathItem[]): string[] {
  const names = new Set<string>();
  for (const {operations} of items) {
    for (const operation of operations) {
      for (const type of Object.values(operation.responses)) names.add(type);
      if (operation.body !== undefined) names.add(operation.body.type);
    }
  }
  return [...names];
}

const RESPONSE_TEXTS: Readonly<Record<string, string>> = {200: 'OK', 201: 'Created', 202: 'Accepted'};

function extensions({action, gvk}: Operation): JsonRecord {
  return {
    ...(action !== undefined && {'x-kubernetes-action': action}),
    ...(gvk !== undefined && {'x-kubernetes-group-version-kind': gvk}),
  };
}

function toPathV2(item: PathItem, types: TypeTable, used: Set<string>): JsonRecord {
  const parameter = (name: string, patch: boolean): Json => {
    const key = sharedKey(name, patch);
    if (key === undefined) return inlineParameter(name, item, types);
    used.add(key);
    return {$ref: `#/parameters/${key}`};
  };
  const out: JsonRecord = {};
  for (const operation of item.operations) {
    const {body} = operation;
    const bodies = body === undefined ? [] : [bodyParameter(body, used)];
    const query = operation.parameters.map(name => parameter(name, body?.patch === true));
    const parameters = [...bodies, ...query];
    out[operation.method] = {
      description: operation.description,
      consumes: body?.patch === true ? PATCH_TYPES : operation.action === undefined ? producedBy(operation) : ['*/*'],
      produces: producedBy(operation),
      schemes: ['https'],
      tags: [operation.tag],
      operationId: operation.operationId,
      ...(parameters.length > 0 && {parameters}),
      responses: {...responses(operation, 2), 401: {description: 'Unauthorized'}},
      ...extensions(operation),
    };
  }
  const shared = item.parameters.map(name => parameter(name, false));
  return shared.length > 0 ? {...out, parameters: shared} : out;
}

function bodyParameter(body: NonNullable<Operation['body']>, used: Set<string>): Json {
  const schema = {$ref: refTo(body.type, 2)};
  const [key] = Object.entries(kubeParameters).find(([, p]) => sameBody(p, schema.$ref)) ?? [];
  if (key === undefined) return {in: 'body', name: 'body', required: true, schema};
  used.add(key);
  return {$ref: `#/parameters/${key}`};
}

const sameBody = (parameter: {readonly [key: string]: Json}, ref: string): boolean =>
  parameter['in'] === 'body' && (parameter['schema'] as {$ref?: string} | undefined)?.$ref === ref;

function toPathV3(item: PathItem, types: TypeTable): JsonRecord {
  const parameter = (name: string, patch: boolean): Json => {
    const key = sharedKey(name, patch);
    const shared = key === undefined ? inlineParameter(name, item, types) : (kubeParameters[key] as JsonRecord);
    const {type, uniqueItems, ...rest} = shared;
    return {...rest, schema: {type: type as Json, uniqueItems: uniqueItems as Json}};
  };
  const out: JsonRecord = {};
  for (const operation of item.operations) {
    const {body} = operation;
    const content = (media: readonly string[], type: string): JsonRecord =>
      Object.fromEntries(media.map(m => [m, {schema: {$ref: refTo(type, 3)}}]));
    const parameters = operation.parameters.map(name => parameter(name, body?.patch === true));
    const media = body?.patch === true ? PATCH_TYPES : ['*/*'];
    out[operation.method] = {
      tags: [operation.tag],
      description: operation.description,
      operationId: operation.operationId,
      ...(parameters.length > 0 && {parameters}),
      ...(body && {requestBody: {content: content(media, body.type), ...(body.required && {required: true})}}),
      responses: {...responses(operation, 3), 401: {description: 'Unauthorized'}},
      ...extensions(operation),
    };
  }
  const shared = item.parameters.map(name => parameter(name, false));
  return shared.length > 0 ? {...out, parameters: shared} : out;
}

function responses(operation: Operation, dialect: Dialect): JsonRecord {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, type]) => {
      const schema = {$ref: refTo(type, dialect)};
      const description = RESPONSE_TEXTS[status] ?? '';
      if (dialect === 2) return [status, {description, schema}];
      return [status, {description, content: Object.fromEntries(producedBy(operation).map(m => [m, {schema}]))}];
    }),
  );
}

/** The key of a shared parameter. `fieldManager` has two texts: a patch may need it. */
function sharedKey(name: string, patch: boolean): string | undefined {
  const keys = Object.keys(kubeParameters).filter(
    key => kubeParameters[key]?.['name'] === name && kubeParameters[key]?.['in'] !== 'body',
  );
  if (name !== 'fieldManager') return keys[0];
  return keys.find(key => /apply/.test(String(kubeParameters[key]?.['description'])) === patch);
}

function inlineParameter(name: string, item: PathItem, types: TypeTable): JsonRecord {
  if (name === 'name') {
    const description = `name of the ${item.named}`;
    return {description, in: 'path', name, required: true, type: 'string', uniqueItems: true};
  }
  const field = types[`${META}.CreateOptions`]?.fields.find(f => f.name === name);
  if (field === undefined) throw new Error(`unknown parameter ${name}`);
  return {description: field.doc, in: 'query', name, type: 'string', uniqueItems: true};
}
