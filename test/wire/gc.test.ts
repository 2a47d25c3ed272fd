// SPDX-License-Identifier: Apache-2.0
/** Garbage collection as clients of every kind see it. Its rules one by one: packages/apiserver/src/controllers/garbage-collector.test.ts. */
import {deletionTimers, garbageCollection} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {FIXTURES, forEachKind, Objects} from './kinds/index.ts';
import type {Body} from './support.ts';

const server = () => ({controllers: [garbageCollection, deletionTimers]});

forEachKind(
  'owners and dependents',
  objects => {
    const create = (ownerReferences: readonly object[], finalizers: readonly string[] = []): Promise<Body> =>
      objects.create({ownerReferences, finalizers});
    const remove = ({metadata}: Body, propagationPolicy?: string) =>
      objects.remove(metadata.name, propagationPolicy === undefined ? {} : {propagationPolicy});
    const read = async ({metadata}: Body) => (await objects.get(metadata.name)).body.metadata;
    const gone = ({metadata}: Body) => objects.gone(metadata.name);

    test('E-152 E-153 E-198 an object goes in the background with the last of its owners', async () => {
      const [first, second] = [await create([]), await create([])];
      const dependent = await create([objects.refTo(first), objects.refTo(second)]);
      await remove(first);
      await expect.poll(async () => (await read(dependent)).ownerReferences).toEqual([objects.refTo(second)]);
      await remove(second);
      await gone(dependent);
    });

    test('E-190 E-197 an owner is the one with that uid', async () => {
      const owner = await create([]);
      await gone(await create([objects.refTo(owner, {uid: '00000000-0000-4000-8000-000000000001'})]));
      expect((await objects.get(owner.metadata.name)).status).toBe(200);
    });

    test('E-192 E-193 E-194 E-196 Foreground: the owner waits for the dependent that blocks it, and for no other', async () => {
      const owner = await create([]);
      const blocking = await create([objects.refTo(owner, {blockOwnerDeletion: true})], ['example.com/slow']);
      const other = await create([objects.refTo(owner, {controller: true})], ['example.com/slow']);
      await remove(owner, 'Foreground');
      for (const each of [blocking, other])
        await expect.poll(async () => (await read(each)).deletionTimestamp).toBeTypeOf('string');
      expect((await read(owner)).finalizers).toEqual(['foregroundDeletion']);
      await objects.merge(blocking.metadata.name, {finalizers: null});
      await gone(owner);
      expect((await read(other)).ownerReferences).toEqual([objects.refTo(owner, {controller: true})]);
      await objects.merge(other.metadata.name, {finalizers: null});
    });

    test('E-198 Orphan: the dependents stay and lose the reference', async () => {
      const owner = await create([]);
      const dependent = await create([objects.refTo(owner)]);
      await remove(owner, 'Orphan');
      await gone(owner);
      expect((await read(dependent)).ownerReferences).toBeUndefined();
    });

    const others = FIXTURES.map(fixture => new Objects(fixture, () => objects.wire));
    test.each(others.filter(other => objects.namespaced || !other.namespaced))(
      'E-153 an object of any kind takes it along: $kindText',
      async owners => {
        const owner = await owners.create();
        const dependent = await create([owners.refTo(owner)]);
        await owners.remove(owner.metadata.name, {propagationPolicy: 'Foreground'});
        await owners.gone(owner.metadata.name);
        await gone(dependent);
      },
    );
  },
  {server, modes: ['spec']},
);
