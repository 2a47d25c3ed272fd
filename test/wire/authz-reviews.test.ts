// SPDX-License-Identifier: Apache-2.0

import {once} from 'node:events';
import {type IncomingMessage, request} from 'node:http';
import {text} from 'node:stream/consumers';
import {decodeProtobuf, encodeProtobuf, kubeTypes, openEnvelope} from '@palisade/kube-wire';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {AUTHENTICATION, AUTHORIZATION, type AuthWire, RBAC, startAuthWire} from './authz-support.ts';
import {ENDPOINTS, endpoints, fields, freshName} from './support.ts';

const SELF = `${AUTHORIZATION}/selfsubjectaccessreviews`;
const SUBJECT = `${AUTHORIZATION}/subjectaccessreviews`;
const LOCAL = `${AUTHORIZATION}/namespaces/one/localsubjectaccessreviews`;
const RULES = `${AUTHORIZATION}/selfsubjectrulesreviews`;
const WHOAMI = `${AUTHENTICATION}/selfsubjectreviews`;
const GET = {verb: 'get', resource: 'endpoints', namespace: 'one'};

describe('access reviews', () => {
  let wire: AuthWire;
  beforeAll(async () => {
    wire = await startAuthWire();
    await wire.grant('carol', 'one', 'reader', [{verbs: ['get'], apiGroups: [''], resources: ['endpoints']}]);
    await wire.grant('alice', '', 'asker', [
      {verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['*']},
    ]);
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  test('E-271 a user without rights may ask about itself, and is told the truth', async () => {
    const no = await wire.as('bob', 'POST', SELF, {body: {spec: {resourceAttributes: GET}}});
    expect([no.status, no.body.status]).toEqual([201, {allowed: false}]);
    const yes = await wire.as('carol', 'POST', SELF, {body: {spec: {resourceAttributes: GET}}});
    expect(yes.body.status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reader/one" of Role "reader" to User "carol"',
    });
    const path = {spec: {nonResourceAttributes: {path: '/version', verb: 'get'}}};
    const open = await wire.as('bob', 'POST', SELF, {body: path});
    expect(open.body.status.allowed).toBe(true);
    expect(open.body.status.reason).toContain('to Group "system:authenticated"');
  });

  test('47-4 a resource with its group behind a dot is of that group, as kubectl asks for what is not in discovery', async () => {
    await wire.grant('system:serviceaccount:one:builder', 'two', 'watcher', [
      {verbs: ['get'], apiGroups: ['ids.googleapis.com'], resources: ['endpoints', 'endpoints/threats']},
    ]);
    const asked = async (subresource: string, verb = 'get', group = ''): Promise<boolean> => {
      const about = {verb, resource: 'endpoints.ids.googleapis.com', subresource, namespace: 'two', group};
      return (await wire.as('sa', 'POST', SELF, {body: {spec: {resourceAttributes: about}}})).body.status.allowed;
    };
    expect([await asked(''), await asked('threats'), await asked('evidence')]).toEqual([true, true, false]);
    expect([await asked('', 'list'), await asked('', 'get', 'ids.googleapis.com')]).toEqual([false, false]);
    await using upstream = await startAuthWire({compat: 'kubernetes'});
    const spec = {user: 'carol', resourceAttributes: {verb: 'get', resource: 'endpoints.ids.googleapis.com'}};
    await upstream.grant('carol', '', 'all', [{verbs: ['*'], apiGroups: ['ids.googleapis.com'], resources: ['*']}]);
    const {body} = await upstream.as('admin', 'POST', `${AUTHORIZATION}/subjectaccessreviews`, {body: {spec}});
    expect(body.status).toEqual({allowed: false});
  });

  test('E-271 keys come in the order of the type, and nothing is stored', async () => {
    const answer = await wire.as('admin', 'POST', SELF, {body: {spec: {resourceAttributes: GET}}});
    expect(answer.text.replace(/"managedFields":\[.*\]\}/, '"managedFields":[]}')).toBe(
      '{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{"managedFields":[]},' +
        '"spec":{"resourceAttributes":{"namespace":"one","verb":"get","resource":"endpoints"}},"status":{"allowed":true}}\n',
    );
    for (const method of ['GET', 'DELETE']) {
      const refused = await wire.as('admin', method, SELF);
      expect([refused.status, refused.body.reason]).toEqual([405, 'MethodNotAllowed']);
    }
    expect((await wire.as('admin', 'GET', `${SELF}/x`)).status).toBe(404);
  });

  test.each(['GET', 'POST', 'PUT', 'DELETE'])('E-271 %s where a review is not served is 404', async method => {
    const paths = [
      `${AUTHORIZATION}/localsubjectaccessreviews`,
      SELF.replace('/v1/', '/v1/watch/'),
      LOCAL.replace('/v1/', '/v1/watch/'),
    ];
    for (const path of paths) {
      const {status, body} = await wire.as('admin', method, path, method === 'GET' ? {} : {body: {}});
      expect([path, status, body.reason]).toEqual([path, 404, 'NotFound']);
    }
  });

  test('E-271 a local review is about a namespace that has a name', async () => {
    const spec = {user: 'carol', resourceAttributes: {verb: 'get', resource: 'endpoints'}};
    const answer = await wire.as('admin', 'POST', LOCAL.replace('/one/', '//'), {body: {spec}});
    expect([answer.status, answer.body.message]).toEqual([400, 'namespace is required on this type: ']);
  });

  test('E-252 every fault of a review is named', async () => {
    const both = {resourceAttributes: GET, nonResourceAttributes: {path: '/', verb: 'get'}};
    const answer = await wire.as('admin', 'POST', SUBJECT, {body: {metadata: {name: 'x'}, spec: both}});
    expect([answer.status, fields(answer)]).toEqual([422, ['spec.nonResourceAttributes', 'spec.user', 'metadata']]);
    expect(answer.body.details.causes[0].message).toBe(
      'Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    );
    const none = await wire.as('admin', 'POST', SELF, {body: {spec: {}}});
    expect(none.body.message).toBe(
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
    const selectors = {labelSelector: {}, fieldSelector: {rawSelector: 'a=b', requirements: [{key: ''}]}};
    const more = await wire.as('admin', 'POST', SELF, {body: {spec: {resourceAttributes: {...GET, ...selectors}}}});
    expect(fields(more)).toEqual([
      'spec.resourceAttributes.fieldSelector.rawSelector',
      'spec.resourceAttributes.fieldSelector.requirements[0].key',
      'spec.resourceAttributes.labelSelector.requirements',
    ]);
  });

  test('E-271 selectors that cannot be read are passed over, and that is said', async () => {
    const selectors = {labelSelector: {rawSelector: 'a in ('}, fieldSelector: {rawSelector: 'metadata.name=a'}};
    const answer = await wire.as('admin', 'POST', SELF, {body: {spec: {resourceAttributes: {...GET, ...selectors}}}});
    expect(answer.body.status).toEqual({
      allowed: true,
      evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
    });
  });

  test('E-271 about somebody else only with the right to ask', async () => {
    const body = {spec: {user: 'carol', resourceAttributes: GET}};
    expect((await wire.as('bob', 'POST', SUBJECT, {body})).status).toBe(403);
    expect((await wire.as('alice', 'POST', SUBJECT, {body})).body.status.allowed).toBe(true);
    const group = {spec: {groups: ['system:masters'], resourceAttributes: {verb: '*', group: '*', resource: '*'}}};
    expect((await wire.as('alice', 'POST', SUBJECT, {body: group})).body.status).toEqual({allowed: true});
    expect((await wire.as('alice', 'POST', LOCAL, {body})).body.status.allowed).toBe(true);
  });

  test('E-252 a local review is about its own namespace only', async () => {
    const spec = {user: 'carol', resourceAttributes: {...GET, namespace: 'two'}};
    const answer = await wire.as('alice', 'POST', LOCAL, {body: {spec}});
    expect([answer.status, fields(answer)]).toEqual([422, ['spec.resourceAttributes.namespace']]);
    const path = {spec: {user: 'carol', nonResourceAttributes: {path: '/', verb: 'get'}}};
    expect(fields(await wire.as('alice', 'POST', LOCAL, {body: path}))).toEqual(['spec.nonResourceAttributes']);
  });

  test('E-271 the rules that hold for the asking user', async () => {
    const answer = await wire.as('carol', 'POST', RULES, {body: {spec: {namespace: 'one'}}});
    expect([answer.status, answer.body.metadata, answer.body.spec]).toEqual([201, {}, {}]);
    expect(answer.body.status.incomplete).toBe(false);
    expect(answer.body.status.resourceRules).toContainEqual({
      verbs: ['get'],
      apiGroups: [''],
      resources: ['endpoints'],
    });
    expect(answer.body.status.nonResourceRules).toContainEqual({
      verbs: ['get'],
      nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
    });
    const other = await wire.as('carol', 'POST', RULES, {body: {spec: {namespace: 'two'}}});
    expect(JSON.stringify(other.body.status.resourceRules)).not.toContain('endpoints');
    const nowhere = await wire.as('carol', 'POST', RULES, {body: {spec: {}}});
    expect([nowhere.status, nowhere.body.message]).toEqual([400, 'no namespace on request']);
  });

  test('E-271 who am I, also as somebody else', async () => {
    const me = await wire.as('alice', 'POST', WHOAMI, {body: {}});
    expect(me.body.status.userInfo).toEqual({
      username: 'alice',
      uid: 'alice-uid',
      groups: ['dev', 'ops', 'system:authenticated'],
    });
    expect(Date.parse(me.body.metadata.creationTimestamp)).toBeGreaterThan(0);
    expect((await wire.as('', 'POST', WHOAMI, {body: {}})).status).toBe(403);
  });

  test('E-271 E-272 reviews are read and answered as Kubernetes protobuf and YAML', async () => {
    const typeName = 'io.k8s.api.authorization.v1.SelfSubjectAccessReview';
    const type = {apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview'};
    const body = encodeProtobuf(kubeTypes, typeName, {...type, spec: {resourceAttributes: GET}});
    const media = 'application/vnd.kubernetes.protobuf';
    const answer = await bytesOf(wire.url, body, {accept: media, 'content-type': media});
    expect(answer.type).toBe(media);
    const review = decodeProtobuf(kubeTypes, typeName, openEnvelope(answer.bytes));
    expect(review['status']).toMatchObject({allowed: true});
    const yaml = 'spec:\n  resourceAttributes: {verb: get, resource: endpoints}\n';
    const headers = {'content-type': 'application/yaml', accept: 'application/yaml'};
    expect((await wire.as('carol', 'POST', SELF, {body: yaml, headers})).text).toContain('allowed: false');
  });

  test('E-271 unknown fields of a review are refused when asked for, else warned about', async () => {
    const body = {spec: {resourceAttributes: GET, bogus: 1}};
    const strict = await wire.as('admin', 'POST', SELF, {body, query: {fieldValidation: 'Strict'}});
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'SelfSubjectAccessReview in version "v1" cannot be handled as a SelfSubjectAccessReview: strict decoding error: unknown field "spec.bogus"',
    ]);
    expect((await wire.as('admin', 'POST', SELF, {body})).warnings).toEqual(['unknown field "spec.bogus"']);
  });
});

const bytesOf = (
  url: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<{type: string | undefined; bytes: Buffer}> =>
  new Promise((resolve, reject) => {
    const sent = request(url + SELF, {method: 'POST', headers: {...headers, authorization: 'Bearer carol-token'}});
    sent.on('error', reject);
    sent.on('response', response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({type: response.headers['content-type'], bytes: Buffer.concat(chunks)}));
    });
    sent.end(body);
  });

describe('impersonation', () => {
  let wire: AuthWire;
  const whoami = async (user: string, headers: Record<string, string>) => {
    const answer = await wire.as(user, 'POST', WHOAMI, {body: {}, headers});
    return answer.status === 201 ? answer.body.status.userInfo : [answer.status, answer.body.message];
  };
  beforeAll(async () => {
    wire = await startAuthWire();
    await wire.as('admin', 'POST', ENDPOINTS, {body: endpoints('there')});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  test('E-253 system:masters may act as anybody, and then has the rights of that user only', async () => {
    const as = {'impersonate-user': 'someone'};
    expect(await whoami('admin', as)).toEqual({username: 'someone', groups: ['system:authenticated']});
    const answer = await wire.as('admin', 'GET', `${ENDPOINTS}/there`, {headers: as});
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'endpoints "there" is forbidden: User "someone" cannot get resource "endpoints" in API group "" in the namespace "one"',
    ]);
    const masters = {'impersonate-user': 'root', 'impersonate-group': 'system:masters'};
    expect((await wire.as('admin', 'GET', `${ENDPOINTS}/there`, {headers: masters})).status).toBe(200);
  });

  test('E-253 groups that are not named follow from the user', async () => {
    expect(await whoami('admin', {'impersonate-user': 'system:serviceaccount:one:x'})).toEqual({
      username: 'system:serviceaccount:one:x',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:one', 'system:authenticated'],
    });
    expect((await whoami('admin', {'impersonate-user': 'u', 'impersonate-group': 'system:unauthenticated'}))[0]).toBe(
      403,
    );
  });

  test('E-253 uid and extra are taken over', async () => {
    const extra = {
      'impersonate-extra-example.com%2fscope': 'a',
      'impersonate-extra-k%ff': 'b',
      'impersonate-extra-k%zz': 'c',
    };
    expect(await whoami('admin', {'impersonate-user': 'u', 'impersonate-uid': '7', ...extra})).toEqual({
      username: 'u',
      uid: '7',
      groups: ['system:authenticated'],
      extra: {'example.com/scope': ['a'], 'k\ufffd': ['b'], 'k%zz': ['c']},
    });
  });

  /** With the body as bytes: Node would write head and text in one, and the head in the encoding of the text. */
  const whoamiAs = async (headers: Record<string, string | string[]>) => {
    const out = request(wire.url + WHOAMI, {
      method: 'POST',
      headers: {authorization: 'Bearer admin-token', ...headers},
    });
    out.end(Buffer.from('{}'));
    const [response] = (await once(out, 'response')) as [IncomingMessage];
    return JSON.parse(await text(response)).status.userInfo;
  };

  test('E-253 names are UTF-8, as kubectl --as sends them', async () => {
    const sent = (name: string): string => Buffer.from(name, 'utf8').toString('latin1');
    const headers = {
      'impersonate-user': sent('Zoë'),
      'impersonate-uid': sent('№ 7'),
      'impersonate-group': sent('開発'),
    };
    expect(await whoamiAs({...headers, 'impersonate-extra-k': sent('ä')})).toEqual({
      username: 'Zoë',
      uid: '№ 7',
      groups: ['開発', 'system:authenticated'],
      extra: {k: ['ä']},
    });
  });

  test('E-253 repeated headers are several groups, also when a name has a comma', async () => {
    const names = ['a, b', 'c'];
    const {groups} = await whoamiAs({'impersonate-user': 'u', 'impersonate-group': names});
    expect(groups).toEqual([...names, 'system:authenticated']);
  });

  test('E-253 without a user name it is 400, in the words of the reference', async () => {
    const headers = {'impersonate-group': 'x', 'impersonate-extra-k': 'v'};
    const answer = await wire.as('admin', 'GET', ENDPOINTS, {headers});
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"x"}, Extra:map[string][]string{"k":[]string{"v"}}} without impersonating a user name',
    ]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  test('E-253 the mode that allowed a user last is tried first, and its refusal is the one that is told', async () => {
    await using fresh = await startAuthWire();
    const node = {headers: {'impersonate-user': 'system:node:n1'}, body: {}};
    const asNode = async (): Promise<string[]> =>
      (await fresh.as('admin', 'POST', WHOAMI, node)).body.status.userInfo.groups;
    expect(await asNode()).toEqual(['system:nodes', 'system:authenticated']);
    const masters = {'impersonate-user': 'root', 'impersonate-group': 'system:masters'};
    expect((await fresh.as('admin', 'POST', WHOAMI, {body: {}, headers: masters})).status).toBe(201);
    expect(await asNode()).toEqual(['system:authenticated']);
    const users = {verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['x']};
    await fresh.grant('carol', '', 'impersonator', [users]);
    expect((await fresh.as('carol', 'POST', WHOAMI, {body: {}, headers: {'impersonate-user': 'x'}})).status).toBe(201);
    const refused = await fresh.as('carol', 'GET', ENDPOINTS, {headers: {'impersonate-user': 'y'}});
    expect(refused.body.message).toBe(
      'users "y" is forbidden: User "carol" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  test('E-253 a user without the right is refused in the words of the first mode', async () => {
    const answer = await wire.as('bob', 'GET', `${ENDPOINTS}/there`, {headers: {'impersonate-user': 'x'}});
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'endpoints "there" is forbidden: User "bob" cannot impersonate-on:user-info:get resource "endpoints" in API group "" in the namespace "one"',
    ]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    const account = {'impersonate-user': 'system:serviceaccount:one:x'};
    const other = await wire.as('bob', 'GET', `${ENDPOINTS}/there`, {headers: account});
    expect(other.body.message).toContain('impersonate-on:serviceaccount:get');
  });

  test('E-253 the plain right is enough for a user, and for no group beside', async () => {
    const users = {verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['x']};
    await wire.grant('carol', '', freshName(), [users]);
    expect((await whoami('carol', {'impersonate-user': 'x'})).username).toBe('x');
    expect((await whoami('carol', {'impersonate-user': 'y'}))[0]).toBe(403);
    expect((await whoami('carol', {'impersonate-user': 'x', 'impersonate-group': 'g'}))[0]).toBe(403);
    const groups = {verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: ['g']};
    await wire.grant('carol', '', freshName(), [groups]);
    expect((await whoami('carol', {'impersonate-user': 'x', 'impersonate-group': 'g'})).groups).toContain('g');
  });

  test('E-253 the constrained right holds for its verbs and never reaches system:masters', async () => {
    const who = {verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['*']};
    const what = {verbs: ['impersonate-on:user-info:get'], apiGroups: [''], resources: ['endpoints']};
    await wire.grant('alice', '', freshName(), [who, what]);
    await wire.grant('x', 'one', freshName(), [{verbs: ['*'], apiGroups: [''], resources: ['endpoints']}]);
    const headers = {'impersonate-user': 'x'};
    expect((await wire.as('alice', 'GET', `${ENDPOINTS}/there`, {headers})).status).toBe(200);
    expect((await wire.as('alice', 'GET', ENDPOINTS, {headers})).status).toBe(403);
    expect((await wire.as('alice', 'DELETE', `${ENDPOINTS}/there`, {headers})).status).toBe(403);
    const masters = await wire.as('alice', 'GET', `${ENDPOINTS}/there`, {
      headers: {...headers, 'impersonate-group': 'system:masters'},
    });
    expect(masters.body.message).toContain('impersonating the system:masters group is not allowed');
  });

  test('E-253 roles are not widened by impersonation', async () => {
    const body = {metadata: {name: freshName()}, rules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*']}]};
    const headers = {'impersonate-user': 'someone'};
    expect((await wire.as('admin', 'POST', `${RBAC}/clusterroles`, {body, headers})).status).toBe(403);
  });
});

test('E-253 reviews have no Table, and a bearer token behind two spaces counts for nothing', async () => {
  await using wire = await startAuthWire();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect((await wire.as('admin', 'POST', WHOAMI, {body: {}, headers: {accept}})).status).toBe(406);
  const headers = {authorization: 'Bearer  admin-token'};
  for (const path of ['/healthz', ENDPOINTS]) {
    const answer = await wire.as('', 'GET', path, {headers});
    expect([answer.status, answer.warnings[0]]).toEqual([
      path === '/healthz' ? 200 : 403,
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  }
});
