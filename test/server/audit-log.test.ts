// SPDX-License-Identifier: Apache-2.0
/** The audit log of a real server: both APIs, every refusal, threats and triage; no secret; read by `palisade audit` and GET /audit. */
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {AuditEvent} from '../../packages/apiserver/src/http/audit/event.ts';
import {type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
const data = join(folder.dir, 'data');
const log = join(data, 'audit', 'audit.log');
const policyFile = join(folder.dir, 'policy.yaml');
const SECRET = 'hunter2-hunter2';
const PARENT = 'projects/p1/locations/local';
let server: RunningServer;

/** Everything of Endpoints with bodies, everything else at level RequestResponse, too, so that only the hard rule holds secrets back. */
const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
  - level: None
    users: [nobody-audited]
  - level: RequestResponse
    omitManagedFields: true
`;

beforeAll(async () => {
  const tokens = join(folder.dir, 'tokens.csv');
  writeFileSync(
    tokens,
    ['anna-token,anna,u1,"system:masters"', 'bob-token,bob,u2,', 'none-token,nobody-audited,u3,'].join('\n'),
    {mode: 0o600},
  );
  writeFileSync(policyFile, POLICY);
  const ports = ['--http', '127.0.0.1:0', '--grpc', '127.0.0.1:0', '--log-level', 'info'];
  server = await serve(['--data', data, ...ports, '--token-auth-file', tokens, '--audit-policy-file', policyFile]);
});
afterAll(async () => {
  await server?.stop();
  folder[Symbol.dispose]();
});

type Sent = {readonly method?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>>};
/** The status and the id that the answer carries. */
const ask = async (token: string, path: string, {method, body, headers}: Sent = {}) => {
  const answer = await fetch(`${server.ready.http}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers},
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  });
  return {code: answer.status, text: await answer.text(), id: answer.headers.get('audit-id') ?? ''};
};
const events = (): AuditEvent[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as AuditEvent);
const eventsOf = (id: string): AuditEvent[] => events().filter(({auditID}) => auditID === id);
/** The stages of a request, once its last one is there. */
const written = async (id: string, last = 'ResponseComplete'): Promise<AuditEvent[]> => {
  await expect.poll(() => eventsOf(id).map(({stage}) => stage)).toContain(last);
  return eventsOf(id);
};
const lastOf = async (id: string): Promise<AuditEvent | undefined> => (await written(id)).at(-1);

describe('47-5 the Kubernetes side', () => {
  test('a write has its stages, its bodies and its object, with the id of the answer', async () => {
    const body = {metadata: {name: 'web', labels: {a: 'b'}}};
    const {code, id} = await ask('anna-token', '/api/v1/namespaces/default/endpoints', {body});
    expect(code).toBe(201);
    const [received, complete, ...others] = await written(id);
    expect(others).toEqual([]);
    expect(received).toMatchObject({stage: 'RequestReceived', user: {username: 'anna', uid: 'u1'}});
    expect(received).not.toHaveProperty('responseStatus');
    expect(complete).toMatchObject({
      level: 'RequestResponse',
      verb: 'create',
      sourceIPs: ['127.0.0.1'],
      objectRef: {resource: 'endpoints', namespace: 'default', name: 'web', apiVersion: 'v1'},
      responseStatus: {metadata: {}, code: 201},
      requestObject: body,
      responseObject: {kind: 'Endpoints', metadata: {name: 'web', uid: complete?.objectRef?.uid}},
      annotations: {'authorization.k8s.io/decision': 'allow'},
    });
    expect(JSON.stringify(complete)).not.toContain('managedFields');
  });

  test('refused requests are there: 401 without a user, 403 with the reason, also of a user whom the policy leaves out', async () => {
    const wrong = await ask('wrong-token', '/api/v1/nodes');
    expect(wrong.code).toBe(401);
    expect(await written(wrong.id, 'ResponseStarted')).toMatchObject([
      {user: {}, responseStatus: {code: 401, message: 'Authentication failed, attempted: bearer'}},
    ]);
    const bob = await ask('bob-token', '/api/v1/namespaces/default/endpoints/web');
    expect(bob.code).toBe(403);
    expect(await lastOf(bob.id)).toMatchObject({
      user: {username: 'bob'},
      responseStatus: {status: 'Failure', reason: 'Forbidden', code: 403},
      annotations: {'authorization.k8s.io/decision': 'forbid'},
    });
    const none = await ask('none-token', '/api/v1/namespaces/default/endpoints/web');
    expect(await written(none.id)).toMatchObject([{level: 'Metadata', user: {username: 'nobody-audited'}}]);
    const allowed = await ask('none-token', '/version');
    const later = await ask('anna-token', '/version');
    await written(later.id);
    expect(eventsOf(allowed.id)).toEqual([]);
  });

  test('who impersonates whom is there, allowed or not', async () => {
    const as = (token: string, user: string) =>
      ask(token, '/api/v1/namespaces/default/endpoints', {headers: {'impersonate-user': user}});
    const allowed = await as('anna-token', 'bob');
    expect(await lastOf(allowed.id)).toMatchObject({
      user: {username: 'anna'},
      impersonatedUser: {username: 'bob', groups: ['system:authenticated']},
      responseStatus: {code: 403},
    });
    const refused = await as('bob-token', 'anna');
    expect(await lastOf(refused.id)).toMatchObject({user: {username: 'bob'}, responseStatus: {code: 403}});
  });

  test('a watch has an event when it starts and one when it ends', async () => {
    const {id} = await ask('anna-token', '/api/v1/namespaces/default/endpoints?watch=1&timeoutSeconds=1');
    const all = await written(id);
    expect(all.map(({stage}) => stage)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    const [, started, complete] = all;
    expect(Date.parse(complete?.stageTimestamp ?? '') - Date.parse(started?.stageTimestamp ?? '')).toBeGreaterThan(900);
  });

  test('no body of a Secret and no token in a URL or a header, whatever the policy says', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    const body = {metadata: {name: 's'}, stringData: {password: SECRET}};
    const made = await ask('anna-token', path, {body});
    const complete = await lastOf(made.id);
    expect(complete).toMatchObject({level: 'Metadata', objectRef: {resource: 'secrets', name: 's'}});
    expect(complete?.annotations?.['palisade.io/audit-level-lowered']).toContain('from RequestResponse');
    const bad = await ask('anna-token', path, {body: {metadata: {name: 'x'}, type: 'Opaque', data: {k: `${SECRET}!`}}});
    expect([bad.code, (await lastOf(bad.id))?.responseStatus]).toEqual([
      400,
      expect.not.objectContaining({message: ''}),
    ]);
    const inUrl = await ask('anna-token', `/v1/${PARENT}/endpoints?access_token=${SECRET}`);
    expect((await lastOf(inUrl.id))?.requestURI).toBe(`/v1/${PARENT}/endpoints?access_token=...`);
    await ask('anna-token', `${path}/s`).then(({id}) => lastOf(id));
    const text = readFileSync(log, 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(Buffer.from(SECRET).toString('base64'));
    expect(text).not.toContain('anna-token');
  });
});

describe('47-5 the IDS side', () => {
  test('a create: permission, project and body', async () => {
    const body = {network: 'projects/p1/global/networks/n', severity: 'LOW'};
    const {code, id} = await ask('anna-token', `/v1/${PARENT}/endpoints?endpointId=guard`, {body});
    expect(code).toBe(200);
    expect(await lastOf(id)).toMatchObject({
      verb: 'create',
      objectRef: {resource: 'endpoints', namespace: 'p1', apiGroup: 'ids.googleapis.com', apiVersion: 'v1'},
      requestObject: body,
      responseStatus: {code: 200},
      annotations: {'palisade.io/permission': 'ids.endpoints.create', 'authorization.k8s.io/decision': 'allow'},
    });
  });

  test('refusals over REST and gRPC', async () => {
    const rest = await ask('bob-token', `/v1/${PARENT}/endpoints`);
    expect(rest.code).toBe(403);
    const refused = {user: {username: 'bob'}, responseStatus: {reason: 'PERMISSION_DENIED', code: 403}};
    expect(await lastOf(rest.id)).toMatchObject({
      ...refused,
      annotations: {'palisade.io/permission': 'ids.endpoints.list', 'authorization.k8s.io/decision': 'forbid'},
    });
    const wrong = await ask('wrong-token', `/v1/${PARENT}/endpoints`);
    expect(await written(wrong.id, 'ResponseStarted')).toMatchObject([{verb: 'get', responseStatus: {code: 401}}]);
    const client = createClient(IDS, createGrpcTransport({baseUrl: `http://${server.ready.grpc}`}));
    const call = (token: string, id: string) =>
      client.getEndpoint(
        {name: `${PARENT}/endpoints/guard`},
        {headers: {authorization: `Bearer ${token}`, 'audit-id': id}},
      );
    await expect(call('bob-token', 'grpc-bob')).rejects.toSatisfy(
      error => ConnectError.from(error).code === Code.PermissionDenied,
    );
    expect(await lastOf('grpc-bob')).toMatchObject({
      ...refused,
      requestURI: '/google.cloud.ids.v1.IDS/GetEndpoint',
      objectRef: {resource: 'endpoints', namespace: 'p1', name: 'guard'},
    });
    await call('anna-token', 'grpc-anna');
    expect(await lastOf('grpc-anna')).toMatchObject({verb: 'get', responseStatus: {code: 200}});
  });

  test('reads of threats and traffic, and triage, without their answers', async () => {
    const endpoint = `/v1/${PARENT}/endpoints/guard`;
    const asked = [
      ['ids.threats.list', 'threats', await ask('anna-token', `${endpoint}/threats`)],
      ['ids.threats.list', 'threats', await ask('anna-token', `${endpoint}/threats/abc`)],
      ['ids.traffic.list', 'traffic', await ask('anna-token', `${endpoint}/traffic`)],
      ['ids.threats.update', 'threats', await ask('anna-token', `${endpoint}/threats/abc:acknowledge`, {body: {}})],
    ] as const;
    for (const [permission, subresource, {id}] of asked) {
      const event = await lastOf(id);
      expect(event).toMatchObject({level: 'Metadata', objectRef: {resource: 'endpoints', subresource, name: 'guard'}});
      expect(event?.annotations?.['palisade.io/permission']).toContain(permission);
      expect(event).not.toHaveProperty('responseObject');
    }
  });

  test('a stream that follows has an event when it starts and one when it ends', async () => {
    const reading = new AbortController();
    const headers = {authorization: 'Bearer anna-token'};
    const url = `${server.ready.http}/v1/${PARENT}/endpoints/guard/threats?follow=1`;
    const answer = await fetch(url, {headers, signal: reading.signal});
    const id = answer.headers.get('audit-id') ?? '';
    await written(id, 'ResponseStarted');
    expect(eventsOf(id).map(({stage}) => stage)).not.toContain('ResponseComplete');
    reading.abort();
    await written(id);
  });
});

describe('47-5 reading it', () => {
  test('the file is for its owner only', () => {
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'audit')).mode & 0o777).toBe(0o700);
  });

  test('palisade audit --user U --since 1h, from the data folder and from the server', async () => {
    await ask('bob-token', '/api/v1/namespaces/default/configmaps/settings').then(({id}) => lastOf(id));
    const question = ['audit', '--user', 'bob', '--since', '1h', '--code', '403', '--name', 'settings'];
    const local = await run([...question, '--data', data]);
    expect([local.code, local.stderr]).toEqual([0, '']);
    const [head, row, ...others] = local.stdout.split('\n');
    expect(head).toMatch(/^TIME +USER +VERB +CODE +FROM +RESOURCE +NAME$/);
    expect(row).toMatch(/^\S+Z +bob +get +403 +127\.0\.0\.1 +configmaps +default\/settings$/);
    expect(others).toEqual(['']);
    const remote = await run([...question, '--server', server.ready.http, '--token', 'anna-token']);
    expect(remote.stdout).toBe(local.stdout);
    const json = await run([...question, '--server', server.ready.http, '--token', 'anna-token', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({kind: 'Event', user: {username: 'bob'}});
    const nobody = await run(['audit', '--user', 'carol', '--data', data]);
    expect(nobody).toMatchObject({code: 0, stdout: '', stderr: 'palisade: no audit events match\n'});
  });

  test('who may not read it is refused, and every read is an event itself', async () => {
    expect((await run(['audit', '--server', server.ready.http, '--token', 'bob-token'])).code).toBe(1);
    const {code, id} = await ask('bob-token', '/audit');
    expect(code).toBe(403);
    expect(await lastOf(id)).toMatchObject({
      requestURI: '/audit',
      user: {username: 'bob'},
      responseStatus: {code: 403},
    });
    const read = await ask('anna-token', '/audit?user=bob&limit=1');
    expect(read.text.trim().split('\n')).toHaveLength(1);
    expect(await lastOf(read.id)).toMatchObject({verb: 'get', user: {username: 'anna'}, responseStatus: {code: 200}});
  });

  test('wrong parameters and flags are named at once', async () => {
    const {code, text} = await ask('anna-token', '/audit?since=x&code=1&colour=red');
    expect(code).toBe(400);
    for (const fault of ['colour: no such parameter', 'since x: must be', 'code 1: must be'])
      expect(text).toContain(fault);
    const {code: exit, stderr} = await run(['audit', '--since', 'x', '--limit', '0', '--data', 'd', '--file', 'f']);
    expect(exit).toBe(2);
    for (const fault of ['--since x', '--limit 0', '--file and --data cannot']) expect(stderr).toContain(fault);
  });

  test('a stream shows what comes', async () => {
    const reading = new AbortController();
    const headers = {authorization: 'Bearer anna-token'};
    const url = `${server.ready.http}/audit?follow=1&user=bob&name=followed`;
    const answer = await fetch(url, {headers, signal: reading.signal});
    await ask('bob-token', '/api/v1/namespaces/default/configmaps/followed');
    let text = '';
    for await (const piece of answer.body ?? []) {
      text += Buffer.from(piece).toString();
      if (text.includes('\n')) break;
    }
    reading.abort();
    expect(JSON.parse(text.trim())).toMatchObject({user: {username: 'bob'}, objectRef: {name: 'followed'}});
  });

  test('a policy with faults changes nothing, and a good one is used when the file changes', async () => {
    writeFileSync(policyFile, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Loud}]\n');
    await expect.poll(() => server.stderr(), {timeout: 20_000}).toContain('audit policy reload failed');
    expect(server.stderr()).toContain('rules[0].level: \\"Loud\\": must be one of None, Metadata');
    const before = await ask('anna-token', '/api/v1/namespaces/default/endpoints/web');
    expect(await lastOf(before.id)).toMatchObject({level: 'RequestResponse'});
    writeFileSync(policyFile, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
    const loaded = () => server.stderr().split('audit policy loaded').length - 1;
    await expect.poll(loaded, {timeout: 20_000}).toBe(2); // at the start, and now
    const after = await ask('anna-token', '/api/v1/namespaces/default/endpoints/web');
    expect(await lastOf(after.id)).toMatchObject({level: 'Metadata'});
  });
});
