// SPDX-License-Identifier: Apache-2.0
/** Owner references and garbage collection. Ref: requirements E-152, E-153, E-190 to E-198. */
import {deletionTimers, garbageCollection} from '@palisade/apiserver';
import {openMemoryStore} from '@palisade/store/memory';
import {describe, expect, test} from 'vitest';
import {clusterScoped, FIXTURES, forEachKind, namespaced, Objects, servedKinds} from './kinds/index.ts';
import {type Body, keepOpen, startWire, type WireClient} from './support.ts';

const UNKNOWN = {apiVersion: 'example.com/v1', kind: 'Thing', name: 'x', uid: 'u'};
const server = () => ({controllers: [garbageCollection, deletionTimers]});

forEachKind(
  'owners and dependents of one kind',
  objects => {
    const create = (...ownerReferences: readonly object[]): Promise<Body> => objects.create({ownerReferences});
    const status = async ({metadata}: Body) => (await objects.get(metadata.name)).status;
    const gone = ({metadata}: Body) => objects.gone(metadata.name);
    const read = async ({metadata}: Body) => (await objects.get(metadata.name)).body.metadata;
    const remove = ({metadata}: Body, propagationPolicy?: string) =>
      objects.remove(metadata.name, propagationPolicy === undefined ? {} : {propagationPolicy});
    const merge = ({metadata}: Body, change: Record<string, unknown>) => objects.merge(metadata.name, change);
    const {refTo} = {refTo: (owner: Body, more: object = {}) => objects.refTo(owner, more)};
    const blocking = {blockOwnerDeletion: true};
    /** A dependent that does not go by itself. */
    const held = (owner: Body, more: object = {}) =>
      objects.create({finalizers: ['example.com/slow'], ownerReferences: [refTo(owner, more)]});
    const marked = (dependent: Body) =>
      expect.poll(async () => (await read(dependent)).deletionTimestamp, {timeout: 10_000}).toBeTypeOf('string');

    describe('owners', () => {
      test('E-152 E-153 an object with two owners stays while one exists and goes with the last', async () => {
        const [first, second] = [await create(), await create()];
        const dependent = await create(refTo(first), refTo(second));
        await remove(first);
        await expect
          .poll(async () => (await read(dependent)).ownerReferences, {timeout: 10_000})
          .toEqual([refTo(second)]);
        await remove(second);
        await gone(dependent);
      });

      test('E-190 E-197 an owner is the one with that uid: another object of the same name is none', async () => {
        const owner = await create();
        await gone(await create(refTo(owner, {uid: '00000000-0000-4000-8000-000000000001'})));
        expect(await status(owner)).toBe(200);
      });

      test('E-197 a reference that keeps its uid and changes its name stays until that owner goes', async () => {
        const owner = await create();
        const dependent = await create(refTo(owner));
        const renamed = [refTo(owner, {name: 'another'})];
        expect((await merge(dependent, {ownerReferences: renamed})).status).toBe(200);
        await merge(dependent, {labels: {a: 'b'}});
        for (const last of [1, 2]) // the collector has passed by
          await gone(await create(refTo(owner, {uid: `00000000-0000-4000-8000-00000000000${last}`})));
        expect((await read(dependent)).ownerReferences).toEqual(renamed);
        await remove(owner);
        await gone(dependent);
      });

      test.each([
        ['is not served', UNKNOWN],
        ['is served, but holds no objects', {...UNKNOWN, apiVersion: 'v1', kind: 'Service'}],
      ])('E-197 an owner whose kind %s counts as existing', async (_, owner) => {
        const kept = await create(owner);
        const no = refTo({kind: objects.fixture.definition.kind, metadata: {name: 'no', uid: 'u'}});
        await gone(await create(no)); // the collector has passed by
        expect(await status(kept)).toBe(200);
      });

      test('E-153 E-197 what was left alone for an owner that cannot be judged goes when that reference does', async () => {
        const absent = refTo({kind: objects.fixture.definition.kind, metadata: {name: 'no', uid: 'gone'}});
        const named = {...absent, uid: 'new'}; // judged anyway; with the old one alone the left one has to be known
        for (const owners of [[absent], [absent, named]]) {
          const left = await create(absent, UNKNOWN);
          await gone(await create(named)); // the collector has passed by
          expect(await status(left)).toBe(200);
          await merge(left, {ownerReferences: owners});
          await gone(left);
        }
      });

      test('E-197 beside an owner that cannot be judged no reference is taken out, but none that waits is held up', async () => {
        const no = refTo({kind: objects.fixture.definition.kind, metadata: {name: 'no', uid: 'u'}});
        const kept = await create(no, UNKNOWN);
        await gone(await create(no)); // the collector has passed by
        expect((await read(kept)).ownerReferences).toEqual([no, UNKNOWN]);
        const owner = await create();
        const released = await create(refTo(owner, {blockOwnerDeletion: true}), UNKNOWN);
        await remove(owner, 'Foreground');
        await gone(owner);
        expect((await read(released)).ownerReferences).toEqual([UNKNOWN]);
      });

      test('E-197 the kind of an owner may be in lower case, as upstream maps it', async () => {
        const owner = await create();
        const dependent = await create(refTo(owner, {kind: objects.fixture.definition.kind.toLowerCase()}));
        await gone(await create(refTo({kind: objects.fixture.definition.kind, metadata: {name: 'no', uid: 'u'}})));
        expect(await status(dependent)).toBe(200);
        await remove(owner);
        await gone(dependent);
      });

      test('E-192 E-196 blockOwnerDeletion and controller are kept as written; absent is false', async () => {
        const owner = await create();
        const dependent = await create(refTo(owner, {controller: true}));
        expect(dependent.metadata.ownerReferences).toEqual([refTo(owner, {controller: true})]);
        await remove(owner, 'Foreground');
        await gone(owner);
      });
    });

    describe('propagation', () => {
      test('E-198 Background is the default: the owner goes at once, the dependents after it', async () => {
        const owner = await create();
        const dependents = [await create(refTo(owner)), await create(refTo(owner))];
        await remove(owner);
        expect(await status(owner)).toBe(404);
        for (const dependent of dependents) await gone(dependent);
      });

      test('E-193 Foreground: the owner waits for a dependent that blocks it', async () => {
        const owner = await create();
        const dependent = await held(owner, blocking);
        await remove(owner, 'Foreground');
        await marked(dependent);
        expect((await read(owner)).finalizers).toEqual(['foregroundDeletion']);
        await merge(dependent, {finalizers: null});
        await gone(owner);
        await gone(dependent);
      });

      test('E-193 the owner is let go when the reference is taken out instead', async () => {
        const owner = await create();
        const dependent = await held(owner, blocking);
        await remove(owner, 'Foreground');
        await marked(dependent);
        await merge(dependent, {ownerReferences: null});
        await gone(owner);
        await merge(dependent, {finalizers: null});
      });

      test('E-193 E-195 E-197 Foreground: a reference that has the uid of the owner and names another does not block it', async () => {
        const owner = await create();
        const named = refTo(owner, {...blocking, name: 'another'});
        const dependent = await create(named, UNKNOWN);
        await remove(owner, 'Foreground');
        await gone(owner);
        expect((await read(dependent)).ownerReferences).toEqual([named, UNKNOWN]);
      });

      test('E-194 Foreground: a dependent that does not block holds nobody up', async () => {
        const owner = await create();
        const dependent = await held(owner);
        await remove(owner, 'Foreground');
        await gone(owner);
        expect(await status(dependent)).toBe(200);
        await merge(dependent, {finalizers: null});
        await gone(dependent);
      });

      test('E-198 Orphan: the dependents stay and lose the reference', async () => {
        const owner = await create();
        const dependent = await create(refTo(owner));
        await remove(owner, 'Orphan');
        await gone(owner);
        expect((await read(dependent)).ownerReferences).toBeUndefined();
      });

      test('E-193 two objects that own each other do not wait for each other for ever', async () => {
        const [a, b] = [await create(), await create()];
        await merge(a, {ownerReferences: [refTo(b, blocking)]});
        await merge(b, {ownerReferences: [refTo(a, blocking)]});
        await remove(a, 'Foreground');
        await gone(a);
        await gone(b);
      });

      test('E-193 what belongs to a circle no longer blocks, and says so; what blocked nothing is left as it is', async () => {
        for (const blockOwnerDeletion of [true, false, undefined]) {
          const a = await create();
          const b = await objects.create({finalizers: ['example.com/x']});
          await merge(a, {ownerReferences: [refTo(b, {blockOwnerDeletion})]});
          await merge(b, {ownerReferences: [refTo(a, {blockOwnerDeletion})]});
          await remove(a, 'Foreground');
          await gone(a);
          const now = blockOwnerDeletion === true ? false : blockOwnerDeletion;
          expect((await read(b)).ownerReferences).toEqual([
            refTo(a, now === undefined ? {} : {blockOwnerDeletion: now}),
          ]);
          await merge(b, {finalizers: null});
          await gone(b);
        }
      });
    });
  },
  {server, modes: ['spec']},
);

forEachKind(
  'owners that are named wrongly',
  objects => {
    test('E-193 the uid alone makes an owner wait, as upstream, and it is let go when that dependent is gone', async () => {
      const owner = await objects.create();
      const named = objects.refTo(owner, {blockOwnerDeletion: true, name: 'another'});
      const dependent = await objects.create({ownerReferences: [named, UNKNOWN]});
      await objects.remove(owner.metadata.name, {propagationPolicy: 'Foreground'});
      const no = objects.refTo({kind: objects.fixture.definition.kind, metadata: {name: 'no', uid: 'u'}});
      await objects.gone((await objects.create({ownerReferences: [no]})).metadata.name); // the collector has passed by
      expect((await objects.get(owner.metadata.name)).status).toBe(200);
      await objects.remove(dependent.metadata.name);
      await objects.gone(owner.metadata.name);
    });
  },
  {server, modes: ['kubernetes']},
);

forEachKind(
  'owners of other kinds',
  objects => {
    const others = FIXTURES.map(fixture => new Objects(fixture, () => objects.wire));

    test.each(others.filter(other => objects.namespaced || !other.namespaced))(
      'E-153 an object of any kind takes it along: $kindText',
      async owners => {
        const owner = await owners.create();
        const dependent = await objects.create({ownerReferences: [owners.refTo(owner)]});
        await owners.remove(owner.metadata.name, {propagationPolicy: 'Foreground'});
        await owners.gone(owner.metadata.name);
        await objects.gone(dependent.metadata.name);
      },
    );
  },
  {server, modes: ['spec']},
);

forEachKind(
  'owners and namespaces',
  objects => {
    test('E-197 an owner in another namespace does not exist for the dependent', async () => {
      const {body} = await objects.wire.send('POST', objects.in('two'), {body: objects.body('elsewhere')});
      await objects.gone((await objects.create({ownerReferences: [objects.refTo(body)]})).metadata.name);
    });

    test('E-195 E-197 and does not wait for it', async () => {
      const {body: owner} = await objects.wire.send('POST', objects.in('two'), {body: objects.body('waiting')});
      await objects.create({
        finalizers: ['example.com/slow'],
        ownerReferences: [objects.refTo(owner, {blockOwnerDeletion: true})],
      });
      const at = `${objects.in('two')}/waiting`;
      await objects.wire.send('DELETE', at, {body: {propagationPolicy: 'Foreground'}});
      await expect.poll(async () => (await objects.wire.send('GET', at)).status, {timeout: 10_000}).toBe(404);
    });
  },
  {about: namespaced, server, modes: ['spec']},
);

forEachKind(
  'owners without namespaces',
  objects => {
    test('E-197 an object without a namespace is never judged by an owner that would be in one', async () => {
      const inOne = FIXTURES.filter(namespaced).map(fixture => new Objects(fixture, () => objects.wire));
      const kept = await objects.create({
        ownerReferences: inOne.map((owners, i) =>
          owners.refTo({kind: owners.fixture.definition.kind, metadata: {name: 'no', uid: `u${i}`}}),
        ),
      });
      const sentinel = await objects.create({
        ownerReferences: [objects.refTo({kind: objects.fixture.definition.kind, metadata: {name: 'no', uid: 'u'}})],
      });
      await objects.gone(sentinel.metadata.name); // the collector has passed by
      expect((await objects.get(kept.metadata.name)).status).toBe(200);
    });
  },
  {about: clusterScoped, server, modes: ['spec']},
);

forEachKind(
  'owners that were stored in kubernetes mode',
  objects => {
    test('E-257 core/v1 in a stored reference means v1, also where it was stored as it was sent', async () => {
      const store = await openMemoryStore();
      const kept = keepOpen(store);
      const of = (wire: WireClient) => objects.over(wire);
      const UID = '00000000-0000-4000-8000-000000000009';
      let name = '';
      {
        await using wire = await startWire({store: kept, compat: 'kubernetes', kinds: servedKinds});
        const absent = objects.refTo({kind: objects.fixture.definition.kind, metadata: {name: 'no', uid: UID}});
        const made = await of(wire).create({ownerReferences: [{...absent, apiVersion: 'core/v1'}]});
        expect(made.metadata.ownerReferences[0].apiVersion).toBe('core/v1');
        name = made.metadata.name;
      }
      await using wire = await startWire({...server(), store: kept, compat: 'spec', kinds: servedKinds});
      await of(wire).gone(name);
    });
  },
  {about: ({definition}) => definition.group === '', server, modes: ['spec']},
);

forEachKind(
  'owners of core kinds',
  objects => {
    test('E-257 core/v1 in a reference means v1', async () => {
      const owner = await objects.create();
      const dependent = await objects.create({ownerReferences: [objects.refTo(owner, {apiVersion: 'core/v1'})]});
      await objects.remove(owner.metadata.name);
      await objects.gone(dependent.metadata.name);
    });
  },
  {about: ({definition}) => definition.group === '', server, modes: ['spec']},
);
