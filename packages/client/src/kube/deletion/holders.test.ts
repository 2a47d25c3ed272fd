// SPDX-License-Identifier: Apache-2.0
import {shellWord} from '@palisade/ids-wire';
import {describe, expect, test} from 'vitest';
import type {KubeClient, ResourceType} from '../kube-client.ts';
import {KubeError} from '../kube-error.ts';
import type {ObjectMeta} from '../objects.ts';
import type {ServedKind} from '../served-kinds.ts';
import type {Condition, DeletionTarget} from './deletion.ts';
import {holdersOf} from './holders.ts';
import {NAMED_MAX} from './object-walk.ts';

const kind = (plural: string, verbs: string[] = ['create', 'delete', 'list']): ServedKind => ({
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
/** Whoever may not list these misses nothing. */
const quotas = kind('quotas', ['delete', 'get', 'list', 'watch']);
const events = {...kind('events'), group: ''};
const spaces = {...kind('namespaces'), group: '', namespaced: false};
const target: DeletionTarget = {
  kind: things,
  namespace: 'shop',
  name: 'owner',
  served: {kinds: [things, secrets, reviews, quotas, events], unread: []},
  connection: ' --server http://x',
  word: shellWord,
};
const REFERENCE = {apiVersion: 'example.com/v1', kind: 'things', name: 'owner', uid: 'u', blockOwnerDeletion: true};
const dependent = (name: string, namespace: string): ObjectMeta => ({
  name,
  namespace,
  uid: name,
  ownerReferences: [REFERENCE],
});
/** Pages of two; nothing but things may be listed. */
const clientOf = (all: readonly ObjectMeta[], asked: string[] = []): KubeClient => {
  const resource = ({plural}: ResourceType) => ({
    list: async (namespace: string, {continue: token = '0'}: {continue?: string}) => {
      asked.push(`${plural} ${namespace}`);
      if (plural !== 'things')
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
    expect(holder?.what).toMatch(/; not checked: secrets\.example\.com: not for you$/);
    expect(new Set(asked)).toEqual(new Set(['things shop', 'secrets shop']));
  });

  test('a dependent that names the owner from another namespace is found when there is none beside it', async () => {
    const [holder] = await holdersOf(clientOf([dependent('far', 'other')]), target, owner, NOW);
    expect(holder?.objects).toEqual([expect.objectContaining({namespace: 'other', name: 'far'})]);
  });

  test.each([[''], ['shop']])(
    'E-195 dependents that have its uid and name another object are told apart, with owner and dependents of %j',
    async namespace => {
      const odd = (name: string, change: object): ObjectMeta => ({
        ...dependent(name, 'shop'),
        ownerReferences: [{...REFERENCE, ...change}],
      });
      const misnamed = [odd('odd', {name: 'another'}), odd('other-kind', {kind: 'secrets'})];
      const of = {...target, namespace};
      const [both] = await holdersOf(clientOf([...misnamed, dependent('right', 'shop')]), of, owner, NOW);
      expect(both?.objects?.map(({name}) => name)).toEqual(['odd', 'other-kind', 'right']);
      expect(both?.what).toMatch(
        /^waits for 3 dependents with blockOwnerDeletion, 2 of them refer to its UID with another name, kind or namespace; these block it only with --compat kubernetes/,
      );
      const [none] = await holdersOf(clientOf([dependent('right', 'shop')]), of, owner, NOW);
      expect(none?.what).toMatch(/^waits for 1 dependent with blockOwnerDeletion; not checked/);
      const asked: string[] = [];
      const [alone] = await holdersOf(clientOf(misnamed, asked), of, owner, NOW);
      expect(alone?.what).toMatch(
        /^waits for 2 dependents with blockOwnerDeletion, which refer to its UID with another name/,
      );
      expect(alone?.next).toMatch(/palisade why-not-deleted \S+\/odd --namespace shop --server http:\/\/x\)/);
      expect(asked.filter(each => each.startsWith('things '))).toEqual([`things ${namespace}`]); // one walk
    },
  );

  test('names in a command that is advised are words of a shell', async () => {
    const [holder] = await holdersOf(clientOf([dependent('a;b $(c)', 'shop')]), target, owner, NOW);
    expect(holder?.next).toContain("palisade why-not-deleted 'things.example.com/a;b $(c)' --namespace shop");
    const odd = {...target, name: 'x y'};
    const held = {metadata: {...owner.metadata, finalizers: ['example.com/f']}};
    const [other] = await holdersOf(clientOf([]), odd, held, NOW);
    expect(other?.next).toContain("palisade confirm-deletion 'things.example.com/x y' --namespace shop --uid u");
  });

  test('that none was found is not taken for certain where kinds may not be listed', async () => {
    const [holder] = await holdersOf(clientOf([]), target, owner, NOW);
    expect(holder?.what).toMatch(/^no blocking dependent was found; not checked: secrets/);
    expect(holder?.next).toContain('user who may list');
  });

  test('a kind that was seen in the namespace is not told as unseen, but for what may name the owner from elsewhere', async () => {
    const refusing = clientOf([]);
    const resource = (type: ResourceType) => ({
      list: (namespace: string, options: object) =>
        refusing.resource(namespace === '' ? secrets : type).list(namespace, options),
    });
    const narrow = {...target, served: {kinds: [things], unread: []}};
    const [holder] = await holdersOf({resource} as unknown as KubeClient, narrow, owner, NOW);
    expect(holder?.what).toMatch(/not checked: things\.example\.com outside shop: not for you$/);
  });

  test('the server orphans: no refusal is told, the number is a least one', async () => {
    const orphaned = {metadata: {...owner.metadata, finalizers: ['orphan']}};
    const [holder] = await holdersOf(clientOf([dependent('a', 'shop')]), target, orphaned, NOW);
    expect(holder?.what).toBe('the server removes the references to it from its dependents (at least 1 left)');
  });

  test('a kind that is not served any more, or that nobody can list, hides nothing', async () => {
    for (const code of [404, 405]) {
      const status = {code, reason: 'x', message: 'm', causes: []};
      const gone = {resource: () => ({list: () => Promise.reject(new KubeError(status))})} as unknown as KubeClient;
      const [holder] = await holdersOf(gone, target, owner, NOW);
      expect(holder?.what).toBe('no blocking dependent was found');
    }
  });

  describe('a namespace', () => {
    const goes = (conditions: Condition[], finalizers = ['kubernetes']) => ({
      metadata: {uid: 'u', deletionTimestamp: '2026-01-31T12:00:00Z'},
      spec: {finalizers},
      status: {conditions},
    });
    const space: DeletionTarget = {...target, kind: spaces, namespace: '', name: 'shop'};
    const content = async (object: ReturnType<typeof goes>, unread: DeletionTarget['served']['unread'] = []) => {
      const holders = await holdersOf(
        clientOf([{name: 'a', namespace: 'shop'}]),
        {...space, served: {...space.served, unread}},
        object,
        NOW,
      );
      return holders.find(({holder}) => holder === 'content')?.what;
    };
    const remaining = (message: string, status = 'True') => ({type: 'NamespaceContentRemaining', status, message});
    const failed = {type: 'NamespaceDeletionContentFailure', status: 'True'};
    const [THINGS, SECRETS] = [
      'things.example.com has 1 resource instances',
      'secrets.example.com has 2 resource instances',
    ];
    const other = {what: 'other.example.com/v1', why: 'no'};

    test.each([
      ['the server says nothing', [], /secrets\.example\.com: not for you; events: not for you$/],
      ['it failed itself', [failed, remaining(THINGS)], /secrets\.example\.com: not for you; events/],
      ['it names others', [remaining(`Some resources are remaining: ${THINGS}`)], /^the namespace contains 1 object$/],
      ['it names one of them', [remaining(`Some: ${SECRETS}, ${THINGS}`)], /secrets\.example\.com: not for you$/],
      ['it says that nothing is left', [remaining('gone', 'False')], /^the namespace contains 1 object$/],
    ])('%s: refusals of kinds that it does not name are not told', async (_, conditions, expected) => {
      expect(await content(goes(conditions))).toMatch(expected);
    });

    test('groups that could not be read count when it names a kind that is not known', async () => {
      expect(await content(goes([remaining(THINGS)]), [other])).toBe('the namespace contains 1 object');
      expect(await content(goes([remaining('toys.other.example.com has 1 resource instances')]), [other])).toMatch(
        /not checked: other\.example\.com\/v1: no$/,
      );
    });

    test('its content holds it only as long as the server does', async () => {
      expect(await content(goes([], ['example.com/x']))).toBeUndefined();
    });
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
