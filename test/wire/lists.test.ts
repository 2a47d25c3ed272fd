// SPDX-License-Identifier: Apache-2.0
/** Lists, pages and selectors: what E-271 names. */
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {clusterScoped, forEachKind, namespaced, type Objects, servedKinds} from './kinds/index.ts';
import {type Body, freshName, startWire} from './support.ts';

const names = (body: Body): string[] => body.items.map((item: Body) => item.metadata.name);

const fill = async (objects: Objects, count: number): Promise<string> => {
  const run = freshName();
  for (let i = 0; i < count; i++)
    await objects.post(`${run}-${i}`, 1, {labels: {run, parity: i % 2 === 0 ? 'even' : 'odd'}});
  return run;
};

forEachKind('lists', objects => {
  const {definition} = objects.fixture;

  test('E-271 a list is sorted by key, items carry no kind', async () => {
    const run = freshName();
    for (const name of ['b', 'a', 'c.d', 'c-d', 'c', 'c0', '10', '9']) await objects.post(name, {}, {labels: {run}});
    const body = await objects.list({labelSelector: `run=${run}`});
    expect(names(body)).toEqual(['10', '9', 'a', 'b', 'c', 'c-d', 'c.d', 'c0']);
    expect([body.kind, body.apiVersion, body.items[0].kind]).toEqual([
      definition.listKind,
      objects.apiVersion,
      undefined,
    ]);
  });

  test('E-271 pages are a snapshot of the first page, whatever is written meanwhile', async () => {
    const {wire} = objects;
    const path = objects.in('two');
    await wire.send('DELETE', path);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await wire.send('POST', path, {body: objects.body(name)});
    const first = (await wire.send('GET', path, {query: {limit: '2'}})).body;
    expect([names(first), first.metadata.remainingItemCount]).toEqual([['a', 'b'], 3]);
    await wire.send('DELETE', `${path}/d`);
    await wire.send('POST', path, {body: objects.body('bb')});
    const second = (await wire.send('GET', path, {query: {limit: '2', continue: first.metadata.continue}})).body;
    expect([names(second), second.metadata.resourceVersion, second.metadata.remainingItemCount]).toEqual([
      ['c', 'd'],
      first.metadata.resourceVersion,
      1,
    ]);
    const third = (await wire.send('GET', path, {query: {limit: '2', continue: second.metadata.continue}})).body;
    expect([names(third), third.metadata.continue]).toEqual([['e'], undefined]);
    expect(names((await wire.send('GET', path)).body)).toEqual(['a', 'b', 'bb', 'c', 'e']);
  });

  test('E-271 pages with a selector tell no remaining count', async () => {
    const run = await fill(objects, 5);
    const query = {limit: '2', labelSelector: `run=${run},parity=even`};
    const first = await objects.list(query);
    expect([names(first), first.metadata.remainingItemCount]).toEqual([[`${run}-0`, `${run}-2`], undefined]);
    const rest = await objects.list({...query, continue: first.metadata.continue});
    expect([names(rest), rest.metadata.continue]).toEqual([[`${run}-4`], undefined]);
  });

  test('E-271 resourceVersionMatch: Exact shows the past, NotOlderThan the present', async () => {
    const run = await fill(objects, 1);
    const labelSelector = `run=${run}`;
    const none = {labelSelector, resourceVersion: '00', resourceVersionMatch: 'Exact'}; // no version: the present one
    expect(await objects.names(none)).toEqual([`${run}-0`]);
    const {resourceVersion} = (await objects.list()).metadata;
    await objects.remove(`${run}-0`);
    const exact = await objects.list({labelSelector, resourceVersion, resourceVersionMatch: 'Exact'});
    expect([names(exact), exact.metadata.resourceVersion]).toEqual([[`${run}-0`], resourceVersion]);
    expect(await objects.names({labelSelector, resourceVersion, resourceVersionMatch: 'NotOlderThan'})).toEqual([]);
  });

  test.each([
    {query: {resourceVersionMatch: 'Exact'}, field: 'resourceVersionMatch'},
    {query: {resourceVersionMatch: 'Exact', resourceVersion: '0'}, field: 'resourceVersionMatch'},
    {query: {resourceVersionMatch: 'Bogus', resourceVersion: '1'}, field: 'resourceVersionMatch'},
    {query: {sendInitialEvents: 'true'}, field: 'sendInitialEvents'},
    {query: {watch: '1', sendInitialEvents: 'true'}, field: 'resourceVersionMatch'},
    {query: {watch: '1', resourceVersionMatch: 'NotOlderThan'}, field: 'resourceVersionMatch'},
  ])('E-271 E-253 422 for the combination $query', async ({query, field}) => {
    const {code, details} = await objects.list(query as unknown as Record<string, string>);
    expect([code, details.kind, details.causes[0].field]).toEqual([422, 'ListOptions', field]);
  });

  test('E-271 the field selector metadata.name finds one object', async () => {
    const run = await fill(objects, 2);
    expect(await objects.names({fieldSelector: `metadata.name=${run}-1`})).toEqual([`${run}-1`]);
    expect(await objects.names({fieldSelector: `metadata.name!=${run}-1`, labelSelector: `run=${run}`})).toEqual([
      `${run}-0`,
    ]);
  });

  test('E-271 a field that selectors do not know is refused', async () => {
    const refused = await objects.list({fieldSelector: 'metadata.uid=x'});
    expect([refused.code, refused.message]).toEqual([
      400,
      definition.strategy.selectableFields === undefined
        ? '"metadata.uid" is not a known field selector: only "metadata.name", "metadata.namespace"'
        : 'field label not supported: metadata.uid',
    ]);
  });

  test('E-137 E-139 labels select lists, watches and deletecollection', async () => {
    const run = freshName();
    const made = ['odd', 'even', 'odd'].map(set => objects.create({labels: {run, set, tier: 'x'}}));
    const found = names({items: await Promise.all(made)});
    const select = async (labelSelector: string) =>
      (await objects.names({labelSelector: `run=${run},${labelSelector}`})).sort();
    const odd = [found[0], found[2]].sort();
    expect(await select('set=odd')).toEqual(odd);
    expect(await select('set in (odd)')).toEqual(odd);
    expect(await select('set!=even')).toEqual(odd);
    expect(await select('set notin (even,x)')).toEqual(odd);
    expect(await select('tier')).toEqual([...found].sort());
    expect(await select('!tier')).toEqual([]);
    expect(await select('set=odd,tier=x')).toEqual(odd);
    const watch = await objects.watch({labelSelector: `run=${run},set=even`});
    expect(await watch.take(1)).toEqual([`ADDED ${found[1]}`]);
    watch.close();
    const deleted = await objects.wire.send('DELETE', objects.path, {query: {labelSelector: `run=${run},set=odd`}});
    expect([deleted.body.kind, names(deleted.body).sort()]).toEqual([definition.listKind, odd]);
    expect(await select('tier')).toEqual([found[1]]);
  });

  test('E-111 annotations cannot be selected by', async () => {
    for (const fieldSelector of ['metadata.annotations.note=x', 'metadata.annotations=x']) {
      expect((await objects.list({fieldSelector})).code).toBe(400);
    }
    await objects.create({annotations: {note: 'only-an-annotation'}});
    expect(await objects.names({labelSelector: 'note=only-an-annotation'})).toEqual([]);
  });

  test('E-117 a list has no creationTimestamp', async () => {
    expect(Object.keys((await objects.list()).metadata)).toEqual(['resourceVersion']);
  });

  test('E-253 a continue token that is none of ours is 400', async () => {
    const refused = await objects.list({continue: 'no token'});
    expect([refused.code, refused.message]).toEqual([
      400,
      'invalid continue token: continue key is not valid: illegal base64 data at input byte 2',
    ]);
  });
});

forEachKind(
  'lists over namespaces',
  objects => {
    test('E-271 they come in key order', async () => {
      const run = freshName();
      const body = objects.body(run, {}, {labels: {run}});
      for (const namespace of ['two', 'one']) await objects.wire.send('POST', objects.in(namespace), {body});
      const found = (await objects.wire.send('GET', objects.everywhere, {query: {labelSelector: `run=${run}`}})).body;
      expect(found.items.map((item: Body) => item.metadata.namespace)).toEqual(['one', 'two']);
    });

    test('E-271 the field selector metadata.namespace leaves one of them', async () => {
      const run = await fill(objects, 2);
      const query = {fieldSelector: `metadata.namespace=one,metadata.name!=${run}-1`, labelSelector: `run=${run}`};
      expect(names((await objects.wire.send('GET', objects.everywhere, {query})).body)).toEqual([`${run}-0`]);
    });
  },
  {about: namespaced},
);

forEachKind(
  'lists without namespaces',
  objects => {
    test('E-271 the field selector metadata.namespace knows that no object is in one', async () => {
      const {name} = (await objects.create()).metadata;
      expect(await objects.names({fieldSelector: 'metadata.namespace=one'})).toEqual([]);
      expect(await objects.names({fieldSelector: `metadata.namespace!=one,metadata.name=${name}`})).toEqual([name]);
    });
  },
  {about: clusterScoped},
);

forEachKind(
  'selectors',
  objects => {
    test('E-271 a field that the kind makes selectable selects lists and watches', async () => {
      const {field = '', value = '', content = {}} = objects.fixture.selectable ?? {};
      const {metadata} = await objects.create({}, content);
      await objects.create({}, 1);
      expect(await objects.names({fieldSelector: `${field}=${value}`})).toEqual([metadata.name]);
      const watch = await objects.watch({fieldSelector: `${field}=${value}`});
      expect(await watch.take(1)).toEqual([`ADDED ${metadata.name}`]);
      watch.close();
      await objects.remove(metadata.name);
    });
  },
  {about: ({selectable}) => selectable !== undefined},
);

forEachKind(
  'pages',
  objects => {
    test('E-253 E-271 one whose revision is gone is 410, with a token for the rest as it is now', async () => {
      const store = await openMemoryStore();
      await using wire = await startWire({store, kinds: servedKinds});
      const own = objects.over(wire);
      for (const name of ['a', 'b', 'c']) await own.post(name);
      const first = await own.list({limit: '1'});
      await own.remove('b');
      await store.compact(await store.currentRevision());
      const gone = await own.list({limit: '1', continue: first.metadata.continue});
      expect([gone.code, gone.reason]).toEqual([410, 'Expired']);
      expect(await own.names({continue: gone.metadata.continue})).toEqual(['c']);
      const exact = await own.list({
        resourceVersion: first.metadata.resourceVersion,
        resourceVersionMatch: 'Exact',
      });
      expect([exact.code, exact.message]).toEqual([410, 'The resourceVersion for the provided list is too old.']);
    });
  },
  {modes: ['spec']},
);

test('E-253 bytes of a query that are no UTF-8 make a value that nothing has, not none at all', async () => {
  await using wire = await startWire();
  const path = '/api/v1/namespaces/default/endpoints';
  await wire.send('POST', path, {body: {metadata: {name: 'a', labels: {app: 'x'}}}});
  expect((await wire.send('DELETE', `${path}?labelSelector=app%3D%FF`)).status).toBe(400);
  expect((await wire.send('DELETE', `${path}/a?dryRun=%FF`)).status).toBe(422);
  expect(names((await wire.send('GET', `${path}?fieldSelector=metadata.name%3D%FF`)).body)).toEqual([]);
  expect(names((await wire.send('GET', path)).body)).toEqual(['a']);
});
