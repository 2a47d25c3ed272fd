// SPDX-License-Identifier: Apache-2.0
import {afterEach, expect, test} from 'vitest';
import type {KubeObject} from '../../base/object.ts';
import {MemoryApi, sampleKind} from '../../testing/index.ts';
import {strategyContext} from './request-context.ts';

const things = sampleKind();
/** The same objects, with other content. */
const views = sampleKind({
  kind: 'View',
  storedAs: {
    kind: things,
    toStored: ({metadata: _, ...content}: KubeObject) => ({...content}),
    fromStored: () => ({subsets: [{notReadyAddresses: [{ip: '10.0.0.1'}]}]}),
  },
});
const reviews = sampleKind({kind: 'Review', verbs: ['create'], review: async () => ({metadata: {}}) as never});

let api: MemoryApi;
afterEach(() => api[Symbol.asyncDispose]());

test('45-1 a hook finds objects in the form of the kind it names, and none of a kind that has none', async () => {
  api = await MemoryApi.open({kinds: [things, views, reviews]});
  await api.of(things).make({name: 'a'});
  const {stored} = strategyContext(api.api.contextFor(things, 'default'));
  expect(stored(things, 'default', 'a')).not.toHaveProperty('subsets');
  expect(stored(views, 'default', 'a')).toHaveProperty('subsets');
  expect(stored(reviews, 'default', 'a')).toBeUndefined();
  expect(stored({group: 'absent.io', resource: 'things'}, 'default', 'a')).toBeUndefined();
});
