// SPDX-License-Identifier: Apache-2.0
/** HTTP/2 connections of clients that show no credential, or a wrong one. Ref: kubernetes v1.36 UnauthenticatedHTTP2DOSMitigation. */
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {type ClientHttp2Session, connect} from 'node:http2';
import {join} from 'node:path';
import {json} from 'node:stream/consumers';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type RunningServer, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
let server: RunningServer;
beforeAll(async () => {
  const tokens = join(folder.dir, 'tokens.csv');
  writeFileSync(tokens, 'secret-1,alice,alice-uid,"system:masters"\n', {mode: 0o600});
  const places = ['--data', join(folder.dir, 'data'), '--http', '127.0.0.1:0', '--https', '127.0.0.1:0'];
  server = await serve([...places, '--token-auth-file', tokens, '--apis', 'kubernetes', '--log-level', 'warn']);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const open = (): ClientHttp2Session => connect(server.ready.https ?? '', {rejectUnauthorized: false});
const codeOf = async (session: ClientHttp2Session, headers: Record<string, string>): Promise<unknown> => {
  const request = session.request({':path': '/api/v1/namespaces/default/endpoints', ...headers});
  return ((await json(request)) as {code?: number}).code;
};

test.each([
  ['no credential', {}, 403],
  ['a wrong one', {authorization: 'Bearer wrong'}, 401],
])('a connection on which a request has %s is told to end, and ends', async (_what, headers, code) => {
  const session = open();
  const [told, ended] = [once(session, 'goaway'), once(session, 'close')];
  const codes = await Promise.all([codeOf(session, headers), codeOf(session, headers)]);
  expect(codes).toEqual([code, code]);
  expect((await told)[0]).toBe(0); // no error
  await ended;
});

test('one whose requests have a credential stays', async () => {
  const session = open();
  const told: unknown[] = [];
  session.on('goaway', code => told.push(code));
  for (let i = 0; i < 3; i++) expect(await codeOf(session, {authorization: 'Bearer secret-1'})).toBe(undefined);
  expect([told, session.closed]).toEqual([[], false]);
  session.close();
});
