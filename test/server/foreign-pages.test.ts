// SPDX-License-Identifier: Apache-2.0
/** With `--auth none` the host of a request is looked at on every port, in every protocol. */
import {once} from 'node:events';
import {connect as connectHttp2, type OutgoingHttpHeaders} from 'node:http2';
import {connect as connectTcp} from 'node:net';
import {hostname} from 'node:os';
import {connect as connectTls} from 'node:tls';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {quiet, type RunningServer, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
let server: RunningServer;
beforeAll(async () => {
  server = await serve([
    ...quiet(folder.dir),
    '--https',
    '127.0.0.1:0',
    '--tls-names',
    'palisade.example',
    '--apis',
    'kubernetes',
  ]);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

type Port = 'http' | 'https';
const urlOf = (port: Port): string => server.ready[port] ?? '';

/** The status of a request as it is written. */
const raw = async (port: Port, request: string): Promise<number> => {
  const {hostname: host, port: number} = new URL(urlOf(port));
  const at = {host, port: Number(number)};
  const socket = port === 'http' ? connectTcp(at) : connectTls({...at, rejectUnauthorized: false});
  await once(socket, port === 'http' ? 'connect' : 'secureConnect');
  socket.write(request.replaceAll('\n', '\r\n'));
  const [head] = await once(socket, 'data');
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+) /.exec(String(head))?.[1]);
};

const over2 = async (port: Port, authority: string, headers: OutgoingHttpHeaders = {}): Promise<number> => {
  const session = connectHttp2(urlOf(port), {rejectUnauthorized: false});
  const stream = session.request({':path': '/api', ':authority': authority, ...headers});
  const [head] = await once(stream, 'response');
  session.destroy();
  return Number(head[':status']);
};

const WATCH =
  'Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\n';

const WAYS: Readonly<Record<string, (host: string) => Promise<number>>> = {
  'HTTP/1.1': host => raw('http', `GET /api HTTP/1.1\nHost: ${host}\n\n`),
  'HTTP/1.1 with a body in chunks': host =>
    raw('http', `GET /api HTTP/1.1\nHost: ${host}\nTransfer-Encoding: chunked\n\n0\n\n`),
  'HTTP/1.1, the whole URL as target': host => raw('http', `GET http://${host}/api HTTP/1.1\nHost: localhost\n\n`),
  'HTTP/1.1 over TLS': host => raw('https', `GET /api HTTP/1.1\nHost: ${host}\n\n`),
  'HTTP/2': host => over2('http', host),
  'HTTP/2 over TLS': host => over2('https', host),
  'HTTP/2 with another Host': host => over2('http', 'localhost', {host}),
};

test.each(Object.entries(WAYS))('F-21 %s: a host of somebody else is refused, localhost is not', async (_, ask) => {
  expect(await ask('evil')).toBe(403);
  expect(await ask('2130706433')).toBe(403);
  expect(await ask('localhost')).toBe(200);
});

test('F-21 gRPC and watches over WebSocket: a host of somebody else is refused', async () => {
  const grpc = {
    ':method': 'POST',
    ':path': '/google.cloud.ids.v1.IDS/ListEndpoints',
    'content-type': 'application/grpc',
  };
  expect(await over2('http', 'evil', grpc)).toBe(403);
  const watch = (host: string, origin: string): Promise<number> =>
    raw('http', `GET /api/v1/namespaces?watch=1 HTTP/1.1\nHost: ${host}\nOrigin: http://${origin}\n${WATCH}\n`);
  expect(await watch('evil', 'evil')).toBe(403);
  expect(await watch('localhost', 'localhost')).toBe(101);
});

test('49-2 the console opens at once, by the names of this machine and for no page of another name', async () => {
  const {console: url = ''} = server.ready;
  expect(url).toBe(`${server.ready.http}/console/`);
  const session = await fetch(`${url}session`);
  expect([session.status, await session.json()]).toEqual([
    200,
    {
      user: {username: 'system:admin', groups: ['system:masters', 'system:authenticated']},
      method: 'none',
      csrfToken: '',
    },
  ]);
  const created = await fetch(`${server.ready.http}/api/v1/namespaces`, {
    method: 'POST',
    headers: {'content-type': 'application/json', origin: server.ready.http},
    body: '{"metadata":{"name":"by-console"}}',
  });
  expect(created.status).toBe(201); // no CSRF token: there is no session
  const page = (host: string): Promise<number> => raw('http', `GET /console/session HTTP/1.1\nHost: ${host}\n\n`);
  expect(await page('evil.example')).toBe(403); // DNS rebinding
  expect(await page(hostname())).toBe(200);
  expect(await page('palisade.example:8080')).toBe(200);
});
