// SPDX-License-Identifier: Apache-2.0
import {createServer, type Server, type Socket} from 'node:net';
import {createServer as createTlsServer} from 'node:tls';
import {afterEach, beforeAll, describe, expect, test} from 'vitest';
import {type Authority, createAuthority} from '../testing/certificates.ts';
import {ANY_TLS, checkOnce, HTTP, listen, targetOf} from '../testing/check-once.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
const serve = async (server: Server, host?: string): Promise<number> => {
  open.push(server);
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  return listen(server, host);
};
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of open.splice(0)) server.close();
});

const failed = (message: string | RegExp) => ({
  kind: 'failed',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});
const PASSED = {kind: 'passed', message: ''};

/** The port of a server that is gone. */
const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  await new Promise(resolve => server.close(resolve));
  return port;
};

describe('tcp', () => {
  test.each(['127.0.0.1', '::1'])(
    '46-2 a listener at %s passes, and sees the connection closed without a reset',
    async ip => {
      const {promise: left, resolve} = Promise.withResolvers<string>();
      const port = await serve(
        createServer(socket =>
          socket
            .on('error', error => resolve(error.message))
            .on('close', () => resolve('closed'))
            .resume(),
        ),
        ip,
      );
      expect(await checkOnce(targetOf(port, {type: 'tcp'}, {ip}))).toEqual(PASSED);
      expect(await left).toBe('closed');
    },
  );

  test('46-2 nobody listens: connection refused', async () => {
    expect(await checkOnce(targetOf(await freePort(), {type: 'tcp'}))).toEqual(failed('connection refused'));
  });
});

describe('a peer that does not answer', () => {
  const methods = [
    ['tls', {type: 'tls', tls: ANY_TLS}, 'waiting for the TLS handshake'],
    ['http', HTTP, 'waiting for the answer'],
    ['https', {...HTTP, tls: ANY_TLS}, 'waiting for the TLS handshake'],
    ['http/2', {...HTTP, version: '2-prior-knowledge'}, 'waiting for the answer'],
    ['web-socket', {...HTTP, type: 'web-socket'}, 'waiting for the answer'],
    ['grpc', {type: 'grpc', tls: undefined, service: ''}, 'waiting for the answer'],
  ] as const;

  test.each(methods)(
    '46-2 %s: it accepts and is silent, so the check times out and says what it waited for',
    async (_name, method, doing) => {
      const port = await serve(createServer());
      const outcome = await checkOnce(targetOf(port, method, {timeoutMs: 300}));
      expect(outcome).toEqual(failed(`timed out after 300 ms while ${doing}`));
      await expect
        .poll(() =>
          [...sockets].every(socket => socket.destroyed || socket.readableEnded || socket.resume() === undefined),
        )
        .toBe(true);
    },
  );

  test.each(methods)('46-2 %s: it resets the connection', async (_name, method) => {
    const port = await serve(createServer(socket => void socket.resetAndDestroy()));
    expect(await checkOnce(targetOf(port, method))).toEqual(failed(/^connection (reset|closed) by the peer while /));
  });

  test.each(methods)('46-2 %s: it closes its half at once', async (_name, method) => {
    const port = await serve(createServer({allowHalfOpen: true}, socket => void socket.resume().end()));
    expect(await checkOnce(targetOf(port, method, {timeoutMs: 2_000}))).toEqual(
      failed(/^(connection (reset|closed) by the peer while |the answer is not HTTP)/),
    );
  });
});

describe('tls', () => {
  let authority: Authority;
  beforeAll(async () => {
    authority = await createAuthority();
  });
  const serveTls = async (names: readonly string[], days?: number): Promise<number> =>
    serve(createTlsServer(await authority.issue(names, days), socket => void socket.on('error', () => undefined)));
  const check = (port: number, tls: Partial<typeof ANY_TLS>) =>
    checkOnce(targetOf(port, {type: 'tls', tls: {serverName: undefined, ca: authority.ca, verify: true, ...tls}}));

  test('46-2 a certificate for the address passes without a server name, one for the name with it', async () => {
    const port = await serveTls(['127.0.0.1', 'web.example']);
    expect(await check(port, {})).toEqual(PASSED);
    expect(await check(port, {serverName: 'web.example'})).toEqual(PASSED);
    expect(await check(port, {serverName: '127.0.0.1'})).toEqual(PASSED);
  });

  test('46-2 the server name is sent as SNI, an address is not', async () => {
    const {cert, key} = await authority.issue(['127.0.0.1', 'web.example']);
    const names: (string | false)[] = [];
    const server = createTlsServer({cert, key}, socket => void names.push(socket.servername ?? false));
    const port = await serve(server);
    await check(port, {serverName: 'web.example'});
    await check(port, {});
    await expect.poll(() => names).toEqual(['web.example', false]);
  });

  test('46-2 the wrong name, an expired one and an unknown issuer fail with the way out; insecureSkipVerify takes them', async () => {
    const port = await serveTls(['other.example']);
    const old = await serveTls(['127.0.0.1'], -1);
    const stranger = (await createAuthority()).ca;
    expect(await check(port, {serverName: 'web.example'})).toEqual(
      failed(
        'the certificate is for other.example, not for web.example; set tlsConfig.serverName, or tlsConfig.insecureSkipVerify',
      ),
    );
    expect(await check(port, {})).toEqual(failed(/^the certificate is for other\.example, not for 127\.0\.0\.1; /));
    expect(await check(old, {})).toEqual(failed(/^the certificate has expired; /));
    for (const ca of [stranger, undefined])
      expect(await check(port, {serverName: 'other.example', ca})).toEqual(
        failed(
          'the certificate is not signed by a trusted authority; put the issuer into tlsConfig.caBundle, or set tlsConfig.insecureSkipVerify',
        ),
      );
    expect(await check(port, {verify: false})).toEqual(PASSED);
    expect(await check(old, {verify: false})).toEqual(PASSED);
  });

  test('46-2 a bundle that cannot be read, and a port that does not speak TLS, say so', async () => {
    const port = await serveTls(['127.0.0.1']);
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(await check(port, {ca: broken})).toEqual(failed('tlsConfig.caBundle holds no readable certificate'));
    expect(await check(port, {ca: 'no PEM'})).toEqual(failed('tlsConfig.caBundle holds no readable certificate'));
    const plain = await serve(createServer(socket => void socket.end('220 mail.example ESMTP\r\n')));
    expect(await check(plain, {})).toEqual(failed('the port does not answer with TLS'));
  });
});
