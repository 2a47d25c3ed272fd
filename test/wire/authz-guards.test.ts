// SPDX-License-Identifier: Apache-2.0
/** When it is asked whether a role or a binding hands out too much: before a name is made and versions are compared. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type AuthWire, RBAC, startAuthWire} from './authz-support.ts';
import {freshName} from './support.ts';

const ROLES = `${RBAC}/namespaces/one/roles`;
const BINDINGS = `${RBAC}/namespaces/one/rolebindings`;
const GROUP = 'rbac.authorization.k8s.io';
const WIDE = [{verbs: ['*'], apiGroups: ['*'], resources: ['*']}];
const MISSING = 'attempting to grant RBAC permissions not currently held';

let wire: AuthWire;
beforeAll(async () => {
  wire = await startAuthWire();
  await wire.grant('bob', 'one', 'writer', [
    {verbs: ['create', 'update'], apiGroups: [GROUP], resources: ['roles', 'rolebindings']},
    {verbs: ['escalate'], apiGroups: [GROUP], resources: ['roles'], resourceNames: ['only']},
  ]);
});
afterAll(() => wire[Symbol.asyncDispose]());

test('E-253 a refused role without a name is named by nothing', async () => {
  const body = {metadata: {generateName: 'wide-'}, rules: WIDE};
  const answer = await wire.as('bob', 'POST', ROLES, {body});
  expect([answer.status, answer.body.details]).toEqual([403, {group: GROUP, kind: 'roles'}]);
  expect(answer.body.message).toContain(`roles.${GROUP} is forbidden: user "bob"`);
});

test.each(['5', 'abc'])('E-253 rights are asked for before version %s is compared', async resourceVersion => {
  const name = freshName();
  await wire.as('admin', 'POST', ROLES, {body: {metadata: {name}}});
  const body = {metadata: {name, resourceVersion}, rules: WIDE};
  const answer = await wire.as('bob', 'PUT', `${ROLES}/${name}`, {body});
  expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining(MISSING)]);
  const fresh = freshName();
  const absent = {metadata: {name: fresh, resourceVersion}, rules: WIDE};
  expect((await wire.as('bob', 'PUT', `${ROLES}/${fresh}`, {body: absent})).status).toBe(403);
});

test('E-253 a PUT that creates asks for escalate by name, a POST does not', async () => {
  const body = {metadata: {name: 'only'}, rules: WIDE};
  expect((await wire.as('bob', 'POST', ROLES, {body})).status).toBe(403);
  expect((await wire.as('bob', 'PUT', `${ROLES}/only`, {body})).status).toBe(201);
});

test.each([
  ['', 'Name parameter required.'],
  ['a/b', `Name parameter invalid: "a/b": may not contain '/'`],
  ['..', `Name parameter invalid: "..": may not be '..'`],
])('E-253 a role called %j cannot be looked up for a binding', async (name, message) => {
  const body = {metadata: {name: freshName()}, roleRef: {kind: 'Role', name}};
  const answer = await wire.as('bob', 'POST', BINDINGS, {body});
  expect([answer.status, answer.body.reason, answer.body.message]).toEqual([400, 'BadRequest', message]);
});
