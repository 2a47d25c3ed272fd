// SPDX-License-Identifier: Apache-2.0
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {describe, expect, test} from 'vitest';
import {startJsonServer} from '../testing/json-server.ts';
import {RESPONSE_BYTES_MAX} from './contract.ts';
import {readLines} from './lines.ts';
import {createTransport} from './transport.ts';

/** Takes no connection and has no place left for one: the kernel drops further attempts, as a firewall does. */
const FULL = `
import socket, time
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen(0)
waiting = [socket.socket() for _ in range(4)]
for w in waiting:
    w.setblocking(False)
    w.connect_ex(s.getsockname())
print(s.getsockname()[1], flush=True)
time.sleep(60)
`;

const options = {userAgent: 'test/1'};

describe('readLines', () => {
  const lines = async (chunks: (string | Buffer)[], max = 100) => {
    async function* source() {
      for (const chunk of chunks) yield Buffer.from(chunk);
    }
    const read: string[] = [];
    for await (const line of readLines(source(), max)) read.push(line);
    return read;
  };

  test.each<[string, (string | Buffer)[], string[]]>([
    ['lines over chunks', ['a\nb', 'c\n', '\nd'], ['a', 'bc', 'd']],
    ['both kinds of ends', ['a\r\nb\n'], ['a', 'b']],
    ['a character over two chunks', [Buffer.from([0x78, 0xc3]), Buffer.from([0xa4, 0x0a])], ['xä']],
  ])('%s', async (_name, chunks, expected) => {
    expect(await lines(chunks)).toEqual(expected);
  });

  test('a line over the limit ends the reading', async () => {
    await expect(lines(['x'.repeat(11)], 10)).rejects.toThrow('longer than 10');
  });
});

describe('createTransport', () => {
  test('sends method, path below the prefix, query, headers and body', async () => {
    await using server = await startJsonServer(() => ({status: 201, body: {ok: true}}));
    const transport = createTransport({server: `${server.url}/prefix/`, authorization: () => 'Bearer t'}, options);
    const answer = await transport.send({
      method: 'POST',
      path: '/a%20b',
      query: {x: 'ä&b', y: ['1', '2'], z: undefined},
      body: '{"a":"ä"}',
    });
    transport.close();
    expect(answer).toMatchObject({status: 201, body: '{"ok":true}'});
    const [request] = server.requests;
    expect(request).toMatchObject({method: 'POST', path: '/prefix/a b', body: '{"a":"ä"}'});
    expect([...(request?.query ?? [])]).toEqual([
      ['x', 'ä&b'],
      ['y', '1'],
      ['y', '2'],
    ]);
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer t',
      'user-agent': 'test/1',
      'content-type': 'application/json',
      'content-length': '10',
    });
  });

  test.each([
    ['says so', 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'],
    ['resets', undefined],
  ])('an HTTPS port that %s is told with the way out', async (_, says) => {
    const server = createServer(socket => {
      socket.on('error', () => {});
      if (says === undefined) socket.resetAndDestroy();
      else socket.end(says);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const {port} = server.address() as AddressInfo;
    const transport = createTransport({server: `http://127.0.0.1:${port}`}, options);
    for (const ask of [transport.send, transport.open])
      await expect(ask({method: 'GET', path: '/version'})).rejects.toMatchObject({
        name: 'TransportError',
        message: expect.stringMatching(/^cannot reach http:.* write https:\/\/ instead of http:\/\/$/),
      });
    transport.close();
    server.close();
  });

  test('headers of the connection arrive as they are, with a body too', async () => {
    await using server = await startJsonServer(() => ({status: 200, body: {}}));
    const headers = {'x-name': 'Zo\u00c3\u00ab', 'x-list': ['a', 'b']};
    const transport = createTransport({server: server.url, headers}, options);
    for (const body of [undefined, '{"a":"ä"}']) {
      await transport.send({method: 'POST', path: '/', body});
      expect(server.requests.at(-1)).toMatchObject({
        headers: {'x-name': 'Zo\u00c3\u00ab', 'x-list': 'a, b'},
        body: body ?? '',
      });
    }
    transport.close();
  });

  test.each<[string, string, RegExp]>([
    ['a closed port', 'http://127.0.0.1:1', /cannot reach http:\/\/127.0.0.1:1: connection refused/],
    ['an unknown host', 'http://host.invalid', /cannot reach http:\/\/host.invalid/],
  ])('%s is unreachable', async (_name, server, message) => {
    const transport = createTransport({server}, options);
    await expect(transport.send({method: 'GET', path: '/'})).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(message),
    });
  });

  test.each(['', 'localhost:1', 'ftp://x'])('%j is no address', server => {
    expect(() => createTransport({server}, options)).toThrow(/is not a server address/);
  });

  test('46-3 a connection that does not come about is silence, too', async () => {
    const full = spawn('python3', ['-c', FULL], {stdio: ['ignore', 'pipe', 'inherit']});
    try {
      const [port] = (await once(full.stdout, 'data')) as [Buffer];
      const server = `http://127.0.0.1:${String(port).trim()}`;
      const transport = createTransport({server}, {...options, timeoutMs: 100});
      await expect(transport.send({method: 'GET', path: '/'})).rejects.toMatchObject({code: 'timeout'});
    } finally {
      full.kill();
    }
  });

  test('silence, an abort and a broken answer each have their code', async () => {
    await using server = await startJsonServer(({path}) =>
      path === '/broken'
        ? {status: 200, body: '', lines: ['{'], end: 'break'}
        : {status: 200, body: '', lines: [], end: 'open'},
    );
    const transport = createTransport({server: server.url}, {...options, timeoutMs: 50});
    await expect(transport.send({method: 'GET', path: '/broken'})).rejects.toMatchObject({code: 'broken'});
    await expect(transport.send({method: 'GET', path: '/silent'})).rejects.toMatchObject({code: 'timeout'});
    const signal = AbortSignal.abort();
    await expect(transport.send({method: 'GET', path: '/silent', signal})).rejects.toMatchObject({code: 'aborted'});
  });

  test('a body over the limit is refused', async () => {
    const large = 'x'.repeat(RESPONSE_BYTES_MAX + 1);
    await using server = await startJsonServer(() => ({status: 200, body: large}));
    const transport = createTransport({server: server.url}, options);
    await expect(transport.send({method: 'GET', path: '/'})).rejects.toMatchObject({code: 'too-large'});
  });
});
