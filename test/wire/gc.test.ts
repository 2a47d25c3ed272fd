// SPDX-License-Identifier: Apache-2.0
/** Owner references and garbage collection. Ref: requirements E-152, E-153, E-190 to E-199. */
import {deletionTimers, everyoneIsMaster, garbageCollection, mastersOnly} from '@palisade/apiserver';
import {serveKubeApi, type TestKubeApi} from '@palisade/apiserver/testing';
import {kubeKinds} from '@palisade/endpoints';
import {openMemoryStore} from '@palisade/store/memory';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';
import {type Body, ENDPOINTS, endpoints, freshName, MERGE, WireClient} from './support.ts';

let served: TestKubeApi;
let wire: WireClient;
beforeAll(async () => {
  served = await serveKubeApi({
    store: await openMemoryStore(),
    kinds: kubeKinds,
    controllers: [garbageCollection, deletionTimers],
    compat: 'spec',
    authenticator: everyoneIsMaster,
    authorizer: mastersOnly,
  });
  wire = new WireClient(served.url);
  for (const name of ['one', 'two']) await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name}}});
});
afterAll(() => served[Symbol.asyncDispose]());

const create = async (metadata: Record<string, unknown> = {}, path = ENDPOINTS): Promise<Body> => {
  const answer = await wire.send('POST', path, {body: endpoints(freshName(), undefined, metadata)});
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const refTo = (owner: Body, more: object = {}) => ({
  apiVersion: 'v1',
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...more,
});
const at = (object: Body) => `/api/v1/namespaces/${object.metadata.namespace}/endpoints/${object.metadata.name}`;
const status = async (object: Body) => (await wire.send('GET', at(object))).status;
const gone = (object: Body) => expect.poll(() => status(object), {timeout: 10_000}).toBe(404);
const remove = (object: Body, propagationPolicy?: string) =>
  wire.send('DELETE', at(object), {
    body: {kind: 'DeleteOptions', apiVersion: 'v1', ...(propagationPolicy === undefined ? {} : {propagationPolicy})},
  });
const patch = (object: Body, body: unknown) =>
  wire.send('PATCH', at(object), {body: JSON.stringify(body), headers: {'content-type': MERGE}});

describe('owners', () => {
  test('E-152 E-153 an object with two owners stays while one exists and goes with the last', async () => {
    const [first, second] = [await create(), await create()];
    const dependent = await create({ownerReferences: [refTo(first), refTo(second)]});
    await remove(first);
    await expect
      .poll(async () => (await wire.send('GET', at(dependent))).body.metadata.ownerReferences, {timeout: 10_000})
      .toEqual([refTo(second)]);
    await remove(second);
    await gone(dependent);
  });

  test('E-190 E-197 an owner is the one with that uid: another object of the same name is none', async () => {
    const owner = await create();
    const dependent = await create({ownerReferences: [refTo(owner, {uid: '00000000-0000-4000-8000-000000000001'})]});
    await gone(dependent);
    expect(await status(owner)).toBe(200);
  });

  test('E-197 an owner in another namespace does not exist for the dependent', async () => {
    const owner = await create({}, '/api/v1/namespaces/two/endpoints');
    await gone(await create({ownerReferences: [refTo(owner)]}));
  });

  test('E-197 an owner kind that is not served counts as existing', async () => {
    const sentinel = await create({
      ownerReferences: [refTo({kind: 'Endpoints', metadata: {name: 'absent', uid: 'u'}})],
    });
    const kept = await create({ownerReferences: [{apiVersion: 'example.com/v1', kind: 'Thing', name: 'x', uid: 'u'}]});
    await gone(sentinel); // the collector has passed by
    expect(await status(kept)).toBe(200);
  });

  test('E-257 core/v1 in a reference means v1', async () => {
    const owner = await create();
    const dependent = await create({ownerReferences: [refTo(owner, {apiVersion: 'core/v1'})]});
    await remove(owner);
    await gone(dependent);
  });

  test('E-192 E-196 blockOwnerDeletion and controller are kept as written; absent is false', async () => {
    const owner = await create();
    const dependent = await create({ownerReferences: [refTo(owner, {controller: true})]});
    expect(dependent.metadata.ownerReferences).toEqual([refTo(owner, {controller: true})]);
    await remove(owner, 'Foreground');
    await gone(owner);
  });
});

describe('propagation', () => {
  test('E-198 Background is the default: the owner goes at once, the dependents after it', async () => {
    const owner = await create();
    const dependents = [
      await create({ownerReferences: [refTo(owner)]}),
      await create({ownerReferences: [refTo(owner)]}),
    ];
    await remove(owner);
    expect(await status(owner)).toBe(404);
    for (const dependent of dependents) await gone(dependent);
  });

  test('E-193 Foreground: the owner waits for a dependent that blocks it', async () => {
    const owner = await create();
    const dependent = await create({
      finalizers: ['example.com/slow'],
      ownerReferences: [refTo(owner, {blockOwnerDeletion: true})],
    });
    await remove(owner, 'Foreground');
    await expect
      .poll(async () => (await wire.send('GET', at(dependent))).body.metadata.deletionTimestamp, {timeout: 10_000})
      .toBeTypeOf('string');
    expect((await wire.send('GET', at(owner))).body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await patch(dependent, {metadata: {finalizers: null}});
    await gone(owner);
    await gone(dependent);
  });

  test('E-193 the owner is let go when the reference is taken out instead', async () => {
    const owner = await create();
    const dependent = await create({
      finalizers: ['example.com/slow'],
      ownerReferences: [refTo(owner, {blockOwnerDeletion: true})],
    });
    await remove(owner, 'Foreground');
    await expect
      .poll(async () => (await wire.send('GET', at(dependent))).body.metadata.deletionTimestamp, {timeout: 10_000})
      .toBeTypeOf('string');
    await patch(dependent, {metadata: {ownerReferences: null}});
    await gone(owner);
    await patch(dependent, {metadata: {finalizers: null}});
  });

  test('E-194 Foreground: a dependent that does not block holds nobody up', async () => {
    const owner = await create();
    const dependent = await create({finalizers: ['example.com/slow'], ownerReferences: [refTo(owner)]});
    await remove(owner, 'Foreground');
    await gone(owner);
    expect(await status(dependent)).toBe(200);
    await patch(dependent, {metadata: {finalizers: null}});
    await gone(dependent);
  });

  test('E-198 Orphan: the dependents stay and lose the reference', async () => {
    const owner = await create();
    const dependent = await create({ownerReferences: [refTo(owner)]});
    await remove(owner, 'Orphan');
    await gone(owner);
    expect((await wire.send('GET', at(dependent))).body.metadata.ownerReferences).toBeUndefined();
  });

  test('E-193 two objects that own each other do not wait for each other for ever', async () => {
    const [a, b] = [await create(), await create()];
    await patch(a, {metadata: {ownerReferences: [refTo(b, {blockOwnerDeletion: true})]}});
    await patch(b, {metadata: {ownerReferences: [refTo(a, {blockOwnerDeletion: true})]}});
    await remove(a, 'Foreground');
    await gone(a);
    await gone(b);
  });
});

describe('over kill -9', () => {
  const post = async (server: string, name: string, metadata: object): Promise<Body> => {
    const body = JSON.stringify({metadata: {name, ...metadata}});
    return (
      await fetch(`${server}/api/v1/namespaces/default/endpoints`, {
        method: 'POST',
        headers: {'content-type': 'application/json'},
        body,
      })
    ).json();
  };
  const code = (server: string, name: string) =>
    fetch(`${server}/api/v1/namespaces/default/endpoints/${name}`).then(r => r.status);
  const drop = (server: string, name: string, options: object) =>
    fetch(`${server}/api/v1/namespaces/default/endpoints/${name}`, {
      method: 'DELETE',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify(options),
    });

  test('E-199 E-239 a killed server finishes garbage collection and timed deletions after its start', async () => {
    using folder = scratch();
    const flags = [...quiet(folder.dir), '--apis', 'kubernetes'];
    const first = await serve(flags);
    const owner = await post(first.ready.http, 'owner', {});
    for (let i = 0; i < 50; i++)
      await post(first.ready.http, `d${i}`, {ownerReferences: [refTo({kind: 'Endpoints', metadata: owner.metadata})]});
    await post(first.ready.http, 'timed', {});
    await drop(first.ready.http, 'timed', {gracePeriodSeconds: 1});
    await drop(first.ready.http, 'owner', {});
    await first.stop('SIGKILL');
    await using second = await serve(flags);
    expect(await code(second.ready.http, 'owner')).toBe(404);
    await expect
      .poll(async () => ((await (await fetch(`${second.ready.http}/api/v1/endpoints`)).json()) as Body).items.length, {
        timeout: 20_000,
      })
      .toBe(0);
    expect(await code(second.ready.http, 'timed')).toBe(404);
  });
});
