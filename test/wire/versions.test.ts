// SPDX-License-Identifier: Apache-2.0
/** resourceVersion: concurrency, change detection, watching, and what an invalid one gets. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {APPLY, ENDPOINTS, endpoints, freshName, keepOpen, MERGE, startWire, subset, type Wire} from './support.ts';

describe.each(['spec', 'kubernetes'] as const)('resourceVersion, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  const create = async (name: string, metadata = {}) =>
    (await wire.send('POST', ENDPOINTS, {body: endpoints(name, [subset()], metadata)})).body;
  const put = (name: string, subsets: object[], metadata = {}) =>
    wire.send('PUT', `${ENDPOINTS}/${name}`, {body: endpoints(name, subsets as never, metadata)});

  test('E-156 E-158 it changes with each real write and only then', async () => {
    const name = freshName();
    const versions = [
      (await create(name)).metadata.resourceVersion,
      (await put(name, [subset()])).body.metadata.resourceVersion,
      (await put(name, [subset({ip: '10.0.0.2'})])).body.metadata.resourceVersion,
      (await put(name, [subset({ip: '10.0.0.2'})])).body.metadata.resourceVersion,
    ];
    expect(versions[1]).toBe(versions[0]);
    expect(versions[2]).not.toBe(versions[1]);
    expect(versions[3]).toBe(versions[2]);
  });

  test('E-157 a write with a stale version is 409 and changes nothing', async () => {
    const name = freshName();
    const stale = (await create(name)).metadata.resourceVersion;
    const current = (await put(name, [subset({ip: '10.0.0.2'})])).body;
    const answers = [
      await put(name, [subset({ip: '10.0.0.3'})], {resourceVersion: stale}),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
        body: {metadata: {resourceVersion: stale, labels: {a: 'b'}}},
        headers: {'content-type': MERGE},
      }),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
        query: {fieldManager: 'm', force: 'true'},
        body: endpoints(name, [subset({ip: '10.0.0.4'})], {resourceVersion: stale}),
        headers: {'content-type': APPLY},
      }),
      await wire.send('DELETE', `${ENDPOINTS}/${name}`, {body: {preconditions: {resourceVersion: stale}}}),
    ];
    expect(answers.map(answer => [answer.status, answer.body.reason])).toEqual(answers.map(() => [409, 'Conflict']));
    expect(answers[0]?.body.message).toBe(
      `Operation cannot be fulfilled on endpoints "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    );
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).body).toEqual(current);
  });

  test('E-157 of two writers with one version exactly one wins', async () => {
    const name = freshName();
    const {resourceVersion} = (await create(name)).metadata;
    const answers = await Promise.all(
      Array.from({length: 8}, (_, i) => put(name, [subset({ip: `10.0.1.${i + 1}`})], {resourceVersion})),
    );
    expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array.from({length: 7}, () => 409)]);
  });

  test('E-157 patches without a version never get lost', async () => {
    const name = freshName();
    await create(name);
    const keys = Array.from({length: 20}, (_, i) => `k${i}`);
    const answers = await Promise.all(
      keys.map(key =>
        wire.send('PATCH', `${ENDPOINTS}/${name}`, {
          body: {metadata: {labels: {[key]: 'x'}}},
          headers: {'content-type': MERGE},
        }),
      ),
    );
    expect(answers.every(answer => answer.status === 200)).toBe(true);
    const {labels} = (await wire.send('GET', `${ENDPOINTS}/${name}`)).body.metadata;
    expect(Object.keys(labels).sort()).toEqual(keys.sort());
  });

  test.each([{resourceVersion: ''}, {resourceVersion: '0'}, {resourceVersion: undefined}])(
    'E-157 $resourceVersion is an update without a condition',
    async metadata => {
      const name = freshName();
      await create(name);
      await put(name, [subset({ip: '10.0.0.2'})]);
      expect((await put(name, [subset({ip: '10.0.0.3'})], metadata)).status).toBe(200);
    },
  );

  test('E-159 a watch from a version delivers exactly the later changes', async () => {
    const run = freshName();
    const labels = {run};
    await create(`${run}a`, {labels});
    const {resourceVersion} = (await wire.send('GET', ENDPOINTS)).body.metadata;
    await create(`${run}b`, {labels});
    await wire.send('PATCH', `${ENDPOINTS}/${run}a`, {
      body: {metadata: {labels: {x: 'y'}}},
      headers: {'content-type': MERGE},
    });
    await wire.send('DELETE', `${ENDPOINTS}/${run}b`);
    const watch = await wire.watch(ENDPOINTS, {resourceVersion, labelSelector: `run=${run}`});
    expect(await watch.take(3)).toEqual([`ADDED ${run}b`, `MODIFIED ${run}a`, `DELETED ${run}b`]);
    await create(`${run}c`, {labels});
    expect(await watch.take(1)).toEqual([`ADDED ${run}c`]);
    watch.close();
  });

  test('E-160 a version on create: above 0 is 500, other text is dropped', async () => {
    const name = freshName();
    const refused = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [], {resourceVersion: '5'})});
    expect([refused.status, refused.body.message]).toEqual([
      500,
      'resourceVersion should not be set on objects to be created',
    ]);
    for (const resourceVersion of ['0', '', 'abc']) {
      const {status, body} = await wire.send('POST', ENDPOINTS, {body: endpoints(freshName(), [], {resourceVersion})});
      expect([status, body.metadata.resourceVersion]).toEqual([201, expect.stringMatching(/^[1-9]\d*$/)]);
    }
  });

  test('E-161 an invalid version: list 400; get, put and watch 500', async () => {
    const name = freshName();
    await create(name);
    const query = {resourceVersion: 'abc'};
    expect((await wire.send('GET', ENDPOINTS, {query})).status).toBe(400);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`, {query})).status).toBe(500);
    expect((await put(name, [], query)).status).toBe(500);
    expect((await wire.send('GET', ENDPOINTS, {query: {...query, watch: '1'}})).status).toBe(500);
  });

  test('E-258 a version says nothing about the API: apiVersion stays v1', async () => {
    const name = freshName();
    const {apiVersion, metadata} = await create(name);
    expect([apiVersion, metadata.resourceVersion]).toEqual(['v1', expect.stringMatching(/^\d+$/)]);
  });
});

test('E-159 after history is gone a watch ends with 410, and over a restart it goes on', async () => {
  const {openMemoryStore} = await import('@palisade/store/memory');
  const store = await openMemoryStore();
  const kept = keepOpen(store);
  let from = '';
  {
    await using wire = await startWire({store: kept});
    from = (await wire.send('POST', ENDPOINTS, {body: endpoints('a')})).body.metadata.resourceVersion;
    await wire.send('POST', ENDPOINTS, {body: endpoints('b')});
    await wire.send('DELETE', `${ENDPOINTS}/a`);
  }
  await using wire = await startWire({store: kept, limits: {historyEventsMax: 8}});
  const watch = await wire.watch(ENDPOINTS, {resourceVersion: from});
  expect(await watch.take(2)).toEqual(['ADDED b', 'DELETED a']);
  watch.close();
  for (let i = 0; i < 20; i++)
    await wire.send('PATCH', `${ENDPOINTS}/b`, {
      body: {metadata: {labels: {i: String(i)}}},
      headers: {'content-type': MERGE},
    });
  const late = await wire.watch(ENDPOINTS, {resourceVersion: from});
  const event = await late.next();
  expect([event.type, event.object.code, event.object.reason]).toEqual(['ERROR', 410, 'Expired']);
  expect(event.object.message).toMatch(new RegExp(`^too old resource version: ${from} \\(\\d+\\)$`));
  expect(await late.next()).toBeUndefined();
});
