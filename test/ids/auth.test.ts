// SPDX-License-Identifier: Apache-2.0
/** Who may do what, through a socket: 401, 403 before 404, on both codecs. Ref: design invariant 6. */
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Authenticator, Authorizer} from '../../packages/ids/src/index.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const asked: string[] = [];
const authenticator: Authenticator = {
  authenticate: ({headers}) => {
    const token = /^Bearer (\w+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
    if (token === undefined) return {outcome: 'anonymous'};
    return token === 'wrong' ? {outcome: 'refused'} : {outcome: 'user', user: {name: token, groups: []}};
  },
};
const authorizer: Authorizer = {
  authorize: a => {
    asked.push([a.user.name, a.verb, a.group, a.resource, a.subresource, a.namespace, a.name].join(' '));
    return {allowed: a.user.name === 'admin' || (a.user.name === 'reader' && ['get', 'list'].includes(a.verb))};
  },
};
let server: TestServer;
const as = (token: string | undefined) =>
  new RestClient(server.url, token === undefined ? {} : {authorization: `Bearer ${token}`});

beforeAll(async () => {
  server = await startTestServer({
    store: await openMemoryStore(),
    sensorHost: new FakeSensorHost(),
    authenticator,
    authorizer,
  });
});
afterAll(() => server.close());

describe('REST', () => {
  test.each([[undefined], ['wrong']])(
    'I-097 I-114 without a good credential (%s): 401 for whatever path',
    async token => {
      for (const path of [
        `${PARENT}/endpoints`,
        `${PARENT}/nothing`,
        '/compute/v1/projects/t/regions/r/forwardingRules/x',
      ]) {
        const {status, body, headers} = await as(token).get(path);
        expect([status, body.error.status]).toEqual([401, 'UNAUTHENTICATED']);
        expect(headers.get('www-authenticate')).toContain('Bearer');
      }
    },
  );

  test('I-097 403 before 404: a refusal is the same whether the resource is there or not', async () => {
    const {name} = await as('admin').created(PARENT, 'e');
    const missing = name.replace(/e$/, 'f');
    const answers = async (method: string, query = {}) =>
      Promise.all(
        [name, missing].map(
          async n => (await as('nobody').call(method, n, query, method === 'PATCH' ? {} : undefined)).body.error,
        ),
      );
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const [there, absent] = await answers(method, method === 'PATCH' ? {updateMask: 'nonsense'} : {});
      expect(there.status).toBe('PERMISSION_DENIED');
      expect(absent).toEqual(JSON.parse(JSON.stringify(there).replaceAll(name, missing)));
    }
    for (const path of ['threats', 'traffic', 'health'])
      for (const n of [name, missing]) expect((await as('nobody').get(`${n}/${path}`)).status).toBe(403);
  });

  test('I-114 the message names the permission and the resource; what is asked is a verb on a resource of ids.googleapis.com', async () => {
    asked.length = 0;
    const {status, body} = await as('reader').create(PARENT, 'x', {severity: 'NONE'});
    expect([status, body.error.status]).toEqual([403, 'PERMISSION_DENIED']);
    expect(body.error.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'IAM_PERMISSION_DENIED',
        domain: 'ids.googleapis.com',
        metadata: {permission: 'ids.endpoints.create', resource: PARENT},
      },
    ]);
    expect(body.error.message).toContain("'ids.endpoints.create'");
    expect(body.error.message).toContain(PARENT);
    expect(asked).toEqual(['reader create ids.googleapis.com endpoints  p ']);
    expect((await as('reader').get(`${PARENT}/endpoints`)).status).toBe(200);
    asked.length = 0;
    await as('reader').get('projects/-/locations/-/endpoints/-/threats');
    await as('reader').post(`${PARENT}/operations/o:cancel`, {});
    expect(asked).toEqual([
      'reader get ids.googleapis.com endpoints threats  ',
      'reader cancel ids.googleapis.com operations  p o',
    ]);
  });
});

test('I-113 gRPC: UNAUTHENTICATED and PERMISSION_DENIED', async () => {
  const client = createClient(IDS, createGrpcTransport({baseUrl: `http://${server.grpc}`}));
  const code = async (headers: Record<string, string>) => {
    try {
      await client.getEndpoint({name: `${PARENT}/endpoints/none`}, {headers});
    } catch (error) {
      return ConnectError.from(error).code;
    }
    return undefined;
  };
  expect(await code({})).toBe(Code.Unauthenticated);
  expect(await code({authorization: 'Bearer nobody'})).toBe(Code.PermissionDenied);
  expect(await code({authorization: 'Bearer reader'})).toBe(Code.NotFound);
});
