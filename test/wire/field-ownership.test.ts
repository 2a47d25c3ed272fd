// SPDX-License-Identifier: Apache-2.0
/** Server-side apply and managedFields: who owns what, who conflicts, and when. */
import {expect, test} from 'vitest';
import {forEachKind, type Objects} from './kinds/index.ts';
import {ManualTime} from './manual-time.ts';
import {type Answer, type Body, freshName, STRATEGIC} from './support.ts';

const time = new ManualTime(Date.parse('2030-01-01T00:00:00Z'));
/** A minute later, as managedFields say it. */
const tick = (): string => {
  time.advance(60_000);
  return new Date(time.now()).toISOString().replace('.000', '');
};
const server = () => ({clock: time});

const entries = (answer: Answer): Body[] => answer.body.metadata.managedFields;
const entryOf = (answer: Answer, manager: string): Body => entries(answer).find(entry => entry.manager === manager);
const who = (answer: Answer): string[][] => entries(answer).map(({manager, operation}) => [manager, operation]);
const labelled = (objects: Objects, name: string, labels: object, content?: number): Body =>
  content === undefined ? objects.part(name, {labels}) : objects.body(name, content, {labels});

forEachKind(
  'managedFields',
  (objects, compat) => {
    const {owned, differsAt, status} = objects.fixture;
    const by = (fieldManager: string) => ({query: {fieldManager}});

    test('E-140 E-141 E-210 the server keeps them by itself, in the version of the API', async () => {
      const at = tick();
      const answer = await objects.post(freshName(), 1, {labels: {a: 'b'}});
      expect(entries(answer)).toMatchObject([
        {manager: 'wire-test', operation: 'Update', apiVersion: objects.apiVersion, time: at, fieldsType: 'FieldsV1'},
      ]);
      expect(entries(answer)[0]).not.toHaveProperty('subresource');
    });

    test('E-211 E-212 fields are FieldsV1: f:, v:, k: and . where they belong', async () => {
      const applied = await objects.apply(
        'm',
        objects.body(freshName(), 1, {
          labels: {x: '1'},
          annotations: {n: '1'},
          finalizers: ['example.com/f'],
          ownerReferences: [{apiVersion: 'example.com/v1', kind: 'Thing', name: 't', uid: 'u-1'}],
        }),
      );
      expect(entries(applied)[0].fieldsV1).toEqual({
        'f:metadata': {
          'f:annotations': {'f:n': {}},
          'f:finalizers': {'v:"example.com/f"': {}},
          'f:labels': {'f:x': {}},
          'f:ownerReferences': {'k:{"uid":"u-1"}': {}},
        },
        ...owned,
      });
      const created = await objects.post(freshName(), {}, {labels: {x: '1'}});
      const {'f:metadata': metadata, ...others} = entries(created)[0].fieldsV1;
      expect(metadata).toEqual({'f:labels': {'.': {}, 'f:x': {}}});
      expect(Object.keys(others)).toEqual(Object.keys(objects.fixture.minimal ?? {}).map(key => `f:${key}`));
    });

    test('E-213 the manager is fieldManager, else the client up to its slash', async () => {
      const post = async (query = {}, headers = {}) => objects.post(freshName(), 1, {}, {query, headers});
      expect(entries(await post({fieldManager: 'me'}))[0].manager).toBe('me');
      expect(entries(await post())[0].manager).toBe('wire-test');
      expect(entries(await post({}, {'user-agent': 'Mozilla/5.0 (X11)'}))[0].manager).toBe('Mozilla');
      const long = await post({fieldManager: 'm'.repeat(129)});
      expect([long.status, long.body.details.causes[0].message]).toEqual([
        422,
        'Too long: may not be more than 128 bytes',
      ]);
    });

    test('E-214 Update and Apply of one manager are two entries, and conflict', async () => {
      const name = freshName();
      await objects.post(name, 1, {}, by('same'));
      const conflict = await objects.apply('same', objects.body(name, 2));
      expect([conflict.status, conflict.body.message]).toEqual([
        409,
        `Apply failed with 1 conflict: conflict with "same" using ${objects.apiVersion}: ${differsAt}`,
      ]);
      expect(who(await objects.apply('same', labelled(objects, name, {l: '1'})))).toEqual([
        ['same', 'Apply'],
        ['same', 'Update'],
      ]);
    });

    test('E-215 what is written through status is noted apart', async () => {
      const {name} = (await objects.create({}, 1)).metadata;
      const path = status === undefined ? '/api/v1/namespaces/one/status' : `${objects.at(name)}/status`;
      const answer = await objects.wire.send('PATCH', path, {
        query: {fieldManager: 'm'},
        body: {status: status ?? {conditions: [{type: 'Example', status: 'True'}]}},
        headers: {'content-type': STRATEGIC},
      });
      expect(answer.status, answer.text).toBe(200);
      expect(entryOf(answer, 'm')).toMatchObject({subresource: 'status'});
      expect(entryOf(answer, 'wire-test')).not.toHaveProperty('subresource');
    });

    test('E-216 time moves when a field is added or changed by its manager, by spec also when one is removed, and only then', async () => {
      const name = freshName();
      const merge = (labels: object) => objects.merge(name, {labels}, {fieldManager: 'm'});
      const first = tick();
      expect(entryOf(await objects.post(name, 1, {labels: {x: '1'}}, by('m')), 'm').time).toBe(first);
      tick();
      expect(entryOf(await merge({x: '1'}), 'm').time).toBe(first);
      const added = tick();
      expect(entryOf(await merge({y: '1'}), 'm').time).toBe(added);
      const changed = tick();
      expect(entryOf(await merge({y: '2'}), 'm').time).toBe(changed);
      const removed = tick();
      expect(entryOf(await merge({y: null}), 'm').time).toBe(compat === 'spec' ? removed : changed);
    });

    test('E-217 time does not move when another manager takes a field over', async () => {
      const name = freshName();
      const first = tick();
      await objects.post(name, 1, {labels: {x: '1', y: '1'}}, by('m'));
      const second = tick();
      const taken = await objects.merge(name, {labels: {x: '2'}}, {fieldManager: 'other'});
      expect([entryOf(taken, 'm').time, entryOf(taken, 'other').time]).toEqual([first, second]);
      expect(entryOf(taken, 'm').fieldsV1['f:metadata']['f:labels']).toEqual({'.': {}, 'f:y': {}});
    });

    test('E-218 a conflict names field and manager; force takes over; equal values are shared', async () => {
      const name = freshName();
      await objects.apply('one', labelled(objects, name, {x: '1'}, 1));
      const conflict = await objects.apply('two', labelled(objects, name, {x: '2'}, 2));
      expect([conflict.status, conflict.body.reason]).toEqual([409, 'Conflict']);
      const causes = [differsAt, '.metadata.labels.x'].map(field => ({
        reason: 'FieldManagerConflict',
        message: 'conflict with "one"',
        field,
      }));
      expect(conflict.body.details.causes).toHaveLength(2);
      expect(conflict.body.details.causes).toEqual(expect.arrayContaining(causes));
      const shared = await objects.apply('two', labelled(objects, name, {x: '1'}, 1));
      expect(entries(shared).map(entry => entry.fieldsV1)).toEqual(
        Array(2).fill({'f:metadata': {'f:labels': {'f:x': {}}}, ...owned}),
      );
      const forced = await objects.apply('three', objects.body(name, 3), {force: 'true'});
      expect([forced.status, forced.body]).toEqual([200, expect.objectContaining(objects.fixture.content(3))]);
      expect(entryOf(forced, 'one').fieldsV1).not.toEqual(expect.objectContaining(owned));
      expect(entryOf(forced, 'three').fieldsV1).toEqual(owned);
    });

    test('E-219 what its only applier drops goes, what another applies too stays', async () => {
      const name = freshName();
      await objects.apply('one', labelled(objects, name, {both: '1', mine: '1'}, 1));
      await objects.apply('two', labelled(objects, name, {both: '1'}));
      const dropped = await objects.apply('one', objects.body(name, {}, {labels: {new: '1'}}));
      expect(dropped.body.metadata.labels).toEqual({both: '1', new: '1'});
      expect(dropped.body).not.toMatchObject(objects.fixture.content(1));
    });

    test('E-048 applying the same twice keeps the resourceVersion', async () => {
      const body = objects.body(freshName(), 1);
      const [first, second] = [await objects.apply('m', body), await objects.apply('m', body)];
      expect([first.status, second.status]).toEqual([201, 200]);
      expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    });

    test.each([{reset: [{}]}, {reset: []}])(
      'E-220 managedFields $reset resets tracking until the next apply',
      async ({reset}) => {
        const {name} = (await objects.create({labels: {x: '1'}}, 1)).metadata;
        const put = await objects.put(name, 1, {labels: {x: '1'}, managedFields: reset});
        expect([put.status, entries(put)]).toEqual([200, undefined]);
        expect(entries(await objects.merge(name, {labels: {y: '1'}}))).toBeUndefined();
        expect(who(await objects.apply('m', labelled(objects, name, {z: '1'})))).toEqual([
          ['m', 'Apply'],
          ['before-first-apply', 'Update'],
        ]);
      },
    );
  },
  {server},
);

forEachKind(
  'an apply that only adds co-ownership',
  (objects, compat) => {
    test('E-216 spec: its entry has a time; kubernetes: it has none', async () => {
      const body = objects.body(freshName(), {}, {labels: {x: '1'}});
      await objects.apply('one', body);
      const at = tick();
      expect(entryOf(await objects.apply('two', body), 'two').time).toBe(compat === 'spec' ? at : undefined);
    });
  },
  {server},
);
