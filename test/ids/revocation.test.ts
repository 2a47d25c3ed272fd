// SPDX-License-Identifier: Apache-2.0
/** Record streams of a server whose tokens and roles are those of the Kubernetes side. */
import {type KubeApi, RIGHTS, type TokenSource, tokenAuthenticator} from '@palisade/apiserver';
import {createRbacAuthorizer, kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {serveKubeApi, type TestKubeApi} from '../wire/serve.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const SCOPE = 'projects/p/locations/local/endpoints/-';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/p';

let time: ManualTime;
let kube: TestKubeApi;
let ids: TestServer;
let rights: KubeApi['services']['rights'];
/** Good tokens, which are the names of their users, and when they expire. */
let expiries: Map<string, number>;

beforeEach(async () => {
  time = new ManualTime();
  const forever = Number.POSITIVE_INFINITY;
  expiries = new Map(['admin', 'jane', 'bob'].map(name => [name, forever]));
  const tokens: TokenSource = {
    find: token => {
      const expiry = expiries.get(token);
      if (expiry === undefined) return undefined;
      if (expiry <= time.now()) return {outcome: 'refused', reason: 'the token has expired'};
      return {outcome: 'user', user: {name: token, groups: token === 'admin' ? ['system:masters'] : []}};
    },
  };
  const authorizer = createRbacAuthorizer();
  const auth = {authenticator: tokenAuthenticator([tokens]), authorizer};
  const shared = {...auth, clock: time, timers: time};
  kube = await serveKubeApi({
    ...shared,
    store: await openMemoryStore(),
    kinds: kubeModule.kinds,
    bootstraps: kubeModule.bootstraps,
    compat: 'spec',
    controllers: [...kubeModule.controllers, authorizer.controller],
  });
  ({rights} = kube.api.services);
  ids = await startTestServer({
    ...shared,
    store: await openMemoryStore(),
    sensorHost: new FakeSensorHost(),
    rights,
  });
  await post('/api/v1/namespaces', {metadata: {name: 'p'}});
  const rules = [
    {verbs: ['get'], apiGroups: ['ids.googleapis.com'], resources: ['endpoints/threats', 'endpoints/traffic']},
  ];
  await post(`${RBAC}/roles`, {metadata: {name: 'analyst'}, rules});
  for (const name of ['jane', 'bob'])
    await post(`${RBAC}/rolebindings`, {
      metadata: {name},
      subjects: [{kind: 'User', name}],
      roleRef: {kind: 'Role', name: 'analyst'},
    });
});
afterEach(async () => {
  await ids.close();
  await kube[Symbol.asyncDispose]();
});

const admin = (): RestClient => new RestClient(kube.url, {authorization: 'Bearer admin'});
const post = async (path: string, body: object): Promise<void> => {
  const {status, text} = await admin().call('POST', path, {}, body);
  if (status !== 201) throw new Error(text);
};
const ungrant = (name: string) => admin().call('DELETE', `${RBAC}/rolebindings/${name}`);

/** `end`: the last line, when the stream has ended. Resolves when it is open. */
const follow = async (token: string, kind = 'threats') => {
  const abort = new AbortController();
  const response = await fetch(`${ids.url}/v1/${SCOPE}/${kind}?follow=1`, {
    headers: {authorization: `Bearer ${token}`},
    signal: abort.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = String((await reader?.read())?.value);
  const end = async (): Promise<Json> => {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
    return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
  };
  return {status: response.status, end, close: () => abort.abort()};
};

/** One round; what it ends takes turns of the event loop. */
const round = async (): Promise<void> => {
  time.advance(RIGHTS.roundMs);
  for (let turns = 0; turns < 10; turns++) await new Promise(resolve => setImmediate(resolve));
};

test('47-3 a follow stream ends after its RoleBinding is deleted', async () => {
  const [threats, traffic, bob] = [await follow('jane'), await follow('jane', 'traffic'), await follow('bob')];
  expect([threats.status, rights.count, rights.streams]).toEqual([200, 3, 3]);
  await ungrant('jane');
  await round();
  for (const [stream, kind] of [
    [threats, 'threats'],
    [traffic, 'traffic'],
  ] as const)
    expect(await stream.end()).toEqual({
      error: {
        code: 403,
        status: 'PERMISSION_DENIED',
        message: `stream ended: Permission 'ids.${kind}.list' denied on resource '//ids.googleapis.com/${SCOPE}' (or it may not exist).`,
      },
    });
  expect([rights.streams, rights.ended.forbidden]).toEqual([1, 2]);
  bob.close();
  await expect.poll(() => rights.streams).toBe(0);
});

test('47-3 a follow stream ends when its token has expired, or is revoked', async () => {
  expiries.set('bob', time.now() + RIGHTS.roundMs / 2);
  const [jane, bob] = [await follow('jane'), await follow('bob')];
  await round();
  expect(await bob.end()).toMatchObject({error: {code: 401, status: 'UNAUTHENTICATED'}});
  expect(rights.streams).toBe(1);
  expiries.delete('jane');
  await round();
  expect(await jane.end()).toMatchObject({error: {code: 401, status: 'UNAUTHENTICATED'}});
  expect(rights.ended.unauthenticated).toBe(2);
});
