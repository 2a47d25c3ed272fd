// SPDX-License-Identifier: Apache-2.0
import {EventEmitter, once} from 'node:events';
import {createServer, get} from 'node:http';
import {connect, createServer as createHttp2Server} from 'node:http2';
import type {AddressInfo, Server} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import type {HttpResponse} from './exchange.ts';
import {writePieces} from './write-pieces.ts';

/** All that is due is done. */
const turn = (): Promise<void> => new Promise(done => setImmediate(done));

const PIECE_BYTES = 256 * 1024;
/** More than the buffers of both ends hold. */
const PIECES = 100;

type Asked = {readonly body: Promise<Buffer>; readonly vanish: () => void};
const ask = {
  'HTTP/1.1': (url: string): Asked => {
    const request = get(url);
    const response = once(request, 'response').then(([message]) => message);
    return {body: response.then(buffer), vanish: () => void response.then(() => request.destroy())};
  },
  'HTTP/2': (url: string): Asked => {
    const session = connect(url);
    const stream = session.request({':path': '/'});
    return {
      body: buffer(stream).finally(() => session.close()),
      vanish: () => void stream.once('response', () => session.destroy()),
    };
  },
} as const;
const serverOf = {
  'HTTP/1.1': (answer: (response: HttpResponse) => void): Server => createServer((_, response) => answer(response)),
  'HTTP/2': (answer: (response: HttpResponse) => void): Server => createHttp2Server((_, response) => answer(response)),
} as const;

/** One answer: what the client does with it, what came of the writing, and the pieces that were given back. */
const answered = async (protocol: keyof typeof ask, how: 'reads' | 'vanishes') => {
  const {promise, resolve} = Promise.withResolvers<void>();
  const written: Buffer[] = [];
  const pieces = Array.from({length: PIECES}, (_, i) => Buffer.alloc(PIECE_BYTES, i));
  const server = serverOf[protocol](response => {
    response.on('error', () => {}); // of a client that vanished
    resolve(writePieces(response, pieces, piece => written.push(piece)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const {body, vanish} = ask[protocol](`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const got = body.catch(() => undefined);
  if (how === 'vanishes') vanish();
  await promise;
  const bytes = (await got)?.length;
  await new Promise(closed => server.close(closed));
  return {bytes, written};
};

test.each(['HTTP/1.1', 'HTTP/2'] as const)('%s: every piece is sent, and given back once', async protocol => {
  const {bytes, written} = await answered(protocol, 'reads');
  expect(bytes).toBe(PIECES * PIECE_BYTES);
  expect(written).toHaveLength(PIECES);
  expect(new Set(written).size).toBe(PIECES);
});

test.each(['HTTP/1.1', 'HTTP/2'] as const)('%s: the writing ends when the client vanishes', async protocol => {
  const {written} = await answered(protocol, 'vanishes');
  expect(written.length).toBeLessThan(PIECES);
});

test('a piece is given back when the socket has taken it; the next is not made before there is room', async () => {
  const [made, given, taken]: [number[], number[], (() => void)[]] = [[], [], []];
  function* pieces(): Generator<Buffer> {
    for (const i of [0, 1]) {
      made.push(i);
      yield Buffer.from([i]);
    }
  }
  const write = (_piece: Buffer, written: () => void): boolean => {
    taken.push(written);
    return false;
  };
  const response = Object.assign(new EventEmitter(), {destroyed: false, write, end: () => {}});
  const done = writePieces(response as unknown as HttpResponse, pieces(), piece => given.push(piece[0] as number));
  await turn();
  expect([made, given]).toEqual([[0], []]);
  taken[0]?.();
  await turn();
  expect([made, given]).toEqual([[0], [0]]);
  response.emit('drain');
  await turn();
  expect([made, given]).toEqual([[0, 1], [0]]);
  response.emit('drain');
  await done;
  expect(given).toEqual([0]); // the socket has not taken the last one
});
