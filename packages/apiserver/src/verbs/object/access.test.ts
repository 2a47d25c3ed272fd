// SPDX-License-Identifier: Apache-2.0
/** When a kind is asked whether a user may write to an object at all. Ref: issue 46, point 3; invariant 6. */
import {afterEach, beforeEach, expect, test} from 'vitest';
import {forbidden} from '../../base/status-error.ts';
import type {WriteAccess} from '../../kind/kind.ts';
import {type Body, MemoryApi, type Reply, type Resource, sampleKind} from '../../testing/index.ts';

const {strategy} = sampleKind();
const asked: string[] = [];
let refused = false;
const kind = sampleKind({
  strategy: {
    ...strategy,
    access: async ({to, namespace, name, current}: WriteAccess): Promise<void> => {
      await Promise.resolve();
      asked.push(`${to} ${namespace}/${name}${current === undefined ? '' : ' found'}`);
      if (refused) throw forbidden({group: 'example.com', resource: 'things'}, name, 'refused');
    },
    validateUpdate: () => {
      asked.push('validate');
      return [];
    },
  },
});

let api: MemoryApi;
let things: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [kind]});
  things = api.of(kind);
  refused = false;
  await things.make({name: 'a'});
  asked.length = 0;
});
afterEach(() => api[Symbol.asyncDispose]());

test.each<[string, () => Promise<Reply>, readonly string[]]>([
  ['PUT', () => things.put('a', {}), ['change default/a found', 'validate']],
  ['a patch', () => things.merge('a', {labels: {a: '1'}}), ['change default/a found', 'validate']],
  ['apply', () => things.apply('m', 'a'), ['change default/a found', 'validate']],
  ['POST', () => things.post({name: 'b'}), ['create default/b']],
  ['POST of what is there', () => things.post({name: 'a'}), ['create default/a found']],
  ['a PUT that creates', () => things.put('b', {}), ['change default/b', 'create default/b']],
  ['an apply that creates', () => things.apply('m', 'b'), ['change default/b', 'create default/b']],
  ['DELETE', () => things.remove('a'), ['delete default/a found']],
  ['DELETE of what is not there', () => things.remove('b'), ['delete default/b']],
  [
    'DELETE of all',
    () => things.send('deletecollection', ''),
    ['delete default/', 'delete default/a found', 'delete default/a found'],
  ],
])('46-3 %s asks for access before everything else', async (_, write, order) => {
  await write();
  expect(asked).toEqual(order);
});

test('46-3 nothing of the object is said or done where access is refused', async () => {
  refused = true;
  const JSON_TEST = [{op: 'test', path: '/metadata/name', value: 'x'}];
  const replies = [
    await things.patch('a', 'json', JSON_TEST),
    await things.put('a', {metadata: {name: 'a', uid: 'x'}}),
    await things.put('a', {metadata: {name: 'a', resourceVersion: '1'}}),
    await things.remove('a', {preconditions: {uid: 'x'}}),
    await things.send('deletecollection', ''),
    await things.post({name: 'a'}),
  ];
  expect(replies.map(({status}) => status)).toEqual(replies.map(() => 403));
  expect(asked).not.toContain('validate');
  refused = false;
  expect(await things.names()).toEqual(['a']);
});

test('46-3 a generated name is asked for as it was generated', async () => {
  const {metadata}: Body = await things.make({generateName: 'g-'});
  expect(asked).toEqual([`create default/${metadata.name}`]);
});
