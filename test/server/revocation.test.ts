// SPDX-License-Identifier: Apache-2.0
/** What is open at a real server ends within 5 s when its token, or its right, is taken away. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {quiet, type RunningServer, scratch, serve} from '../support/palisade.ts';

/** What is promised. */
const ENDS_WITHIN_MS = 5_000;
const WATCH = '/api/v1/namespaces/default/endpoints?watch=1';
const FOLLOW = '/v1/projects/p/locations/local/endpoints/-/threats?follow=1';
const AUDIT = '/audit?follow=1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

const folder = scratch();
const tokens = join(folder.dir, 'tokens.csv');
const useTokens = (...users: readonly string[]): void =>
  writeFileSync(
    tokens,
    ['admin-token,admin,u0,"system:masters"', ...users.map(name => `${name}-token,${name},${name}`), ''].join('\n'),
  );

let server: RunningServer;
beforeAll(async () => {
  useTokens('jane', 'bob');
  const flags = quiet(folder.dir).filter(word => !['--auth', 'none'].includes(word));
  server = await serve([...flags, '--token-auth-file', tokens]);
  const rules = [
    {verbs: ['list', 'watch'], apiGroups: [''], resources: ['endpoints']},
    {verbs: ['get'], apiGroups: ['ids.googleapis.com'], resources: ['endpoints/threats']},
    {verbs: ['get'], nonResourceURLs: ['/audit']},
  ];
  await send('POST', `${RBAC}/clusterroles`, {metadata: {name: 'reader'}, rules});
  for (const name of ['jane', 'bob'])
    await send('POST', `${RBAC}/clusterrolebindings`, {
      metadata: {name},
      subjects: [{kind: 'User', name}],
      roleRef: {kind: 'ClusterRole', name: 'reader'},
    });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const ask = (path: string, user: string): Promise<Response> =>
  fetch(server.ready.http + path, {headers: {authorization: `Bearer ${user}-token`}});

const send = async (method: string, path: string, body?: object): Promise<void> => {
  const headers = {authorization: 'Bearer admin-token', 'content-type': 'application/json'};
  const answer = await fetch(server.ready.http + path, {method, headers, ...(body && {body: JSON.stringify(body)})});
  if (!answer.ok) throw new Error(await answer.text());
};

/** A watch, a follow and the audit log of a user, open: what their last lines say when they have ended. */
const openAll = async (user: string): Promise<() => Promise<unknown[]>> => {
  const answers = await Promise.all([WATCH, FOLLOW, AUDIT].map(path => ask(path, user)));
  expect(answers.map(({status}) => status)).toEqual([200, 200, 200]);
  return () =>
    Promise.all(answers.map(async answer => JSON.parse((await answer.text()).trimEnd().split('\n').at(-1) ?? '')));
};

const REASONS = (code: number): unknown[] => [
  {type: 'ERROR', object: expect.objectContaining({kind: 'Status', code})},
  {error: expect.objectContaining({code})},
  expect.objectContaining({kind: 'Status', code}),
];

test('47-3 a token that is taken out of the file is 401 after SIGHUP, and its streams end within 5 s', async () => {
  const ends = await openAll('jane');
  useTokens('bob');
  process.kill(server.ready.pid, 'SIGHUP');
  const began = performance.now();
  expect(await ends()).toEqual(REASONS(401));
  expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
  expect((await ask(WATCH, 'jane')).status).toBe(401);
});

test('47-3 the streams of a user whose binding is deleted end within 5 s, and are counted', async () => {
  const ends = await openAll('bob');
  await send('DELETE', `${RBAC}/clusterrolebindings/bob`);
  const began = performance.now();
  expect(await ends()).toEqual(REASONS(403));
  expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
  const metrics = await (await ask('/metrics', 'admin')).text();
  expect(metrics).toContain('palisade_streams_ended_total{reason="forbidden"} 3');
  expect(metrics).toContain('palisade_stream_rights 0');
});
