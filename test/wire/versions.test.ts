// SPDX-License-Identifier: Apache-2.0
/** resourceVersion: concurrency, change detection, and what an invalid one gets. */
import {expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
import {freshName, STRATEGIC} from './support.ts';

forEachKind('resourceVersion', objects => {
  const {definition} = objects.fixture;
  const create = async (name: string) => (await objects.post(name, 1)).body;

  test('E-156 E-158 it changes with each real write and only then', async () => {
    const name = freshName();
    const versions = [
      (await create(name)).metadata.resourceVersion,
      (await objects.put(name, 1)).body.metadata.resourceVersion,
      (await objects.put(name, 2)).body.metadata.resourceVersion,
      (await objects.put(name, 2)).body.metadata.resourceVersion,
    ];
    expect(versions[1]).toBe(versions[0]);
    expect(versions[2]).not.toBe(versions[1]);
    expect(versions[3]).toBe(versions[2]);
  });

  test('E-157 a write with a stale version is 409 and changes nothing', async () => {
    const name = freshName();
    const {resourceVersion} = (await create(name)).metadata;
    const current = (await objects.put(name, 2)).body;
    const answers = [
      await objects.put(name, 3, {resourceVersion}),
      await objects.merge(name, {resourceVersion, labels: {a: 'b'}}),
      await objects.patch(name, STRATEGIC, {metadata: {resourceVersion, labels: {a: 'b'}}}),
      await objects.apply('m', objects.body(name, 4, {resourceVersion}), {force: 'true'}),
      await objects.remove(name, {preconditions: {resourceVersion}}),
    ];
    expect(answers.map(answer => [answer.status, answer.body.reason])).toEqual(answers.map(() => [409, 'Conflict']));
    expect(answers[0]?.body.message).toBe(
      `Operation cannot be fulfilled on ${objects.resourceText} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    );
    expect((await objects.get(name)).body).toEqual(current);
  });

  test('E-157 of two writers with one version exactly one wins', async () => {
    const name = freshName();
    const {resourceVersion} = (await create(name)).metadata;
    const answers = await Promise.all(Array.from({length: 8}, (_, i) => objects.put(name, i + 2, {resourceVersion})));
    expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array.from({length: 7}, () => 409)]);
  });

  test('E-157 patches without a version never get lost', async () => {
    const name = freshName();
    await create(name);
    const keys = Array.from({length: 20}, (_, i) => `k${i}`);
    const answers = await Promise.all(keys.map(key => objects.merge(name, {labels: {[key]: 'x'}})));
    expect(answers.every(answer => answer.status === 200)).toBe(true);
    const {labels} = (await objects.get(name)).body.metadata;
    expect(Object.keys(labels).sort()).toEqual([...keys, ...Object.keys(objects.fixture.given?.labels ?? {})].sort());
  });

  test.each([{resourceVersion: ''}, {resourceVersion: '0'}, {resourceVersion: undefined}])(
    'E-157 $resourceVersion is an update without a condition, where the kind allows one',
    async metadata => {
      const name = freshName();
      await create(name);
      await objects.put(name, 2);
      const answer = await objects.put(name, 3, metadata);
      if (definition.strategy.allowUnconditionalUpdate) expect(answer.body).toMatchObject(objects.fixture.content(3));
      else
        expect([answer.status, answer.body.details.causes]).toEqual([
          422,
          [
            {
              reason: 'FieldValueInvalid',
              message: 'Invalid value: 0: must be specified for an update',
              field: 'metadata.resourceVersion',
            },
          ],
        ]);
    },
  );

  test('E-271 a PUT of an absent name creates it, where the kind allows that', async () => {
    const name = freshName();
    const answer = await objects.wire.send('PUT', objects.at(name), {body: objects.body(name, 1)});
    expect(answer.status).toBe(definition.strategy.allowCreateOnUpdate ? 201 : 404);
    expect((await objects.get(name)).status).toBe(definition.strategy.allowCreateOnUpdate ? 200 : 404);
  });

  test('E-160 a version on create: above 0 is 500, other text is dropped', async () => {
    const refused = await objects.post(freshName(), {}, {resourceVersion: '5'});
    expect([refused.status, refused.body.message]).toEqual([
      500,
      'resourceVersion should not be set on objects to be created',
    ]);
    for (const resourceVersion of ['0', '', 'abc']) {
      const {status, body} = await objects.post(freshName(), {}, {resourceVersion});
      expect([status, body.metadata.resourceVersion]).toEqual([201, expect.stringMatching(/^[1-9]\d*$/)]);
    }
  });

  test('E-161 an invalid version: list 400; get, put and watch 500', async () => {
    const name = freshName();
    await create(name);
    const query = {resourceVersion: 'abc'};
    expect((await objects.list(query)).code).toBe(400);
    expect((await objects.get(name, {query})).status).toBe(500);
    expect((await objects.put(name, {}, query)).status).toBe(500);
    expect((await objects.list({...query, watch: '1'})).code).toBe(500);
  });

  test('E-258 a version says nothing about the API: apiVersion stays', async () => {
    const {apiVersion, metadata} = await create(freshName());
    expect([apiVersion, metadata.resourceVersion]).toEqual([objects.apiVersion, expect.stringMatching(/^\d+$/)]);
  });
});

forEachKind(
  'a resourceVersion that is not there yet',
  objects => {
    test('E-253 504 for a list and for an object', async () => {
      const {name} = (await objects.create()).metadata;
      const query = {resourceVersion: '999999999'};
      for (const answer of [await objects.get(name, {query}), await objects.wire.send('GET', objects.path, {query})]) {
        const {reason, details} = answer.body;
        expect([answer.status, reason, details.causes[0].reason, answer.headers['retry-after']]).toEqual([
          504,
          'Timeout',
          'ResourceVersionTooLarge',
          '1',
        ]);
      }
    });

    test('E-253 504 for the next page of a list', async () => {
      const token = Buffer.from(JSON.stringify({v: 'meta.k8s.io/v1', rv: 999_999_999, start: 'b\0'})).toString(
        'base64url',
      );
      const answer = await objects.wire.send('GET', objects.path, {query: {limit: '1', continue: token}});
      expect([answer.status, answer.body.details?.causes[0].reason]).toEqual([504, 'ResourceVersionTooLarge']);
    });

    test('E-253 an ERROR event for a watch that begins with the state, then the end, however short its time', async () => {
      const query = {sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', resourceVersion: '999999999'};
      const watch = await objects.wire.watch(objects.path, {...query, allowWatchBookmarks: '1', timeoutSeconds: '1'});
      const {type, object} = await watch.next();
      expect([
        type,
        object.code,
        object.reason,
        object.details.causes[0].reason,
        object.details.retryAfterSeconds,
      ]).toEqual(['ERROR', 504, 'Timeout', 'ResourceVersionTooLarge', 1]);
      expect(await watch.next()).toBeUndefined();
    });
  },
  {server: () => ({limits: {futureRevisionWaitMs: 1}})},
);
