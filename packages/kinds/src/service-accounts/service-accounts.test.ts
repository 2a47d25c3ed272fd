// SPDX-License-Identifier: Apache-2.0
/** Service accounts, and the one that every namespace has. Ref: kubernetes v1.36 pkg/controller/serviceaccount. */
import {MemoryApi, type MemoryApiOptions, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {namespacesModule} from '../namespaces/index.ts';
import {namespacesKind} from '../namespaces/kind.ts';
import {serviceAccountsModule} from './index.ts';
import {serviceAccountsKind} from './kind.ts';

let api: MemoryApi;
let namespaces: Resource;
let accounts: Resource;
const open = async (options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  const controllers = [...namespacesModule.controllers, ...serviceAccountsModule(undefined).controllers];
  const kinds = [namespacesKind, serviceAccountsKind];
  api = await MemoryApi.open({...namespacesModule, kinds, controllers, ...options});
  await api.settle();
  namespaces = api.of(namespacesKind);
  accounts = api.of(serviceAccountsKind, 'default');
};
afterEach(() => api[Symbol.asyncDispose]());

describe('what a service account is', () => {
  test('45-1 of its secrets the names are kept, in creates and in updates', async () => {
    await open();
    const secrets = [{name: 's1', namespace: 'x', kind: 'Secret', uid: 'u'}, {namespace: 'y'}];
    expect((await accounts.make({name: 'a'}, {secrets})).secrets).toEqual([{name: 's1'}, {}]);
    const {body} = await accounts.put('a', {secrets: [{name: 's2', apiVersion: 'v1'}]});
    expect(body.secrets).toEqual([{name: 's2'}]);
  });

  test('45-1 a secret without a name is taken, and ends the tracking of owners', async () => {
    await open();
    const labels = {a: '1'};
    expect((await accounts.make({name: 'a', labels})).metadata.managedFields).toHaveLength(1);
    const {status, body} = await accounts.put('a', {metadata: {name: 'a', labels}, secrets: [{namespace: 'x'}]});
    expect([status, body.secrets, body.metadata.managedFields]).toEqual([200, [{}], undefined]);
    const applied = await accounts.apply('m', 'a', {automountServiceAccountToken: true});
    expect([applied.status, applied.body.message]).toEqual([
      500,
      'failed to create manager for existing fields: failed to convert new object (default/a; /v1, Kind=ServiceAccount) to smd typed: .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ]);
  });

  test('45-1 an applied secret with an empty name is kept; the next apply is refused, the next plain write ends the tracking', async () => {
    await open();
    const {body} = await accounts.apply('m1', 'a', {secrets: [{name: ''}]});
    expect([body.secrets, body.metadata.managedFields.length]).toEqual([[{}], 1]);
    const applied = await accounts.apply('m2', 'a', {automountServiceAccountToken: true});
    expect([applied.status, applied.body.message]).toEqual([
      500,
      'failed to create typed live object (default/a; /v1, Kind=ServiceAccount): .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ]);
    const written = await accounts.merge('a', {});
    expect([written.status, written.body.metadata.managedFields]).toEqual([200, undefined]);
    expect(written.body.metadata.resourceVersion).not.toBe(body.metadata.resourceVersion);
  });

  test('45-1 the annotation that is going away is warned about when it comes, not while it stays', async () => {
    await open();
    const annotations = {'kubernetes.io/enforce-mountable-secrets': 'true'};
    const text =
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    expect((await accounts.post({name: 'a', annotations})).warnings).toEqual([text]);
    expect((await accounts.merge('a', {labels: {x: '1'}})).warnings).toEqual([]);
    await accounts.make({name: 'b'});
    expect((await accounts.merge('b', {annotations})).warnings).toEqual([text]);
  });

  test('45-1 a delete answers the account as it was, with the version of its deletion', async () => {
    await open();
    const {metadata} = await accounts.make({name: 'a'});
    const {status, body} = await accounts.remove('a');
    expect([status, body.metadata.name, body.metadata.uid]).toEqual([200, 'a', metadata.uid]);
    expect(BigInt(body.metadata.resourceVersion) > BigInt(metadata.resourceVersion)).toBe(true);
  });

  test('45-1 names are DNS subdomains, and a PUT of an absent one does not create it', async () => {
    await open();
    expect((await accounts.post({name: 'A_'})).status).toBe(422);
    expect((await accounts.put('absent', {})).status).toBe(404);
  });
});

describe('the account that every namespace has', () => {
  test('45-2 it is there for what exists at the start and for what comes later, owned by nobody', async () => {
    await open();
    expect(await accounts.names()).toEqual(['default']);
    expect(await accounts.in('kube-system').names()).toEqual(['default']);
    await namespaces.make({name: 'one'});
    await api.settle();
    const made = await accounts.in('one').get('default');
    expect(made.metadata).not.toHaveProperty('managedFields');
    expect(Object.keys(made)).toEqual(['metadata']);
  });

  test('45-2 deleted, it comes back as another one', async () => {
    await open();
    const before = await accounts.get('default');
    await accounts.remove('default');
    await api.settle();
    expect((await accounts.get('default')).metadata.uid).not.toBe(before.metadata.uid);
  });

  test('45-2 others do not come back, and one that a client made stays as it is', async () => {
    await open({bootstraps: []});
    await namespaces.make({name: 'one'});
    await api.settle();
    await accounts.in('one').remove('default');
    const own = await accounts.in('one').post({name: 'default', labels: {mine: '1'}});
    expect(own.status).toBe(201);
    await accounts.in('one').make({name: 'other'});
    await accounts.in('one').remove('other');
    await api.settle();
    expect(await accounts.in('one').names()).toEqual(['default']);
    expect((await accounts.in('one').get('default')).metadata).toEqual(own.body.metadata);
  });

  test('45-2 a namespace that is being deleted gets none, so its deletion ends', async () => {
    await open();
    await namespaces.make({name: 'one', finalizers: ['example.com/x']});
    await api.settle();
    await namespaces.remove('one');
    await api.settle();
    api.time.advance(60_000);
    await api.settle();
    expect(await accounts.in('one').names()).toEqual([]);
    expect((await namespaces.get('one')).status.phase).toBe('Terminating');
  });

  test('45-2 a restart makes what is missing, and writes nothing else', async () => {
    const store = await openMemoryStore();
    await open({store, controllers: namespacesModule.controllers});
    expect(await accounts.names()).toEqual([]);
    await api.api.stop();
    await open({store});
    expect(await accounts.names()).toEqual(['default']);
    const before = (await accounts.get('default')).metadata.resourceVersion;
    await api.api.stop();
    await open({store});
    expect((await accounts.get('default')).metadata.resourceVersion).toBe(before);
  });

  test('45-2 a write that fails is tried again', async () => {
    const store = await openMemoryStore();
    const {put} = store;
    let failures = 1;
    store.put = (key, value, expected) =>
      key.includes('serviceaccounts') && failures-- > 0
        ? Promise.reject(new Error('full'))
        : put.call(store, key, value, expected);
    await open({store});
    api.time.advance(1_000);
    await api.settle();
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      expect([name, await accounts.in(name).names()]).toEqual([name, ['default']]);
  });
});
