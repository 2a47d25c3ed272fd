// SPDX-License-Identifier: Apache-2.0
/** `palisade serve --token-auth-file`: both APIs over one process. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';

import {describe, expect, test} from 'vitest';
import {run, scratch, serve} from '../support/palisade.ts';

const TOKENS = 'boss,admin,1,"system:masters"\nlook,reader,2,readers\nnone,nobody,3\n';
const ENDPOINTS = '/v1/projects/p/locations/us-central1-a/endpoints';

const get = async (url: string, token: string | undefined, init: RequestInit = {}) => {
  const headers: Record<string, string> = token === undefined ? {} : {authorization: `Bearer ${token}`};
  const response = await fetch(url, {...init, headers: {'content-type': 'application/json', ...headers}});
  return {status: response.status, body: (await response.json()) as Record<string, Record<string, unknown>>};
};

const bindReaders = (http: string) =>
  get(`${http}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, 'boss', {
    method: 'POST',
    body: JSON.stringify({
      metadata: {name: 'readers'},
      roleRef: {kind: 'ClusterRole', name: 'ids-viewer'},
      subjects: [{kind: 'Group', name: 'readers'}],
    }),
  });

describe('tokens of a file', () => {
  test('E-253 X-001 one role model for REST, gRPC and the Kubernetes side, also with that side switched off', async () => {
    using folder = scratch();
    const tokens = join(folder.dir, 'tokens.csv');
    writeFileSync(tokens, TOKENS);
    const flags = ['--data', join(folder.dir, 'data'), '--http', '127.0.0.1:0', '--grpc', '127.0.0.1:0'];
    const all = [...flags, '--token-auth-file', tokens, '--log-level', 'error'];
    {
      await using server = await serve(all);
      const {http} = server.ready;
      expect((await bindReaders(http)).status).toBe(201);
      expect((await get(`${http}/api/v1/namespaces`, 'boss')).status).toBe(200);
      expect((await get(`${http}/api/v1/namespaces`, 'look')).status).toBe(403);
      expect((await get(`${http}/api/v1/namespaces`, 'wrong')).status).toBe(401);
      await checkIds(http, server.ready.grpc ?? '');
    }
    await using alone = await serve([...all, '--apis', 'ids']);
    expect((await get(`${alone.ready.http}/api/v1/namespaces`, 'boss')).status).toBe(404);
    await checkIds(alone.ready.http, alone.ready.grpc ?? '');
  });

  test('E-253 --auth none makes everybody system:masters, who may act as others', async () => {
    using folder = scratch();
    const flags = ['--data', folder.dir, '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'kubernetes'];
    await using server = await serve([...flags, '--log-level', 'error']);
    const url = `${server.ready.http}/api/v1/namespaces`;
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url, {headers: {'impersonate-user': 'x'}})).status).toBe(403);
  });

  test('a file that cannot be used is refused, with every fault and its line', async () => {
    using folder = scratch();
    const tokens = join(folder.dir, 'tokens.csv');
    const flags = ['serve', '--data', folder.dir, '--http', '127.0.0.1:0', '--token-auth-file', tokens];
    const absent = await run(flags);
    expect([absent.code, absent.stderr]).toEqual([
      1,
      expect.stringContaining(`${tokens}: cannot be read: no such file`),
    ]);
    writeFileSync(tokens, 'a,b\n,c,1\n');
    const bad = await run(flags);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain(`${tokens}: line 1: found 2 columns, need at least 3`);
    expect(bad.stderr).toContain(`${tokens}: line 2: the token is empty`);
  });
});

/** 401 without or with a wrong token, 403 without the right whether the thing exists or not, in both codecs. */
const checkIds = async (http: string, grpc: string): Promise<void> => {
  for (const token of [undefined, 'wrong']) {
    const answer = await get(http + ENDPOINTS, token);
    expect([answer.status, answer.body['error']?.['status']]).toEqual([401, 'UNAUTHENTICATED']);
  }
  expect((await get(http + ENDPOINTS, 'look')).status).toBe(200);
  expect((await get(`${http}${ENDPOINTS}/absent`, 'look')).status).toBe(404);
  for (const token of ['none', 'look']) {
    const answer = await get(`${http}${ENDPOINTS}/absent`, token, {method: 'DELETE'});
    expect([answer.status, answer.body['error']?.['status']]).toEqual([403, 'PERMISSION_DENIED']);
  }
  const client = createClient(IDS, createGrpcTransport({baseUrl: `http://${grpc}`}));
  const parent = 'projects/p/locations/us-central1-a';
  const codeOf = async (token: string | undefined): Promise<Code | 'ok'> => {
    const headers: Record<string, string> = token === undefined ? {} : {authorization: `Bearer ${token}`};
    try {
      await client.listEndpoints({parent}, {headers});
      return 'ok';
    } catch (error) {
      return ConnectError.from(error).code;
    }
  };
  expect([await codeOf(undefined), await codeOf('wrong'), await codeOf('none'), await codeOf('look')]).toEqual([
    Code.Unauthenticated,
    Code.Unauthenticated,
    Code.PermissionDenied,
    'ok',
  ]);
};
