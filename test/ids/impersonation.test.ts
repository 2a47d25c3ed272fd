// SPDX-License-Identifier: Apache-2.0
/** Impersonate-* headers on the IDS side: the rules are those of the Kubernetes side. */
import {request as httpRequest} from 'node:http';
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {Locations} from '@palisade/ids-wire/gen/google/cloud/location/locations_pb.ts';
import {Operations} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import type {Authenticator, Authorizer} from '../../packages/ids/src/index.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {silentLog, startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const A = `${PARENT}/endpoints/a`;

const authenticator: Authenticator = {
  authenticate: ({headers}) => {
    const token = /^Bearer (\w+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
    return token === undefined ? {outcome: 'anonymous'} : {outcome: 'user', user: {name: token, groups: []}};
  },
};
/** `proxy` may impersonate jane and the group dev; `narrow` jane by the constrained mode, for lists only. jane and dev may read. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  proxy: ['impersonate users jane', 'impersonate groups dev', 'impersonate groups ops', 'impersonate users guest'],
  narrow: ['impersonate-on:user-info:list endpoints ', 'impersonate:user-info users jane'],
};
const MAY_CREATE = new Set<string>();
const asked: string[] = [];
const authorizer: Authorizer = {
  authorize: ({user, verb, resource, name, group}) => {
    if (user.name === 'admin') return {allowed: true};
    if (verb.startsWith('impersonate'))
      return {allowed: (MAY[user.name] ?? []).includes(`${verb} ${resource} ${name}`)};
    asked.push(`${user.name} [${user.groups.join()}] ${verb} ${resource}`);
    if (verb === 'create') return {allowed: MAY_CREATE.has(user.name)};
    const reads = user.name === 'jane' || user.groups.includes('dev');
    return {allowed: group === 'ids.googleapis.com' && reads && ['get', 'list'].includes(verb)};
  },
};

const lines: {readonly fields: Json; readonly text: string}[] = [];
let server: TestServer;
const as = (token: string, headers: Record<string, string> = {}) =>
  new RestClient(server.url, {authorization: `Bearer ${token}`, ...headers});
const JANE = {'impersonate-user': 'jane'};

beforeAll(async () => {
  const note = (fields: object, text: string): void => void lines.push({fields, text});
  server = await startTestServer({
    store: await openMemoryStore(),
    sensorHost: new FakeSensorHost(),
    authenticator,
    authorizer,
    log: {...silentLog, debug: note, info: note},
  });
  await as('admin').created(PARENT, 'a');
});
afterAll(() => server.close());
beforeEach(() => {
  asked.length = 0;
  lines.length = 0;
});

/** With headers that repeat. */
const statusOf = (path: string, headers: Record<string, string | string[]>): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(`${server.url}/v1/${path}`, {headers}, response => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end();
  });

describe('REST', () => {
  test('F-16 a request acts as the user of Impersonate-User, and not as its own', async () => {
    expect((await as('admin').create(PARENT, 'b')).status).toBe(200);
    expect((await as('admin', JANE).create(PARENT, 'c')).status).toBe(403);
    expect((await as('proxy').get(A)).status).toBe(403);
    expect((await as('proxy', JANE).get(A)).status).toBe(200);
    expect(asked.at(-1)).toBe('jane [system:authenticated] get endpoints');
  });

  test.each([
    ['an endpoint', A],
    ['the list of endpoints', `${PARENT}/endpoints`],
    ['health', `${A}/health`],
    ['threats', `${A}/threats`],
    ['traffic', `${A}/traffic`],
    ['a stream of threats', `${A}/threats?follow=1`],
    ['operations', `${PARENT}/operations`],
    ['an operation', `${PARENT}/operations/o`],
    ['locations', 'projects/p/locations'],
    ['a location', PARENT],
    ['forwarding rules', '/compute/v1/projects/t/regions/local/forwardingRules'],
    ['a forwarding rule', '/compute/v1/projects/t/regions/local/forwardingRules/x'],
  ])('F-16 whoever may not impersonate is refused for %s, whatever his own rights', async (_what, path) => {
    const {status, body} = await as('jane', {'impersonate-user': 'admin'}).get(path);
    expect([status, body.error.status, body.error.message]).toEqual([
      403,
      'PERMISSION_DENIED',
      'User "jane" cannot impersonate user "admin": it needs the verb "impersonate" on each of them.',
    ]);
  });

  test('F-16 a refusal names all that was asked for', async () => {
    const headers = {...JANE, 'impersonate-group': 'dev', 'impersonate-uid': '7', 'impersonate-extra-scope': 'view'};
    expect((await as('narrow', headers).get(A)).body.error.message).toContain(
      'cannot impersonate user "jane", group "dev", uid "7", extra "scope"',
    );
  });

  test('F-16 a refusal does not tell whether a forwarding rule exists', async () => {
    const {endpointForwardingRule} = (await as('admin').get(A)).body;
    const there = new URL(endpointForwardingRule).pathname;
    const path = await as('jane', {'impersonate-user': 'admin'}).get(there);
    expect([path.status, path.body]).toEqual([
      403,
      (await as('jane', {'impersonate-user': 'admin'}).get(`${there}x`)).body,
    ]);
  });

  test('F-16 repeated groups count one by one, and each has to be allowed', async () => {
    const headers = {authorization: 'Bearer proxy', 'impersonate-user': 'guest'};
    expect(await statusOf(A, headers)).toBe(403);
    expect(await statusOf(A, {...headers, 'impersonate-group': ['ops', 'dev']})).toBe(200);
    expect(asked.at(-1)).toBe('guest [ops,dev,system:authenticated] get endpoints');
    expect(await statusOf(A, {...headers, 'impersonate-group': ['dev', 'system:masters']})).toBe(403);
  });

  test('F-16 the constrained mode asks for the verb of this request', async () => {
    expect((await as('narrow', JANE).get(`${PARENT}/endpoints`)).status).toBe(200);
    expect((await as('narrow', JANE).get(A)).status).toBe(403);
  });

  test.each([
    {'impersonate-group': 'dev'},
    {'impersonate-uid': '7'},
    {'impersonate-extra-scope': 'view'},
  ] as readonly Record<string, string>[])(
    'F-16 %j without a user is 400, also where nothing is served',
    async headers => {
      for (const path of [A, `${A}/threats`, 'nothing']) {
        const {status, body} = await as('admin', headers).get(path);
        expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
        expect(body.error.message).toContain('without impersonating a user name');
      }
    },
  );

  test('F-16 without a good credential it is 401, as before', async () => {
    expect((await new RestClient(server.url, JANE).get(A)).status).toBe(401);
  });

  test('F-16 the log of an accepted request names both users', async () => {
    MAY_CREATE.add('jane');
    expect((await as('proxy', JANE).create(PARENT, 'logged')).status).toBe(200);
    MAY_CREATE.delete('jane');
    expect(lines.find(({text}) => text === 'ids: request accepted')?.fields).toMatchObject({
      user: 'jane',
      requestor: 'proxy',
      verb: 'create',
    });
  });

  test('F-16 the log of a refused request names both users', async () => {
    await as('proxy', JANE).delete(A);
    expect(lines.find(({text}) => text === 'ids: request refused')?.fields).toMatchObject({
      user: 'jane',
      requestor: 'proxy',
      code: 'PERMISSION_DENIED',
    });
    lines.length = 0;
    await as('proxy').delete(A);
    const {fields} = lines.find(({text}) => text === 'ids: request refused') ?? {};
    expect(fields).toMatchObject({user: 'proxy'});
    expect(fields).not.toHaveProperty('requestor');
  });
});

describe('gRPC', () => {
  const transport = () => createGrpcTransport({baseUrl: `http://${server.grpc}`});
  const codeOf = async (call: Promise<unknown>): Promise<Code | undefined> => {
    try {
      await call;
    } catch (error) {
      return ConnectError.from(error).code;
    }
    return undefined;
  };
  const proxy = (more: Record<string, string>) => ({headers: {authorization: 'Bearer proxy', ...more}});

  test('F-16 metadata is honoured by every service', async () => {
    const ids = createClient(IDS, transport());
    const operations = createClient(Operations, transport());
    const locations = createClient(Locations, transport());
    expect(await codeOf(ids.getEndpoint({name: A}, proxy({})))).toBe(Code.PermissionDenied);
    expect(await codeOf(ids.getEndpoint({name: A}, proxy(JANE)))).toBeUndefined();
    expect(await codeOf(operations.listOperations({name: PARENT}, proxy(JANE)))).toBeUndefined();
    expect(await codeOf(locations.listLocations({name: 'projects/p'}, proxy(JANE)))).toBeUndefined();
    const admin = proxy({'impersonate-user': 'admin'});
    for (const refused of [
      () => ids.deleteEndpoint({name: A}, proxy(JANE)),
      () => ids.listEndpoints({parent: PARENT}, admin),
      () => operations.getOperation({name: `${PARENT}/operations/o`}, admin),
      () => locations.getLocation({name: PARENT}, admin),
    ])
      expect(await codeOf(refused())).toBe(Code.PermissionDenied);
    expect(await codeOf(ids.getEndpoint({name: A}, proxy({'impersonate-group': 'dev'})))).toBe(Code.InvalidArgument);
  });

  test('F-16 repeated groups in metadata count one by one', async () => {
    const headers = new Headers({
      authorization: 'Bearer proxy',
      'impersonate-user': 'guest',
      'impersonate-group': 'ops',
    });
    const ids = createClient(IDS, transport());
    expect(await codeOf(ids.getEndpoint({name: A}, {headers}))).toBe(Code.PermissionDenied);
    const repeated = {
      ':method': 'POST',
      ':path': '/google.cloud.ids.v1.IDS/GetEndpoint',
      'content-type': 'application/grpc-web+proto',
      authorization: 'Bearer proxy',
      'impersonate-user': 'guest',
      'impersonate-group': ['ops', 'dev'],
    };
    await grpcCall(repeated);
    expect(asked.at(-1)).toBe('guest [ops,dev,system:authenticated] get endpoints');
  });

  const grpcCall = async (headers: Record<string, string | string[]>): Promise<void> => {
    const {connect} = await import('node:http2');
    const session = connect(`http://${server.grpc}`);
    const stream = session.request(headers);
    const name = Buffer.from(A);
    const message = Buffer.concat([Buffer.from([0x0a, name.length]), name]);
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([frame, message]));
    stream.resume();
    await new Promise(resolve => stream.once('end', resolve));
    session.close();
  };
});
