// SPDX-License-Identifier: Apache-2.0
import {createHash} from 'node:crypto';
import {createServer as createHttpServer, type IncomingMessage, type RequestListener} from 'node:http';
import {createServer as createHttpsServer} from 'node:https';
import type {Server, Socket} from 'node:net';
import {afterEach, describe, expect, test} from 'vitest';
import type {CheckTarget, HttpMethod} from '../port.ts';
import {createAuthority} from '../testing/certificates.ts';
import {checkOnce, HTTP, listen, targetOf} from '../testing/check-once.ts';

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

describe('web-socket', () => {
  const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  const checkWs = (port: number, method: Partial<HttpMethod> = {}, more: Partial<CheckTarget> = {}) => {
    const {version, expected, ...parts} = {...HTTP, ...method};
    return checkOnce(targetOf(port, {...parts, type: 'web-socket'}, more));
  };
  /** Upgrades everything, echoes close frames. */
  const upgrading = (
    server: Server,
    seen: {host?: string | undefined; url?: string | undefined; frames: Buffer[]},
    accept?: string,
    extensions?: string,
  ): Promise<number> => {
    server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      [seen.host, seen.url] = [request.headers.host, request.url];
      const key =
        accept ?? createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
      const more = extensions === undefined ? '' : `Sec-WebSocket-Extensions: ${extensions}\r\n`;
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n${more}\r\n`,
      );
      socket
        .on('end', () => socket.end())
        .on('error', () => undefined)
        .on('data', frame => {
          seen.frames.push(frame);
          socket.end(Buffer.from([0x88, 0x00]));
        });
    });
    return serve(server);
  };

  test('46-2 an upgrade passes, the Host header is sent, and a close frame ends it', async () => {
    const seen: Parameters<typeof upgrading>[1] = {frames: []};
    const port = await upgrading(createHttpServer(), seen);
    expect(await checkWs(port, {path: '/chat?a=1', host: 'web.example'})).toEqual(passed());
    expect(await checkWs(port)).toEqual(passed());
    expect([seen.host, seen.url]).toEqual([`127.0.0.1:${port}`, '/']);
    await expect.poll(() => seen.frames.map(frame => frame[0])).toEqual([0x88, 0x88]);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('46-2 wss passes over TLS', async () => {
    const authority = await createAuthority();
    const port = await upgrading(createHttpsServer(await authority.issue(['127.0.0.1'])), {frames: []});
    expect(await checkWs(port, {tls: {serverName: undefined, ca: authority.ca, verify: true}})).toEqual(passed());
    expect(await checkWs(port, {tls: {serverName: 'web.example', ca: authority.ca, verify: true}})).toEqual(
      failed(/^the certificate is for /),
    );
  });

  test('46-2 compression is not offered, and a peer that uses it all the same fails', async () => {
    const offered: unknown[] = [];
    const server = createHttpServer().on('upgrade', ({headers}: IncomingMessage) => {
      offered.push(headers['sec-websocket-extensions']);
    });
    expect(await checkWs(await upgrading(server, {frames: []}))).toEqual(passed());
    expect(offered).toEqual([undefined]);
    const pressing = await upgrading(createHttpServer(), {frames: []}, undefined, 'permessage-deflate');
    expect(await checkWs(pressing)).toEqual(failed('the peer uses an extension of WebSocket that was not offered'));
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('46-2 a server without WebSocket, one that refuses, and one with a wrong accept header fail', async () => {
    const plain = await serveHttp((_request, response) => void response.writeHead(200).end());
    expect(await checkWs(plain)).toEqual(failed('status 200 instead of 101'));
    const refusing = await serveHttp((_request, response) => void response.writeHead(403).end('no'));
    expect(await checkWs(refusing)).toEqual(failed('status 403 instead of 101'));
    const wrong = await upgrading(createHttpServer(), {frames: []}, 'AAAA');
    expect(await checkWs(wrong)).toEqual(failed('the answer is not a valid handshake of WebSocket'));
    await expect.poll(() => sockets.size).toBe(0);
  });
});
