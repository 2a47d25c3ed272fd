// SPDX-License-Identifier: Apache-2.0
/** Tokens of service accounts. Ref: kubernetes v1.36 pkg/registry/core/serviceaccount/storage/token.go, pkg/serviceaccount/claims.go. */
import {createLocalJWKSet, jwtVerify} from 'jose';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ACCOUNTS, type AccountWire, claimsIn, ISSUER, startAccountWire} from './account-support.ts';

let wire: AccountWire;
beforeAll(async () => {
  wire = await startAccountWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

const ask = (body: object, name = 'builder') => wire.admin('POST', `${ACCOUNTS}/${name}/token`, body);
const whoami = async (token: string) => {
  const answer = await wire.as(token, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {body: {}});
  return {status: answer.status, user: answer.body?.status?.userInfo};
};
const LEEWAY_MS = 60_000;

describe('E-276 a TokenRequest', () => {
  test('I-114 answers a token with the claims of upstream; defaults are one hour and the audience of the server', async () => {
    const {status, body} = await ask({});
    const account = (await wire.admin('GET', `${ACCOUNTS}/builder`)).body;
    const {uid} = account.metadata;
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {name: 'builder', namespace: 'one', uid, creationTimestamp: expect.any(String)},
      spec: {audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null},
      status: {expirationTimestamp: new Date(wire.time.now() + 3_600_000).toISOString().replace('.000', '')},
    });
    const now = wire.time.now() / 1000;
    const claims = claimsIn(body.status.token);
    expect(claims).toEqual({
      aud: [ISSUER],
      exp: now + 3600,
      iat: now,
      iss: ISSUER,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': {namespace: 'one', serviceaccount: {name: 'builder', uid}},
      nbf: now,
      sub: 'system:serviceaccount:one:builder',
    });
    expect(await whoami(body.status.token)).toEqual({
      status: 201,
      user: {
        username: 'system:serviceaccount:one:builder',
        uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:one', 'system:authenticated'],
        extra: {'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`]},
      },
    });
  });

  test.each([
    [
      {spec: {expirationSeconds: 599}},
      422,
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      {spec: {expirationSeconds: 2 ** 32 + 1}},
      422,
      'spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      {metadata: {name: 'other'}},
      422,
      'metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      {metadata: {namespace: 'two'}},
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [{metadata: {uid: 'x'}}, 409, 'the UID in the token request (x) does not match the UID of the service account ('],
    [
      {spec: {boundObjectRef: {kind: 'ConfigMap', apiVersion: 'v1', name: 'c'}}},
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [{spec: {boundObjectRef: {kind: 'Pod', apiVersion: 'v1', name: 'p'}}}, 404, 'pods "p" not found'],
    [{spec: {boundObjectRef: {kind: 'Secret', apiVersion: 'v1', name: 'absent'}}}, 404, 'secrets "absent" not found'],
  ])('refuses %j with %i', async (body, status, text) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(text)]);
  });

  test('of an account that does not exist is 404; GET of the path is 405; without the right 403', async () => {
    expect((await ask({}, 'absent')).body).toMatchObject({code: 404, message: 'serviceaccounts "absent" not found'});
    expect((await wire.admin('GET', `${ACCOUNTS}/builder/token`)).status).toBe(405);
    expect((await wire.as('bob-token', 'POST', `${ACCOUNTS}/builder/token`, {body: {}})).body.message).toContain(
      'cannot create resource "serviceaccounts/token" in API group "" in the namespace "one"',
    );
  });

  test('for other audiences is no token of this server', async () => {
    const token = await wire.token('builder', {audiences: ['vault']});
    expect((await whoami(token)).status).toBe(401);
    expect(await wire.review(token, ['vault', 'x'])).toMatchObject({authenticated: true, audiences: ['vault']});
  });
});

describe('E-276 a token ends', () => {
  test('at its time, and the leeway of one minute of upstream', async () => {
    const token = await wire.token('builder', {expirationSeconds: 600});
    wire.time.advance(600_000 + LEEWAY_MS);
    expect((await whoami(token)).status).toBe(201);
    wire.time.advance(1_000);
    expect((await whoami(token)).status).toBe(401);
    expect((await wire.review(token)).error).toBe('service account token has expired');
  });

  test('with the Secret that it is bound to, also for a later one of the same name', async () => {
    const secrets = '/api/v1/namespaces/one/secrets';
    const {body} = await wire.admin('POST', secrets, {metadata: {name: 'bond'}});
    const ref = {kind: 'Secret', apiVersion: 'v1', name: 'bond'};
    const wrong = await ask({spec: {boundObjectRef: {...ref, uid: 'x'}}});
    expect([wrong.status, wrong.body.message]).toEqual([
      409,
      expect.stringContaining('(x) does not match the UID in record'),
    ]);
    const token = await wire.token('builder', {boundObjectRef: {...ref, uid: body.metadata.uid}});
    expect((await whoami(token)).status).toBe(201);
    await wire.admin('DELETE', `${secrets}/bond`);
    expect((await whoami(token)).status).toBe(401);
    expect((await wire.review(token)).error).toBe('service account token has been invalidated');
    await wire.admin('POST', secrets, {metadata: {name: 'bond'}});
    expect((await wire.review(token)).error).toMatch(
      /^secret UID \(.*\) does not match service account secret ref claim/,
    );
  });

  test('with the Node that it is bound to; until then the user says which', async () => {
    await wire.admin('POST', '/api/v1/nodes', {metadata: {name: 'n1'}});
    const token = await wire.token('builder', {boundObjectRef: {kind: 'Node', apiVersion: 'v1', name: 'n1'}});
    expect((await whoami(token)).user.extra).toMatchObject({
      'authentication.kubernetes.io/node-name': ['n1'],
      'authentication.kubernetes.io/node-uid': [expect.any(String)],
    });
    await wire.admin('DELETE', '/api/v1/nodes/n1');
    expect((await whoami(token)).status).toBe(401);
  });

  test('with its account, also for a later one of the same name', async () => {
    await wire.admin('POST', ACCOUNTS, {metadata: {name: 'brief'}});
    const token = await wire.token('brief');
    expect((await whoami(token)).status).toBe(201);
    await wire.admin('DELETE', `${ACCOUNTS}/brief`);
    expect((await whoami(token)).status).toBe(401);
    expect((await wire.review(token)).error).toBe('serviceaccounts "brief" not found');
    await wire.admin('POST', ACCOUNTS, {metadata: {name: 'brief'}});
    expect((await wire.review(token)).error).toMatch(/^service account UID \(.*\) does not match claim/);
  });
});

test('E-276 a token that another key has signed, or that was changed, is refused', async () => {
  const token = await wire.token('builder');
  const [head, , signature] = token.split('.');
  const claims = {...claimsIn(token), sub: 'system:serviceaccount:kube-system:default'};
  const changed = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
  expect((await whoami(changed)).status).toBe(401);
  const unsigned = [Buffer.from('{"alg":"none"}').toString('base64url'), token.split('.')[1], ''].join('.');
  expect((await whoami(unsigned)).status).toBe(401);
  await using other = await startAccountWire();
  expect((await wire.review(await other.token('builder'))).error).toBe('invalid signature, no keys found');
});

test('E-276 others check tokens with the documents of the issuer, which need a right', async () => {
  const token = await wire.token('builder', {audiences: ['vault']});
  expect((await wire.as('bob-token', 'GET', '/openid/v1/jwks')).status).toBe(403);
  const own = await wire.token('builder');
  const {body, headers} = await wire.as(own, 'GET', '/.well-known/openid-configuration');
  expect(headers['cache-control']).toBe('public, max-age=3600');
  expect(body).toEqual({
    issuer: ISSUER,
    jwks_uri: `${wire.url}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
  const jwks = await wire.as(own, 'GET', '/openid/v1/jwks');
  expect(jwks.headers['content-type']).toBe('application/jwk-set+json');
  const keys = createLocalJWKSet(JSON.parse(jwks.text));
  const {payload} = await jwtVerify(token, keys, {
    issuer: ISSUER,
    audience: 'vault',
    currentDate: new Date(wire.time.now()),
  });
  expect(payload.sub).toBe('system:serviceaccount:one:builder');
});

test('E-276 discovery and OpenAPI have the path as upstream has it', async () => {
  const {resources} = (await wire.admin('GET', '/api/v1')).body;
  expect(resources.find(({name}: {name: string}) => name === 'serviceaccounts/token')).toEqual({
    name: 'serviceaccounts/token',
    singularName: '',
    namespaced: true,
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'TokenRequest',
    verbs: ['create'],
  });
  const {paths} = (await wire.admin('GET', '/openapi/v3/api/v1')).body;
  const path = '/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token';
  expect(paths[path].post).toMatchObject({
    description: 'create token of a ServiceAccount',
    operationId: 'createCoreV1NamespacedServiceAccountToken',
    'x-kubernetes-action': 'post',
    'x-kubernetes-group-version-kind': {group: 'authentication.k8s.io', kind: 'TokenRequest', version: 'v1'},
  });
});
