// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {kindStructs} from '../kind-structs.ts';
import {inPlatformWords} from '../overlay.ts';
import type {JsonObject} from '../schema.ts';
import {SAMPLE_KINDS} from '../testing/sample-kinds.ts';
import {definitionsOf} from './definitions.ts';
import {openApiV2, openApiV3, openApiV3Index} from './documents.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../schemas/kubernetes/v1.36/${name}`, import.meta.url), 'utf8'));

type Property = {description?: string; enum?: string[]; items?: Property | true};
type Schemas = Record<string, JsonObject & {properties?: Record<string, Property>}>;

/** Upstream's schemas with the closed sets of values that only a running server shows. */
function upstreamSchemas(): Schemas {
  const schemas = read('openapi-schemas.json') as Schemas;
  for (const [name, fields] of Object.entries(read('enums.json') as Record<string, Record<string, Property>>)) {
    for (const [field, {description, enum: values, items}] of Object.entries(fields)) {
      const property = schemas[name]!.properties![field]!;
      Object.assign(property, {description});
      Object.assign(items === undefined ? property : (property.items as Property), {enum: values});
    }
  }
  return schemas;
}

const v2 = openApiV2(kubeTypes, SAMPLE_KINDS);
const v3 = openApiV3(kubeTypes, SAMPLE_KINDS);

test('E-270 an open struct names no fields, so that clients find none unknown', () => {
  const typeName = 'dev.palisade.test.v1.Shell';
  const kind = {group: 'palisade.test', version: 'v1', kind: 'Shell'};
  const types = kindStructs({...kind, typeName, doc: 'Any.', fields: [], open: true});
  for (const dialect of [2, 3] as const)
    expect(definitionsOf(types, [typeName], dialect)).toEqual({
      [typeName]: {
        description: 'Any.',
        type: 'object',
        'x-kubernetes-group-version-kind': [kind],
        'x-kubernetes-preserve-unknown-fields': true,
      },
    });
});

describe('schemas', () => {
  const upstream = upstreamSchemas();
  // Their list of group versions depends on the document.
  const names = Object.keys(upstream).filter(name => !/\.(DeleteOptions|WatchEvent)$/.test(name));

  test('version 3: what is derived from the type table is what upstream publishes', () => {
    const {length} = names;
    expect(length).toBeGreaterThan(60);
    const derived = definitionsOf(kubeTypes, names, 3, {group: '', version: 'v1'});
    for (const name of names) expect({[name]: derived[name]}).toEqual({[name]: upstream[name]});
  });

  test('version 2: the same without defaults and without wrapped references', () => {
    const plain = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(plain);
      if (typeof value !== 'object' || value === null) return value;
      const {default: _, allOf, ...more} = value as {default?: unknown; allOf?: [{$ref: string}]; oneOf?: unknown};
      const rest = 'oneOf' in more ? {...more, oneOf: undefined, type: 'string'} : more;
      const own = Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, plain(v)]));
      const ref = allOf?.[0].$ref ?? own['$ref'];
      return ref === undefined ? own : {...own, $ref: String(ref).replace('components/schemas', 'definitions')};
    };
    const derived = definitionsOf(kubeTypes, names, 2);
    for (const name of names) expect({[name]: derived[name]}).toEqual({[name]: plain(upstream[name])});
  });

  test('kinds that every group has list their group versions', () => {
    const gvks = (schema: unknown) =>
      (schema as {'x-kubernetes-group-version-kind': {group: string}[]})['x-kubernetes-group-version-kind'];
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
    const all = gvks((v2['definitions'] as JsonObject)[name]);
    expect(all).toHaveLength(60);
    expect(all[0]).toEqual({group: '', kind: 'DeleteOptions', version: 'v1'});
    const rbac = v3.get('apis/rbac.authorization.k8s.io/v1') as {components: {schemas: JsonObject}};
    expect(gvks(rbac.components.schemas[name]).map(k => k.group)).toEqual(['', 'rbac.authorization.k8s.io']);
  });

  test('every reference of a document leads somewhere', () => {
    for (const [path, document] of [...v3, ['v2', v2] as const]) {
      const text = JSON.stringify(document);
      for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
        const found = pointer.split('/').reduce<unknown>((at, key) => (at as JsonObject | undefined)?.[key], document);
        expect(found, `${path} ${pointer}`).toBeDefined();
      }
    }
  });
});

describe('E-011 the seven supporting types have their names and fields', () => {
  const definitions = v2['definitions'] as Record<string, {properties: object; required?: string[]}>;
  test.each([
    ['io.k8s.api.core.v1.EndpointSubset', ['addresses', 'notReadyAddresses', 'ports']],
    ['io.k8s.api.core.v1.EndpointAddress', ['hostname', 'ip', 'nodeName', 'targetRef']],
    ['io.k8s.api.core.v1.EndpointPort', ['appProtocol', 'name', 'port', 'protocol']],
    [
      'io.k8s.api.core.v1.ObjectReference',
      ['apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'],
    ],
    [
      'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
      ['apiVersion', 'blockOwnerDeletion', 'controller', 'kind', 'name', 'uid'],
    ],
    [
      'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry',
      ['apiVersion', 'fieldsType', 'fieldsV1', 'manager', 'operation', 'subresource', 'time'],
    ],
  ])('%s', (name, fields) => expect(Object.keys(definitions[name]!.properties)).toEqual(fields));

  test('E-277 required fields', () => {
    const required = (name: string) => definitions[name]?.required;
    expect(required('io.k8s.api.core.v1.EndpointAddress')).toEqual(['ip']);
    expect(required('io.k8s.api.core.v1.EndpointPort')).toEqual(['port']);
    expect(required('io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference')).toEqual([
      'apiVersion',
      'kind',
      'name',
      'uid',
    ]);
    expect(required('io.k8s.api.core.v1.EndpointSubset')).toBeUndefined();
  });

  test('E-085 protocol names its three values', () => {
    expect(definitions['io.k8s.api.core.v1.EndpointPort']?.properties).toMatchObject({
      protocol: {enum: ['SCTP', 'TCP', 'UDP']},
    });
  });
});

describe('paths', () => {
  const paths = v2['paths'] as Record<string, JsonObject>;
  const operation = (path: string, method: string) =>
    paths[path]?.[method] as {operationId: string; parameters?: {name?: string; $ref?: string}[]} & JsonObject;

  test('of a namespaced kind', () => {
    expect(Object.keys(paths).filter(path => /\/endpoints(\/|$)/.test(path))).toEqual([
      '/api/v1/endpoints',
      '/api/v1/namespaces/{namespace}/endpoints',
      '/api/v1/namespaces/{namespace}/endpoints/{name}',
      '/api/v1/watch/endpoints',
      '/api/v1/watch/namespaces/{namespace}/endpoints',
      '/api/v1/watch/namespaces/{namespace}/endpoints/{name}',
    ]);
  });

  test.each([
    ['/api/v1/endpoints', 'get', 'listCoreV1EndpointsForAllNamespaces'],
    ['/api/v1/namespaces/{namespace}/endpoints', 'get', 'listCoreV1NamespacedEndpoints'],
    ['/api/v1/namespaces/{namespace}/endpoints', 'post', 'createCoreV1NamespacedEndpoints'],
    ['/api/v1/namespaces/{namespace}/endpoints', 'delete', 'deleteCoreV1CollectionNamespacedEndpoints'],
    ['/api/v1/namespaces/{namespace}/endpoints/{name}', 'patch', 'patchCoreV1NamespacedEndpoints'],
    ['/api/v1/namespaces/{name}/status', 'put', 'replaceCoreV1NamespaceStatus'],
    ['/api/v1/watch/endpoints', 'get', 'watchCoreV1EndpointsListForAllNamespaces'],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', 'post', 'createRbacAuthorizationV1ClusterRole'],
    ['/apis/authorization.k8s.io/', 'get', 'getAuthorizationAPIGroup'],
    ['/version/', 'get', 'getCodeVersion'],
  ])('%s %s is %s', (path, method, id) => expect(operation(path, method).operationId).toBe(id));

  test('a patch says that it takes fieldValidation: how kubectl learns that the server validates', () => {
    const patch = operation('/api/v1/namespaces/{namespace}/endpoints/{name}', 'patch');
    expect(patch.parameters?.map(p => p.name)).toContain('fieldValidation');
    expect(patch['x-kubernetes-group-version-kind']).toEqual({group: '', kind: 'Endpoints', version: 'v1'});
    const doc = v3.get('api/v1') as {paths: Record<string, {patch: {parameters: {name: string; schema: object}[]}}>};
    const parameters = doc.paths['/api/v1/namespaces/{namespace}/endpoints/{name}']!.patch.parameters;
    expect(parameters.find(p => p.name === 'fieldValidation')?.schema).toEqual({type: 'string', uniqueItems: true});
  });

  test('only verbs that are served have an operation', () => {
    expect(paths['/api/v1/namespaces']).not.toHaveProperty('delete');
    expect(Object.keys(paths['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews']!).sort()).toEqual([
      'parameters',
      'post',
    ]);
  });
});

test('version 3 has a document for each group version and an index with their hashes', () => {
  const {paths} = openApiV3Index(new Map([...v3.keys()].reverse().map(path => [path, `HASH-OF-${path}`])));
  expect(Object.keys(paths)).toEqual([
    'api',
    'api/v1',
    'apis',
    'apis/authorization.k8s.io',
    'apis/authorization.k8s.io/v1',
    'apis/discovery.k8s.io',
    'apis/discovery.k8s.io/v1',
    'apis/rbac.authorization.k8s.io',
    'apis/rbac.authorization.k8s.io/v1',
    'version',
  ]);
  expect(paths['api/v1']).toEqual({serverRelativeURL: `/openapi/v3/api/v1?hash=HASH-OF-api/v1`});
});

describe('the wording of the platform', () => {
  const docs = (types: typeof kubeTypes) =>
    JSON.stringify(
      definitionsOf(
        types,
        SAMPLE_KINDS.map(k => k.typeName),
        2,
      ),
    );

  test('E-259 Endpoints are not called deprecated', () => {
    expect(docs(kubeTypes)).toContain('deprecated in v1.33+');
    expect(docs(inPlatformWords(kubeTypes))).not.toContain('deprecated in v1.33+');
  });

  test('E-096 E-097 E-098 E-100 the prefixed application protocols are documented', () => {
    const port = inPlatformWords(kubeTypes)['io.k8s.api.core.v1.EndpointPort']?.fields.find(
      f => f.name === 'appProtocol',
    )?.doc;
    for (const name of [
      'platform.io/h2c',
      'platform.io/ws',
      'platform.io/wss',
      'kubernetes.io/h2c',
      'kubernetes.io/wss',
    ]) {
      expect(port).toContain(`'${name}'`);
    }
  });

  test('E-114 clusterName is in the schema, and said to be ignored', () => {
    const meta = definitionsOf(inPlatformWords(kubeTypes), ['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'], 3);
    expect(meta['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']).toMatchObject({
      properties: {clusterName: {type: 'string', description: expect.stringContaining('Ignored')}},
    });
  });

  test('names, types and numbers are those of upstream', () => {
    const shape = (types: typeof kubeTypes) =>
      Object.values(types).map(t => [t.name, t.fields.map(f => [f.name, f.proto, f.type, f.go, f.pointer])]);
    expect(shape(inPlatformWords(kubeTypes))).toEqual(shape(kubeTypes));
  });
});
