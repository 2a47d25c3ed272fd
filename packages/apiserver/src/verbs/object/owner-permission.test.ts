// SPDX-License-Identifier: Apache-2.0
/** Ref: requirements E-195, E-251, E-257. */
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, expect, test} from 'vitest';
import type {Attributes} from '../../authz/authorizer.ts';
import {MemoryApi, type MemoryApiOptions, type Resource, sampleKind} from '../../testing/index.ts';

const things = sampleKind({group: '', kind: 'Thing'});
const boxes = sampleKind({group: '', kind: 'Box', resource: 'boxes', namespaced: false});
const OWNER = {apiVersion: 'v1', kind: 'Thing', name: 'owner', uid: 'u', blockOwnerDeletion: true};

let asked: string[] = [];
let api: MemoryApi;
const open = async (options: Partial<MemoryApiOptions> = {}): Promise<Resource> => {
  asked = [];
  const allows = ({user, verb, group, resource, namespace, name}: Attributes): boolean => {
    asked.push(`${verb} ${group}/${resource} ${namespace}/${name}`);
    return user.name === 'alice';
  };
  const resolver = {allows, rulesFor: () => ({rules: [], missing: [], errors: []}), rulesOf: () => undefined};
  const authorizer = {authorize: () => ({allowed: true}), resolver};
  api = await MemoryApi.open({kinds: [things, boxes], authorizer, ...options});
  return api.of(things);
};
afterEach(() => api[Symbol.asyncDispose]());

test.each<[string, object, string]>([
  ['in its namespace', {}, 'delete /things default/owner'],
  ['without a namespace', {kind: 'Box'}, 'delete /boxes /owner'],
  [
    'of a kind that is not served: the right to its whole group',
    {apiVersion: 'apps/v1', kind: 'Deployment'},
    'delete apps/* default/owner',
  ],
])('E-195 E-251 an owner is made to wait only with the right to delete it, %s', async (_, more, question) => {
  const own = await open();
  const ownerReferences = [{...OWNER, ...more}];
  const refused = await own.as('bob').post({name: 'a', ownerReferences});
  expect([refused.status, refused.body.details.causes]).toMatchObject([
    422,
    [{reason: 'FieldValueForbidden', field: 'metadata.ownerReferences[0].blockOwnerDeletion'}],
  ]);
  expect((await own.as('alice').post({name: 'a', ownerReferences})).status).toBe(201);
  expect(asked).toEqual([question, question]);
  await own.make({name: 'b', ownerReferences});
  for (const blockOwnerDeletion of [false, undefined])
    expect(
      (await own.as('bob').post({generateName: 'c', ownerReferences: [{...OWNER, blockOwnerDeletion}]})).status,
    ).toBe(201);
});

test.each([
  [{}, 200],
  [{name: 'another'}, 422],
  [{kind: 'Box'}, 422],
  [{uid: 'another'}, 422],
])('E-195 E-251 an update is asked only about what it newly sets: %j', async (change, status) => {
  const own = await open();
  await own.make({name: 'a', ownerReferences: [OWNER]});
  const metadata = {ownerReferences: [{...OWNER, ...change}], labels: {a: 'b'}};
  expect((await own.as('bob').merge('a', metadata)).status).toBe(status);
  await own.make({name: 'b', ownerReferences: [{...OWNER, blockOwnerDeletion: false}]});
  expect((await own.as('bob').merge('b', {ownerReferences: [OWNER]})).status).toBe(422);
});

test('E-195 E-257 upstream nobody is asked; core/v1 that it stored names the same owner later', async () => {
  const store = await openMemoryStore();
  const ownerReferences = [{...OWNER, apiVersion: 'core/v1'}];
  const upstream = await open({store, compat: 'kubernetes'});
  expect((await upstream.as('bob').post({name: 'a', ownerReferences})).status).toBe(201);
  await api.api.stop();
  const own = await open({store});
  const labelled = await own.as('bob').merge('a', {labels: {a: 'b'}});
  expect([labelled.status, labelled.body.metadata.ownerReferences[0].apiVersion, asked]).toEqual([200, 'v1', []]);
});
