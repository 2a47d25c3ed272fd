// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/registry/authentication/tokenreview/storage.go. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type AccountWire, ISSUER, startAccountWire} from './account-support.ts';

let wire: AccountWire;
beforeAll(async () => {
  wire = await startAccountWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';

test('E-276 a token of the file is its user, for the audiences of the server', async () => {
  const {status, body} = await wire.admin('POST', PATH, {spec: {token: 'bob-token'}});
  expect(status).toBe(201);
  expect(body).toMatchObject({kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: {token: 'bob-token'}});
  expect(body.status).toEqual({
    authenticated: true,
    user: {username: 'bob', uid: 'bob-uid', groups: ['system:authenticated']},
    audiences: [ISSUER],
  });
  expect(await wire.review('bob-token', ['vault', ISSUER])).toMatchObject({authenticated: true, audiences: [ISSUER]});
});

test('E-276 an unknown token, and one without audiences for other audiences, is of no user', async () => {
  const refused = {user: {}, error: 'invalid bearer token'};
  expect(await wire.review('who-knows')).toEqual(refused);
  expect(await wire.review('bob-token', ['vault'])).toEqual(refused);
});

test('E-276 the token of a service account for another audience is refused with the audiences', async () => {
  expect(await wire.review(await wire.token('builder'), ['vault'])).toEqual({
    user: {},
    error: `token audiences ["${ISSUER}"] is invalid for the target audiences ["vault"]`,
  });
});

test('E-276 no token is 400; without the right 403; a token of an account may ask with system:auth-delegator', async () => {
  expect((await wire.admin('POST', PATH, {spec: {}})).body).toMatchObject({
    code: 400,
    message: 'token is required for TokenReview in authentication',
  });
  const token = await wire.token('builder');
  const ask = () => wire.as(token, 'POST', PATH, {body: {spec: {token: 'bob-token'}}});
  expect((await ask()).status).toBe(403);
  await wire.admin('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: {name: 'delegator'},
    roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:auth-delegator'},
    subjects: [{kind: 'ServiceAccount', namespace: 'one', name: 'builder'}],
  });
  expect((await ask()).body.status.user.username).toBe('bob');
});
