// SPDX-License-Identifier: Apache-2.0
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import {createServer as createHttp2Server, createSecureServer} from 'node:http2';
import {createServer as createHttpsServer} from 'node:https';
import {createServer, type Server, type Socket} from 'node:net';
import {afterEach, beforeAll, describe, expect, test} from 'vitest';
import type {CheckTarget, HttpMethod} from '../port.ts';
import {type Authority, createAuthority} from '../testing/certificates.ts';
import {ANY_TLS, checkOnce, HTTP, listen, targetOf} from '../testing/check-once.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
const serve = async (server: Server, host?: string): Promise<number> => {
  open.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  return listen(server, host);
};
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

const failed = (message: string | RegExp) => ({
  kind: 'failed',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});
const passed = (message = '') => ({kind: 'passed', message});
const serveHttp = (listener: RequestListener): Promise<number> => serve(createHttpServer(listener));
const check = (port: number, method: Partial<HttpMethod> = {}, more: Partial<CheckTarget> = {}) =>
  checkOnce(targetOf(port, {...HTTP, ...method}, more));
/** Answers what it is given byte for byte. */
const serveRaw = (answer: string | Buffer): Promise<number> =>
  serve(createServer(socket => void socket.once('data', () => socket.end(answer))));

describe('http', () => {
  test('46-2 the request has path, headers, the Host header, and a connection of its own that is closed', async () => {
    const seen: IncomingMessage[] = [];
    const port = await serveHttp((request, response) => {
      seen.push(request);
      response.end('fine');
    });
    const headers = [
      ['X-Token', 'a'],
      ['X-Token', 'b'],
    ] as const;
    expect(await check(port, {path: 'health?ä b', host: 'web.example', headers})).toEqual(passed());
    expect(await check(port)).toEqual(passed());
    expect(
      seen.map(({url, headers: {host, connection, ...others}}) => ({
        url,
        host,
        connection,
        token: others['x-token'],
        agent: others['user-agent'],
      })),
    ).toEqual([
      {url: '/health?%C3%A4%20b', host: 'web.example', connection: 'close', token: 'a, b', agent: 'palisade-check'},
      {url: '/', host: `127.0.0.1:${port}`, connection: 'close', token: undefined, agent: 'palisade-check'},
    ]);
    expect(seen[0]?.socket === seen[1]?.socket).toBe(false);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('46-2 a Host header among the headers wins; an address of IPv6 is asked in brackets', async () => {
    const hosts: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      hosts.push(request.headers.host);
      response.end();
    });
    const port = await serve(server, '::1');
    await check(port, {host: 'a.example', headers: [['Host', 'b.example']]}, {ip: '::1'});
    await check(port, {}, {ip: '::1'});
    expect(hosts).toEqual(['b.example', `[::1]:${port}`]);
  });

  test.each([
    [200, passed()],
    [204, passed()],
    [304, passed()],
    [399, passed()],
    [400, failed('status 400 instead of 200-399')],
    [503, failed('status 503 instead of 200-399')],
  ])('46-2 status %d is judged by the expected ones', async (status, outcome) => {
    const port = await serveHttp((_request, response) => response.writeHead(status).end());
    expect(await check(port)).toEqual(outcome);
  });

  test('46-2 named codes and ranges pass, others do not; what is said before the answer does not count', async () => {
    const port = await serveHttp((_request, response) => {
      response.writeEarlyHints({link: '</a>; rel=preload'});
      response.writeHead(401).end();
    });
    expect(
      await check(port, {
        expected: [
          [200, 299],
          [401, 401],
        ],
      }),
    ).toEqual(passed());
    expect(
      await check(port, {
        expected: [
          [200, 299],
          [404, 404],
        ],
      }),
    ).toEqual(failed('status 401 instead of 200-299, 404'));
  });

  test('46-2 of a long body only the beginning is read', async () => {
    let written = 0;
    const port = await serveHttp((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) written++;
      };
      response.on('drain', more);
      more();
    });
    expect(await check(port)).toEqual(passed());
    await expect.poll(() => sockets.size).toBe(0);
    expect(written).toBeLessThan(1_000);
  });

  test('46-2 a slow body, and one that ends too early', async () => {
    const slow = await serveHttp((_request, response) => void response.write('a'));
    expect(await check(slow, {}, {timeoutMs: 300})).toEqual(failed('timed out after 300 ms while reading the answer'));
    const short = await serveRaw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    expect(await check(short)).toEqual(failed(/^connection closed by the peer while reading the answer$/));
  });

  test('46-2 headers that are too large, and an answer that is no HTTP', async () => {
    const large = await serveRaw(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(await check(large)).toEqual(failed('the headers of the answer are too large'));
    const other = await serveRaw('220 mail.example ESMTP\r\n');
    expect(await check(other)).toEqual(failed('the answer is not HTTP/1.1'));
  });

  test('46-2 a request that cannot be sent says why', async () => {
    const port = await serveHttp((_request, response) => void response.end());
    expect(await check(port, {headers: [['Transfer-Encoding', 'chunked']]})).toEqual(
      failed('the request cannot be sent: invalid transfer-encoding header'),
    );
  });
});

describe('redirects', () => {
  const redirecting = (locationOf: (request: IncomingMessage, port: number) => string | undefined, status = 302) =>
    new Promise<{port: number; urls: string[]}>(resolve => {
      const urls: string[] = [];
      let own = 0;
      void serveHttp((request, response) => {
        urls.push(request.url ?? '');
        const location = locationOf(request, own);
        if (location === undefined) response.end();
        else response.writeHead(status, {location}).end();
      }).then(port => {
        own = port;
        resolve({port, urls});
      });
    });

  test.each([
    ['a path', {}, () => '/b?c'],
    ['a relative one', {}, () => 'b?c'],
    ['the address', {}, (port: number) => `http://127.0.0.1:${port}/b?c`],
    ['the name of the Host header', {host: 'web.example'}, () => 'http://web.example/b?c'],
    ['that name with the port', {host: 'web.example'}, (port: number) => `http://WEB.example:${port}/b?c`],
    ['the Host header with another port', {host: 'web.example:8443'}, () => 'http://web.example:8443/b?c'],
  ] as const)('46-2 to the same host is followed: %s', async (_name, method, location) => {
    const {port, urls} = await redirecting((request, own) => (request.url === '/a' ? location(own) : undefined));
    expect(await check(port, {...method, path: '/a'})).toEqual(passed());
    expect(urls).toEqual(['/a', '/b?c']);
  });

  test.each([
    ['another host', () => 'http://other.example/secret', 'http://other.example'],
    ['the address of a service of clouds', () => 'http://169.254.169.254/latest', 'http://169.254.169.254'],
    ['another port', () => 'http://127.0.0.1:1/x', 'http://127.0.0.1:1'],
    ['another scheme', (port: number) => `https://127.0.0.1:${port}/x`, 'https://127.0.0.1:'],
    ['no URL', () => 'http://[x', 'an invalid URL'],
  ])('E-061 46-2 to elsewhere is not followed, but judged by its code: %s', async (_name, location, elsewhere) => {
    const {port, urls} = await redirecting((_request, own) => location(own));
    expect(await check(port)).toEqual(
      passed(
        expect.stringMatching(
          new RegExp(`^redirected to ${elsewhere.replace(/[[\]]/g, '\\$&')}\\d*, which is not followed$`),
        ) as never,
      ),
    );
    expect(await check(port, {expected: [[200, 299]]})).toEqual(
      failed(/^status 302 instead of 200-299; redirected to /),
    );
    expect(urls).toEqual(['/', '/']);
  });

  test('46-2 ten are followed, not more', async () => {
    const counting = (last: number) => (request: IncomingMessage) => {
      const count = Number(request.url?.slice(1));
      return count < last ? `/${count + 1}` : undefined;
    };
    const ten = await redirecting(counting(10), 307);
    expect(await check(ten.port, {path: '/0'})).toEqual(passed());
    const eleven = await redirecting(counting(11), 308);
    expect(await check(eleven.port, {path: '/0'})).toEqual(failed('stopped after 10 redirects'));
    expect([ten.urls.length, eleven.urls.length]).toEqual([11, 11]);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('46-2 who expects redirects alone gets them judged; one without a location is judged', async () => {
    const {port, urls} = await redirecting(() => '/again', 301);
    expect(await check(port, {expected: [[300, 308]]})).toEqual(passed());
    expect(
      await check(port, {
        expected: [
          [200, 200],
          [301, 301],
        ],
      }),
    ).toEqual(passed());
    expect(urls).toHaveLength(2);
    const bare = await serveHttp((_request, response) => response.writeHead(302).end());
    expect(await check(bare)).toEqual(passed());
  });
});

describe('over TLS', () => {
  let authority: Authority;
  beforeAll(async () => {
    authority = await createAuthority();
  });
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    void response.end(`${request.httpVersion} ${request.headers.host}`);

  test('46-2 https passes with a good certificate and the bundle, and says what is wrong with another one', async () => {
    const port = await serve(createHttpsServer(await authority.issue(['web.example']), answer));
    const tls = {serverName: 'web.example', ca: authority.ca, verify: true};
    expect(await check(port, {tls, host: 'web.example'})).toEqual(passed());
    expect(await check(port, {tls: {...tls, serverName: undefined}})).toEqual(
      failed(/^the certificate is for web\.example, not for 127\.0\.0\.1; /),
    );
    expect(await check(port, {tls: {...tls, ca: undefined}})).toEqual(
      failed(/^the certificate is not signed by a trusted authority; /),
    );
    expect(await check(port, {tls: ANY_TLS})).toEqual(passed());
  });

  test('46-2 a server chooses HTTP/2 or HTTP/1.1 by ALPN, also one that speaks HTTP/2 alone', async () => {
    const versions: string[] = [];
    const note = (request: {httpVersion: string}, response: {end(): unknown}): void => {
      versions.push(request.httpVersion);
      response.end();
    };
    const pair = await authority.issue(['127.0.0.1']);
    const both = await serve(createSecureServer({...pair, allowHTTP1: true}, note));
    const modern = await serve(createSecureServer(pair, note));
    expect(await check(both, {tls: ANY_TLS})).toEqual(passed());
    expect(await check(modern, {tls: ANY_TLS})).toEqual(passed());
    expect(versions).toEqual(['2.0', '2.0']);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('46-2 http to a port of TLS, and https to one of http', async () => {
    const secure = await serve(createHttpsServer(await authority.issue(['127.0.0.1']), answer));
    expect(await check(secure)).toEqual(failed(/./));
    const plain = await serveHttp(answer);
    expect(await check(plain, {tls: ANY_TLS})).toEqual(failed('the port does not answer with TLS'));
  });
});

describe('HTTP/2 with prior knowledge', () => {
  const PRIOR = {version: '2-prior-knowledge'} as const;

  test('46-2 the request is HTTP/2 with authority, path and headers, and the connection is closed', async () => {
    const seen: Record<string, unknown>[] = [];
    const server = createHttp2Server((request, response) => {
      seen.push({
        version: request.httpVersion,
        url: request.url,
        authority: request.authority,
        token: request.headers['x-token'],
      });
      response.end('fine');
    });
    const port = await serve(server);
    expect(await check(port, {...PRIOR, path: '/health', host: 'web.example', headers: [['X-Token', 'a']]})).toEqual(
      passed(),
    );
    expect(seen).toEqual([{version: '2.0', url: '/health', authority: 'web.example', token: 'a'}]);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('46-2 codes and redirects are judged as in HTTP/1.1', async () => {
    const port = await serve(
      createHttp2Server((request, response) => {
        if (request.url === '/a') response.writeHead(302, {location: '/b'}).end();
        else response.writeHead(request.url === '/b' ? 200 : 503).end();
      }),
    );
    expect(await check(port, {...PRIOR, path: '/a', expected: [[200, 299]]})).toEqual(passed());
    expect(await check(port, PRIOR)).toEqual(failed('status 503 instead of 200-399'));
  });

  test('46-2 a server that speaks HTTP/1.1 only, and one that resets the stream', async () => {
    const old = await serveHttp((_request, response) => void response.end());
    expect(await check(old, PRIOR)).toEqual(
      failed(/^(the answer is not HTTP\/2|connection (closed|reset) by the peer while waiting for the answer)$/),
    );
    const server = createHttp2Server();
    server.on('stream', stream => stream.on('error', () => undefined).close(2));
    expect(await check(await serve(server), PRIOR)).toEqual(failed(/HTTP\/2|closed by the peer/));
  });

  test.each([0, 11])('46-2 a server that says GOAWAY (%d) and keeps the connection does not keep ours', async code => {
    const server = createHttp2Server();
    server.on('sessionError', () => undefined);
    server.on('stream', stream => {
      stream.on('error', () => undefined);
      stream.session?.goaway(code);
    });
    const port = await serve(server);
    expect(await check(port, PRIOR, {timeoutMs: 300})).toMatchObject({kind: 'failed'});
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('46-2 a slow body times out', async () => {
    const port = await serve(createHttp2Server((_request, response) => void response.write('a')));
    expect(await check(port, PRIOR, {timeoutMs: 300})).toEqual(
      failed('timed out after 300 ms while reading the answer'),
    );
    await expect.poll(() => sockets.size).toBe(0);
  });
});
