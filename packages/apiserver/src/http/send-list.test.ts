// SPDX-License-Identifier: Apache-2.0
import {EventEmitter, once} from 'node:events';
import {createServer, type IncomingMessage, request} from 'node:http';
import type {AddressInfo} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {gunzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {type ListBody, NOTHING_YET} from '../answer/list-body.ts';
import {ListMemory} from '../answer/list-memory.ts';
import {DEFAULT_LIMITS} from '../base/limits.ts';
import {silentLog} from '../base/log.ts';
import {systemClock, systemTimers} from '../base/time.ts';
import {Scheduler} from '../cache/watch/scheduler.ts';
import type {HttpResponse} from './exchange.ts';
import {GZIP_BYTES_MIN, sendList} from './send-list.ts';
import {UnreadAnswers} from './unread-answers.ts';

const PIECE = Buffer.alloc(100_000, 'a');
const listOf = (pieces: Iterable<Buffer>, more: Partial<ListBody> = {}): ListBody => ({
  isShort: false,
  *pieces() {
    yield* pieces;
  },
  ...more,
});

const listMemory = new ListMemory(DEFAULT_LIMITS.preparedListBytesMax);
const atOnce = {listMemory, scheduler: {turn: () => Promise.resolve()}};
const unread = new UnreadAnswers({limits: DEFAULT_LIMITS, timers: systemTimers, log: silentLog});
const answer = (response: HttpResponse, takesGzip: boolean) => ({
  code: 200,
  headers: {},
  takesGzip,
  account: unread.accountOf(response, '/list', 'jane'),
  keptBytes: 0,
});

/** What a client gets of a list, and what became of the sending. */
const sent = async (
  list: ListBody,
  how: {readonly takesGzip?: boolean; readonly vanishes?: boolean; readonly scheduler?: Scheduler} = {},
): Promise<{message: IncomingMessage; body: Buffer | undefined; fault: unknown}> => {
  const {promise, resolve} = Promise.withResolvers<unknown>();
  const {takesGzip = false, vanishes = false, scheduler = new Scheduler(systemTimers, systemClock)} = how;
  const server = createServer((_, response) => {
    response.on('error', () => {}); // of a client that vanished
    const sending = sendList(response, answer(response, takesGzip), list, {scheduler, listMemory});
    sending.then(resolve, (error: unknown) => {
      resolve(error);
      response.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = request({port: (server.address() as AddressInfo).port, host: '127.0.0.1'}).end();
  const [message] = (await once(asked, 'response')) as [IncomingMessage];
  if (vanishes) asked.destroy();
  const body = await buffer(message).catch(() => undefined);
  const fault = await promise;
  await new Promise(closed => server.close(closed));
  return {message, body, fault};
};

test('a short list has its length and is not compressed, in however many steps it was made', async () => {
  const {message, body} = await sent(listOf([NOTHING_YET, Buffer.from('ab'), Buffer.from('c')]), {takesGzip: true});
  expect(message.headers).toMatchObject({'content-length': '3'});
  expect(message.headers['content-encoding']).toBeUndefined();
  expect(String(body)).toBe('abc');
});

test('a long list is sent while it is made, in chunks', async () => {
  const {message, body} = await sent(listOf([PIECE, PIECE, PIECE]));
  expect(message.headers).toMatchObject({'transfer-encoding': 'chunked'});
  expect(body).toHaveLength(3 * PIECE.length);
});

test.each([
  [GZIP_BYTES_MIN - 1, undefined],
  [GZIP_BYTES_MIN, 'gzip'],
])('a list of %i bytes is encoded as %s for a client that takes gzip', async (bytes, encoding) => {
  const whole = Buffer.alloc(bytes, 'b');
  const {message, body = Buffer.alloc(0)} = await sent(listOf([whole]), {takesGzip: true});
  expect(message.headers['content-encoding']).toBe(encoding);
  expect((encoding === undefined ? body : gunzipSync(body)).equals(whole)).toBe(true);
  if (encoding !== undefined) expect(message.headers['vary']).toBe('Accept-Encoding');
});

test('between two steps other work has its turn; a short list is made at once', async () => {
  let turn = 0;
  const soon = (action: () => void) => {
    turn += 1;
    return systemTimers.soon(action);
  };
  const scheduler = new Scheduler({...systemTimers, soon}, systemClock);
  const made: number[] = [];
  function* pieces(): Generator<Buffer> {
    for (const piece of [PIECE, NOTHING_YET, PIECE]) {
      made.push(turn);
      yield piece;
    }
  }
  await sent(listOf([], {pieces}), {scheduler});
  expect(made).toEqual([0, 1, 2]);
  await sent(listOf([], {pieces, isShort: true}), {scheduler});
  expect(made.slice(3)).toEqual([3, 3, 3]);
});

test.each([true, false])('the making ends when the client vanishes (gzip: %s)', async takesGzip => {
  let [made, ended] = [0, false];
  function* pieces(): Generator<Buffer> {
    try {
      for (; made < 10_000; made++) yield Buffer.from(PIECE.map((_, i) => (i * made * 31) & 0xff)); // little to be compressed
    } finally {
      ended = true;
    }
  }
  await sent(listOf([], {pieces}), {takesGzip, vanishes: true});
  await expect.poll(() => ended).toBe(true);
  expect(made).toBeLessThan(10_000);
});

test.each([true, false])(
  'who gives up before the second piece has the making ended too (gzip: %s)',
  async takesGzip => {
    let ended = false;
    function* pieces(): Generator<Buffer> {
      try {
        for (;;) yield Buffer.alloc(GZIP_BYTES_MIN, 'a');
      } finally {
        ended = true;
      }
    }
    const writeHead = (): void => {
      response.destroyed = true; // the client goes at that moment
    };
    const response = Object.assign(new EventEmitter(), {destroyed: false, writeHead});
    await sendList(response as never, answer(response as never, takesGzip), {isShort: false, pieces}, atOnce);
    expect(ended).toBe(true);
  },
);

test('a list of whose making nothing can be sent yet is given up when its client is gone', async () => {
  let made = 0;
  const response = Object.defineProperty(new EventEmitter(), 'destroyed', {get: () => made >= 3}) as HttpResponse;
  function* pieces(): Generator<Buffer> {
    for (; made < 1_000; made++) yield NOTHING_YET;
  }
  await sendList(response, answer(response, false), {isShort: false, pieces}, atOnce);
  expect(made).toBe(3);
});

test.each([true, false])('what fails behind the first bytes cuts the answer (gzip: %s)', async takesGzip => {
  function* pieces(): Generator<Buffer> {
    yield PIECE;
    yield PIECE;
    throw new Error('a broken object');
  }
  const {body, fault} = await sent(listOf([], {pieces}), {takesGzip});
  expect(fault).toMatchObject({message: 'a broken object'});
  expect(body).toBeUndefined();
});
