// SPDX-License-Identifier: Apache-2.0
/** The deletion lifecycle: marks, grace, finalizers, timers. Ref: requirements E-119 to E-128, E-230 to E-240. */
import {deletionTimers, garbageCollection} from '@palisade/apiserver';
import {describe, expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
import {ManualTime} from './manual-time.ts';
import {type Answer, fields, freshName, MERGE} from './support.ts';

const time = new ManualTime(Date.parse('2026-01-01T00:00:00Z'));
/** As an object shows a time so many seconds ahead. */
const ahead = (seconds: number): string => new Date(time.now() + seconds * 1_000).toISOString().replace('.000', '');
const meta = (answer: Answer) => answer.body.metadata;
const server = () => ({clock: time, timers: time, controllers: [garbageCollection, deletionTimers]});

forEachKind(
  'a deletion',
  (objects, compat) => {
    const create = async (metadata: Record<string, unknown> = {}): Promise<string> =>
      (await objects.create(metadata, 1)).metadata.name;
    const marks = async (name: string) => {
      const {deletionTimestamp, deletionGracePeriodSeconds} = meta(await objects.get(name));
      return [deletionTimestamp, deletionGracePeriodSeconds];
    };

    test('E-230 E-124 a live object has no deletionTimestamp and no grace', async () => {
      expect(await marks(await create())).toEqual([undefined, undefined]);
    });

    test('E-231 with no grace given the object goes at once, as upstream', async () => {
      const name = await create();
      expect((await objects.remove(name, {})).body.status).toBe('Success');
      expect((await objects.get(name)).status).toBe(404);
    });

    test('E-240 a marked object can be read, listed, watched and updated', async () => {
      const name = await create({finalizers: ['example.com/x']});
      await objects.remove(name);
      const {resourceVersion} = meta(await objects.get(name));
      const changed = {...objects.fixture.content(2), metadata: {labels: {l: name}}};
      expect((await objects.patch(name, MERGE, changed)).status).toBe(200);
      expect((await objects.apply('m', objects.part(name, {annotations: {k: 'v'}}))).status).toBe(200);
      expect((await objects.get(name)).body).toMatchObject({
        metadata: {labels: {l: name}, annotations: {k: 'v'}},
        ...objects.fixture.content(2),
      });
      expect(await objects.names({labelSelector: `l=${name}`})).toEqual([name]);
      const watch = await objects.watch({resourceVersion});
      expect(await watch.take(2)).toEqual([`MODIFIED ${name}`, `MODIFIED ${name}`]);
      watch.close();
    });

    if (compat === 'kubernetes') {
      test('E-231 --compat kubernetes ignores the grace period: the object is gone at once', async () => {
        const name = await create();
        expect((await objects.remove(name, {gracePeriodSeconds: 30})).body.kind).toBe('Status');
        expect((await objects.get(name)).status).toBe(404);
      });
      return;
    }

    describe('with grace', () => {
      test('E-231 E-119 E-122 E-123 marks the object: deletionTimestamp = now + grace, a watch gets MODIFIED', async () => {
        const created = await objects.create();
        const {name, resourceVersion} = created.metadata;
        const watch = await objects.watch({resourceVersion});
        expect((await objects.remove(name, {gracePeriodSeconds: 30})).status).toBe(200);
        expect(await marks(name)).toEqual([ahead(30), 30]);
        expect(await watch.take(1)).toEqual([`MODIFIED ${name}`]);
        watch.close();
      });

      test('E-232 when the time has passed the object is in no list, not reachable by name, and a watch gets DELETED', async () => {
        const {name, resourceVersion} = (await objects.create()).metadata;
        const query = {fieldSelector: `metadata.name=${name}`};
        const watch = await objects.watch({resourceVersion, ...query});
        await objects.remove(name, {gracePeriodSeconds: 30});
        time.advance(29_000);
        expect(await objects.names(query)).toEqual([name]);
        time.advance(1_000);
        await objects.gone(name);
        expect(await objects.names(query)).toEqual([]);
        expect(await watch.take(2)).toEqual([`MODIFIED ${name}`, `DELETED ${name}`]);
        watch.close();
      });

      test('E-120 E-233 E-234 E-235 E-236 E-237 it may only be shortened, and ends without finalizers at its time', async () => {
        const [name, held] = [await create(), await create({finalizers: ['example.com/x']})];
        for (const each of [name, held]) await objects.remove(each, {gracePeriodSeconds: 30});
        await objects.remove(name, {gracePeriodSeconds: 300});
        expect(await marks(name)).toEqual([ahead(30), 30]);
        await objects.remove(name, {gracePeriodSeconds: 0});
        expect((await objects.get(name)).status).toBe(404);
        time.advance(60_000);
        expect((await objects.get(held)).status).toBe(200);
        expect((await objects.merge(held, {finalizers: null})).status).toBe(200);
        expect((await objects.get(held)).status).toBe(404);
      });

      test('E-121 E-123 E-236 writes that set or change the marks are refused; leaving them out changes nothing', async () => {
        const name = await create();
        await objects.remove(name, {gracePeriodSeconds: 30});
        const marked = [ahead(30), 30];
        const later = {deletionTimestamp: '2027-01-01T00:00:00Z', deletionGracePeriodSeconds: 99};
        const refused = await objects.merge(name, later);
        expect([refused.status, [...new Set(fields(refused))].toSorted()]).toEqual([
          422,
          ['metadata.deletionGracePeriodSeconds', 'metadata.deletionTimestamp'],
        ]);
        expect((await objects.put(name, 1, {deletionGracePeriodSeconds: 99})).status).toBe(422);
        expect((await objects.put(name, 1, {labels: {a: 'b'}})).status).toBe(200);
        expect(await marks(name)).toEqual(marked);
      });
    });
  },
  {server},
);

forEachKind(
  'deletecollection',
  objects => {
    test('E-271 E-233 deletes what the selector names; what has finalizers is marked', async () => {
      const run = freshName();
      const held = await objects.create({labels: {run}, finalizers: ['example.com/x']});
      const [free, other] = [await objects.create({labels: {run}}), await objects.create()];
      const answer = await objects.wire.send('DELETE', objects.path, {query: {labelSelector: `run=${run}`}});
      expect([answer.status, answer.body.items.length]).toEqual([200, 2]);
      expect((await objects.get(free.metadata.name)).status).toBe(404);
      expect(meta(await objects.get(held.metadata.name)).deletionTimestamp).toBe(ahead(0));
      expect((await objects.get(other.metadata.name)).status).toBe(200);
      await objects.merge(held.metadata.name, {finalizers: null});
    });
  },
  {server},
);
