// SPDX-License-Identifier: Apache-2.0
/** What a body of POST and PUT says it is, in which order it is refused, and with which words. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {APPLY, ENDPOINTS, endpoints, freshName, MERGE, startWire, subset, type Wire} from './support.ts';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

const post = (body: unknown, headers: Record<string, string> = {}, query: Record<string, string> = {}) =>
  wire.send('POST', ENDPOINTS, {body, headers, query});
test('E-253 refuses a body of another kind', async () => {
  const {status, body} = await post({apiVersion: 'apps/v1', kind: 'Deployment'});
  expect([status, body.reason, body.message]).toEqual([
    400,
    'BadRequest',
    'Deployment in version "v1" cannot be handled as a Endpoints: converting (v1.Deployment) to (core.Endpoints): unknown conversion',
  ]);
});

test('an empty group is the core group', async () => {
  const {status, body} = await post({apiVersion: '/v1', kind: 'Endpoints', metadata: {name: freshName()}});
  expect([status, body.apiVersion]).toEqual([201, 'v1']);
});

test('another version of the same kind is read and refused', async () => {
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/one/roles';
  const body = {apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'Role', metadata: {name: 'r'}};
  expect((await wire.send('POST', path, {body})).body.message).toBe(
    'the API version in the data (rbac.authorization.k8s.io/v1beta1) does not match the expected API version (rbac.authorization.k8s.io/v1)',
  );
});

test('E-272 what YAML finds twice is one warning each; what it cannot read is told without a prefix', async () => {
  const yaml = {'content-type': 'application/yaml'};
  const twice = await post(`metadata:\n  name: ${freshName()}\n  labels: {a: b, a: c}\n  labels: {}\n`, yaml);
  expect([twice.status, twice.warnings.slice(1)]).toEqual([
    201,
    ['line 3: key "a" already set in map', 'line 4: key "labels" already set in map'],
  ]);
  const broken = await post('metadata:\n\tname: j\n', yaml);
  expect(broken.body.message).toMatch(
    /^the object provided is unrecognized \(must be of type Endpoints\): yaml: line 2: .+ \(6d657461646174613a0a096e616d653a206a0a\)$/,
  );
});

test.each([[';'], ['application/json;x'], ['application/json; a=b; c'], ['a/b/c']])(
  'E-253 %j is no media type',
  async type => {
    const {status, body} = await post(endpoints(freshName()), {'content-type': type});
    expect([status, body.reason]).toEqual([415, 'UnsupportedMediaType']);
  },
);

test.each([['application/json;'], ['APPLICATION/JSON; charset="utf-8"'], ['application/json ; a=b;c=d']])(
  'E-253 %j is JSON',
  async type => {
    expect((await post(endpoints(freshName()), {'content-type': type})).status).toBe(201);
  },
);

test('E-253 the type of a patch is looked up as it is written', async () => {
  const path = `${ENDPOINTS}/none`;
  const patch = (type: string) => wire.send('PATCH', path, {body: {}, headers: {'content-type': type}});
  expect((await patch('Application/Merge-Patch+JSON')).status).toBe(415);
  expect((await patch(`${MERGE}; charset=utf-8`)).status).toBe(404);
});

test('E-253 a POST is refused for its type before its options, a PUT the other way round', async () => {
  const sent = {body: endpoints('a'), headers: {'content-type': 'text/plain'}, query: {dryRun: 'x'}};
  expect((await wire.send('POST', ENDPOINTS, sent)).status).toBe(415);
  expect((await wire.send('PUT', `${ENDPOINTS}/a`, sent)).status).toBe(422);
});

test('E-253 a namespace that does not match is told before a name that does not', async () => {
  const body = {...endpoints('other'), metadata: {name: 'other', namespace: 'elsewhere'}};
  const message = 'the namespace of the provided object does not match the namespace sent on the request';
  expect((await wire.send('PUT', `${ENDPOINTS}/a`, {body})).body.message).toBe(message);
  const applied = {body, query: {fieldManager: 'm'}, headers: {'content-type': APPLY}};
  expect((await wire.send('PATCH', `${ENDPOINTS}/a`, applied)).body.message).toBe(message);
});

test.each([
  ['%25', '"%": may not contain \'%\''],
  ['a%252Fb', '"a%2Fb": may not contain \'%\''],
])('E-253 the name %s is no part of a key', async (name, why) => {
  const path = `${ENDPOINTS}/${name}`;
  const answers = [
    await wire.send('GET', path),
    await wire.send('DELETE', path),
    await wire.send('PUT', path, {body: endpoints(decodeURIComponent(name))}),
    await wire.send('PATCH', path, {body: {}, headers: {'content-type': MERGE}}),
  ];
  for (const {status, body} of answers) {
    expect([status, body.message]).toEqual([400, `Name parameter invalid: ${why}`]);
  }
});

test('E-253 a version that is no number is refused by a write that creates, but not by POST', async () => {
  const bad = (name: string) => endpoints(name, [subset()], {resourceVersion: 'x'});
  expect((await post(bad(freshName()))).status).toBe(201);
  const put = await wire.send('PUT', `${ENDPOINTS}/new`, {body: bad('new')});
  expect([put.status, put.body.message]).toEqual([500, 'strconv.ParseUint: parsing "x": invalid syntax']);
  const applied = {body: bad('new'), query: {fieldManager: 'm'}, headers: {'content-type': APPLY}};
  expect((await wire.send('PATCH', `${ENDPOINTS}/new`, applied)).status).toBe(500);
});

test('a dry run of a create does not look at the version and gives it back', async () => {
  const {status, body} = await post(endpoints('dry', [], {resourceVersion: '4'}), {}, {dryRun: 'All'});
  expect([status, body.metadata.resourceVersion]).toEqual([201, '4']);
});

test('E-253 the precondition of a dry run names the key without the prefix of the storage', async () => {
  const put = (query: Record<string, string>) =>
    wire.send('PUT', `${ENDPOINTS}/absent`, {body: endpoints('absent', [], {uid: 'u'}), query});
  expect((await put({})).body.message).toContain('Key: /registry/services/endpoints/one/absent, ');
  expect((await put({dryRun: 'All'})).body.message).toContain('Key: /services/endpoints/one/absent, ');
});

test('E-253 an applied uid of what does not exist is told before a name that does not match', async () => {
  const sent = {body: endpoints('b', [], {uid: 'u'}), query: {fieldManager: 'm'}, headers: {'content-type': APPLY}};
  const {status, body} = await wire.send('PATCH', `${ENDPOINTS}/absent`, sent);
  expect([status, body.message.includes('uid mismatch: ')]).toEqual([409, true]);
});

test('E-250 a name that is taken, sent with a generateName, is told as one that was generated', async () => {
  const name = freshName();
  const post2 = (metadata: Record<string, unknown>) => post(endpoints(name, [], metadata));
  await post2({finalizers: ['example.com/x']});
  expect((await post2({})).body.message).toBe(`endpoints "${name}" already exists`);
  const text = `endpoints "${name}" already exists, the server was not able to generate a unique name for the object`;
  expect((await post2({generateName: 'g-'})).body).toMatchObject({message: text, details: {retryAfterSeconds: 1}});
  await wire.send('DELETE', `${ENDPOINTS}/${name}`);
  expect((await post2({generateName: 'g-'})).body.message).toBe(`object is being deleted: ${text}`);
});
