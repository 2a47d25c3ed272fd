// SPDX-License-Identifier: Apache-2.0
/** Bodies of /token, which come before any credential: long, slow, and too many at a time. */
import {once} from 'node:events';
import {type ClientHttp2Session, connect, constants} from 'node:http2';
import {text} from 'node:stream/consumers';
import {DEFAULT_LIMITS, UnreadAnswers} from '@palisade/apiserver';
import {ManualTime} from '@palisade/apiserver/testing';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {type Listener, listenPlain} from '../port/listeners.ts';
import {connectRaw, HOST} from '../testing/raw-client.ts';
import {tokenEndpoint} from './token-endpoint.ts';

const MIB = 1024 * 1024;
const LONG_BYTES = 8 * MIB;
const FORM = 'application/x-www-form-urlencoded';
/** Room for the requests of 16 bodies, and none for the bodies themselves. */
const limits = {...DEFAULT_LIMITS, unreadBytesPerUserMax: MIB / 4};
const BEGUN = 14;

let time: ManualTime;
let unread: UnreadAnswers;
let listener: Listener;
let session: ClientHttp2Session;
/** For each request what is held, of all, after each piece of its body. */
const held: number[][] = [];
beforeEach(() => {
  time = new ManualTime();
  unread = new UnreadAnswers({limits, timers: time, log: {warn: () => {}}});
  held.length = 0;
});
beforeAll(async () => {
  const neverAsked = () => Promise.reject(new Error('not asked'));
  const parts = {assertions: {check: neverAsked} as never, publicUrl: () => '', issue: neverAsked};
  const handler: Parameters<typeof listenPlain>[2] = (request, response) => {
    const own: number[] = [];
    held.push(own);
    request.on('data', () => own.push(unread.bytes));
    Promise.resolve(tokenEndpoint({...parts, unread, timers: time})(request, response)).catch(() => {}); // the client left
  };
  listener = await listenPlain({host: HOST, port: 0}, 'http', handler);
  session = connect(`http://${HOST}:${listener.address.port}`);
});
afterAll(async () => {
  session.destroy();
  const closed = listener.close();
  listener.force();
  await closed;
});

const head = (length: number): string =>
  `POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\nContent-Length: ${length}\r\n\r\n`;
const overHttp2 = () => session.request({':method': 'POST', ':path': '/token', 'content-type': FORM});

test('I-114 a long body is refused in words once it is too long, and no more of it is kept', async () => {
  const stream = overHttp2();
  stream.end(Buffer.alloc(LONG_BYTES, 'x'));
  const [headers] = await once(stream, 'response');
  expect(headers).toMatchObject({':status': 413});
  expect(JSON.parse(await text(stream))).toEqual({
    error: 'invalid_request',
    error_description: 'the body is longer than 65536 bytes',
  });
  if (!stream.closed) await once(stream, 'close');
  const [own = []] = held;
  expect([own.length > 10, Math.max(...own) < 2 * 65_536, unread.bytes]).toEqual([true, true, 0]);
});

test('I-114 a body that does not come in time is refused in words, over HTTP/1.1 and HTTP/2, and not waited for', async () => {
  const description = 'the body did not arrive within 30 seconds';
  const client = await connectRaw(listener.address.port);
  await client.send(`${head(100)}grant_type=`);
  const stream = overHttp2();
  stream.write('grant_type=');
  await expect.poll(() => held.map(({length}) => length)).toEqual([1, 1]);
  time.advance(29_999);
  await client.send('x'); // progress does not begin the time again
  expect(client.received()).toBe('');
  time.advance(1);
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [headers] = await once(stream, 'response');
  expect(headers).toMatchObject({':status': 408});
  if (!stream.closed) await once(stream, 'close');
  const body = JSON.parse(Buffer.concat(chunks).toString());
  expect(body).toEqual({error: 'invalid_request', error_description: description});
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  await client.closed;
  expect(client.received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(client.received()).toContain(description);
  expect([time.pending, unread.bytes]).toEqual([1, 0]); // the look at answers that wait
});

test('I-114 bodies that have only begun are counted by address, and one too many is asked to come again', async () => {
  const begun = Array.from({length: BEGUN}, overHttp2);
  for (const stream of begun) stream.write('grant_type=');
  await expect.poll(() => held.flat().length).toBe(BEGUN);
  const stream = overHttp2();
  stream.end('grant_type=x');
  const [headers] = await once(stream, 'response');
  expect(headers).toMatchObject({':status': 429, 'retry-after': '1'});
  const {error, error_description: why} = JSON.parse(await text(stream));
  expect([error, why]).toEqual([
    'temporarily_unavailable',
    expect.stringContaining(`of user "token exchange from ${HOST}"`),
  ]);
  for (const each of begun) each.close();
  await expect.poll(() => unread.bytes).toBe(0);
});
