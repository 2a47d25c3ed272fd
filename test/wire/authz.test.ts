// SPDX-License-Identifier: Apache-2.0
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type AuthWire, RBAC, startAuthWire} from './authz-support.ts';
import {APPLY, ENDPOINTS, endpoints, fields, freshName, JSON_PATCH, MERGE, STRATEGIC} from './support.ts';

const READ = {verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['endpoints']};
const WRITE = {verbs: ['create', 'update', 'patch', 'delete'], apiGroups: [''], resources: ['endpoints']};

describe.each(['spec', 'kubernetes'] as const)('who may do what, --compat %s', compat => {
  let wire: AuthWire;
  beforeAll(async () => {
    wire = await startAuthWire({compat});
    await wire.as('admin', 'POST', ENDPOINTS, {body: endpoints('there')});
    await wire.grant('carol', 'one', 'reader', [READ]);
    await wire.grant('alice', 'one', 'editor', [READ, WRITE]);
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  test.each([
    ['an unknown token', {authorization: 'Bearer nobody'}],
    ['a digest in place of a token', {authorization: `Bearer sha256:${'0'.repeat(64)}`}],
  ])('E-253 %s is 401 on every path', async (_, headers) => {
    for (const path of [ENDPOINTS, '/api', '/version', '/healthz', '/nope']) {
      const answer = await wire.as('', 'GET', path, {headers});
      expect([path, answer.status, answer.body.reason, answer.body.message]).toEqual([
        path,
        401,
        'Unauthorized',
        'Unauthorized',
      ]);
      expect(answer.headers['x-content-type-options']).toBeUndefined();
    }
  });

  test('E-253 without a token the public paths are open and all else is 403 as system:anonymous', async () => {
    for (const path of ['/version', '/healthz', '/livez', '/readyz']) {
      expect([path, (await wire.as('', 'GET', path)).status]).toEqual([path, 200]);
    }
    const resource = await wire.as('', 'GET', `${ENDPOINTS}/there`);
    expect([resource.status, resource.body.message]).toEqual([
      403,
      'endpoints "there" is forbidden: User "system:anonymous" cannot get resource "endpoints" in API group "" in the namespace "one"',
    ]);
    expect(resource.headers['x-content-type-options']).toBe('nosniff');
    const path = await wire.as('', 'GET', '/openapi/v2');
    expect([path.status, path.body.message, path.body.details]).toEqual([
      403,
      'forbidden: User "system:anonymous" cannot get path "/openapi/v2"',
      {},
    ]);
  });

  test('E-253 a user with no right at all may still find the API', async () => {
    for (const path of ['/api', '/apis', '/api/v1', '/openapi/v2', '/version']) {
      expect([path, (await wire.as('bob', 'GET', path)).status]).toEqual([path, 200]);
    }
    expect((await wire.as('bob', 'GET', '/metrics')).status).toBe(403);
  });

  test.each([
    ['GET', ENDPOINTS, 'list', undefined],
    ['GET', `${ENDPOINTS}?watch=1`, 'watch', undefined],
    ['POST', ENDPOINTS, 'create', undefined],
    ['DELETE', ENDPOINTS, 'deletecollection', undefined],
    ['GET', `${ENDPOINTS}/NAME`, 'get', 'NAME'],
    ['PUT', `${ENDPOINTS}/NAME`, 'update', 'NAME'],
    ['PATCH', `${ENDPOINTS}/NAME`, 'patch', 'NAME'],
    ['DELETE', `${ENDPOINTS}/NAME`, 'delete', 'NAME'],
  ])('E-253 %s %s without the right is 403, whether the object exists or not', async (method, path, verb, name) => {
    const answers = [];
    for (const each of ['there', 'nowhere']) {
      const body = method === 'GET' ? {} : {body: 'no JSON'};
      const answer = await wire.as('bob', method, path.replace('NAME', each), body);
      expect(answer.headers['warning']).toBeUndefined();
      answers.push([answer.status, answer.text.replaceAll(each, 'NAME')]);
      const subject = name === undefined ? 'endpoints is' : `endpoints "${each}" is`;
      expect(answer.body).toMatchObject({
        reason: 'Forbidden',
        code: 403,
        message: `${subject} forbidden: User "bob" cannot ${verb} resource "endpoints" in API group "" in the namespace "one"`,
      });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  test.each(['/api/v1/namespaces/one/nopes', '/api/v1/namespaces/absent/endpoints/a', '/apis/no.such.group/v1/things'])(
    'E-253 %s without the right is 403 even where nothing is served',
    async path => {
      expect((await wire.as('bob', 'GET', path)).status).toBe(403);
      expect((await wire.as('admin', 'GET', path)).status).toBe(404);
    },
  );

  test('E-253 a right in one namespace says nothing of another', async () => {
    expect((await wire.as('carol', 'GET', ENDPOINTS)).status).toBe(200);
    expect((await wire.as('carol', 'GET', '/api/v1/namespaces/two/endpoints')).status).toBe(403);
    const all = await wire.as('carol', 'GET', '/api/v1/endpoints');
    expect([all.status, all.body.message]).toEqual([
      403,
      'endpoints is forbidden: User "carol" cannot list resource "endpoints" in API group "" at the cluster scope',
    ]);
  });

  test.each([
    ['PUT', undefined, endpoints('there', undefined, {finalizers: ['example.com/b', 'example.com/a']})],
    ['PATCH', MERGE, {metadata: {finalizers: []}}],
    ['PATCH', STRATEGIC, {metadata: {'$deleteFromPrimitiveList/finalizers': ['example.com/a']}}],
    ['PATCH', JSON_PATCH, [{op: 'add', path: '/metadata/finalizers', value: ['example.com/x']}]],
    ['PATCH', APPLY, endpoints('there', undefined, {finalizers: ['example.com/x']})],
  ])('E-166 finalizers are changed only with the right: %s %s is 403 for a reader', async (method, type, body) => {
    const name = freshName();
    const finalizers = ['example.com/a', 'example.com/b'];
    await wire.as('admin', 'POST', ENDPOINTS, {body: endpoints(name, undefined, {finalizers})});
    const sent = Array.isArray(body) ? body : {...body, metadata: {...body.metadata, name}};
    const headers: Record<string, string> = type === undefined ? {} : {'content-type': type};
    const query = type === APPLY ? {query: {fieldManager: 'test'}} : {};
    const path = `${ENDPOINTS}/${name}`;
    expect((await wire.as('carol', method, path, {body: sent, headers, ...query})).status).toBe(403);
    expect((await wire.as('admin', 'GET', path)).body.metadata.finalizers).toEqual(finalizers);
    const changed = await wire.as('alice', method, path, {body: sent, headers, ...query});
    expect(changed.status).toBe(200);
    await wire.as('admin', 'PATCH', path, {body: {metadata: {finalizers: null}}, headers: {'content-type': MERGE}});
  });

  test('E-253 rights come and go with roles and bindings, at once', async () => {
    const name = freshName();
    const list = async (): Promise<number> => (await wire.as('bob', 'GET', '/api/v1/namespaces/two/endpoints')).status;
    expect(await list()).toBe(403);
    await wire.grant('bob', 'two', name, [READ]);
    expect(await list()).toBe(200);
    const role = `${RBAC}/namespaces/two/roles/${name}`;
    const headers = {'content-type': MERGE};
    await wire.as('admin', 'PATCH', role, {body: {rules: [{...READ, verbs: ['get']}]}, headers});
    expect(await list()).toBe(403);
    await wire.as('admin', 'PATCH', role, {body: {rules: [READ]}, headers});
    expect(await list()).toBe(200);
    await wire.as('admin', 'DELETE', role);
    const dangling = await wire.as('bob', 'GET', '/api/v1/namespaces/two/endpoints');
    expect(dangling.body.message).toBe(
      `endpoints is forbidden: User "bob" cannot list resource "endpoints" in API group "" in the namespace "two": RBAC: role.rbac.authorization.k8s.io "${name}" not found`,
    );
    await wire.as('admin', 'POST', `${RBAC}/namespaces/two/roles`, {body: {metadata: {name}, rules: [READ]}});
    expect(await list()).toBe(200);
    await wire.as('admin', 'DELETE', `${RBAC}/namespaces/two/rolebindings/${name}`);
    expect(await list()).toBe(403);
  });

  test('E-253 a service account is bound by its namespace and name, a group by its name', async () => {
    const body = {
      metadata: {name: freshName()},
      subjects: [
        {kind: 'ServiceAccount', name: 'builder'},
        {kind: 'Group', name: 'ops'},
      ],
      roleRef: {kind: 'ClusterRole', name: 'view'},
    };
    expect((await wire.as('sa', 'GET', ENDPOINTS)).status).toBe(403);
    await wire.as('admin', 'POST', `${RBAC}/namespaces/one/rolebindings`, {body});
    expect((await wire.as('sa', 'GET', ENDPOINTS)).status).toBe(200);
    expect((await wire.as('alice', 'GET', '/api/v1/namespaces/one')).status).toBe(200);
    expect((await wire.as('alice', 'GET', '/api/v1/namespaces/two')).status).toBe(403);
  });

  test('E-253 a rule for names allows these names and no others', async () => {
    const rule = {verbs: ['get', 'delete'], apiGroups: [''], resources: ['endpoints'], resourceNames: ['only']};
    await wire.grant('bob', 'one', freshName(), [rule]);
    expect((await wire.as('bob', 'GET', `${ENDPOINTS}/only`)).status).toBe(404);
    expect((await wire.as('bob', 'GET', `${ENDPOINTS}/there`)).status).toBe(403);
  });

  test.each([
    ['PUT', undefined, {}],
    ['PATCH', APPLY, {fieldManager: 'test'}],
  ])('E-253 a %s %s that creates needs the right to create too', async (method, type, query) => {
    const name = freshName();
    const path = `/api/v1/namespaces/two/endpoints/${name}`;
    const headers: Record<string, string> = type === undefined ? {} : {'content-type': type};
    const sent = {body: endpoints(name), headers, query};
    await wire.grant('carol', 'two', name, [{verbs: ['update', 'patch'], apiGroups: [''], resources: ['endpoints']}]);
    const refused = await wire.as('carol', method, path, sent);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `endpoints "${name}" is forbidden: User "carol" cannot create resource "endpoints" in API group "" in the namespace "two"`,
    ]);
    expect(refused.headers['x-content-type-options']).toBeUndefined(); // as upstream: only who is stopped at the door is told
    expect((await wire.as('carol', method, path, {...sent, query: {...query, dryRun: 'All'}})).status).toBe(403);
    const faulty = {...endpoints(name), subsets: [{}]};
    expect((await wire.as('carol', method, path, {...sent, body: faulty})).status).toBe(422);
    expect((await wire.as('admin', 'GET', path)).status).toBe(404);
    await wire.as('admin', 'POST', '/api/v1/namespaces/two/endpoints', {body: endpoints(name)});
    expect((await wire.as('carol', method, path, sent)).status).toBe(200);
    const rule = {verbs: ['create'], apiGroups: [''], resources: ['endpoints'], resourceNames: [`${name}-2`]};
    await wire.grant('carol', 'two', `${name}-2`, [rule]);
    const named = {...sent, body: endpoints(`${name}-2`)};
    expect((await wire.as('carol', method, `${path}-2`, named)).status).toBe(201);
  });
});

describe('who may make an owner wait', () => {
  let wire: AuthWire;
  const owned = async (user: string, reference: Record<string, unknown>, name = freshName()) => {
    const owner = (await wire.as('admin', 'GET', `${ENDPOINTS}/owner`)).body;
    const ownerReferences = [
      {apiVersion: 'v1', kind: 'Endpoints', name: 'owner', uid: owner.metadata.uid, ...reference},
    ];
    return wire.as(user, 'POST', ENDPOINTS, {body: endpoints(name, undefined, {ownerReferences})});
  };
  beforeAll(async () => {
    wire = await startAuthWire();
    await wire.as('admin', 'POST', ENDPOINTS, {body: endpoints('owner')});
    await wire.grant('bob', 'one', 'writer', [{...WRITE, verbs: ['create', 'get', 'update', 'patch']}]);
    await wire.grant('alice', 'one', 'deleter', [WRITE]);
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  test('E-195 E-251 blockOwnerDeletion needs the right to delete the owner, when it is newly set', async () => {
    const refused = await owned('bob', {blockOwnerDeletion: true});
    expect([refused.status, refused.body.reason, fields(refused)]).toEqual([
      422,
      'Invalid',
      ['metadata.ownerReferences[0].blockOwnerDeletion'],
    ]);
    const {status, body} = await owned('alice', {blockOwnerDeletion: true});
    const path = `${ENDPOINTS}/${body.metadata.name}`;
    const headers = {'content-type': MERGE};
    const labelled = await wire.as('bob', 'PATCH', path, {body: {metadata: {labels: {a: 'b'}}}, headers});
    expect([status, labelled.status, (await owned('bob', {})).status]).toEqual([201, 200, 201]);
  });
});
