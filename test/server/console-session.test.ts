// SPDX-License-Identifier: Apache-2.0
/** Sign-in to the console of a real server, what a session may do, and what pages of other sites may not do with it. */
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {get} from 'node:http';
import {connect as connectHttp2} from 'node:http2';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ADMIN_TOKEN, READER_TOKEN, type SecuredServer, startSecured} from '../e2e/support/secured-server.ts';
import {ConsoleBrowser, type Page} from '../support/console-browser.ts';
import {type Scratch, scratch} from '../support/palisade.ts';

const WATCH = '/api/v1/namespaces/default/endpoints?watch=1';
const ENDPOINTS = '/v1/projects/p/locations/local/endpoints';
const TOKENS = '/apis/platform.io/v1alpha1/accesstokens';
const SECRET = '/api/v1/namespaces/default/configmaps';
/** What is promised. */
const ENDS_WITHIN_MS = 5_000;

let folder: Scratch;
let server: SecuredServer;
beforeAll(async () => {
  folder = scratch();
  server = await startSecured(folder.dir);
});
afterAll(async () => {
  await server?.stop();
  folder?.[Symbol.dispose]();
});

const browser = (): ConsoleBrowser => new ConsoleBrowser(server.http());
const overTls = (client?: {readonly cert: string; readonly key: string}): ConsoleBrowser =>
  new ConsoleBrowser(server.url, {ca: readFileSync(server.caFile), ...client});
const signedIn = async (token = ADMIN_TOKEN): Promise<ConsoleBrowser> => {
  const made = browser();
  expect((await made.signIn(token)).status).toBe(200);
  return made;
};
const messageOf = ({text: body}: Page): string => {
  const {message, error} = JSON.parse(body) as {message?: string; error?: {message: string}};
  return message ?? error?.message ?? '';
};

/** An open watch of the session; the value waits for its end. */
const openWatch = async ({cookies}: ConsoleBrowser): Promise<() => Promise<string>> => {
  const cookie = [...cookies].map(pair => pair.join('=')).join('; ');
  const response = await new Promise<Parameters<NonNullable<Parameters<typeof get>[2]>>[0]>((resolve, reject) => {
    get(server.http() + WATCH, {headers: {cookie}, agent: false}, resolve).once('error', reject);
  });
  expect(response.statusCode).toBe(200);
  return () => text(response);
};

describe('sign-in', () => {
  test('49-2 nobody: 401 says which ways there are', async () => {
    const {status, text: body} = await browser().send('GET', '/console/session');
    expect(status).toBe(401);
    expect(JSON.parse(body)).toMatchObject({signIn: {token: true, certificate: false, certificateAsked: false}});
    expect(JSON.parse(body).signIn).not.toHaveProperty('oidc');
  });

  test('49-2 a token: a cookie that no script and no other site gets, good for both APIs', async () => {
    const made = await signedIn();
    expect(made.setCookies).toEqual([
      expect.stringMatching(/^palisade-session-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(await made.session()).toEqual({
      user: {username: 'admin', groups: ['system:masters', 'system:authenticated']},
      method: 'token',
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    for (const path of ['/api/v1/namespaces', ENDPOINTS, '/metrics', '/audit'])
      expect((await made.send('GET', path)).status, path).toBe(200);
    expect((await made.change('POST', SECRET, {metadata: {name: 'by-console'}})).status).toBe(201);
    expect((await made.change('DELETE', `${ENDPOINTS}/absent`)).status).toBe(404);
  });

  test('49-2 over TLS the cookie is bound to the host, and one from plain HTTP does not count', async () => {
    const made = overTls();
    expect((await made.signIn(ADMIN_TOKEN)).status).toBe(200);
    expect(made.setCookies).toEqual([
      expect.stringMatching(/^__Host-palisade-session-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    ]);
    expect((await made.send('GET', '/api/v1/namespaces')).status).toBe(200);
    const other = overTls();
    const [name = ''] = made.cookies.keys();
    const [plain = '', id = ''] = [...(await signedIn()).cookies].flat();
    expect([name, plain]).toEqual([
      `__Host-palisade-session-${new URL(server.url).port}`,
      `palisade-session-${new URL(server.http()).port}`,
    ]);
    for (const planted of [name, plain, name.slice('__Host-'.length)]) other.cookies.set(planted, id);
    expect((await other.send('GET', '/console/session')).status).toBe(401);
  });

  test('49-2 over HTTP/2, in one connection', async () => {
    const connection = connectHttp2(server.url, {ca: readFileSync(server.caFile)});
    const ask = async (headers: Record<string, string>, body = '') => {
      const stream = connection.request({'content-type': 'application/json', ...headers});
      if (body !== '') stream.end(body); // other methods have no body
      const [head] = (await once(stream, 'response')) as [Record<string, string | readonly string[]>];
      return {status: Number(head[':status']), setCookie: head['set-cookie'] ?? [], text: await text(stream)};
    };
    const path = '/console/session';
    const {setCookie} = await ask({':method': 'POST', ':path': path}, JSON.stringify({token: ADMIN_TOKEN}));
    expect(setCookie).toEqual([expect.stringMatching(/^__Host-palisade-session-\d+=.*; Secure$/)]);
    const cookie = String(setCookie).split(';')[0] ?? '';
    const {csrfToken} = JSON.parse((await ask({':path': path, cookie})).text) as {csrfToken: string};
    expect((await ask({':method': 'DELETE', ':path': path, cookie})).status).toBe(403);
    expect((await ask({':method': 'DELETE', ':path': path, cookie, 'x-csrf-token': csrfToken})).status).toBe(204);
    connection.close();
  });

  test('49-2 the rights are those of the user', async () => {
    const reader = await signedIn(READER_TOKEN);
    expect(messageOf(await reader.send('GET', SECRET))).toContain('User "reader" cannot list');
    expect((await reader.send('GET', ENDPOINTS)).status).toBe(403);
  });

  test('49-2 a wrong token: 401 in words, no cookie', async () => {
    const made = browser();
    const page = await made.signIn('no-such-token');
    expect([page.status, made.setCookies]).toEqual([401, []]);
    expect(messageOf(page)).toBe('the token is not accepted: it is unknown, expired or revoked');
    expect(page.text).not.toContain('no-such-token');
  });

  test.each([
    ['{"token": 1}', 'application/json', 400, 'token must be text'],
    ['{"token": "a b"}', 'application/json', 400, 'token must be text'],
    ['token=x', 'application/json', 400, 'the body must be JSON'],
    ['{"token":"x"}', 'text/plain', 415, 'Content-Type must be application/json'],
    [`{"token":"${'x'.repeat(70_000)}"}`, 'application/json', 413, 'longer than 65536 bytes'],
  ])('49-2 %s as %s: refused in words', async (body, type, status, why) => {
    const page = await browser().send('POST', '/console/session', {body, headers: {'content-type': type}});
    expect(page.status).toBe(status);
    expect(messageOf(page)).toContain(why);
  });

  test('49-2 a client certificate, and a connection without one', async () => {
    const read = (name: string): string => readFileSync(join(folder.dir, 'data/pki', name), 'utf8');
    const made = overTls({cert: read('admin.crt'), key: read('admin.key')});
    expect(JSON.parse((await made.send('GET', '/console/session')).text)).toMatchObject({signIn: {certificate: true}});
    expect((await made.signIn()).status).toBe(200);
    expect(await made.session()).toMatchObject({
      method: 'certificate',
      user: {username: expect.stringContaining('admin')},
    });
    const wrong = overTls({cert: read('server.crt'), key: read('server.key')});
    expect(JSON.parse((await wrong.send('GET', '/console/session')).text)).toMatchObject({
      signIn: {certificate: false, certificateFault: expect.stringMatching(/^client certificate not accepted: /)},
    });
    const page = await overTls().send('GET', '/console/session');
    expect(JSON.parse(page.text)).toMatchObject({signIn: {certificate: false, certificateAsked: true}});
    const without = await overTls().signIn();
    expect([without.status, messageOf(without)]).toEqual([
      401,
      expect.stringContaining('showed no client certificate'),
    ]);
  });

  test('49-2 a second sign-in of a browser ends its first session', async () => {
    const made = await signedIn();
    const first = new Map(made.cookies);
    expect((await made.signIn(READER_TOKEN)).status).toBe(200);
    const old = browser();
    for (const [name, value] of first) old.cookies.set(name, value);
    expect((await old.send('GET', '/api')).status).toBe(401);
  });

  test('49-2 Authorization counts before the cookie, and needs no CSRF token', async () => {
    const made = await signedIn();
    const headers = {authorization: `Bearer ${READER_TOKEN}`};
    const page = await made.send('POST', SECRET, {headers, body: '{"metadata":{"name":"x"}}'});
    expect(messageOf(page)).toContain('User "reader" cannot create');
  });
});

describe('pages of other sites', () => {
  const post = {body: '{"metadata":{"name":"forged"}}'};
  const FORGED: readonly [string, (of: ConsoleBrowser) => Record<string, string>, string][] = [
    ['no CSRF token', () => ({}), 'X-CSRF-Token is missing'],
    ['a wrong CSRF token', () => ({'x-csrf-token': 'wrong'}), 'X-CSRF-Token is not that of this session'],
    [
      'the Origin of another site',
      of => ({'x-csrf-token': of.csrfToken, origin: 'https://evil.example'}),
      'Origin "https://evil.example"',
    ],
    ['an opaque Origin', of => ({'x-csrf-token': of.csrfToken, origin: 'null'}), 'Origin "null"'],
    [
      'Sec-Fetch-Site: cross-site',
      of => ({'x-csrf-token': of.csrfToken, 'sec-fetch-site': 'cross-site'}),
      'Sec-Fetch-Site "cross-site"',
    ],
    [
      'another port of this machine',
      of => ({'x-csrf-token': of.csrfToken, 'sec-fetch-site': 'same-site'}),
      'Sec-Fetch-Site "same-site"',
    ],
  ];

  test.each(FORGED)(
    '49-2 a forged request with the cookie and %s is refused by both APIs',
    async (_, headersOf, why) => {
      const made = await signedIn();
      for (const path of [SECRET, ENDPOINTS, '/backup', '/google.cloud.ids.v1.IDS/DeleteEndpoint']) {
        const page = await made.send('POST', path, {...post, headers: headersOf(made)});
        expect([page.status, messageOf(page)], path).toEqual([403, expect.stringContaining(why)]);
      }
      expect((await made.send('GET', `${SECRET}/forged`)).status).toBe(404);
    },
  );

  test('49-2 the CSRF token of another session does not count', async () => {
    const [one, two] = [await signedIn(), await signedIn(READER_TOKEN)];
    const page = await one.send('POST', SECRET, {...post, headers: {'x-csrf-token': two.csrfToken}});
    expect(page.status).toBe(403);
  });

  test('49-2 a foreign page can neither sign in nor out', async () => {
    const made = await signedIn();
    const headers = {origin: 'https://evil.example', 'x-csrf-token': made.csrfToken};
    expect((await made.send('DELETE', '/console/session', {headers})).status).toBe(403);
    expect((await made.send('DELETE', '/console/session')).status).toBe(403);
    const body = JSON.stringify({token: READER_TOKEN});
    expect((await made.send('POST', '/console/session', {headers, body})).status).toBe(403);
    expect((await made.session()).user.username).toBe('admin');
  });

  test('49-2 a WebSocket opens for the origin of the server, with the cookie alone for no other', async () => {
    const made = await signedIn();
    const upgrade = {
      ...{connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13'},
      'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
    };
    const statusOf = async (origin: string, more = {}): Promise<number> =>
      (await made.send('GET', WATCH, {headers: {...upgrade, origin, ...more}, isOpen: true})).status;
    expect(await statusOf('https://evil.example')).toBe(403);
    expect(await statusOf('http://127.0.0.1:1')).toBe(403);
    expect(await statusOf(server.http())).toBe(101);
    expect(await statusOf('https://evil.example', {authorization: `Bearer ${ADMIN_TOKEN}`})).toBe(101);
  });

  test('49-2 programs say nothing of sites, and are not affected', async () => {
    const headers = {authorization: `Bearer ${ADMIN_TOKEN}`, origin: 'https://dashboard.example'};
    expect((await browser().send('POST', SECRET, {headers, body: '{"metadata":{"name":"by-proxy"}}'})).status).toBe(
      201,
    );
    const {authorization} = headers;
    expect((await browser().send('DELETE', `${SECRET}/by-proxy`, {headers: {authorization}})).status).toBe(200);
  });
});

describe('the end of a session', () => {
  test('49-2 sign-out ends it at the server, and its watch', async () => {
    const made = await signedIn();
    const before = new Map(made.cookies);
    const ended = await openWatch(made);
    const startMs = performance.now();
    const page = await made.change('DELETE', '/console/session');
    expect([page.status, made.setCookies.at(-1)]).toEqual([
      204,
      expect.stringMatching(/^palisade-session-\d+=; .*Max-Age=0$/),
    ]);
    const thief = browser();
    for (const [name, value] of before) thief.cookies.set(name, value);
    for (const path of ['/api', ENDPOINTS, '/console/session'])
      expect((await thief.send('GET', path)).status, path).toBe(401);
    expect(await ended()).toContain('"code":401');
    expect(performance.now() - startMs).toBeLessThan(ENDS_WITHIN_MS);
  });

  test('49-2 a token that is deleted ends the session that it opened, and its watch', async () => {
    const admin = await signedIn();
    const made = await admin.change('POST', TOKENS, {
      metadata: {name: 'ending'},
      spec: {user: 'admin', groups: ['system:masters']},
    });
    const {status} = JSON.parse(made.text) as {status: {token: string}};
    const other = await signedIn(status.token);
    const ended = await openWatch(other);
    expect((await admin.change('DELETE', `${TOKENS}/ending`)).status).toBe(200);
    const page = await other.send('GET', '/console/session');
    expect([page.status, messageOf(page)]).toEqual([401, 'the session has ended; sign in again']);
    expect(await ended()).toContain('"code":401');
  });
});

test('49-2 sign-in and sign-out are in the audit log; no token and no session is, nor in the log', async () => {
  const made = await signedIn();
  const [session = ''] = made.cookies.values();
  await made.send('DELETE', '/console/session'); // without the CSRF token
  await made.change('DELETE', '/console/session');
  const log = (): string => readFileSync(join(folder.dir, 'data/audit/audit.log'), 'utf8');
  const events = () =>
    log()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as {requestURI: string; responseStatus: {code: number}})
      .filter(({requestURI}) => requestURI === '/console/session');
  await expect
    .poll(() => events().at(-1))
    .toMatchObject({verb: 'delete', user: {username: 'admin'}, responseStatus: {code: 204}});
  expect(events().at(-2)).toMatchObject({
    ...{verb: 'delete', user: {username: 'admin', groups: ['system:masters', 'system:authenticated']}},
    responseStatus: {code: 403, message: expect.stringContaining('X-CSRF-Token is missing')},
  });
  expect(events().at(-3)).toMatchObject({
    verb: 'post',
    user: {username: 'admin'},
    annotations: {'palisade.io/sign-in': 'token'},
  });
  const refused = events().find(({responseStatus}) => responseStatus.code === 401);
  expect(refused).toMatchObject({verb: 'post', annotations: {'authorization.k8s.io/decision': 'forbid'}});
  for (const secret of [ADMIN_TOKEN, READER_TOKEN, 'no-such-token', session, made.csrfToken])
    expect(log() + server.errors().join()).not.toContain(secret);
});

test('49-6 open sessions and sign-ins are counted', async () => {
  const made = await signedIn();
  const shown = async (): Promise<Record<string, number>> => {
    const {text: metrics} = await made.send('GET', '/metrics');
    const lines = metrics.matchAll(/^palisade_console_(\w+)\{method="(\w+)"(?:,result="(\w+)")?\} (\d+)$/gm);
    return Object.fromEntries(
      [...lines].map(([, name, method, result, value]) => [`${name} ${method} ${result ?? ''}`, Number(value)]),
    );
  };
  const before = await shown();
  expect(Object.keys(before)).toHaveLength(9);
  expect((await browser().signIn('no-such-token')).status).toBe(401);
  expect((await browser().signIn()).status).toBe(401);
  await signedIn(READER_TOKEN);
  await made.send('POST', '/console/session', {body: '{'}); // no sign-in
  const after = await shown();
  expect(Object.fromEntries(Object.entries(after).filter(([key, value]) => value !== before[key]))).toEqual({
    'sessions token ': (before['sessions token '] ?? 0) + 1,
    'sign_ins_total token succeeded': (before['sign_ins_total token succeeded'] ?? 0) + 1,
    'sign_ins_total token failed': (before['sign_ins_total token failed'] ?? 0) + 1,
    'sign_ins_total certificate failed': (before['sign_ins_total certificate failed'] ?? 0) + 1,
  });
});

test('49-2 failed sign-ins are limited by address, as other failed logins', async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 60 && !statuses.has(429); n++) statuses.add((await browser().signIn(`guess-${n}`)).status);
  expect([...statuses]).toEqual([401, 429]);
});
