// SPDX-License-Identifier: Apache-2.0
/** Ref: requirements E-152, E-153, E-190 to E-199. */
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {type Body, MemoryApi, type MemoryApiOptions, type Resource, sampleKind} from '../testing/index.ts';
import {garbageCollection} from './garbage-collector.ts';

const things = sampleKind({group: '', kind: 'Thing'});
const boxes = sampleKind({kind: 'Box', resource: 'boxes', namespaced: false});
const readOnly = sampleKind({kind: 'Sealed', verbs: ['get', 'list', 'watch']});
const UNKNOWN = {apiVersion: 'example.com/v1', kind: 'Nobody', name: 'x', uid: 'u'};
const SLOW = {finalizers: ['example.com/slow']};
const BLOCKING = {blockOwnerDeletion: true};

let api: MemoryApi;
let own: Resource;
const open = async (options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  api = await MemoryApi.open({kinds: [things, boxes, readOnly], controllers: [garbageCollection], ...options});
  own = api.of(things);
};
afterEach(() => api[Symbol.asyncDispose]());

let serial = 0;
const make = async (ownerReferences: readonly object[] = [], metadata: object = {}): Promise<Body> =>
  (await own.make({name: `n${serial++}`, ownerReferences, ...metadata})).metadata;
const ref = (owner: Body, more: object = {}): object => own.refTo(owner, more);
const absent = (uid = 'gone'): object => ref({name: 'no', uid});
const remove = async ({name}: Body, propagationPolicy?: string): Promise<void> => {
  await own.remove(name, propagationPolicy === undefined ? {} : {propagationPolicy});
  await api.settle();
};
const merge = async ({name}: Body, metadata: object): Promise<void> => {
  await own.merge(name, metadata);
  await api.settle();
};
/** Once the collector has nothing left to do: the metadata, or undefined. */
const now = async ({name}: Body): Promise<Body> => {
  await api.settle();
  return (await own.get(name))?.metadata;
};
const ownersOf = async (object: Body): Promise<Body> => (await now(object)).ownerReferences;

describe('which owners count', () => {
  test('E-152 E-153 an object with two owners stays while one exists and goes with the last', async () => {
    await open();
    const [first, second] = [await make(), await make()];
    const dependent = await make([ref(first), ref(second)]);
    await remove(first);
    expect(await ownersOf(dependent)).toEqual([ref(second)]);
    await remove(second);
    expect(await now(dependent)).toBeUndefined();
  });

  test.each<{what: string; reference: (owner: Body) => object; goes: 'at once' | 'with it' | 'never'}>([
    {what: 'of that name and uid', reference: owner => ref(owner), goes: 'with it'},
    {
      what: 'whose kind is in lower case, as upstream maps it',
      reference: owner => ref(owner, {kind: 'thing'}),
      goes: 'with it',
    },
    {what: 'whose group is named core', reference: owner => ref(owner, {apiVersion: 'core/v1'}), goes: 'with it'},
    {what: 'of that name and another uid', reference: owner => ref(owner, {uid: 'another'}), goes: 'at once'},
    {what: 'that never was', reference: () => absent(), goes: 'at once'},
    {what: 'whose kind is not served', reference: () => UNKNOWN, goes: 'never'},
    {what: 'whose kind holds no objects here', reference: () => ({...UNKNOWN, kind: 'Sealed'}), goes: 'never'},
  ])('E-190 E-197 E-257 the dependent of an owner $what goes $goes', async ({reference, goes}) => {
    await open();
    const owner = await make();
    const dependent = await make([reference(owner)]);
    if (goes !== 'at once') {
      expect(await now(dependent)).toBeDefined();
      await remove(owner);
    }
    expect((await now(dependent)) !== undefined).toBe(goes === 'never');
  });

  test('E-197 an owner in another namespace, or in one where the dependent has none', async () => {
    await open();
    const elsewhere = (await own.in('other').make({name: 'elsewhere'})).metadata;
    expect(await now(await make([ref(elsewhere)]))).toBeUndefined();
    const box = api.of(boxes);
    await box.make({name: 'kept', ownerReferences: [absent()]});
    await box.make({name: 'lost', ownerReferences: [box.refTo({name: 'no', uid: 'u'})]});
    await api.settle();
    expect(await box.names()).toEqual(['kept']);
  });

  test('E-153 an object goes with an owner of another kind, which has no namespace', async () => {
    await open();
    const box = api.of(boxes);
    const {metadata} = await box.make({name: 'box'});
    const dependent = await make([box.refTo(metadata)]);
    expect(await now(dependent)).toBeDefined();
    await box.remove('box', {propagationPolicy: 'Foreground'});
    expect(await now(dependent)).toBeUndefined();
    expect(await box.names()).toEqual([]);
  });

  test('E-197 a reference that keeps its uid and changes its name stays until that owner goes', async () => {
    await open();
    const owner = await make();
    const dependent = await make([ref(owner)]);
    await merge(dependent, {ownerReferences: [ref(owner, {name: 'another'})], labels: {a: 'b'}});
    expect(await ownersOf(dependent)).toEqual([ref(owner, {name: 'another'})]);
    await remove(owner);
    expect(await now(dependent)).toBeUndefined();
  });

  test('E-153 E-197 what was left alone for an owner that cannot be judged goes when that reference does', async () => {
    await open();
    for (const owners of [[absent()], [absent(), absent('new')]]) {
      const left = await make([absent(), UNKNOWN]);
      expect(await ownersOf(left)).toEqual([absent(), UNKNOWN]);
      await merge(left, {ownerReferences: owners});
      expect(await now(left)).toBeUndefined();
    }
  });

  test('E-197 an owner that waits is not held up by one that cannot be judged', async () => {
    await open();
    const owner = await make();
    const released = await make([ref(owner, BLOCKING), UNKNOWN]);
    await remove(owner, 'Foreground');
    expect(await now(owner)).toBeUndefined();
    expect(await ownersOf(released)).toEqual([UNKNOWN]);
  });
});

describe('propagation', () => {
  test('E-198 Background, the default: the owner goes at once, the dependents after it', async () => {
    await open();
    const owner = await make();
    const dependents = [await make([ref(owner)]), await make([ref(owner, {controller: true})])];
    await own.remove(owner.name);
    expect(await own.get(owner.name)).toBeUndefined();
    for (const dependent of dependents) expect(await now(dependent)).toBeUndefined();
  });

  test('E-198 Orphan: the dependents stay and lose the reference, as the collector writes it', async () => {
    await open();
    const owner = await make();
    const dependent = await make([ref(owner)]);
    await remove(owner, 'Orphan');
    expect(await now(owner)).toBeUndefined();
    expect(await ownersOf(dependent)).toBeUndefined();
  });

  test.each<[string, (dependent: Body, owner: Body) => Promise<void>]>([
    ['goes', dependent => merge(dependent, {finalizers: null})],
    ['no longer names it', dependent => merge(dependent, {ownerReferences: null})],
    ['no longer blocks it', (dependent, owner) => merge(dependent, {ownerReferences: [ref(owner)]})],
  ])('E-193 Foreground: the owner waits for a dependent that blocks it, until that %s', async (_, release) => {
    await open();
    const owner = await make();
    const dependent = await make([ref(owner, BLOCKING)], SLOW);
    await remove(owner, 'Foreground');
    expect((await now(dependent)).deletionTimestamp).toBeTypeOf('string');
    expect((await now(owner)).finalizers).toEqual(['foregroundDeletion']);
    await release(dependent, owner);
    expect(await now(owner)).toBeUndefined();
  });

  test('E-192 E-194 Foreground: a dependent that does not block holds nobody up', async () => {
    await open();
    const owner = await make();
    const dependent = await make([ref(owner)], SLOW);
    await remove(owner, 'Foreground');
    expect(await now(owner)).toBeUndefined();
    expect((await now(dependent)).deletionTimestamp).toBeTypeOf('string');
  });

  test.each(['spec', 'kubernetes'] as const)(
    'E-193 E-195 E-197 Foreground: who has the uid of the owner and names another blocks it only upstream, --compat %s',
    async compat => {
      await open({compat});
      const owner = await make();
      const dependent = await make([ref(owner, {...BLOCKING, name: 'another'}), UNKNOWN]);
      await remove(owner, 'Foreground');
      expect((await now(owner)) === undefined).toBe(compat === 'spec');
      await remove(dependent);
      expect(await now(owner)).toBeUndefined();
    },
  );

  test('E-195 E-197 Foreground: nor does one in another namespace', async () => {
    await open();
    const owner = (await own.in('other').make({name: 'waiting'})).metadata;
    await make([ref(owner, BLOCKING)], SLOW);
    await own.in('other').remove('waiting', {propagationPolicy: 'Foreground'});
    await api.settle();
    expect(await own.in('other').get('waiting')).toBeUndefined();
  });

  test.each([true, false, undefined])(
    'E-193 two objects that own each other do not wait for ever; the circle no longer blocks (%s)',
    async blockOwnerDeletion => {
      await open();
      const [a, b] = [await make(), await make([], SLOW)];
      await merge(a, {ownerReferences: [ref(b, {blockOwnerDeletion})]});
      await merge(b, {ownerReferences: [ref(a, {blockOwnerDeletion})]});
      await remove(a, 'Foreground');
      expect(await now(a)).toBeUndefined();
      expect(await ownersOf(b)).toEqual([ref(a, blockOwnerDeletion === undefined ? {} : {blockOwnerDeletion: false})]);
      await merge(b, {finalizers: null});
      expect(await now(b)).toBeUndefined();
    },
  );
});

describe('over a restart', () => {
  test.each(['spec', 'kubernetes'] as const)(
    'E-199 E-257 a start looks at everything that is there, also at what --compat %s stored',
    async compat => {
      const store = await openMemoryStore();
      await open({store, compat, controllers: []});
      const owner = await make();
      const dependents = [await make([ref(owner)]), await make([ref({name: 'no', uid: 'u'}, {apiVersion: 'core/v1'})])];
      const waiting = await make([], SLOW);
      await remove(owner);
      await remove(waiting, 'Foreground');
      await merge(waiting, {finalizers: ['foregroundDeletion']});
      expect(await now(dependents[1])).toBeDefined();
      await api.api.stop();
      await open({store});
      for (const each of [...dependents, waiting]) expect(await now(each)).toBeUndefined();
    },
  );
});
