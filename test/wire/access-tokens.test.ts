// SPDX-License-Identifier: Apache-2.0
/** AccessTokens on the wire: the token is in the answer to its POST and nowhere else; nobody gains rights by one. Ref: issue 47, point 2. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type AuthWire, startAuthWire} from './authz-support.ts';
import {type Answer, APPLY, type Body, freshName, MERGE, WireClient} from './support.ts';

const PATH = '/apis/platform.io/v1alpha1/accesstokens';
const TOKEN = /plst_[\w-]{43}/;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

let wire: AuthWire;
beforeAll(async () => {
  wire = await startAuthWire();
  await wire.grant('alice', '', 'issuers', [
    {verbs: ['create'], apiGroups: ['platform.io'], resources: ['accesstokens']},
    {verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['anna']},
    {verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: ['dev']},
  ]);
});
afterAll(() => wire[Symbol.asyncDispose]());

const post = (user: string, spec: Body, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  wire.as(user, 'POST', PATH, {body: {metadata: {name: freshName()}, spec}, headers});

describe('E-276 where the token is', () => {
  test.each(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])(
    'the answer to the POST has it as %s',
    async accept => {
      const answer = await post('admin', {user: 'anna'}, {accept});
      expect(answer.status, answer.text).toBe(201);
      expect(answer.text).toMatch(TOKEN);
    },
  );

  test.each([TABLE, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'])(
    'a view of the object without its content has it not: %s',
    async accept => {
      const answer = await post('admin', {user: 'anna'}, {accept});
      expect(answer.status, answer.text).toBe(201);
      expect(answer.text).not.toMatch(TOKEN);
    },
  );

  test('reads, lists, tables, watches and the answer to a delete have it not', async () => {
    const made = (await post('admin', {user: 'anna'})).body;
    const at = `${PATH}/${made.metadata.name}`;
    const version = String(BigInt(made.metadata.resourceVersion) - 1n);
    const watch = await new WireClient(wire.url).watch(
      PATH,
      {resourceVersion: version},
      {authorization: 'Bearer admin-token'},
    );
    const added = await watch.next();
    expect(added).toMatchObject({type: 'ADDED', object: {metadata: {name: made.metadata.name}}});
    const answers = [
      await wire.as('admin', 'GET', at),
      await wire.as('admin', 'GET', PATH),
      await wire.as('admin', 'GET', PATH, {headers: {accept: TABLE}}),
      await wire.as('admin', 'DELETE', at),
    ];
    const deleted = await watch.next();
    expect(deleted).toMatchObject({type: 'DELETED'});
    for (const text of [...answers.map(answer => answer.text), JSON.stringify([added, deleted])]) {
      expect(text).not.toContain(made.status.token);
      expect(text).not.toMatch(TOKEN);
    }
    watch.close();
  });
});

test('E-276 it cannot be changed, nor created by PUT or apply', async () => {
  const {metadata} = (await post('admin', {user: 'anna'})).body;
  const whole = (name: string): Body => ({
    ...{apiVersion: 'platform.io/v1alpha1', kind: 'AccessToken', metadata: {name}, spec: {user: 'admin'}},
  });
  for (const name of [metadata.name, freshName()]) {
    const at = `${PATH}/${name}`;
    const patch = (type: string, body: unknown) =>
      wire.as('admin', 'PATCH', at, {
        body: JSON.stringify(body),
        headers: {'content-type': type},
        query: {fieldManager: 'm'},
      });
    const answers = [
      await wire.as('admin', 'PUT', at, {body: whole(name)}),
      await patch(MERGE, {spec: {user: 'admin'}}),
      await patch(APPLY, whole(name)),
    ];
    expect(answers.map(({status}) => status)).toEqual([405, 405, 405]);
  }
});

describe('E-276 who may create one, by roles', () => {
  test('for a user and groups that they may impersonate', async () => {
    const answer = await post('alice', {user: 'anna', groups: ['dev']});
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.status).toMatchObject({createdBy: 'alice'});
  });

  test.each([
    ['another user', {user: 'admin'}, 'user "admin"'],
    ['another group', {user: 'anna', groups: ['dev', 'system:masters']}, 'group "system:masters"'],
    ['a UID', {user: 'anna', uid: 'admin-uid'}, 'uid "admin-uid"'],
    ['themselves with another group', {user: 'alice', groups: ['ops']}, 'user "alice", group "ops"'],
  ])('not for %s, also in a dry run', async (_, spec, missing) => {
    for (const query of [{}, {dryRun: 'All'}]) {
      const answer = await wire.as('alice', 'POST', PATH, {body: {metadata: {name: freshName()}, spec}, query});
      expect(answer.status).toBe(403);
      expect(answer.body.message).toContain(
        `user "alice" cannot create a token for ${missing}: it needs the verb "impersonate" on each of them`,
      );
    }
  });

  test('no user without the verb create', async () => {
    expect((await post('bob', {user: 'bob'})).status).toBe(403);
  });
});

test('E-276 selectors find the tokens of a user, and the object of a digest', async () => {
  const user = freshName();
  const one = (await post('admin', {user})).body;
  const names = async (fieldSelector: string): Promise<string[]> =>
    (await wire.as('admin', 'GET', PATH, {query: {fieldSelector}})).body.items.map(({metadata}: Body) => metadata.name);
  expect(await names(`spec.user=${user}`)).toEqual([one.metadata.name]);
  expect(await names(`status.digest=${one.status.digest}`)).toEqual([one.metadata.name]);
});
