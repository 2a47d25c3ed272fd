// SPDX-License-Identifier: Apache-2.0
/** Requests over a socket and their events: the form of kube-apiserver's own log, and no secret at any level. */
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {hasSecretBodies} from '../../../../server/src/audit/secret-bodies.ts';
import {MemoryApi, recordingAuditor, sampleKind, sampleKindWith} from '../../testing/index.ts';
import {type AuditLevel, isLess} from './event.ts';
import {withoutCredentials} from './never-written.ts';

const things = sampleKind();
const secrets = sampleKind({group: '', version: 'v1', kind: 'Secret', resource: 'secrets', registryPath: 'secrets'});
const once = sampleKindWith({answerOnce: () => () => {}}, {group: 'example.com', kind: 'Once'});
const policy: {level: AuditLevel} = {level: 'RequestResponse'};
const auditor = {
  ...recordingAuditor({rules: []}, hasSecretBodies),
  ruleFor: () => ({level: policy.level, omitStages: new Set([]), omitManagedFields: false}),
};
let api: MemoryApi;
let url = '';
const server = createServer((request, response) => void api.api.handle(request, response));

beforeAll(async () => {
  api = await MemoryApi.open({kinds: [things, secrets, once], auditor});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api[Symbol.asyncDispose]();
});

const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {'content-type': 'application/json', 'user-agent': 'kubectl/v1.36.3', ...headers},
    ...(body === undefined ? {} : {body: typeof body === 'string' ? body : JSON.stringify(body)}),
  });
  return {code: answer.status, text: await answer.text(), id: answer.headers.get('audit-id')};
};

/** An event of kube-apiserver v1.36 for the same request, in its form: keys, their order, and the form of each value. */
const GOLDEN =
  '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a-1","stage":"ResponseComplete","requestURI":"/apis/example.com/v1/namespaces/default/things/web","verb":"get","user":{"username":"system:admin","groups":["system:masters","system:authenticated"]},"sourceIPs":["10.0.0.7","127.0.0.1"],"userAgent":"kubectl/v1.36.3","objectRef":{"resource":"things","namespace":"default","name":"web","apiGroup":"example.com","apiVersion":"v1"},"responseStatus":{"metadata":{},"status":"Failure","message":"things.example.com \\"web\\" not found","reason":"NotFound","details":{"name":"web","group":"example.com","kind":"things"},"code":404},"requestReceivedTimestamp":"T","stageTimestamp":"T","annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}}';

test('an event has the keys of upstream, in its order, with times of six digits', async () => {
  policy.level = 'Metadata';
  auditor.events.length = 0;
  const headers = {'audit-id': 'a-1', 'x-forwarded-for': '10.0.0.7, unknown'};
  await send('GET', '/apis/example.com/v1/namespaces/default/things/web', undefined, headers);
  const text = JSON.stringify(auditor.events.at(-1));
  const times = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)"/g;
  expect([...text.matchAll(times)]).toHaveLength(2);
  expect(text.replace(times, '"T"')).toBe(GOLDEN);
});

test.each([
  ['Metadata', {requestObject: false, responseObject: false}],
  ['Request', {requestObject: true, responseObject: false}],
  ['RequestResponse', {requestObject: true, responseObject: true}],
] as const)('level %s has the bodies that it names', async (level, bodies) => {
  policy.level = level;
  const metadata = {name: `of-${level.toLowerCase()}`};
  const {id} = await send('POST', '/apis/example.com/v1/namespaces/default/things', {metadata});
  const event = auditor.events.findLast(each => each.auditID === id);
  expect(event?.level).toBe(level);
  for (const name of ['requestObject', 'responseObject'] as const) expect(name in (event ?? {})).toBe(bodies[name]);
  expect(event?.objectRef).toMatchObject({
    name: metadata.name,
    uid: expect.any(String),
    resourceVersion: expect.any(String),
  });
});

/** Letters and digits that stand nowhere else. */
const secretText = fc.stringMatching(/^[a-z]{12,24}$/).map(text => `zq${text}qz`);
const body = (secret: string) =>
  fc.constantFrom<unknown>(
    {metadata: {name: 'x', annotations: {secret}}},
    {metadata: {name: 'x'}, data: {secret}},
    {metadata: {name: 'x', labels: {secret: `/${secret}!`}}},
    {
      metadata: {
        name: 'x',
        annotations: {'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({secret})},
      },
    },
    {metadata: {name: 'x', creationTimestamp: secret}},
    {kind: secret, metadata: {name: 'x'}},
    `{"metadata":{"name":"x"},"${secret}":`,
    `"${secret}"`,
  );
const PATHS = {
  '/api/v1/namespaces/default/secrets': true,
  '/apis/example.com/v1/namespaces/default/onces': true,
  '/apis/example.com/v1/namespaces/default/things': false,
};

test('a secret in a body, a header or a parameter is in no event above its level', async () => {
  const levels = ['Metadata', 'Request', 'RequestResponse'] as const;
  const request = fc.record({
    secret: secretText,
    path: fc.constantFrom(...(Object.keys(PATHS) as (keyof typeof PATHS)[])),
    level: fc.constantFrom(...levels),
    method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
    type: fc.constantFrom('application/json', 'application/yaml', 'application/merge-patch+json', 'text/plain'),
    parameter: fc.constantFrom('access_token', '$.oauth_token', 'token', 'ACCESS%5FTOKEN', 'key', 'client_secret'),
  });
  const property = fc.asyncProperty(
    request.chain(of => fc.record({of: fc.constant(of), sent: body(of.secret)})),
    async ({of, sent}) => {
      policy.level = of.level;
      auditor.events.length = 0;
      const path = of.method === 'POST' ? of.path : `${of.path}/x`;
      const headers = {authorization: `Bearer ${of.secret}`, cookie: `session=${of.secret}`, 'content-type': of.type};
      await send(of.method, `${path}?fieldValidation=Strict&${of.parameter}=${of.secret}`, sent, headers);
      if (PATHS[of.path]) await send('GET', `${of.path}/x`, undefined, headers);
      expect(auditor.events.length).toBeGreaterThan(0);
      const mayHaveBodies = !PATHS[of.path] && !isLess(of.level, 'Request');
      for (const {requestObject, responseObject, responseStatus, ...rest} of auditor.events) {
        expect(JSON.stringify(rest)).not.toContain(of.secret);
        if (mayHaveBodies) continue;
        expect(JSON.stringify([requestObject, responseObject, responseStatus])).not.toContain(of.secret);
      }
    },
  );
  await fc.assert(property, {numRuns: 150});
});

test('credentials in a URL are hidden, and nothing else', () => {
  expect(withoutCredentials('/v1/x?access_token=a&filter=b&%24.oauth_token=c&key=d')).toBe(
    '/v1/x?access_token=...&filter=b&%24.oauth_token=...&key=...',
  );
  expect(withoutCredentials('/api/v1/x?watch=1&fieldSelector=metadata.name%3Da')).toBe(
    '/api/v1/x?watch=1&fieldSelector=metadata.name%3Da',
  );
});

test('a body of YAML is JSON in its event', async () => {
  policy.level = 'Request';
  const type = {'content-type': 'application/yaml'};
  const {id} = await send(
    'POST',
    '/apis/example.com/v1/namespaces/default/things',
    'metadata:\n  name: from-yaml\n',
    type,
  );
  expect(auditor.events.findLast(each => each.auditID === id)?.requestObject).toMatchObject({
    kind: 'Thing',
    metadata: {name: 'from-yaml'},
  });
});

test('a body of another kind is in no event, and neither is a refusal that quotes it', async () => {
  const base = '/apis/example.com/v1/namespaces/default/things';
  policy.level = 'RequestResponse';
  await send('POST', base, {metadata: {name: 'kept'}});
  const secret = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'kept'}, stringData: {password: 'zq-hidden-qz'}};
  const token = {apiVersion: 'platform.io/v1', kind: 'AccessToken', metadata: {name: 'kept'}, spec: 'zq-hidden-qz'};
  const patched = [{op: 'replace', path: '', value: secret}];
  const cases: (readonly [method: string, type: string, body: unknown])[] = [
    ...[secret, token, JSON.stringify(secret).slice(0, -1), {...secret, kind: 'thing'}].flatMap(
      body =>
        [
          ['POST', 'application/json', body],
          ['PUT', 'application/json', body],
          ['DELETE', 'application/json', body],
          ['PATCH', 'application/merge-patch+json', body],
          ['PATCH', 'application/apply-patch+yaml', body],
        ] as const,
    ),
    ['POST', 'application/yaml', 'kind: Secret\napiVersion: v1\nstringData: {password: zq-hidden-qz}\n'],
    ['PATCH', 'application/json-patch+json', patched],
  ];
  for (const [method, type, body] of cases) {
    auditor.events.length = 0;
    const path = method === 'POST' ? base : `${base}/kept?fieldManager=x`;
    const {code} = await send(method, path, body, {'content-type': type});
    const said = JSON.stringify([method, type, body]);
    expect.soft(code, said).toBeGreaterThanOrEqual(400);
    expect.soft(JSON.stringify(auditor.events), said).not.toContain('zq-hidden-qz');
    expect.soft(auditor.events.at(-1)?.annotations, said).toHaveProperty(['palisade.io/request-left-out']);
  }
});

test('a body is in its event as it was decoded, without unknown fields; a patch as it was sent', async () => {
  policy.level = 'Request';
  const base = '/apis/example.com/v1/namespaces/default/things';
  const sent = {metadata: {name: 'decoded', labels: {a: 'b'}}, stringData: {password: 'zq-hidden-qz'}};
  const objectOf = async (method: string, path: string, body: unknown, type = 'application/json') => {
    const {id} = await send(method, path, body, {'content-type': type});
    return auditor.events.findLast(each => each.auditID === id)?.requestObject;
  };
  const created = await objectOf('POST', base, sent);
  expect(created).toMatchObject({apiVersion: 'example.com/v1', kind: 'Thing', metadata: sent.metadata});
  expect(created).not.toHaveProperty('stringData');
  const patch = {kind: 'Thing', metadata: {labels: {a: 'c'}}};
  expect(await objectOf('PATCH', `${base}/decoded`, patch, 'application/merge-patch+json')).toEqual(patch);
  const owners = [{op: 'add', path: '/metadata/ownerReferences/-', value: {kind: 'Pod', apiVersion: 'v1'}}];
  expect(await objectOf('PATCH', `${base}/decoded`, owners, 'application/json-patch+json')).toEqual(owners);
  const options = {kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background'};
  expect(await objectOf('DELETE', `${base}/decoded`, options)).toMatchObject({propagationPolicy: 'Background'});
});

test('a stream that ended has the address that it came from', async () => {
  policy.level = 'Metadata';
  auditor.events.length = 0;
  const ending = new AbortController();
  const stages = () => auditor.events.map(({stage}) => stage);
  await fetch(`${url}/apis/example.com/v1/things?watch=1`, {signal: ending.signal});
  expect(stages()).toContain('ResponseStarted');
  ending.abort();
  await expect.poll(stages).toContain('ResponseComplete');
  expect(auditor.events.at(-1)?.sourceIPs).toEqual(['127.0.0.1']);
});
