// SPDX-License-Identifier: Apache-2.0
/** The files of the console over real sockets, in both versions of HTTP. */
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {connect as connectHttp2} from 'node:http2';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {everyoneIsMaster} from '@palisade/apiserver';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {type Listener, listenPlain} from '../port/listeners.ts';
import {ConsoleFiles} from './console-files.ts';
import {consoleOff, consoleSide} from './console-side.ts';

const INDEX = '<meta name="csp-nonce" content="__CSP_NONCE__"><script src="/console/assets/main-1a.js"></script>';
const root = mkdtempSync(join(tmpdir(), 'palisade-console-'));
const dist = join(root, 'dist');
let listener: Listener;
let url: string;

const put = (name: string, text: string): void => writeFileSync(join(dist, name), text);

beforeAll(async () => {
  const parts = {authenticator: everyoneIsMaster, sessions: undefined, oidc: undefined, auditor: undefined};
  const side = consoleSide({...parts, dir: dist});
  listener = await listenPlain(
    {host: '127.0.0.1', port: 0},
    'http',
    (request, response) => void side(request, response),
  );
  url = `http://127.0.0.1:${listener.address.port}`;
});
beforeEach(() => {
  rmSync(dist, {recursive: true, force: true});
  mkdirSync(join(dist, 'assets'), {recursive: true});
  writeFileSync(join(root, 'secret.js'), 'secret');
  put('index.html', INDEX);
  put('assets/main-1a.js', 'let a = 1;');
  put('assets/main-1a.js.br', 'br bytes');
  put('assets/main-1a.js.gz', 'gz bytes');
  put('assets/plain-2b.css', 'a{}');
  put('favicon.svg', '<svg/>');
  symlinkSync(join(root, 'secret.js'), join(dist, 'assets/link.js'));
});
afterAll(async () => {
  listener.force();
  await listener.close();
  rmSync(root, {recursive: true, force: true});
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url + path, {headers, method, redirect: 'manual'});
const HTML = {accept: 'text/html,*/*'};

/** The target as it is written: `fetch` would resolve it. */
const rawGet = async (target: string, headers = ''): Promise<string> => {
  const socket = connect(listener.address.port, '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
};

describe('pages', () => {
  test.each(['/console/', '/console/endpoints', '/console/endpoints/default/web?only=failing', '/console/a%2Fb/c.d'])(
    '49-1 %s is index.html with a nonce of its own',
    async path => {
      const [one, two] = await Promise.all([get(path), get(path)]);
      const [text, other] = [await one.text(), await two.text()];
      const [, nonce = ''] = /content="([\w+/=]{24})"/.exec(text) ?? [];
      expect([one.status, one.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(one.headers.get('content-security-policy')).toContain(`style-src 'self' 'nonce-${nonce}';`);
      expect(one.headers.get('cache-control')).toBe('no-store');
      expect(text).not.toBe(other);
    },
  );

  test('49-1 the name of an object that ends like a file is a page for a browser, and no file for a program', async () => {
    expect((await get('/console/endpoints/default/app.js', HTML)).status).toBe(200);
    expect((await get('/console/endpoints/default/app.js')).status).toBe(404);
    expect((await get('/console/assets/gone-9.js', HTML)).status).toBe(404);
  });

  test('49-1 /console leads to /console/ with its query', async () => {
    const response = await get('/console?theme=dark');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console/?theme=dark']);
  });

  test('49-1 not built: 503 in words; once it is built, without a restart', async () => {
    rmSync(join(dist, 'index.html'));
    const response = await get('/console/', HTML);
    expect([response.status, await response.text()]).toEqual([503, 'the console is not built; run make setup\n']);
    put('index.html', 'built');
    put('assets/new-3c.js', 'new');
    expect(await (await get('/console/', HTML)).text()).toBe('built');
    expect(await (await get('/console/assets/new-3c.js')).text()).toBe('new');
  });

  test('49-1 a new build beside a running server', async () => {
    expect((await get('/console/assets/next-4d.js')).status).toBe(404);
    put('assets/next-4d.js', 'next');
    put('index.html', `${INDEX}next`);
    utimesSync(join(dist, 'index.html'), 1, 1);
    expect(await (await get('/console/assets/next-4d.js')).text()).toBe('next');
  });
});

describe('files', () => {
  test('49-1 with a hash in the name are cached for good; others are asked for again', async () => {
    const asset = await get('/console/assets/plain-2b.css');
    expect([asset.status, asset.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const icon = await get('/console/favicon.svg');
    expect([icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
      'image/svg+xml',
      'no-cache',
    ]);
  });

  test.each([
    ['br, gzip', 'br', 'br bytes'],
    ['gzip, br;q=0', 'gzip', 'gz bytes'],
    ['identity', null, 'let a = 1;'],
  ])('49-1 Accept-Encoding %s: %s, as it was written at the build', async (encodings, coding, text) => {
    const raw = await rawGet(`/console/assets/main-1a.js`, `Accept-Encoding: ${encodings}\r\n`);
    expect(raw).toContain('content-type: text/javascript; charset=utf-8');
    expect(/content-encoding: (\w+)/.exec(raw)?.[1] ?? null).toBe(coding);
    expect(raw.endsWith(`\r\n\r\n${text}`)).toBe(true);
  });

  test('49-1 an unchanged file is 304; HEAD has its length and no body', async () => {
    const etag = (await get('/console/assets/plain-2b.css')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect((await get('/console/assets/plain-2b.css', {'if-none-match': `W/${etag}`})).status).toBe(304);
    const head = await get('/console/assets/plain-2b.css', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '3', '']);
  });

  test('49-1 other methods are refused', async () => {
    expect((await get('/console/', {}, 'POST')).status).toBe(405);
  });

  test('49-2 a file is in memory once, however many ask for it and do not read it', async () => {
    const files = new ConsoleFiles(dist);
    const read = async () => (await files.find('assets/main-1a.js'))?.read();
    const [one, two] = await Promise.all([read(), read()]);
    expect(one).toBeDefined();
    expect(two).toBe(one);
    expect(await read()).toBe(one);
  });

  test('49-1 HTTP/2', async () => {
    const session = connectHttp2(url);
    const stream = session.request({':path': '/console/assets/plain-2b.css'});
    const [head] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    session.close();
    expect([head[':status'], head['content-type'], text]).toEqual([200, 'text/css; charset=utf-8', 'a{}']);
  });
});

test.each([
  '/console/../secret.js',
  '/console/assets/../../secret.js',
  '/console/..%2fsecret.js',
  '/console/%2e%2e/secret.js',
  '/console/%2e%2e%2fsecret.js',
  '/console/assets/..%5c..%5csecret.js',
  '/console/assets/link.js',
  '/console//etc/passwd',
  '/console/%2fetc%2fpasswd',
  '/console/assets/main-1a.js%00.css',
  '/console/%ff',
])('49-2 %s leads out of no folder', async target => {
  const answer = await rawGet(target);
  expect(answer).not.toMatch(/secret\n?$|root:/);
  expect(answer).toMatch(/^HTTP\/1\.1 404|csp-nonce/);
});

test('49-2 every answer has the policy and its companions', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/favicon.svg',
    '/console/assets/none.js',
    '/console/session',
    '/console/oidc/login',
  ]) {
    const {headers} = await get(path);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';.* frame-ancestors 'none'$/,
    );
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  }
});

test('49-1 switched off: 404 in words', async () => {
  const off = await listenPlain(
    {host: '127.0.0.1', port: 0},
    'http',
    (request, response) => void consoleOff(request, response),
  );
  const answer = await fetch(`http://127.0.0.1:${off.address.port}/console/`);
  expect([answer.status, await answer.text()]).toEqual([
    404,
    'the console is switched off on this server (--console=false)\n',
  ]);
  off.force();
  await off.close();
});
