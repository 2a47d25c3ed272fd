// SPDX-License-Identifier: Apache-2.0
/** Server-side apply and managedFields as clients of every kind see them. Their rules one by one: packages/kube-wire/src/apply. */
import {expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
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

forEachKind(
  'managedFields',
  (objects, compat) => {
    const {owned, differsAt, status} = objects.fixture;

    test('E-140 E-141 E-210 the server keeps them by itself, in the version of the API', async () => {
      const at = tick();
      const answer = await objects.post(freshName(), 1, {labels: {a: 'b'}});
      expect(entries(answer)).toMatchObject([
        {manager: 'wire-test', operation: 'Update', apiVersion: objects.apiVersion, time: at, fieldsType: 'FieldsV1'},
      ]);
      expect(entries(answer)[0]).not.toHaveProperty('subresource');
    });

    test('E-211 E-212 fields are FieldsV1: f:, v:, k: and . where they belong', async () => {
      const metadata = {
        labels: {x: '1'},
        finalizers: ['example.com/f'],
        ownerReferences: [{apiVersion: 'example.com/v1', kind: 'Thing', name: 't', uid: 'u-1'}],
      };
      const applied = await objects.apply('m', objects.body(freshName(), 1, metadata));
      expect(entries(applied)[0].fieldsV1).toEqual({
        'f:metadata': {
          'f:finalizers': {'v:"example.com/f"': {}},
          'f:labels': {'f:x': {}},
          'f:ownerReferences': {'k:{"uid":"u-1"}': {}},
        },
        ...owned,
      });
      const created = await objects.post(freshName(), {}, {labels: {x: '1'}});
      expect(entries(created)[0].fieldsV1['f:metadata']).toEqual({'f:labels': {'.': {}, 'f:x': {}}});
    });

    test('E-213 the manager is fieldManager, else the client up to its slash', async () => {
      const post = async (query = {}, headers = {}) => objects.post(freshName(), 1, {}, {query, headers});
      expect(entries(await post({fieldManager: 'me'}))[0].manager).toBe('me');
      expect(entries(await post({}, {'user-agent': 'Mozilla/5.0 (X11)'}))[0].manager).toBe('Mozilla');
      const long = await post({fieldManager: 'm'.repeat(129)});
      expect([long.status, long.body.details.causes[0].message]).toEqual([
        422,
        'Too long: may not be more than 128 bytes',
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

    test('E-216 E-217 time moves with what its manager changes, not when another takes a field over', async () => {
      const name = freshName();
      const merge = (manager: string, labels: object) => objects.merge(name, {labels}, {fieldManager: manager});
      tick();
      await objects.post(name, 1, {labels: {x: '1'}}, {query: {fieldManager: 'm'}});
      const second = tick();
      expect(entryOf(await merge('m', {y: '1'}), 'm').time).toBe(second);
      const third = tick();
      const taken = await merge('other', {x: '2'});
      expect([entryOf(taken, 'm').time, entryOf(taken, 'other').time]).toEqual([second, third]);
      const body = objects.part(name, {labels: {x: '2'}});
      expect(entryOf(await objects.apply('co-owner', body, {force: 'true'}), 'co-owner').time).toBe(
        compat === 'spec' ? third : undefined,
      );
    });

    test('E-048 E-214 E-218 E-219 appliers conflict, share, take over and give up; the same again is no write', async () => {
      const name = freshName();
      await objects.post(name, 1, {}, {query: {fieldManager: 'one'}});
      const conflict = await objects.apply('one', objects.body(name, 2));
      expect([conflict.status, conflict.body.reason, conflict.body.message, conflict.body.details.causes]).toEqual([
        409,
        'Conflict',
        `Apply failed with 1 conflict: conflict with "one" using ${objects.apiVersion}: ${differsAt}`,
        [
          {
            reason: 'FieldManagerConflict',
            message: `conflict with "one" using ${objects.apiVersion}`,
            field: differsAt,
          },
        ],
      ]);
      const shared = await objects.apply('two', objects.body(name, 1, {labels: {mine: '1'}}));
      expect(who(shared)).toEqual([
        ['two', 'Apply'],
        ['one', 'Update'],
      ]);
      const forced = await objects.apply('three', objects.body(name, 3), {force: 'true'});
      expect([forced.status, forced.body]).toEqual([200, expect.objectContaining(objects.fixture.content(3))]);
      const again = await objects.apply('three', objects.body(name, 3));
      expect(again.body.metadata.resourceVersion).toBe(forced.body.metadata.resourceVersion);
      expect((await objects.apply('two', objects.body(name))).body.metadata.labels).toEqual(
        objects.fixture.given?.labels,
      );
    });

    test('E-220 managedFields: [{}] resets tracking until the next apply', async () => {
      const {name} = (await objects.create({labels: {x: '1'}}, 1)).metadata;
      const put = await objects.put(name, 1, {labels: {x: '1'}, managedFields: [{}]});
      expect([put.status, entries(put)]).toEqual([200, undefined]);
      expect(who(await objects.apply('m', objects.part(name, {labels: {z: '1'}})))).toEqual([
        ['m', 'Apply'],
        ['before-first-apply', 'Update'],
      ]);
    });
  },
  {server},
);
