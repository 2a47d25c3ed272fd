// SPDX-License-Identifier: Apache-2.0
/** What is in a namespace, and what is in none. */
import {expect, test} from 'vitest';
import {clusterScoped, forEachKind, namespaced} from './kinds/index.ts';
import {APPLY, type Body, fields, freshName, hastyTimers, MERGE} from './support.ts';

const NAMESPACES = '/api/v1/namespaces';

forEachKind(
  'kinds with namespaces',
  objects => {
    const postIn = (namespace: string, metadata: object) =>
      objects.wire.send('POST', objects.in(namespace), {body: {...objects.body('', 1), metadata}});

    test('E-142 E-146 the same name in two namespaces is two objects', async () => {
      const name = freshName();
      const [a, b] = [await postIn('one', {name}), await postIn('two', {name})];
      expect([a.body.metadata.namespace, b.body.metadata.namespace]).toEqual(['one', 'two']);
      expect(a.body.metadata.uid).not.toBe(b.body.metadata.uid);
    });

    test('E-147 an object without a namespace is in the one of the path, which is default by default', async () => {
      for (const namespace of [undefined, '']) {
        const answer = await postIn('default', {name: freshName(), namespace});
        expect([answer.status, answer.body.metadata.namespace]).toEqual([201, 'default']);
      }
    });

    test.each([{name: 'Bad'}, {name: 'a.b'}, {name: 'a_b'}, {name: '-a'}, {name: 'a'.repeat(64)}])(
      'E-148 no namespace is called $name',
      async ({name}) => {
        const namespace = await objects.wire.send('POST', NAMESPACES, {body: {metadata: {name}}});
        expect([namespace.status, fields(namespace)[0]]).toEqual([422, 'metadata.name']);
        expect((await postIn(name, {name: freshName()})).status).toBe(404);
        expect((await postIn('one', {name: freshName(), namespace: name})).status).toBe(400);
      },
    );

    test('E-149 a namespace cannot be changed', async () => {
      const {name} = (await objects.create()).metadata;
      const answers = [
        await postIn('one', {name: freshName(), namespace: 'two'}),
        await objects.put(name, 1, {namespace: 'two'}),
        await objects.merge(name, {namespace: 'two'}),
        await objects.apply('m', objects.body(name, 1, {namespace: 'two'})),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.body.message]).toEqual([
          400,
          'the namespace of the provided object does not match the namespace sent on the request',
        ]);
      }
    });

    test('E-151 nothing comes into a namespace that does not exist; reads there find nothing', async () => {
      const {allowCreateOnUpdate} = objects.fixture.definition.strategy;
      const path = objects.in('nowhere');
      const body = objects.body('a', 1);
      const writes = [
        await objects.wire.send('POST', path, {body}),
        await objects.wire.send('POST', path, {body, query: {dryRun: 'All'}}),
        await objects.wire.send('PATCH', `${path}/a`, {
          body,
          query: {fieldManager: 'm'},
          headers: {'content-type': APPLY},
        }),
        ...(allowCreateOnUpdate ? [await objects.wire.send('PUT', `${path}/a`, {body})] : []),
      ];
      for (const answer of writes)
        expect([answer.status, answer.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
      expect((await objects.wire.send('GET', path)).body.items).toEqual([]);
      expect((await objects.wire.send('GET', `${path}/a`)).body.message).toBe(`${objects.resourceText} "a" not found`);
    });

    test('E-151 a namespace that is deleted takes its objects along', async () => {
      const namespace = freshName();
      const {wire} = objects;
      await wire.send('POST', NAMESPACES, {body: {metadata: {name: namespace}}});
      const path = objects.in(namespace);
      await postIn(namespace, {name: 'a'});
      await postIn(namespace, {name: 'held', finalizers: ['example.com/x']});
      const {resourceVersion} = (await wire.send('GET', NAMESPACES)).body.metadata;
      const watch = await wire.watch(NAMESPACES, {resourceVersion, fieldSelector: `metadata.name=${namespace}`});
      const deleted = await wire.send('DELETE', `${NAMESPACES}/${namespace}`);
      expect([deleted.status, deleted.body.status.phase]).toEqual([200, 'Terminating']);
      let event = await watch.next();
      while (!event.object.status.conditions) event = await watch.next();
      expect(event.object.status.conditions.map(({message}: Body) => message)).toContain(
        `Some resources are remaining: ${objects.fixture.definition.resource}.${objects.fixture.definition.group} has 1 resource instances`,
      );
      const refused = await postIn(namespace, {name: 'late'});
      expect([refused.status, refused.body.details.causes[0].reason]).toEqual([403, 'NamespaceTerminating']);
      const left = (await wire.send('GET', path)).body.items;
      expect(left.map((item: Body) => item.metadata.name)).toEqual(['held']);
      await wire.send('PATCH', `${path}/held`, {
        body: {metadata: {finalizers: null}},
        headers: {'content-type': MERGE},
      });
      while (event.type !== 'DELETED') event = await watch.next();
      watch.close();
      expect((await wire.send('GET', `${NAMESPACES}/${namespace}`)).status).toBe(404);
      expect((await wire.send('GET', path)).body.items).toEqual([]);
    });
  },
  {about: namespaced, server: () => ({timers: hastyTimers})},
);

forEachKind(
  'kinds without namespaces',
  objects => {
    test('E-150 an object has no namespace, and one that is sent is dropped', async () => {
      const {name, namespace} = (await objects.create({namespace: ''})).metadata;
      expect(namespace).toBeUndefined();
      for (const answer of [
        await objects.post(freshName(), 1, {namespace: 'one'}),
        await objects.merge(name, {namespace: 'one'}),
      ]) {
        expect([answer.status < 300, answer.body.metadata.namespace]).toEqual([true, undefined]);
      }
    });

    test('E-270 below a namespace there is no such resource', async () => {
      const {name} = (await objects.create()).metadata;
      const {resource} = objects.fixture.definition;
      const path = `${objects.root}/namespaces/one/${resource}`;
      const answers = [
        await objects.wire.send('GET', path),
        await objects.wire.send('GET', `${path}/${name}`),
        await objects.wire.send('POST', path, {body: objects.body(freshName())}),
      ];
      expect(answers.map(({status, body}) => [status, body.reason])).toEqual(answers.map(() => [404, 'NotFound']));
    });

    test('E-150 nor has a Namespace one', async () => {
      const {body} = await objects.wire.send('GET', `${NAMESPACES}/one`);
      expect(body.metadata).not.toHaveProperty('namespace');
      const created = await objects.wire.send('POST', NAMESPACES, {
        body: {metadata: {name: freshName(), namespace: 'one'}},
      });
      expect([created.status, created.body.metadata.namespace]).toEqual([201, undefined]);
    });
  },
  {about: clusterScoped},
);
