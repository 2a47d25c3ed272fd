// SPDX-License-Identifier: Apache-2.0
/** What node:http does not read gets an answer, in its order, and the connection ends. */
import {describe, expect, test} from 'vitest';
import {bodies, get, openHeldPort, post} from '../testing/held-port.ts';
import {VIAS} from '../testing/raw-client.ts';

const MESSAGE = 'the server does not allow this method on the requested resource';
const STATUS = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: MESSAGE,
  reason: 'MethodNotAllowed',
  details: {},
  code: 405,
};

/** All that a client gets for `bytes`, after which the connection ends. */
const answerTo = async (bytes: string, via: (typeof VIAS)[number] = 'plain'): Promise<string> => {
  const port = await openHeldPort(via);
  const client = await port.connect();
  await client.send(bytes);
  await client.closed;
  expect(port.asked).toEqual([]);
  return client.received();
};
const plain = (code: string, text: string): string =>
  `HTTP/1.1 ${code}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`;

describe.each(VIAS)('a method that no API has, over %s', via => {
  test.each(['FOO', 'get', 'X-Y'])('%s is 405 as a Status', async method => {
    const [head = '', body = ''] = (
      await answerTo(`${method} /api/v1/namespaces HTTP/1.1\r\nHost: h\r\n\r\n`, via)
    ).split('\r\n\r\n');
    expect(head).toBe(
      `HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: ${body.length}\r\nConnection: close`,
    );
    expect(JSON.parse(body)).toEqual(STATUS);
  });

  test('CONNECT too', async () => {
    const answer = await answerTo('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', via);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual(STATUS);
  });
});

test.each(['/v1/projects/p/locations/local/endpoints', 'http://h/v1/projects'])(
  'on a path of the IDS API it has the form of that API: %s',
  async target => {
    const answer = await answerTo(`FOO ${target} HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      error: {code: 405, message: MESSAGE, status: 'UNIMPLEMENTED'},
    });
  },
);

describe('what is no request', () => {
  test.each([
    ['another protocol', 'HELO h\r\n', 'Invalid method encountered'],
    ['a handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00', 'Invalid method encountered'],
    [
      'a target with bytes beyond ASCII',
      'GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n',
      'Invalid char in url path; percent-encode bytes that are not ASCII',
    ],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost\r\n\r\n', 'Invalid header token'],
    [
      'two lengths of one body',
      'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      "Transfer-Encoding can't be present with Content-Length",
    ],
    [
      'a body with a wrong chunk',
      'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz',
      'Invalid character in chunk size',
    ],
  ])('%s is 400 with the reason', async (_what, bytes, reason) => {
    expect(await answerTo(bytes)).toBe(plain('400 Bad Request', `400 Bad Request: ${reason}`));
  });

  test.each([
    ['a head', 'GET / HTTP/1.1\r\nHost'],
    ['a body', `${post('/a', 3)}ab`],
  ])('%s that its client cut short is 400', async (_what, bytes) => {
    const port = await openHeldPort();
    const client = await port.connect();
    client.socket.end(bytes);
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(port.asked).toEqual([]);
  });

  test.each([
    ['half a head', 'GET / HTTP/1.1\r\nHo'],
    ['half a body', `${post('/a', 9)}half`],
  ])('%s is 408 after its limit', async (_what, bytes) => {
    const port = await openHeldPort('plain', {headersMs: 60, requestMs: 60, checkMs: 20});
    const client = await port.connect();
    await client.send(bytes);
    await client.closed;
    expect(client.received()).toBe(plain('408 Request Timeout', '408 Request Timeout'));
  });
});

describe.each([
  ['FOO', 'FOO / HTTP/1.1\r\nHost: h\r\n\r\n', 405],
  ['CONNECT', 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n', 405],
  ['what is no request', 'HELO h\r\n', 400],
])('%s behind other requests', (_what, bytes, code) => {
  test('is answered after them', async () => {
    const port = await openHeldPort();
    const client = await port.connect();
    await client.send(get('/wait') + get('/2') + bytes);
    await port.untilHeld(1);
    expect(client.received()).toBe('');
    port.held[0]?.end('<1>');
    await client.closed;
    expect(bodies(client)).toEqual(['<1>', '</2 0>']);
    expect(client.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', `HTTP/1.1 ${code}`]);
  });
});

test('a wrong body behind an answer that is under way ends the connection: the refusal would be taken for that answer', async () => {
  const port = await openHeldPort();
  const client = await port.connect();
  await client.send(`${get('/wait')}POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz`);
  await client.closed;
  expect(client.received()).toBe('');
});
