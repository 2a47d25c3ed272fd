// SPDX-License-Identifier: Apache-2.0
/** Where kinds differ in what a write checks, resets and owns: namespaces and roles beside Endpoints. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {APPLY, ENDPOINTS, endpoints, fields, freshName, MERGE, startWire, subset, type Wire} from './support.ts';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

const NAMESPACES = '/api/v1/namespaces';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/one/roles';
const namespace = (name: string, rest: object = {}, metadata: object = {}) => ({
  metadata: {name, ...metadata},
  ...rest,
});
const role = (name: string, rules: unknown, metadata: object = {}) => ({metadata: {name, ...metadata}, rules});
const RULE = {apiGroups: [''], resources: ['endpoints'], verbs: ['get']};
const owned = (answer: {body: {metadata: {managedFields?: {fieldsV1: object}[]}}}) =>
  (answer.body.metadata.managedFields ?? []).map(({fieldsV1}) => Object.keys(fieldsV1));

test('a kind without namespaces drops the namespace of a body', async () => {
  const name = freshName();
  const created = await wire.send('POST', NAMESPACES, {body: namespace(name, {}, {namespace: 'elsewhere'})});
  expect([created.status, created.body.metadata.namespace]).toEqual([201, undefined]);
  const put = await wire.send('PUT', `${NAMESPACES}/${name}`, {body: namespace(name, {}, {namespace: 'elsewhere'})});
  expect(put.status).toBe(200);
});

test('E-252 the finalizers of a new namespace are refused without a position, those of its finalization with one', async () => {
  const bad = {spec: {finalizers: ['x']}};
  expect(fields(await wire.send('POST', NAMESPACES, {body: namespace(freshName(), bad)}))).toEqual(['spec.finalizers']);
  const put = await wire.send('PUT', `${NAMESPACES}/two/finalize`, {body: namespace('two', bad)});
  expect([put.status, fields(put)]).toEqual([422, ['spec.finalizers[0]']]);
});

test('nobody owns what a write of the main resource, the status or the finalization resets', async () => {
  const name = freshName();
  const status = {status: {phase: 'Active', conditions: [{type: 'A', status: 'True'}]}};
  const created = await wire.send('POST', NAMESPACES, {body: namespace(name, status)});
  expect(owned(created)).toEqual([['f:metadata']]);
  const applied = await wire.send('PATCH', `${NAMESPACES}/${name}`, {
    body: {apiVersion: 'v1', kind: 'Namespace', ...namespace(name, status)},
    query: {fieldManager: 'm'},
    headers: {'content-type': APPLY},
  });
  expect(owned(applied)).toEqual([['f:metadata']]);
  const spec = {spec: {finalizers: ['kubernetes', 'example.com/x']}};
  const path = `${NAMESPACES}/${name}`;
  expect(owned(await wire.send('PUT', `${path}/status`, {body: namespace(name, spec)}))).toEqual([['f:metadata']]);
  const finalized = await wire.send('PUT', `${path}/finalize`, {body: namespace(name, {...spec, ...status})});
  expect(owned(finalized)).toEqual([['f:metadata'], ['f:spec']]);
});

test('a status without a phase is Active', async () => {
  const put = await wire.send('PUT', `${NAMESPACES}/one/status`, {body: namespace('one', {status: {}})});
  expect([put.status, put.body.status]).toEqual([200, {phase: 'Active'}]);
});

test('E-212 rules that are null are owned by nobody, an empty list of rules is', async () => {
  const post = (rules: unknown) => wire.send('POST', ROLES, {body: role(freshName(), rules)});
  const [none, empty] = [await post(null), await post([])];
  expect([none.body.rules, owned(none)]).toEqual([null, []]);
  expect([empty.body.rules, owned(empty)]).toEqual([null, [['f:rules']]]);
});

test('E-252 the causes of a refused update stand in the order of the kind', async () => {
  const merge = (path: string, body: object) => wire.send('PATCH', path, {body, headers: {'content-type': MERGE}});
  const labels = {metadata: {labels: {a: '-'}}};
  const name = freshName();
  await wire.send('POST', ROLES, {body: role(name, [RULE])});
  await wire.send('POST', ENDPOINTS, {body: endpoints(name, [subset()])});
  expect(fields(await merge(`${ROLES}/${name}`, {...labels, rules: [{...RULE, verbs: []}]}))).toEqual([
    'metadata.labels',
    'metadata.labels',
    'metadata.labels',
    'rules[0].verbs',
    'metadata.labels',
  ]);
  expect(fields(await merge(`${ENDPOINTS}/${name}`, {...labels, subsets: [{}]}))).toEqual([
    ...Array(4).fill('metadata.labels'),
    'subsets[0]',
  ]);
});

test('E-252 values of named types are quoted as JSON, plain texts as Go quotes them', async () => {
  const port = {port: 1, protocol: '<a>', appProtocol: '\x7f'};
  const {body} = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [{...subset(), ports: [port]}])});
  const messages = body.details.causes.map((cause: {message: string}) => cause.message);
  expect(messages[0]).toBe('Unsupported value: "\\u003ca\\u003e": supported values: "SCTP", "TCP", "UDP"');
  expect(messages[1]).toMatch(/^Invalid value: "\\x7f": /);
});

test('E-252 a changed role is told after everything else', async () => {
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/one/rolebindings';
  const binding = (name: string, role: string, metadata: object = {}) => ({
    metadata: {name, ...metadata},
    roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role},
  });
  const name = freshName();
  await wire.send('POST', path, {body: binding(name, 'r')});
  const put = await wire.send('PUT', `${path}/${name}`, {body: binding(name, 'q', {labels: {a: '-'}})});
  expect(fields(put)).toEqual([...Array(4).fill('metadata.labels'), 'roleRef']);
});

test("E-212 rules that are null are nobody's before the first apply either", async () => {
  const name = freshName();
  await wire.send('POST', ROLES, {body: role(name, null, {labels: {a: 'b'}, managedFields: [{}]})});
  await wire.send('PATCH', `${ROLES}/${name}`, {
    body: {metadata: {managedFields: [{}]}},
    headers: {'content-type': MERGE},
  });
  const applied = await wire.send('PATCH', `${ROLES}/${name}`, {
    body: {apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', ...role(name, [RULE])},
    query: {fieldManager: 'm'},
    headers: {'content-type': APPLY},
  });
  expect([applied.status, owned(applied)]).toEqual([200, [['f:rules'], ['f:metadata']]]);
});

test.each(['PUT', 'PATCH', 'dry run'])(
  'E-126 a %s that takes the last hold is answered as it was sent: no rules stay a list',
  async how => {
    const name = freshName();
    const path = `${ROLES}/${name}`;
    const held = {finalizers: ['example.com/x'], labels: {a: 'b'}};
    await wire.send('POST', ROLES, {body: role(name, [], held)});
    await wire.send('DELETE', path);
    const [method, headers, query] =
      how === 'PATCH' ? ['PATCH', {'content-type': MERGE}, {}] : ['PUT', {}, how === 'PUT' ? {} : {dryRun: 'All'}];
    const stays = await wire.send(method, path, {headers, query, body: role(name, [], {...held, labels: {a: 'c'}})});
    expect([stays.status, stays.body.rules]).toEqual([200, null]);
    const goes = await wire.send(method, path, {
      headers,
      query,
      body: role(name, [], {finalizers: null, selfLink: '/x'}),
    });
    expect([goes.status, goes.body.rules, goes.body.metadata.selfLink]).toEqual([200, [], '/x']);
    expect((await wire.send('GET', path)).status).toBe(how === 'dry run' ? 200 : 404);
  },
);
