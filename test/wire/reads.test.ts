// SPDX-License-Identifier: Apache-2.0
/** Lists, pages, watches: what E-271 and E-275 name. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Body, ENDPOINTS, endpoints, freshName, MERGE, startWire, subset, type Wire} from './support.ts';

const names = (body: Body): string[] => body.items.map((item: Body) => item.metadata.name);

describe.each(['spec', 'kubernetes'] as const)('reads, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  const fill = async (count: number): Promise<string> => {
    const run = freshName();
    for (let i = 0; i < count; i++)
      await wire.send('POST', ENDPOINTS, {
        body: endpoints(`${run}-${i}`, [subset()], {labels: {run, parity: i % 2 === 0 ? 'even' : 'odd'}}),
      });
    return run;
  };

  test('E-271 a list is sorted by key, items carry no kind', async () => {
    const run = freshName();
    for (const name of ['b', 'a', 'c.d', 'c-d', 'c', 'c0', '10', '9'])
      await wire.send('POST', ENDPOINTS, {body: endpoints(name, [], {labels: {run}})});
    const {body} = await wire.send('GET', ENDPOINTS, {query: {labelSelector: `run=${run}`}});
    expect(names(body)).toEqual(['10', '9', 'a', 'b', 'c', 'c-d', 'c.d', 'c0']);
    expect([body.kind, body.items[0].kind]).toEqual(['EndpointsList', undefined]);
  });

  test('E-271 lists over all namespaces come in key order', async () => {
    const run = freshName();
    for (const namespace of ['two', 'one'])
      await wire.send('POST', `/api/v1/namespaces/${namespace}/endpoints`, {body: endpoints(run, [], {labels: {run}})});
    const {body} = await wire.send('GET', '/api/v1/endpoints', {query: {labelSelector: `run=${run}`}});
    expect(body.items.map((item: Body) => item.metadata.namespace)).toEqual(['one', 'two']);
  });

  test('E-271 pages are a snapshot of the first page, whatever is written meanwhile', async () => {
    const path = '/api/v1/namespaces/two/endpoints';
    await wire.send('DELETE', path);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await wire.send('POST', path, {body: endpoints(name)});
    const first = (await wire.send('GET', path, {query: {limit: '2'}})).body;
    expect([names(first), first.metadata.remainingItemCount]).toEqual([['a', 'b'], 3]);
    await wire.send('DELETE', `${path}/d`);
    await wire.send('POST', path, {body: endpoints('bb')});
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
    const run = await fill(5);
    const query = {limit: '2', labelSelector: `run=${run},parity=even`};
    const first = (await wire.send('GET', ENDPOINTS, {query})).body;
    expect([names(first), first.metadata.remainingItemCount]).toEqual([[`${run}-0`, `${run}-2`], undefined]);
    const rest = (await wire.send('GET', ENDPOINTS, {query: {...query, continue: first.metadata.continue}})).body;
    expect([names(rest), rest.metadata.continue]).toEqual([[`${run}-4`], undefined]);
  });

  test('E-271 resourceVersionMatch: Exact shows the past, NotOlderThan the present', async () => {
    const run = await fill(1);
    const labelSelector = `run=${run}`;
    const {resourceVersion} = (await wire.send('GET', ENDPOINTS)).body.metadata;
    await wire.send('DELETE', `${ENDPOINTS}/${run}-0`);
    const exact = await wire.send('GET', ENDPOINTS, {
      query: {labelSelector, resourceVersion, resourceVersionMatch: 'Exact'},
    });
    expect([names(exact.body), exact.body.metadata.resourceVersion]).toEqual([[`${run}-0`], resourceVersion]);
    expect(
      names(
        (
          await wire.send('GET', ENDPOINTS, {
            query: {labelSelector, resourceVersion, resourceVersionMatch: 'NotOlderThan'},
          })
        ).body,
      ),
    ).toEqual([]);
  });

  test.each([
    {query: {resourceVersionMatch: 'Exact'}, field: 'resourceVersionMatch'},
    {query: {resourceVersionMatch: 'Exact', resourceVersion: '0'}, field: 'resourceVersionMatch'},
    {query: {resourceVersionMatch: 'Bogus', resourceVersion: '1'}, field: 'resourceVersionMatch'},
    {query: {sendInitialEvents: 'true'}, field: 'sendInitialEvents'},
    {query: {watch: '1', sendInitialEvents: 'true'}, field: 'resourceVersionMatch'},
    {query: {watch: '1', resourceVersionMatch: 'NotOlderThan'}, field: 'resourceVersionMatch'},
  ])('E-271 E-253 422 for the combination $query', async ({query, field}) => {
    const answer = await wire.send('GET', ENDPOINTS, {query: query as Record<string, string>});
    expect([answer.status, answer.body.details.kind, answer.body.details.causes[0].field]).toEqual([
      422,
      'ListOptions',
      field,
    ]);
  });

  test('E-271 field selectors know name and namespace, and refuse others', async () => {
    const run = await fill(2);
    expect(names((await wire.send('GET', ENDPOINTS, {query: {fieldSelector: `metadata.name=${run}-1`}})).body)).toEqual(
      [`${run}-1`],
    );
    expect(
      names(
        (
          await wire.send('GET', '/api/v1/endpoints', {
            query: {fieldSelector: `metadata.namespace=one,metadata.name!=${run}-1`, labelSelector: `run=${run}`},
          })
        ).body,
      ),
    ).toEqual([`${run}-0`]);
    const refused = await wire.send('GET', ENDPOINTS, {query: {fieldSelector: 'metadata.uid=x'}});
    expect([refused.status, refused.body.message]).toEqual([
      400,
      '"metadata.uid" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ]);
  });

  test('E-275 a watch without a version begins with what exists, then all changes in order', async () => {
    const run = await fill(2);
    const watch = await wire.watch(ENDPOINTS, {labelSelector: `run=${run}`});
    expect(await watch.take(2)).toEqual([`ADDED ${run}-0`, `ADDED ${run}-1`]);
    await wire.send('PATCH', `${ENDPOINTS}/${run}-1`, {
      body: {metadata: {labels: {parity: 'none'}}},
      headers: {'content-type': MERGE},
    });
    await wire.send('DELETE', `${ENDPOINTS}/${run}-0`);
    expect(await watch.take(2)).toEqual([`MODIFIED ${run}-1`, `DELETED ${run}-0`]);
    watch.close();
  });

  test('E-275 the selector decides: leaving it is DELETED as it was, entering it is ADDED', async () => {
    const run = await fill(1);
    const watch = await wire.watch(ENDPOINTS, {labelSelector: `run=${run},parity=even`});
    await watch.take(1);
    const patch = async (parity: string) =>
      (
        await wire.send('PATCH', `${ENDPOINTS}/${run}-0`, {
          body: {metadata: {labels: {parity}}},
          headers: {'content-type': MERGE},
        })
      ).body.metadata.resourceVersion;
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
    const run = await fill(2);
    const watch = await wire.watch(ENDPOINTS, {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      labelSelector: `run=${run}`,
    });
    await watch.take(2);
    const bookmark = await watch.next();
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Endpoints',
        apiVersion: 'v1',
        metadata: {resourceVersion: expect.stringMatching(/^\d+$/), annotations: {'k8s.io/initial-events-end': 'true'}},
      },
    });
    watch.close();
  });

  test('E-275 timeoutSeconds ends a watch cleanly', async () => {
    const watch = await wire.watch(ENDPOINTS, {timeoutSeconds: '1', labelSelector: 'none=none'});
    expect(await watch.next()).toBeUndefined();
    expect(watch.response.complete).toBe(true);
  });

  test('E-271 the old watch paths work, for a collection and for one object', async () => {
    const run = await fill(2);
    const one = await wire.watch(`/api/v1/watch/namespaces/one/endpoints/${run}-1`);
    const all = await wire.watch('/api/v1/watch/endpoints', {labelSelector: `run=${run}`});
    expect(await one.take(1)).toEqual([`ADDED ${run}-1`]);
    expect(await all.take(2)).toEqual([`ADDED ${run}-0`, `ADDED ${run}-1`]);
    one.close();
    all.close();
  });

  test('E-240 an object that is being deleted is read, listed, watched and updated', async () => {
    const run = freshName();
    await wire.send('POST', ENDPOINTS, {
      body: endpoints(run, [subset()], {labels: {run}, finalizers: ['example.com/x']}),
    });
    await wire.send('DELETE', `${ENDPOINTS}/${run}`);
    const watch = await wire.watch(ENDPOINTS, {labelSelector: `run=${run}`});
    expect(await watch.take(1)).toEqual([`ADDED ${run}`]);
    expect(names((await wire.send('GET', ENDPOINTS, {query: {labelSelector: `run=${run}`}})).body)).toEqual([run]);
    const put = await wire.send('PUT', `${ENDPOINTS}/${run}`, {
      body: endpoints(run, [subset({ip: '10.0.0.2'})], {labels: {run}, finalizers: ['example.com/x']}),
    });
    expect([put.status, put.body.subsets[0].addresses[0].ip, typeof put.body.metadata.deletionTimestamp]).toEqual([
      200,
      '10.0.0.2',
      'string',
    ]);
    expect(await watch.take(1)).toEqual([`MODIFIED ${run}`]);
    await wire.send('PATCH', `${ENDPOINTS}/${run}`, {
      body: {metadata: {finalizers: null}},
      headers: {'content-type': MERGE},
    });
    expect(await watch.take(1)).toEqual([`DELETED ${run}`]);
    watch.close();
  });

  test('E-230 a live object has no deletionTimestamp; E-232 a deleted one is nowhere', async () => {
    const run = await fill(1);
    expect((await wire.send('GET', `${ENDPOINTS}/${run}-0`)).body.metadata).not.toHaveProperty('deletionTimestamp');
    const watch = await wire.watch(ENDPOINTS, {labelSelector: `run=${run}`});
    const deleted = await wire.send('DELETE', `${ENDPOINTS}/${run}-0`);
    expect([deleted.status, deleted.body.status, deleted.body.details.name]).toEqual([200, 'Success', `${run}-0`]);
    expect((await wire.send('GET', `${ENDPOINTS}/${run}-0`)).status).toBe(404);
    expect(names((await wire.send('GET', ENDPOINTS, {query: {labelSelector: `run=${run}`}})).body)).toEqual([]);
    expect(await watch.take(2)).toEqual([`ADDED ${run}-0`, `DELETED ${run}-0`]);
    watch.close();
  });
});

test('E-275 nobody misses anything: random writes against many watches that start anywhere', async () => {
  await using wire = await startWire();
  const history: string[] = [];
  const watches = [];
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const alive = new Set<string>();
  const {resourceVersion: start} = (await wire.send('GET', ENDPOINTS)).body.metadata;
  for (let i = 0; i < 150; i++) {
    const name = `o${random(6)}`;
    if (!alive.has(name)) {
      await wire.send('POST', ENDPOINTS, {body: endpoints(name)});
      alive.add(name);
      history.push(`ADDED ${name}`);
    } else if (random(3) === 0) {
      await wire.send('DELETE', `${ENDPOINTS}/${name}`);
      alive.delete(name);
      history.push(`DELETED ${name}`);
    } else {
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
        body: {metadata: {labels: {i: String(i)}}},
        headers: {'content-type': MERGE},
      });
      history.push(`MODIFIED ${name}`);
    }
    if (i % 10 === 0) {
      const {resourceVersion} = (await wire.send('GET', ENDPOINTS)).body.metadata;
      watches.push({from: history.length, watch: await wire.watch(ENDPOINTS, {resourceVersion})});
    }
  }
  watches.push({from: 0, watch: await wire.watch(ENDPOINTS, {resourceVersion: start})});
  for (const {from, watch} of watches) {
    expect(await watch.take(history.length - from)).toEqual(history.slice(from));
    watch.close();
  }
});

test('E-253 E-271 a page whose revision is gone is 410, with a token for the rest as it is now', async () => {
  const {openMemoryStore} = await import('@palisade/store/memory');
  const store = await openMemoryStore();
  await using wire = await startWire({store});
  for (const name of ['a', 'b', 'c']) await wire.send('POST', ENDPOINTS, {body: endpoints(name)});
  const first = (await wire.send('GET', ENDPOINTS, {query: {limit: '1'}})).body;
  await wire.send('DELETE', `${ENDPOINTS}/b`);
  await store.compact(await store.currentRevision());
  const gone = await wire.send('GET', ENDPOINTS, {query: {limit: '1', continue: first.metadata.continue}});
  expect([gone.status, gone.body.reason]).toEqual([410, 'Expired']);
  const rest = (await wire.send('GET', ENDPOINTS, {query: {continue: gone.body.metadata.continue}})).body;
  expect(names(rest)).toEqual(['c']);
  const exact = await wire.send('GET', ENDPOINTS, {
    query: {resourceVersion: first.metadata.resourceVersion, resourceVersionMatch: 'Exact'},
  });
  expect([exact.status, exact.body.message]).toEqual([410, 'The resourceVersion for the provided list is too old.']);
});

test('E-253 a continue token that is none of ours is 400', async () => {
  await using wire = await startWire();
  const refused = await wire.send('GET', ENDPOINTS, {query: {continue: 'no token'}});
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'invalid continue token: continue key is not valid: illegal base64 data at input byte 2',
  ]);
});
