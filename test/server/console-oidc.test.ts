// SPDX-License-Identifier: Apache-2.0
/** Sign-in to the console at a real issuer (oidc-provider over TLS), which gives ID tokens that live for two seconds and refresh tokens. */
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {ADMIN_TOKEN, type SecuredServer, startSecured} from '../e2e/support/secured-server.ts';
import {ConsoleBrowser} from '../support/console-browser.ts';
import {CLIENT_SECRET, type OidcIssuer, startIssuer} from '../support/oidc-issuer.ts';
import {type Scratch, scratch} from '../support/palisade.ts';

let folder: Scratch;
let issuer: OidcIssuer;
let server: SecuredServer;
beforeAll(async () => {
  folder = scratch();
  issuer = await startIssuer(join(folder.dir, 'issuer'));
  const secret = join(folder.dir, 'client-secret');
  writeFileSync(secret, `${CLIENT_SECRET}\n`, {mode: 0o600});
  server = await startSecured(join(folder.dir, 'server'), [
    ...['--oidc-issuer-url', issuer.url, '--oidc-client-id', 'brief', '--oidc-ca-file', issuer.caFile],
    ...['--oidc-client-secret-file', secret, '--oidc-groups-claim', 'groups'],
  ]);
});
afterAll(async () => {
  await server?.stop();
  await issuer?.close();
  folder?.[Symbol.dispose]();
});

const browser = (): ConsoleBrowser => new ConsoleBrowser(server.url, {ca: readFileSync(server.caFile)});
const auditLog = (): string => readFileSync(join(folder.dir, 'server/data/audit/audit.log'), 'utf8');

/** The sign-in up to the redirect that brings the code. */
const atIssuer = async (made: ConsoleBrowser, path = '/console/oidc/login') => {
  const {status, headers} = await made.send('GET', path);
  expect(status).toBe(302);
  const start = new URL(headers.location ?? '');
  return {start, back: new URL(await issuer.visit(start.href, 'jane'))};
};

test('49-2 an issuer that is down: 503 in words, and the next sign-in works', async () => {
  const made = browser();
  issuer.down();
  const page = await made.send('GET', '/console/oidc/login');
  issuer.up();
  expect([page.status, page.text]).toEqual([503, expect.stringContaining(`the issuer ${issuer.url} cannot be asked`)]);
  expect((await made.send('GET', '/console/oidc/login')).status).toBe(302);
});

test('49-2 the issuer is named, and the browser is sent to it with PKCE, state and nonce', async () => {
  const made = browser();
  const {text} = await made.send('GET', '/console/session');
  expect(JSON.parse(text)).toMatchObject({signIn: {oidc: {issuer: issuer.url, url: '/console/oidc/login'}}});
  const {headers} = await made.send('GET', '/console/oidc/login');
  const start = new URL(headers.location ?? '');
  expect(start.origin).toBe(issuer.url);
  expect(Object.fromEntries(start.searchParams)).toEqual({
    ...{client_id: 'brief', response_type: 'code', scope: 'openid', code_challenge_method: 'S256'},
    redirect_uri: `${server.url}/console/oidc/callback`,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    ...{state: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/)},
  });
  expect(made.setCookies).toEqual([
    expect.stringMatching(
      /^__Host-palisade-sign-in-\d+=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    ),
  ]);
});

test('49-2 the user of the issuer is signed in, and stays so with the refresh token', async () => {
  const made = browser();
  const {back} = await atIssuer(made, '/console/oidc/login?return=/console/threats%3Fsince=1h');
  const before = issuer.tokenRequests();
  const page = await made.send('GET', back.pathname + back.search);
  expect([page.status, page.headers.location]).toEqual([302, '/console/threats?since=1h']);
  expect([...made.cookies.keys()]).toEqual([`__Host-palisade-session-${new URL(server.url).port}`]);
  const session = async () => {
    const {user, method} = await made.session();
    return {user, method, isRenewed: issuer.tokenRequests() - before >= 3}; // the code, and a token after each second
  };
  const user = {username: `${issuer.url}#jane`, groups: ['jane-team', 'everyone', 'system:authenticated']};
  await expect.poll(session).toEqual({user, method: 'oidc', isRenewed: true});
  const denied = await made.send('GET', '/api/v1/namespaces/default/configmaps');
  expect(denied.text).toContain(`User \\"${issuer.url}#jane\\" cannot list`);
  await expect.poll(auditLog).toContain('"palisade.io/sign-in":"oidc"');
  expect(auditLog()).not.toContain(back.searchParams.get('code'));
});

test('49-2 the session that the browser had ends with the sign-in, though its cookie does not come back from the issuer', async () => {
  const made = browser();
  await made.signIn(ADMIN_TOKEN);
  const had = [...made.cookies];
  const {back} = await atIssuer(made);
  for (const [name] of had) made.cookies.delete(name); // SameSite=Strict
  const page = await made.send('GET', back.pathname + back.search);
  expect([page.status, (await made.session()).method]).toEqual([302, 'oidc']);
  for (const [name, value] of had) made.cookies.set(name, value);
  expect((await made.send('GET', '/console/session')).status).toBe(401);
});

test.each([
  ['a state of another sign-in', (back: URL) => back.searchParams.set('state', 'x'), 401, 'state'],
  ['a code that the issuer did not give', (back: URL) => back.searchParams.set('code', 'x'), 401, 'invalid_grant'],
  [
    'a refusal of the issuer',
    (back: URL) => {
      back.searchParams.delete('code');
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', '<img src=x>');
    },
    401,
    'cancelled, or the issuer does not admit this user: access_denied (&#60;img src=x&#62;)',
  ],
])('49-2 %s: no session, and a page in words', async (_, change, status, why) => {
  const made = browser();
  const {back} = await atIssuer(made, '/console/oidc/login?return=/console/threats%3Fa=1%26b=2');
  change(back);
  const page = await made.send('GET', back.pathname + back.search);
  expect(page.status).toBe(status);
  expect(page.text).toContain(why);
  expect(page.text).toContain('<a href="/console/threats?a=1&#38;b=2">');
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  expect([...made.cookies.keys()]).toEqual([]);
});

test('49-2 an issuer that is down when the code comes: 503 in words, and no failed login', async () => {
  const failedLogins = async (): Promise<string> => {
    const headers = {authorization: `Bearer ${ADMIN_TOKEN}`};
    const {text} = await browser().send('GET', '/metrics', {headers});
    return /^palisade_failed_logins_total.*$/m.exec(text)?.[0] ?? '';
  };
  const made = browser();
  const {back} = await atIssuer(made);
  const before = await failedLogins();
  issuer.down();
  const page = await made.send('GET', back.pathname + back.search);
  issuer.up();
  expect([page.status, page.text]).toEqual([503, expect.stringContaining('start again')]);
  expect([await failedLogins(), before]).toEqual([before, expect.stringMatching(/\d$/)]);
});

test('49-2 the answer of the issuer signs in only the browser that asked', async () => {
  const {back} = await atIssuer(browser());
  const victim = browser();
  const page = await victim.send('GET', back.pathname + back.search);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('not started in this browser')]);
  const other = browser();
  await other.send('GET', '/console/oidc/login'); // a sign-in of its own: the state is another one
  expect((await other.send('GET', back.pathname + back.search)).status).toBe(401);
  const planted = browser();
  planted.cookies.set(`__Host-palisade-sign-in-${new URL(server.url).port}`, 'e30.e30');
  expect((await planted.send('GET', back.pathname + back.search)).status).toBe(400);
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/console/../../evil',
  '/\\evil',
  '/console/oidc/login',
  '/api',
  `/console/${'x'.repeat(4_000)}`,
])('49-2 the sign-in leads to no other place: %s', async to => {
  const made = browser();
  const {headers} = await made.send('GET', `/console/oidc/login?return=${encodeURIComponent(to)}`);
  expect(headers.location).toContain(issuer.url);
  const [, value = ''] = /palisade-sign-in-\d+=([\w-]+)/.exec(made.setCookies[0] ?? '') ?? [];
  const {returnTo} = JSON.parse(Buffer.from(value, 'base64url').toString()) as {returnTo: string};
  expect(returnTo).toBe('/console/');
});
