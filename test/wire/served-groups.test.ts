// SPDX-License-Identifier: Apache-2.0
/** Discovery of the kinds that consumers and controllers read, as kube-apiserver 1.36 lists them. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Body, startWire, type Wire} from './support.ts';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

const get = async (path: string, accept = 'application/json'): Promise<Body> =>
  (await wire.send('GET', path, {headers: {accept}})).body;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const STATUS = ['get', 'patch', 'update'];

test('45-1 46-1 groups are in the order of upstream, our own comes last', async () => {
  const names = (items: readonly Body[]): string[] => items.map(({name, metadata}) => name ?? metadata.name);
  const order = [
    'events.k8s.io',
    'authentication.k8s.io',
    'authorization.k8s.io',
    'rbac.authorization.k8s.io',
    'apiextensions.k8s.io',
    'coordination.k8s.io',
    'discovery.k8s.io',
    'platform.io',
  ];
  expect(names((await get('/apis')).groups)).toEqual(order);
  expect(names((await get('/apis', AGGREGATED)).items)).toEqual(order);
});

/** Hashes as a running kube-apiserver shows them: of group, version and kind that are stored. */
test.each([
  {root: '/api/v1', resource: 'configmaps', kind: 'ConfigMap', short: ['cm'], hash: 'qFsyl6wFWjQ='},
  {root: '/api/v1', resource: 'events', kind: 'Event', short: ['ev'], hash: 'r2yiGXH7wu8='},
  {root: '/api/v1', resource: 'nodes', kind: 'Node', short: ['no'], hash: 'XwShjMxG9Fs=', cluster: true, status: true},
  {root: '/api/v1', resource: 'secrets', kind: 'Secret', hash: 'S6u1pOWzb84='},
  {root: '/api/v1', resource: 'serviceaccounts', kind: 'ServiceAccount', short: ['sa'], hash: 'pbx9ZvyFpBE='},
  {
    root: '/api/v1',
    resource: 'services',
    kind: 'Service',
    short: ['svc'],
    all: true,
    hash: '0/CO1lhkEBI=',
    status: true,
  },
  {root: '/apis/discovery.k8s.io/v1', resource: 'endpointslices', kind: 'EndpointSlice', hash: 'qgS0xkrxYAI='},
  {root: '/apis/coordination.k8s.io/v1', resource: 'leases', kind: 'Lease', hash: 'gqkMMb/YqFM='},
  {root: '/apis/events.k8s.io/v1', resource: 'events', kind: 'Event', short: ['ev'], hash: 'r2yiGXH7wu8='},
])('45-1 $root lists $resource with every name, verb and subresource', async one => {
  const {root, resource, kind, short, all, hash, cluster = false, status = false} = one;
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  const named = {...(short && {shortNames: short}), ...(all && {categories: ['all']})};
  const singular = kind.toLowerCase();
  const {resources} = await get(root);
  const listed = resources.filter(({name}: Body) => name === resource || name.startsWith(`${resource}/`));
  expect(listed).toEqual([
    {name: resource, singularName: singular, namespaced: !cluster, kind, verbs, ...named, storageVersionHash: hash},
    ...(status ? [{name: `${resource}/status`, singularName: '', namespaced: !cluster, kind, verbs: STATUS}] : []),
  ]);
  const [, base, group] = root.split('/');
  const {items} = await get(`/${base}`, AGGREGATED);
  const [version] = items.find(({metadata}: Body) => base === 'api' || metadata.name === group).versions;
  const responseKind = {group: '', version: '', kind};
  expect(version.resources.find((each: Body) => each.resource === resource)).toEqual({
    resource,
    responseKind,
    scope: cluster ? 'Cluster' : 'Namespaced',
    singularResource: singular,
    verbs,
    ...named,
    ...(status && {subresources: [{subresource: 'status', responseKind, verbs: STATUS}]}),
  });
});

test('45-1 OpenAPI says that a deleted Service or ServiceAccount is answered, others a Status', async () => {
  const {paths} = await get('/openapi/v2');
  const answered = (resource: string): string =>
    paths[`/api/v1/namespaces/{namespace}/${resource}/{name}`].delete.responses[200].schema.$ref.split('.').at(-1);
  expect(['services', 'serviceaccounts', 'configmaps', 'endpoints'].map(answered)).toEqual([
    'Service',
    'ServiceAccount',
    'Status',
    'Status',
  ]);
});
