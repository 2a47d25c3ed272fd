// SPDX-License-Identifier: Apache-2.0
/** With `--auth none` the browser of the machine could be told by any page to use the server: it is not answered. */
import {writeFileSync} from 'node:fs';
import {request} from 'node:http';
import {connect} from 'node:http2';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

type Headers = Record<string, string>;

const binding = JSON.stringify({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: {name: 'left-behind'},
  roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin'},
  subjects: [{apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated'}],
});
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const IDS = '/v1/projects/p/locations/local/endpoints';

/** As a browser sends a Blob without a type: no Content-Type, which is read as JSON. */
const send = (url: string, method: string, headers: Headers, body = ''): Promise<[number, string]> =>
  new Promise((done, fail) => {
    const length = {'Content-Length': String(Buffer.byteLength(body))};
    const sent = request(url, {method, headers: {...headers, ...length}}, async response => {
      const chunks = await response.toArray();
      done([response.statusCode ?? 0, Buffer.concat(chunks).toString()]);
    });
    sent.once('error', fail);
    sent.end(body);
  });

const overHttp2 = async (http: string, authority: string): Promise<number> => {
  const session = connect(http);
  try {
    const stream = session.request({':path': '/api', ':authority': authority});
    const status = new Promise<number>((done, fail) => {
      stream.once('response', headers => done(headers[':status'] ?? 0));
      stream.once('error', fail);
    });
    stream.resume();
    return await status;
  } finally {
    session.close();
  }
};

describe('--auth none', () => {
  test.each<[string, Headers]>([
    ['a page of another site', {Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site'}],
    ['one whose browser names no site', {Origin: 'null'}],
    ['one that has its name lead here', {Host: 'evil.example'}],
  ])('%s neither writes nor reads, on either side', async (_who, headers) => {
    using folder = scratch();
    await using server = await serve(quiet(folder.dir));
    const {http} = server.ready;
    const [code, text] = await send(`${http}${BINDINGS}`, 'POST', headers, binding);
    expect([code, JSON.parse(text)]).toMatchObject([403, {kind: 'Status', reason: 'Forbidden', code: 403}]);
    expect(text).toContain('--token-auth-file');
    expect((await send(`${http}${BINDINGS}`, 'GET', headers))[0]).toBe(403);
    const [idsCode, idsText] = await send(`${http}${IDS}?endpointId=e`, 'POST', headers, '{}');
    expect([idsCode, JSON.parse(idsText)]).toMatchObject([403, {error: {status: 'PERMISSION_DENIED'}}]);
    // Beyond what the port reads itself, node:http does.
    const big = `${binding.slice(0, -1)},"pad":"${'x'.repeat(100_000)}"}`;
    expect((await send(`${http}${BINDINGS}`, 'POST', headers, big))[0]).toBe(403);
    expect((await send(`${http}${BINDINGS}/left-behind`, 'GET', {}))[0]).toBe(404);
    expect(JSON.parse((await send(`${http}${IDS}`, 'GET', {}))[1])).toEqual({});
  });

  test('over HTTP/2 the authority counts', async () => {
    using folder = scratch();
    await using server = await serve(quiet(folder.dir));
    expect(await overHttp2(server.ready.http, 'evil.example')).toBe(403);
    expect(await overHttp2(server.ready.http, 'localhost')).toBe(200);
  });
});

test('with tokens a page has none, and any name may lead to the server', async () => {
  using folder = scratch();
  const tokens = join(folder.dir, 'tokens.csv');
  writeFileSync(tokens, 'secret,admin,1,"system:masters"\n');
  await using server = await serve([
    ...quiet(folder.dir).filter(flag => flag !== '--auth' && flag !== 'none'),
    '--token-auth-file',
    tokens,
  ]);
  const named = {Host: 'palisade.example', Authorization: 'Bearer secret'};
  expect((await send(`${server.ready.http}${BINDINGS}`, 'POST', named, binding))[0]).toBe(201);
});
