// SPDX-License-Identifier: Apache-2.0
/** A fault of the server's own: the client learns that there was one, the log what it was. Ref: requirements E-252. */
import {everyoneIsMaster, mastersOnly, silentLog} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {STEPS} from '../../packages/apiserver/src/base/limits.ts';
import {serveKubeApi} from './serve.ts';
import {WireClient} from './support.ts';

const LOGGED_CHARACTERS = 1_000;

test('E-252 the answer does not tell the cause; the log does, with what names the request, and no more of it than a line bears', async () => {
  const cause = new Error('the disk is on fire');
  const logged: {fields: object; text: string}[] = [];
  await using served = await serveKubeApi({
    store: await openMemoryStore(),
    ...kubeModule,
    compat: 'kubernetes',
    authenticator: everyoneIsMaster,
    authorizer: {
      ...mastersOnly,
      authorize: () => {
        throw cause;
      },
    },
    log: {...silentLog, error: (fields, text) => void logged.push({fields, text})},
  });
  const path = `/api/v1/namespaces/${'n'.repeat(5_000)}`;
  const answer = await new WireClient(served.url).send('GET', path, {headers: {'audit-id': 'a'.repeat(2_000)}});
  expect([answer.status, answer.body.reason]).toEqual([500, 'InternalError']);
  expect(answer.text).not.toContain(cause.message);
  const fields = {
    err: cause,
    method: 'GET',
    path: path.slice(0, LOGGED_CHARACTERS),
    auditId: 'a'.repeat(LOGGED_CHARACTERS),
  };
  expect(logged).toEqual([{fields, text: 'request failed'}]);
});

test('a damaged object ends a watch that has to read it with ERROR, and nothing else', async () => {
  const store = await openMemoryStore();
  const namespace = (name: string, phase: string): Buffer =>
    Buffer.from(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"${name}"},"status":{"phase":${phase}}}`);
  for (let i = 0; i <= 2 * STEPS.stateObjectsMax; i++)
    await store.put(`/kube/core/namespaces/n${i}`, namespace(`n${i}`, '"Active"'));
  await store.put('/kube/core/namespaces/z', namespace('z', 'Active'));
  const logged: string[] = [];
  await using served = await serveKubeApi({
    ...{store, kinds: kubeModule.kinds, compat: 'spec', authenticator: everyoneIsMaster, authorizer: mastersOnly},
    log: {...silentLog, error: (_fields, text) => void logged.push(text)},
  });
  const client = new WireClient(served.url);
  const watch = await client.send('GET', '/api/v1/namespaces?watch=1&fieldSelector=status.phase%3DActive');
  const {type, object} = JSON.parse(watch.text);
  expect([type, object.code]).toEqual(['ERROR', 500]);
  expect((await client.send('GET', '/api/v1/namespaces/n1')).status).toBe(200);
  expect(logged).toHaveLength(1);
});
