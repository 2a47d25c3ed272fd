// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes on the plaintext port, with the whole API behind it: request lines, headers, and bodies that lie about their length or encoding.
 * The connection ends with the client's half of it, no answer is 500, and the next client is served.
 */

import {connect} from 'node:net';
import {gzipSync} from 'node:zlib';
import {MemoryApi} from '@palisade/apiserver/testing';
import {kubeModule} from '@palisade/kinds';
import {listenPlain} from '../../../packages/server/src/port/listeners.ts';
import {claim, target} from '../frame/target.ts';

const PATH = '/api/v1/namespaces/default/endpoints';
const END_MS = 10_000;

let opened: Promise<number> | undefined;
const openPort = async (): Promise<number> => {
  const {api} = await MemoryApi.open({kinds: kubeModule.kinds, bootstraps: kubeModule.bootstraps});
  const listener = await listenPlain(
    {host: '127.0.0.1', port: 0},
    'http',
    (request, response) => void api.handle(request, response),
  );
  return listener.address.port;
};

const HTTP = /^HTTP\/1\.[01] (\d{3}) /;

/** What the server says until it ends the connection. */
const conversation = (port: number, bytes: Buffer, isHalfClosed = true): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({port, host: '127.0.0.1', allowHalfOpen: isHalfClosed});
    const chunks: Buffer[] = [];
    const late = setTimeout(() => reject(new Error('the connection does not end')), END_MS);
    socket.on('data', chunk => void chunks.push(chunk as Buffer));
    socket.on('error', () => undefined); // a reset is an end
    socket.on('close', () => {
      clearTimeout(late);
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
    if (isHalfClosed) socket.end(bytes);
    else socket.write(bytes);
  });

const BODY = '{"metadata":{"name":"web"}}';
const head = (line: string, ...fields: readonly string[]): string =>
  [line, 'Host: localhost', ...fields, '', ''].join('\r\n');
const NEXT = head('GET /version HTTP/1.1', 'Connection: close');
const post = (body: string | Uint8Array, ...fields: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from(head(`POST ${PATH}?dryRun=All HTTP/1.1`, 'Content-Type: application/json', ...fields)),
    Buffer.from(body as string),
  ]);

export const connectionTargets = [
  target({
    name: 'http-connection',
    form: 'bytes',
    bytesMax: 200_000,
    seeds: [
      head(`GET ${PATH} HTTP/1.1`),
      post(BODY, `Content-Length: ${BODY.length}`),
      post(BODY, `Content-Length: ${BODY.length + 9}`),
      post(BODY, 'Content-Length: 3'),
      post(gzipSync(BODY), 'Content-Encoding: gzip', `Content-Length: ${gzipSync(BODY).length}`),
      post(BODY, 'Content-Encoding: gzip', `Content-Length: ${BODY.length}`),
      post(`${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked'),
      post(`ffffffffff\r\n${BODY}`, 'Transfer-Encoding: chunked'),
      post(`1b;x=y\r\n${BODY}\r\n0\r\nTrailer: z\r\n\r\n`, 'Transfer-Encoding: chunked', 'Content-Length: 5'),
      post(BODY, 'Expect: 100-continue', `Content-Length: ${BODY.length}`),
      head(`GET ${PATH} HTTP/1.1`).repeat(3),
      head('CONNECT localhost:80 HTTP/1.1'),
      head(`GET http://other.example${PATH}?watch=1&timeoutSeconds=1 HTTP/1.0`),
      head(
        `GET ${PATH}?watch=1 HTTP/1.1`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
      'GET /\nHost: x\n\n',
    ],
    words: [
      'HTTP/1.1\r\n',
      '\r\n',
      '\r\n\r\n',
      'Content-Length: ',
      'Transfer-Encoding: chunked\r\n',
      'Host: a\r\n',
      '%2f',
      '0\r\n\r\n',
      ' ',
      '\n',
      '?',
      'Upgrade: h2c\r\n',
    ],
    decode: async input => {
      opened ??= openPort();
      const port = await opened;
      const [, code = '0'] = HTTP.exec(await conversation(port, input)) ?? [];
      claim(code !== '500', 'the server answers 500');
      const next = await conversation(port, Buffer.from(NEXT), false);
      claim(next.startsWith('HTTP/1.1 200 '), `the next client is answered ${next.slice(0, 100)}`);
      return undefined;
    },
  }),
];
