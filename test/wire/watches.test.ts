// SPDX-License-Identifier: Apache-2.0
/** Watches: what E-275 names, and the versions that they start from. */
import {expect, test} from 'vitest';
import {forEachKind, namespaced, type Objects} from './kinds/index.ts';
import {freshName} from './support.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

/** Two objects, and the label that selects them. */
const pair = async (objects: Objects): Promise<string> => {
  const run = freshName();
  await objects.post(`${run}-0`, 1, {labels: {run, parity: 'even'}});
  await objects.post(`${run}-1`, 1, {labels: {run, parity: 'odd'}});
  return run;
};

forEachKind('watches', objects => {
  const {definition, empty} = objects.fixture;

  test('E-275 one without a version begins with what exists, then all changes in order', async () => {
    const run = await pair(objects);
    const watch = await objects.watch({labelSelector: `run=${run}`});
    expect(await watch.take(2)).toEqual([`ADDED ${run}-0`, `ADDED ${run}-1`]);
    await objects.merge(`${run}-1`, {labels: {parity: 'none'}});
    await objects.remove(`${run}-0`);
    expect(await watch.take(2)).toEqual([`MODIFIED ${run}-1`, `DELETED ${run}-0`]);
    watch.close();
  });

  test('E-159 one from a version delivers exactly the later changes, whole', async () => {
    const run = freshName();
    const labels = {run};
    await objects.post(`${run}a`, 1, {labels});
    const {resourceVersion} = (await objects.list()).metadata;
    const second = (await objects.post(`${run}b`, 1, {labels})).body;
    await objects.merge(`${run}a`, {labels: {x: 'y'}});
    await objects.remove(`${run}b`);
    const watch = await objects.watch({resourceVersion, labelSelector: `run=${run}`});
    expect(await watch.next()).toEqual({type: 'ADDED', object: second});
    expect(await watch.take(2)).toEqual([`MODIFIED ${run}a`, `DELETED ${run}b`]);
    await objects.post(`${run}c`, 1, {labels});
    expect(await watch.take(1)).toEqual([`ADDED ${run}c`]);
    watch.close();
  });

  test('E-271 E-275 one goes on where another ended', async () => {
    const {resourceVersion} = (await objects.list()).metadata;
    const made = await objects.create({}, 1);
    const {name} = made.metadata;
    await objects.put(name, 2);
    const first = await objects.watch({resourceVersion});
    const added = await first.next();
    first.close();
    expect([added.type, added.object]).toEqual(['ADDED', made]);
    await objects.remove(name);
    const second = await objects.watch({resourceVersion: added.object.metadata.resourceVersion});
    expect(await second.take(2)).toEqual([`MODIFIED ${name}`, `DELETED ${name}`]);
    second.close();
  });

  test('E-275 the selector decides: leaving it is DELETED as it was, entering it is ADDED', async () => {
    const run = await pair(objects);
    const watch = await objects.watch({labelSelector: `run=${run},parity=even`});
    await watch.take(1);
    const patch = async (parity: string) =>
      (await objects.merge(`${run}-0`, {labels: {parity}})).body.metadata.resourceVersion;
    const left = await patch('odd');
    await patch('none');
    const entered = await patch('even');
    const [first, second] = [await watch.next(), await watch.next()];
    expect([first.type, first.object.metadata.labels.parity, first.object.metadata.resourceVersion]).toEqual([
      'DELETED',
      'even',
      left,
    ]);
    expect([second.type, second.object.metadata.resourceVersion]).toEqual(['ADDED', entered]);
    watch.close();
  });

  test('E-271 E-275 a streaming list ends with its bookmark', async () => {
    const run = await pair(objects);
    const watch = await objects.watch({
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      labelSelector: `run=${run}`,
    });
    await watch.take(2);
    expect(await watch.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: definition.kind,
        apiVersion: objects.apiVersion,
        metadata: {resourceVersion: expect.stringMatching(/^\d+$/), annotations: {'k8s.io/initial-events-end': 'true'}},
        ...empty,
      },
    });
    watch.close();
  });

  test('E-272 E-275 one as Table has a row for each event, and columns for the first', async () => {
    const run = await pair(objects);
    const watch = await objects.watch({labelSelector: `run=${run}`}, {accept: TABLE});
    const [first, second] = [await watch.next(), await watch.next()];
    watch.close();
    const {columns, cells, wide} = objects.fixture.table;
    expect([first.type, first.object.kind, second.object.columnDefinitions]).toEqual(['ADDED', 'Table', null]);
    expect(first.object.columnDefinitions.map(({name}: {name: string}) => name)).toEqual([
      'Name',
      ...columns,
      'Age',
      ...(wide?.columns ?? []),
    ]);
    expect([first, second].map(({object}) => object.rows[0].cells.slice(0, 1 + columns.length))).toEqual([
      [`${run}-0`, ...cells(1)],
      [`${run}-1`, ...cells(1)],
    ]);
  });

  test('E-272 E-275 one of PartialObjectMetadata has the metadata and nothing else', async () => {
    const made = await objects.create({}, 1);
    const query = {fieldSelector: `metadata.name=${made.metadata.name}`};
    const watch = await objects.watch(query, {accept: METADATA});
    expect(await watch.next()).toEqual({
      type: 'ADDED',
      object: {kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: made.metadata},
    });
    watch.close();
  });

  test('E-271 the old watch paths work, for a collection and for one object', async () => {
    const run = await pair(objects);
    const old = (path: string) => path.replace(objects.root, `${objects.root}/watch`);
    const one = await objects.wire.watch(old(objects.at(`${run}-1`)));
    const all = await objects.wire.watch(old(objects.everywhere), {labelSelector: `run=${run}`});
    expect(await one.take(1)).toEqual([`ADDED ${run}-1`]);
    expect(await all.take(2)).toEqual([`ADDED ${run}-0`, `ADDED ${run}-1`]);
    one.close();
    all.close();
  });

  test('E-240 an object that is being deleted is read, listed, watched and updated', async () => {
    const run = freshName();
    const metadata = {labels: {run}, finalizers: ['example.com/x']};
    await objects.post(run, 1, metadata);
    await objects.remove(run);
    const watch = await objects.watch({labelSelector: `run=${run}`});
    expect(await watch.take(1)).toEqual([`ADDED ${run}`]);
    expect(await objects.names({labelSelector: `run=${run}`})).toEqual([run]);
    const put = await objects.put(run, 2, metadata);
    expect(put.body).toMatchObject(objects.fixture.content(2));
    expect([put.status, typeof put.body.metadata.deletionTimestamp]).toEqual([200, 'string']);
    expect(await watch.take(1)).toEqual([`MODIFIED ${run}`]);
    await objects.merge(run, {finalizers: null});
    expect(await watch.take(1)).toEqual([`DELETED ${run}`]);
    watch.close();
  });

  test('E-230 a live object has no deletionTimestamp; E-232 a deleted one is nowhere', async () => {
    const run = freshName();
    await objects.post(run, 1, {labels: {run}});
    expect((await objects.get(run)).body.metadata).not.toHaveProperty('deletionTimestamp');
    const watch = await objects.watch({labelSelector: `run=${run}`});
    const deleted = await objects.remove(run);
    expect([deleted.status, deleted.body.status, deleted.body.details.name]).toEqual([200, 'Success', run]);
    expect((await objects.get(run)).status).toBe(404);
    expect(await objects.names({labelSelector: `run=${run}`})).toEqual([]);
    expect(await watch.take(2)).toEqual([`ADDED ${run}`, `DELETED ${run}`]);
    watch.close();
  });
});

forEachKind(
  'watches over namespaces',
  objects => {
    test('E-275 one of a namespace sees no other, one of all sees both', async () => {
      const run = freshName();
      const query = {labelSelector: `run=${run}`};
      const [one, all] = [await objects.watch(query), await objects.wire.watch(objects.everywhere, query)];
      for (const namespace of ['two', 'one'])
        await objects.wire.send('POST', objects.in(namespace), {
          body: objects.body(`${run}-${namespace}`, {}, {labels: {run}}),
        });
      expect(await all.take(2)).toEqual([`ADDED ${run}-two`, `ADDED ${run}-one`]);
      expect(await one.take(1)).toEqual([`ADDED ${run}-one`]);
      one.close();
      all.close();
    });
  },
  {about: namespaced},
);
