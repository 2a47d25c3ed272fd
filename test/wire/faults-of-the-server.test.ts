// SPDX-License-Identifier: Apache-2.0
/** A fault of the server's own: the client learns that there was one, the log what it was. Ref: requirements E-252. */
import {everyoneIsMaster, mastersOnly, silentLog} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
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
