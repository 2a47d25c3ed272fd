// SPDX-License-Identifier: Apache-2.0
import {createServer as createHttpServer} from 'node:http';
import {createServer as createHttp2Server, createSecureServer} from 'node:http2';
import {createServer as createHttpsServer} from 'node:https';
import {createServer as createTcpServer, type Server, type Socket} from 'node:net';
import {gzipSync} from 'node:zlib';
import {Code, ConnectError, type ConnectRouter} from '@connectrpc/connect';
import {connectNodeAdapter} from '@connectrpc/connect-node';
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@palisade/ids-wire/gen/grpc/health/v1/health_pb.ts';
import {afterEach, expect, test} from 'vitest';
import type {CheckTarget, CheckTls} from '../port.ts';
import {createAuthority} from '../testing/certificates.ts';
import {ANY_TLS, checkOnce, listen, targetOf} from '../testing/check-once.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
const serve = async (server: Server): Promise<number> => {
  open.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  return listen(server);
};
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

const STATUSES: Readonly<Record<string, (typeof ServingStatus)[keyof typeof ServingStatus]>> = {
  '': ServingStatus.SERVING,
  down: ServingStatus.NOT_SERVING,
  unknown: ServingStatus.UNKNOWN,
};
const health = ({service}: ConnectRouter): void => {
  service(Health, {
    check: async ({service: name}, {signal}) => {
      if (name === 'stuck') await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
      if (name === 'busy') throw new ConnectError('a secret of the server', Code.ResourceExhausted);
      const status = STATUSES[name];
      if (status === undefined) throw new ConnectError('no such service', Code.NotFound);
      return {status};
    },
  });
};

const failed = (message: string | RegExp) => ({
  kind: 'failed',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});
const PASSED = {kind: 'passed', message: ''};
const check = (port: number, service = '', tls?: CheckTls, more: Partial<CheckTarget> = {}) =>
  checkOnce(targetOf(port, {type: 'grpc', tls, service}, more));

test('46-2 a service that is serving passes, and the connection is closed', async () => {
  const port = await serve(createHttp2Server(connectNodeAdapter({routes: health})));
  expect(await check(port)).toEqual(PASSED);
  await expect.poll(() => sockets.size).toBe(0);
});

test.each([
  ['down', 'grpc.health.v1.Health says NOT_SERVING'],
  ['unknown', 'grpc.health.v1.Health says UNKNOWN'],
  ['other', 'grpc.health.v1.Health does not know the service "other"'],
  ['busy', 'the call of grpc.health.v1.Health failed with ResourceExhausted'],
])('46-2 service %s: %s', async (service, message) => {
  const port = await serve(createHttp2Server(connectNodeAdapter({routes: health})));
  expect(await check(port, service)).toEqual(failed(message));
  await expect.poll(() => sockets.size).toBe(0);
});

test('46-2 a call that takes too long times out', async () => {
  const port = await serve(createHttp2Server(connectNodeAdapter({routes: health})));
  expect(await check(port, 'stuck', undefined, {timeoutMs: 300})).toEqual(
    failed('timed out after 300 ms while waiting for the answer'),
  );
  await expect.poll(() => sockets.size).toBe(0);
});

test('46-2 a server without the health service, and one that speaks HTTP/1.1 only', async () => {
  const other = await serve(createHttp2Server(connectNodeAdapter({routes: () => undefined})));
  expect(await check(other)).toEqual(failed('the server has no service grpc.health.v1.Health'));
  const old = await serve(createHttpServer((_request, response) => void response.end()));
  expect(await check(old)).toEqual(
    failed(/^(the answer is not HTTP\/2|connection (closed|reset) by the peer while waiting for the answer)$/),
  );
  await expect.poll(() => sockets.size).toBe(0);
});

test('46-2 over TLS: a good certificate passes; a wrong one, and a server without HTTP/2, say why', async () => {
  const authority = await createAuthority();
  const pair = await authority.issue(['web.example']);
  const port = await serve(createSecureServer(pair, connectNodeAdapter({routes: health})));
  const tls = {serverName: 'web.example', ca: authority.ca, verify: true};
  expect(await check(port, '', tls)).toEqual(PASSED);
  expect(await check(port, '', {...tls, serverName: undefined})).toEqual(
    failed(/^the certificate is for web\.example, not for 127/),
  );
  expect(await check(port, '', {...tls, ca: undefined})).toEqual(
    failed(/^the certificate is not signed by a trusted authority; /),
  );
  const old = await serve(createHttpsServer(pair, (_request, response) => void response.end()));
  expect(await check(old, '', ANY_TLS)).toEqual(
    failed(/^the peer (speaks none of the offered protocols over TLS|does not offer HTTP\/2)/),
  );
  await expect.poll(() => sockets.size).toBe(0);
});

/** Answers SERVING, followed by a field that nobody knows, of so many bytes. */
const serveLong = (bytes: number, isCompressed: boolean): Promise<number> => {
  const length: number[] = [];
  for (let left = bytes; left > 0; left >>>= 7) length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  const message = Buffer.concat([Buffer.from([0x08, 0x01, 0x7a, ...length]), Buffer.alloc(bytes)]);
  const sent = isCompressed ? gzipSync(message) : message;
  const head = Buffer.alloc(5);
  head.writeUInt8(isCompressed ? 1 : 0, 0);
  head.writeUInt32BE(sent.length, 1);
  return serve(
    createHttp2Server((_request, response) => {
      const encoding = isCompressed ? {'grpc-encoding': 'gzip'} : {};
      response.writeHead(200, {'content-type': 'application/grpc+proto', ...encoding});
      response.write(Buffer.concat([head, sent]));
      response.addTrailers({'grpc-status': '0'});
      response.end();
    }),
  );
};

test.each([
  ['a compressed one, however small it comes', 8 * 1_024 ** 2, true, 'Internal'],
  ['one that is longer than any answer to a health check', 64 * 1_024, false, 'ResourceExhausted'],
] as const)('46-2 of an answer no more is read than it needs: %s fails', async (_name, bytes, isCompressed, code) => {
  expect(await check(await serveLong(bytes, isCompressed))).toEqual(
    failed(`the call of grpc.health.v1.Health failed with ${code}`),
  );
  expect(await check(await serveLong(1_024, false))).toEqual(PASSED);
  await expect.poll(() => sockets.size).toBe(0);
});

/** Frames of HTTP/2: empty settings, their acknowledgement, and RST_STREAM of stream 1 with NO_ERROR. Ref: RFC 9113, section 6. */
const SETTINGS = '000000040000000000000000040100000000';
const RESET = '00000403000000000100000000';

test.each([
  ['resets the stream with NO_ERROR and closes the connection', SETTINGS + RESET, true, 'HTTP/2 stream canceled'],
  ['resets the stream with NO_ERROR and keeps the connection', SETTINGS + RESET, false, 'HTTP/2 stream canceled'],
  ['closes the connection after its settings', SETTINGS, true, 'connection closed'],
  ['closes the connection at once', '', true, 'connection closed'],
])('48-6 a peer that %s fails the check at once', async (_name, frames, isClosed, what) => {
  const port = await serve(
    createTcpServer(socket => {
      socket.once('data', () => {
        socket.write(Buffer.from(frames, 'hex'));
        if (isClosed) socket.end();
        socket.resume();
      });
    }),
  );
  expect(await check(port)).toEqual(failed(`${what} by the peer while waiting for the answer`));
  await expect.poll(() => sockets.size).toBe(0);
});
