// SPDX-License-Identifier: Apache-2.0
/**
 * Each way to sign in means the same user for both APIs and for gRPC. A new way is one row: the flags of the server, and how a user of
 * a name gets a credential.
 */
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {
  ADMIN_TOKEN,
  OTHER_TOKEN,
  READER_TOKEN,
  type SecuredServer,
  startSecured,
} from '../e2e/support/secured-server.ts';
import {type OidcIssuer, startIssuer} from '../support/oidc-issuer.ts';
import {type Scratch, scratch} from '../support/palisade.ts';

const PARENT = 'projects/p/locations/local';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

let folder: Scratch;
let issuer: OidcIssuer;
let server: SecuredServer;

type Method = {
  readonly method: string;
  /** The user that gets the rights, as RBAC names it, and a credential of it. */
  readonly user: () => string;
  readonly credential: () => Promise<string>;
  /** Of another user, in the same way. */
  readonly other: () => Promise<string>;
  /** One that looks like it and is wrong. */
  readonly wrong: () => Promise<string>;
};

const METHODS: readonly Method[] = [
  {
    method: 'token file',
    user: () => 'reader',
    credential: async () => READER_TOKEN,
    other: async () => OTHER_TOKEN,
    wrong: async () => `${READER_TOKEN}x`,
  },
  {
    method: 'OIDC',
    user: () => `${issuer.url}#jane`,
    credential: () => issuer.idToken('jane'),
    other: () => issuer.idToken('bob'),
    wrong: () => issuer.idToken('jane', 'other'),
  },
];

const call = (path: string, token: string, body?: object) =>
  fetch(`${server.http()}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json'},
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  });

const grpcCode = async (token: string): Promise<Code | 'ok'> => {
  const nodeOptions = {ca: readFileSync(server.caFile)};
  const client = createClient(IDS, createGrpcTransport({baseUrl: server.url, nodeOptions}));
  try {
    await client.listEndpoints({parent: PARENT}, {headers: {authorization: `Bearer ${token}`}});
    return 'ok';
  } catch (error) {
    return ConnectError.from(error).code;
  }
};

/** Kubernetes, Cloud IDS over REST, Cloud IDS over gRPC. */
const answers = async (token: string) => [
  (await call('/api/v1/namespaces/default/configmaps', token)).status,
  (await call(`/v1/${PARENT}/endpoints`, token)).status,
  await grpcCode(token),
];

beforeAll(async () => {
  folder = scratch();
  issuer = await startIssuer(join(folder.dir, 'issuer'));
  server = await startSecured(join(folder.dir, 'server'), [
    ...['--oidc-issuer-url', issuer.url, '--oidc-client-id', 'palisade', '--oidc-ca-file', issuer.caFile],
  ]);
  const rules = [
    {apiGroups: [''], resources: ['configmaps'], verbs: ['list']},
    {apiGroups: ['ids.googleapis.com'], resources: ['endpoints'], verbs: ['list']},
  ];
  const role = await call(`${RBAC}/clusterroles`, ADMIN_TOKEN, {metadata: {name: 'both'}, rules});
  expect(role.status).toBe(201);
});
afterAll(async () => {
  await server?.stop();
  await issuer?.close();
  folder?.[Symbol.dispose]();
});

describe.each(METHODS)('$method', ({method, user, credential, other, wrong}) => {
  test('47-2 E-276 I-114 both APIs and gRPC see the same user', async () => {
    const token = await credential();
    const denied = [403, 403, Code.PermissionDenied];
    await expect.poll(() => answers(token)).toEqual(denied); // an issuer's keys come in the background
    const {message} = (await (await call('/api/v1/namespaces/default/configmaps', token)).json()) as {message: string};
    expect(message).toContain(`User "${user()}" cannot list`);
    const bound = await call(`${RBAC}/clusterrolebindings`, ADMIN_TOKEN, {
      metadata: {name: `both-${method.toLowerCase().replace(' ', '-')}`},
      roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'both'},
      subjects: [{apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user()}],
    });
    expect(bound.status).toBe(201);
    expect(await answers(token)).toEqual([200, 200, 'ok']);
    expect(await answers(await other())).toEqual(denied);
  });

  test('47-2 E-276 I-114 both APIs and gRPC refuse a wrong credential', async () => {
    expect(await answers(await wrong())).toEqual([401, 401, Code.Unauthenticated]);
  });
});
