// SPDX-License-Identifier: Apache-2.0
import {type KubeClient, KubeError, type ObjectMeta, type ResourceType} from '@palisade/client';
import {describe, expect, test} from 'vitest';
import {holdersOf} from './holders.ts';
import type {Target} from './kube-target.ts';
import {NAMED_MAX} from './object-walk.ts';
import type {ServedKind} from './served-kinds.ts';

const kind = (plural: string, verbs: string[] = ['list']): ServedKind => ({
  group: 'example.com',
  version: 'v1',
  plural,
  kind: plural,
  singular: plural,
  shortNames: [],
  namespaced: true,
  verbs,
});
const [things, secrets, reviews] = [kind('things'), kind('secrets'), kind('reviews', ['create'])];
const target: Target = {
  kind: things,
  namespace: 'shop',
  name: 'owner',
  served: {kinds: [things, secrets, reviews], unread: []},
};
const dependent = (name: string, namespace: string): ObjectMeta => ({
  name,
  namespace,
  uid: name,
  ownerReferences: [{apiVersion: 'example.com/v1', kind: 'things', name: 'owner', uid: 'u', blockOwnerDeletion: true}],
});
/** Pages of two; `secrets` may not be listed. */
const clientOf = (all: readonly ObjectMeta[], asked: string[] = []): KubeClient => {
  const resource = ({plural}: ResourceType) => ({
    list: async (namespace: string, {continue: token = '0'}: {continue?: string}) => {
      asked.push(`${plural} ${namespace}`);
      if (plural === 'secrets')
        throw new KubeError({code: 403, reason: 'Forbidden', message: 'not for you', causes: []});
      const found = all.filter(object => namespace === '' || object.namespace === namespace);
      const next = Number(token) + 2;
      const items = found.slice(Number(token), next).map(metadata => ({metadata}));
      return {items, metadata: next < found.length ? {continue: String(next)} : {}};
    },
  });
  return {resource} as unknown as KubeClient;
};
const owner = {metadata: {uid: 'u', deletionTimestamp: '2026-01-31T12:00:30Z', finalizers: ['foregroundDeletion']}};
const NOW = Date.parse('2026-01-31T12:00:00Z');

describe('holdersOf', () => {
  test('E-193 page by page; kinds that may not be listed are named, those that cannot be are left out', async () => {
    const asked: string[] = [];
    const all = ['a', 'b', 'c'].map(name => dependent(name, 'shop'));
    const [holder] = await holdersOf(clientOf(all, asked), target, owner, NOW);
    expect(holder?.objects?.map(object => object.name)).toEqual(['a', 'b', 'c']);
    expect(holder?.what).toContain('could not be looked through: secrets.example.com: not for you');
    expect(new Set(asked)).toEqual(new Set(['things shop', 'secrets shop']));
  });

  test('a dependent that names the owner from another namespace is found when there is none beside it', async () => {
    const [holder] = await holdersOf(clientOf([dependent('far', 'other')]), target, owner, NOW);
    expect(holder?.objects).toEqual([expect.objectContaining({namespace: 'other', name: 'far'})]);
  });

  test('that none was found is not taken for certain where kinds may not be listed', async () => {
    const [holder] = await holdersOf(clientOf([]), target, owner, NOW);
    expect(holder?.what).toMatch(/^no dependent that blocks it was found; could not be looked through: secrets/);
    expect(holder?.next).toContain('right to list');
  });

  test('many are counted, and named up to a limit', async () => {
    const all = Array.from({length: NAMED_MAX + 5}, (_, i) => dependent(`d${i}`, 'shop'));
    const [holder] = await holdersOf(clientOf(all), target, owner, NOW);
    expect(holder?.objects).toHaveLength(NAMED_MAX);
    expect(holder?.more).toBe(5);
  });

  test('E-233 the grace period holds until the deletion timestamp', async () => {
    const graceful = {
      metadata: {uid: 'u', deletionTimestamp: '2026-01-31T12:00:30Z', deletionGracePeriodSeconds: 60},
    };
    const holders = await holdersOf(clientOf([]), target, graceful, NOW);
    expect(holders).toEqual([
      expect.objectContaining({holder: 'grace period', what: expect.stringMatching('in 30 s')}),
    ]);
    expect(await holdersOf(clientOf([]), target, graceful, NOW + 31_000)).toEqual([]);
  });
});
