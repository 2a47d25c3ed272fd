// SPDX-License-Identifier: Apache-2.0

import {once} from 'node:events';
import {createServer as createHttp} from 'node:http';
import {connect, createServer as createHttp2} from 'node:http2';
import {type AddressInfo, connect as connectPlain} from 'node:net';
import {text} from 'node:stream/consumers';
import {afterEach, describe, expect, test} from 'vitest';
import {
  authorityOf,
  bodyTypeOf,
  ClientGoneError,
  cutOff,
  type HttpRequest,
  type HttpResponse,
  readBody,
} from './exchange.ts';

const answerAuthority = (request: HttpRequest, response: HttpResponse): void =>
  void (response as {end(body: string): unknown}).end(`<${authorityOf(request)}>`);

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Served = {listen(port: number, host: string, done: () => void): unknown; address(): unknown; close(): unknown};
const portOf = async (server: Served): Promise<number> => {
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

const uncounted = {demandRoom: () => {}, holdBody: () => {}, releaseBody: () => {}};

describe('the host that the client asked for', () => {
  test.each([
    ['HTTP/1.1', 'GET / HTTP/1.1\r\nHost: ep.example:7\r\nConnection: close\r\n\r\n', '<ep.example:7>'],
    ['HTTP/1.0 without one', 'GET / HTTP/1.0\r\n\r\n', '<>'],
  ])('%s', async (_, lines, wanted) => {
    const socket = connectPlain(await portOf(createHttp(answerAuthority)), '127.0.0.1');
    socket.write(lines);
    expect((await text(socket)).split('\r\n\r\n')[1]).toContain(wanted);
  });

  test.each([
    ['its :authority', {':authority': 'ep.example:7'}, '<ep.example:7>'],
    ['its host without :authority', {host: 'ep.example:8'}, '<ep.example:8>'],
    ['its :authority before its host', {':authority': 'ep.example:7', host: 'ep.example:8'}, '<ep.example:7>'],
  ])('HTTP/2: %s', async (_, headers, wanted) => {
    const session = connect(`http://127.0.0.1:${await portOf(createHttp2(answerAuthority))}`);
    closers.push(() => session.close());
    expect(await text(session.request({':path': '/', ...headers}))).toBe(wanted);
  });
});

test.each([
  {sent: 'application/JSON; a=b; A="b"', type: 'application/json'},
  {sent: 'application/json; a="; a=b"', type: 'application/json'},
  {sent: 'application/json; a=b; A=c', type: 'application/json; a=b; A=c'},
])('a body of $sent is $type', ({sent, type}) => {
  expect(bodyTypeOf({method: 'POST', headers: {'content-type': sent}} as never)).toBe(type);
});

test('a client that breaks off what it sends is told from a fault', async () => {
  const read = new Promise<unknown>(resolve => {
    const server = createHttp(request => resolve(readBody(request, 100, uncounted).catch((error: unknown) => error)));
    void portOf(server).then(port => {
      const socket = connectPlain(port, '127.0.0.1');
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
      server.once('request', () => socket.destroy());
    });
  });
  expect(await read).toBeInstanceOf(ClientGoneError);
});

describe('an answer that is cut off is no whole one to its client', () => {
  const cutShort = (_request: HttpRequest, response: HttpResponse): void => {
    const out = response as unknown as {write(body: string, written: () => void): unknown};
    out.write('a part', () => cutOff(response));
  };

  test('HTTP/1.1', async () => {
    const socket = connectPlain(await portOf(createHttp(cutShort)), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const answer = await text(socket);
    expect([answer.includes('a part'), answer.endsWith('0\r\n\r\n')]).toEqual([true, false]);
  });

  test('HTTP/1.1, one that waits behind another answer: the connection ends', async () => {
    const answers: HttpResponse[] = [];
    const server = createHttp((_request, response) => {
      if (answers.push(response) === 2) cutOff(response);
    });
    const socket = connectPlain(await portOf(server), '127.0.0.1');
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
    await closed;
    expect(answers.length).toBe(2);
  });

  test('HTTP/2', async () => {
    const session = connect(`http://127.0.0.1:${await portOf(createHttp2(cutShort))}`);
    closers.push(() => session.close());
    await expect(text(session.request({':path': '/'}))).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
  });
});
