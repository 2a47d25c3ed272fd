// SPDX-License-Identifier: Apache-2.0
/** The deletion lifecycle: marks, grace, finalizers, timers. Ref: requirements E-119 to E-128, E-230 to E-240. */
import {
  type CompatMode,
  deletionTimers,
  everyoneIsMaster,
  garbageCollection,
  mastersOnly,
  systemRandom,
} from '@palisade/apiserver';
import {serveKubeApi} from '@palisade/apiserver/testing';
import {kubeKinds} from '@palisade/endpoints';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {ManualTime} from './manual-time.ts';
import {type Answer, APPLY, ENDPOINTS, endpoints, fields, MERGE, WireClient} from './support.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

const start = async (compat: CompatMode = 'spec') => {
  const time = new ManualTime(START);
  const served = await serveKubeApi({
    store: await openMemoryStore(),
    kinds: kubeKinds,
    controllers: [garbageCollection, deletionTimers],
    compat,
    authenticator: everyoneIsMaster,
    authorizer: mastersOnly,
    clock: time,
    timers: time,
    random: systemRandom,
  });
  opened.push(served);
  const wire = new WireClient(served.url);
  await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name: 'one'}}});
  const create = (name: string, metadata: object = {}) =>
    wire.send('POST', ENDPOINTS, {body: endpoints(name, undefined, {...metadata})});
  const get = (name: string) => wire.send('GET', `${ENDPOINTS}/${name}`);
  const remove = (name: string, options: object = {}) =>
    wire.send('DELETE', `${ENDPOINTS}/${name}`, {body: {kind: 'DeleteOptions', apiVersion: 'v1', ...options}});
  const patch = (name: string, body: unknown, type = MERGE) =>
    wire.send('PATCH', `${ENDPOINTS}/${name}`, {body: JSON.stringify(body), headers: {'content-type': type}});
  const gone = (name: string) => expect.poll(async () => (await get(name)).status, {timeout: 5_000}).toBe(404);
  return {time, wire, create, get, remove, patch, gone};
};
const meta = (answer: Answer) => answer.body.metadata;

describe('a graceful delete', () => {
  test('E-230 E-124 a live object has no deletionTimestamp and no grace', async () => {
    const {create, get} = await start();
    await create('a');
    expect(Object.keys(meta(await get('a')))).not.toContain('deletionTimestamp');
    expect(Object.keys(meta(await get('a')))).not.toContain('deletionGracePeriodSeconds');
  });

  test('E-231 E-119 E-122 E-123 marks the object: deletionTimestamp = now + grace, a watch gets MODIFIED', async () => {
    const {create, get, remove, wire} = await start();
    const created = await create('a');
    const watch = await wire.watch(ENDPOINTS, {resourceVersion: meta(created).resourceVersion});
    const answer = await remove('a', {gracePeriodSeconds: 30});
    expect(answer.status).toBe(200);
    expect(meta(await get('a'))).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    expect(await watch.take(1)).toEqual(['MODIFIED a']);
    watch.close();
  });

  test('E-231 --compat kubernetes ignores the grace period: the object is gone at once', async () => {
    const {create, get, remove} = await start('kubernetes');
    await create('a');
    expect((await remove('a', {gracePeriodSeconds: 30})).body.kind).toBe('Status');
    expect((await get('a')).status).toBe(404);
  });

  test('E-231 with no grace given the object goes at once, as upstream', async () => {
    const {create, get, remove} = await start();
    await create('a');
    expect((await remove('a')).body.status).toBe('Success');
    expect((await get('a')).status).toBe(404);
  });

  test('E-232 when the time has passed the object is in no list, not reachable by name, and a watch gets DELETED', async () => {
    const {create, remove, time, gone, wire} = await start();
    const created = await create('a');
    const watch = await wire.watch(ENDPOINTS, {resourceVersion: meta(created).resourceVersion});
    await remove('a', {gracePeriodSeconds: 30});
    time.advance(29_000);
    expect((await wire.send('GET', ENDPOINTS)).body.items).toHaveLength(1);
    time.advance(1_000);
    await gone('a');
    expect((await wire.send('GET', ENDPOINTS)).body.items).toEqual([]);
    expect(await watch.take(2)).toEqual(['MODIFIED a', 'DELETED a']);
    watch.close();
  });

  test('E-233 E-234 with finalizers it stays past its time, and goes at once when they are emptied', async () => {
    const {create, get, remove, patch, time} = await start();
    await create('a', {finalizers: ['example.com/x']});
    await remove('a', {gracePeriodSeconds: 10});
    time.advance(60_000);
    expect((await get('a')).status).toBe(200);
    expect((await patch('a', {metadata: {finalizers: null}})).status).toBe(200);
    expect((await get('a')).status).toBe(404);
  });

  test('E-235 emptying the finalizers before the time keeps the object until the time', async () => {
    const {create, get, remove, patch, time, gone} = await start();
    await create('a', {finalizers: ['example.com/x']});
    await remove('a', {gracePeriodSeconds: 10});
    await patch('a', {metadata: {finalizers: null}});
    expect((await get('a')).status).toBe(200);
    time.advance(10_000);
    await gone('a');
  });

  test('E-120 E-236 the grace may only be shortened: a larger one keeps, a smaller one lowers and moves the time forward', async () => {
    const {create, get, remove} = await start();
    await create('a');
    await remove('a', {gracePeriodSeconds: 30});
    await remove('a', {gracePeriodSeconds: 300});
    expect(meta(await get('a'))).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    await remove('a', {gracePeriodSeconds: 5});
    expect(meta(await get('a'))).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:05Z',
      deletionGracePeriodSeconds: 5,
    });
  });

  test('E-237 a second delete with 0 removes the object before its time', async () => {
    const {create, get, remove} = await start();
    await create('a');
    await remove('a', {gracePeriodSeconds: 3_000});
    await remove('a', {gracePeriodSeconds: 0});
    expect((await get('a')).status).toBe(404);
  });

  test('E-121 E-123 E-236 put, patch and apply that set or change the deletion fields are refused; leaving them out changes nothing', async () => {
    const {create, get, remove, patch, wire} = await start();
    await create('a');
    await remove('a', {gracePeriodSeconds: 30});
    const later = {metadata: {deletionTimestamp: '2027-01-01T00:00:00Z', deletionGracePeriodSeconds: 99}};
    const refused = await patch('a', later);
    expect(refused.status).toBe(422);
    expect([...new Set(fields(refused))].toSorted()).toEqual([
      'metadata.deletionGracePeriodSeconds',
      'metadata.deletionTimestamp',
    ]);
    const current = (await get('a')).body;
    const put = await wire.send('PUT', `${ENDPOINTS}/a`, {
      body: {...current, metadata: {...current.metadata, deletionGracePeriodSeconds: 99}},
    });
    expect(put.status).toBe(422);
    const {deletionTimestamp: _t, deletionGracePeriodSeconds: _g, ...rest} = current.metadata;
    const left = await wire.send('PUT', `${ENDPOINTS}/a`, {body: {...current, metadata: {...rest, labels: {a: 'b'}}}});
    expect(left.status).toBe(200);
    expect(meta(left)).toMatchObject({deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30});
  });

  test('E-240 a marked object can be read, listed, watched and updated', async () => {
    const {create, remove, patch, get, wire} = await start();
    await create('a', {finalizers: ['example.com/x']});
    await remove('a');
    expect((await patch('a', {metadata: {labels: {l: 'v'}}, subsets: [{addresses: [{ip: '10.0.0.9'}]}]})).status).toBe(
      200,
    );
    const applied = await wire.send('PATCH', `${ENDPOINTS}/a`, {
      query: {fieldManager: 'm'},
      headers: {'content-type': APPLY},
      body: JSON.stringify({apiVersion: 'v1', kind: 'Endpoints', metadata: {name: 'a', annotations: {k: 'v'}}}),
    });
    expect(applied.status).toBe(200);
    expect((await get('a')).body).toMatchObject({
      metadata: {labels: {l: 'v'}, annotations: {k: 'v'}},
      subsets: [{addresses: [{ip: '10.0.0.9'}]}],
    });
    expect((await wire.send('GET', ENDPOINTS)).body.items).toHaveLength(1);
  });

  test('E-118 a clock that is set back breaks nothing: the object goes when its stored time comes', async () => {
    const {create, remove, time, get, gone} = await start();
    await create('a');
    await remove('a', {gracePeriodSeconds: 30});
    time.advance(-3_600_000);
    time.advance(3_600_000);
    expect((await get('a')).status).toBe(200);
    time.advance(30_000);
    await gone('a');
  });
});

describe('finalizers', () => {
  test('E-125 E-126 hold the object, verbatim, until the list is empty', async () => {
    const {create, remove, get} = await start();
    await create('a', {finalizers: ['example.com/one', 'example.com/two']});
    expect((await remove('a')).body.metadata.finalizers).toEqual(['example.com/one', 'example.com/two']);
    expect((await get('a')).status).toBe(200);
  });

  test('E-127 once marked they can only be removed: an addition is Forbidden', async () => {
    const {create, remove, patch} = await start();
    await create('a', {finalizers: ['example.com/one']});
    await remove('a');
    const refused = await patch('a', {metadata: {finalizers: ['example.com/one', 'example.com/new']}});
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain('no new finalizers can be added if the object is being deleted');
  });

  test('E-128 their order is free, also during deletion, and so is the order of removal', async () => {
    const {create, remove, patch, get} = await start();
    const [a, b, c] = ['example.com/a', 'example.com/b', 'example.com/c'];
    await create('x', {finalizers: [a, b, c]});
    await remove('x');
    expect((await patch('x', {metadata: {finalizers: [c, a, b]}})).body.metadata.finalizers).toEqual([c, a, b]);
    expect((await patch('x', {metadata: {finalizers: [c, b]}})).status).toBe(200);
    expect((await patch('x', {metadata: {finalizers: [b]}})).status).toBe(200);
    expect((await patch('x', {metadata: {finalizers: []}})).status).toBe(200);
    expect((await get('x')).status).toBe(404);
  });
});
