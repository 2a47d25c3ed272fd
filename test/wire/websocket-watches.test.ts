// SPDX-License-Identifier: Apache-2.0
/** Watches over WebSocket, as kube-apiserver 1.36.3 serves them to clients that ask for an upgrade. */
import {once} from 'node:events';
import {request} from 'node:http';
import type {Duplex} from 'node:stream';
import {everyoneIsMaster} from '@palisade/apiserver';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type AuthWire, startAuthWire} from './authz-support.ts';
import {ManualTime} from './manual-time.ts';
import {type Body, ENDPOINTS, endpoints, startWire, subset, type Wire} from './support.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const ADMIN = 'Bearer admin-token';
const WATCH = `${ENDPOINTS}?watch=1`;

let wire: AuthWire;
beforeAll(async () => {
  wire = await startAuthWire();
  await wire.as('admin', 'POST', ENDPOINTS, {body: endpoints('a', [subset()])});
});
afterAll(() => wire[Symbol.asyncDispose]());

type Upgrade = {status: number; headers: Record<string, unknown>; text: string};
/** Null: without the header. */
type Changes = Readonly<Record<string, string | null>>;

/**
 * The answer to a request for a WebSocket; with 101 the text is what comes until the server ends it. `onHead` is called when the head
 * of the answer is there.
 */
const ask = (
  url: string,
  path: string,
  changes: Changes = {},
  onHead: (socket: Duplex) => void = () => {},
): Promise<Upgrade> => {
  const {origin, host} = new URL(url);
  const headers = {
    host,
    origin,
    authorization: ADMIN,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...changes,
  };
  const sent = Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  return new Promise((resolve, reject) => {
    const asked = request(url + path, {headers: sent, agent: false});
    asked.on('error', reject);
    asked.on('response', async response => {
      onHead(response.socket);
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({status: response.statusCode ?? 0, headers: response.headers, text});
    });
    asked.on('upgrade', async (response, socket, head) => {
      let text = head.toString('latin1');
      onHead(socket);
      for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
      resolve({status: response.statusCode ?? 0, headers: response.headers, text});
    });
    asked.end();
  });
};

/** Node's own client, which is not of our making. */
const connect = async (query: string, accept?: string): Promise<{socket: WebSocket; next(): Promise<Body>}> => {
  const {origin} = new URL(wire.url);
  const headers = {authorization: ADMIN, origin, ...(accept === undefined ? {} : {accept})};
  const socket = new WebSocket(`${wire.url.replace('http', 'ws')}${ENDPOINTS}?${query}`, {headers} as never);
  socket.binaryType = 'arraybuffer';
  const queue: Body[] = [];
  socket.addEventListener('message', ({data}) => queue.push(data));
  await once(socket, 'open');
  const next = async (): Promise<Body> => {
    if (queue.length === 0) await once(socket, 'message');
    return queue.shift();
  };
  return {socket, next};
};

const binary = async (response: AsyncIterable<Buffer>): Promise<Buffer> => {
  for await (const chunk of response) return chunk;
  throw new Error('the watch ended');
};

describe('a client of Node', () => {
  test('E-275 each event is one text with a newline; a client that closes is gone', async () => {
    const {socket, next} = await connect('watch=true&labelSelector=!x');
    const first = await next();
    expect([first.at(-1), JSON.parse(first).type, JSON.parse(first).object.metadata.name]).toEqual([
      '\n',
      'ADDED',
      'a',
    ]);
    for (const name of ['b', 'c']) await wire.as('admin', 'POST', ENDPOINTS, {body: endpoints(name)});
    expect([JSON.parse(await next()).object.metadata.name, JSON.parse(await next()).object.metadata.name]).toEqual([
      'b',
      'c',
    ]);
    expect(wire.api.services.watchers.count).toBe(1);
    socket.close();
    await once(socket, 'close');
    await expect.poll(() => wire.api.services.watchers.count).toBe(0);
  });

  test('E-272 E-275 in protobuf each event is one binary message, without the length it has over HTTP', async () => {
    const query = `watch=1&fieldSelector=${encodeURIComponent('metadata.name=a')}`;
    const {socket, next} = await connect(query, PROTOBUF);
    const message = Buffer.from(await next());
    socket.close();
    const plain = await new Promise<Buffer>((resolve, reject) => {
      const headers = {authorization: ADMIN, accept: PROTOBUF};
      request(`${wire.url}${ENDPOINTS}?${query}`, {headers, agent: false}, response => {
        binary(response).then(resolve, reject);
      }).end();
    });
    expect(message.equals(plain.subarray(4))).toBe(true);
  });
});

describe('in time that a test moves', () => {
  const time = new ManualTime(Date.now());
  const timed = `${WATCH}&timeoutSeconds=9`;
  const timeIsUp = (): void => time.advance(9_000);
  let served: Wire;
  beforeAll(async () => {
    served = await startWire({clock: time, timers: time});
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test('E-275 a watch whose time is up is closed normally', async () => {
    const answer = await ask(served.url, timed, {}, timeIsUp);
    expect(answer).toMatchObject({status: 101, text: '\x88\x02\x03\xe8'});
  });

  test.each([
    ['that asks for another upgrade', {upgrade: 'h2c'}],
    ['whose connection does not ask', {connection: 'keep-alive'}],
  ])('a watch %s is answered as ever', async (_what, changes) => {
    expect(await ask(served.url, timed, changes, timeIsUp)).toMatchObject({status: 200, text: ''});
  });
});

test.each([
  [
    'a ping is answered',
    Buffer.from([0x89, 0x81, 0, 0, 0, 0, 0x78, 0x88, 0x80, 0, 0, 0, 0]),
    '\x8a\x01x\x88\x02\x03\xe8',
  ],
  ['bytes that are no frames end it', Buffer.from('GET / HTTP/1.1\r\n\r\n'), '\x88\x02\x03\xea'],
])('%s', async (_what, say, text) => {
  expect((await ask(wire.url, `${WATCH}&fieldSelector=metadata.name%3Dx`, {}, socket => socket.write(say))).text).toBe(
    text,
  );
});

const encoded = (token: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
const close = (socket: Duplex): void => void socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));

describe('who asks', () => {
  test.each([
    {what: 'without a key', changes: {'sec-websocket-key': null}, status: 400, text: 'mismatch challenge/response'},
    {
      what: 'of another version',
      changes: {'sec-websocket-version': '8'},
      status: 400,
      text: 'missing or bad WebSocket Version',
    },
    {what: 'with two protocols', changes: {'sec-websocket-protocol': 'a, b'}, status: 400, text: ''},
    {what: 'without an origin', changes: {origin: null}, status: 403, text: ''},
    {what: 'from a page in a sandbox', changes: {origin: 'null'}, status: 403, text: ''},
  ])('$what: $status', async ({changes, status, text}) => {
    expect(await ask(wire.url, WATCH, changes)).toMatchObject({status, text});
  });

  test.each([
    {changes: {authorization: 'Bearer bob-token'}, status: 403},
    {changes: {authorization: 'Bearer nobody'}, status: 401},
    {changes: {accept: 'application/yaml'}, status: 406},
  ])('a refusal is answered as without an upgrade: $status', async ({changes, status}) => {
    const answer = await ask(wire.url, WATCH, changes);
    expect([answer.status, answer.headers['connection']]).toEqual([status, 'close']);
  });

  test('the only protocol that is offered is agreed on', async () => {
    const {headers} = await ask(wire.url, WATCH, {'sec-websocket-protocol': 'base64.binary.k8s.io'}, close);
    expect(headers['sec-websocket-protocol']).toBe('base64.binary.k8s.io');
  });

  test('E-276 a token can come as a protocol, which is not sent back', async () => {
    const changes = {authorization: null, 'sec-websocket-protocol': `${encoded('admin-token')}, x`};
    const {status, headers} = await ask(wire.url, WATCH, changes, close);
    expect([status, headers['sec-websocket-protocol']]).toEqual([101, 'x']);
  });

  test.each([
    ['that nobody has', `${encoded('nobody')}, x`],
    ['alone', encoded('admin-token')],
    ['twice', `${encoded('admin-token')}, ${encoded('admin-token')}, x`],
    ['that is no base64', 'base64url.bearer.authorization.k8s.io.!!, x'],
    ['that is no UTF-8', 'base64url.bearer.authorization.k8s.io._w, x'],
  ])('E-276 a token %s as a protocol is refused', async (_what, protocols) => {
    const changes = {authorization: null, 'sec-websocket-protocol': protocols};
    expect((await ask(wire.url, WATCH, changes)).status).toBe(401);
  });

  test('a token in a protocol counts only for a WebSocket', async () => {
    const headers = {'sec-websocket-protocol': `${encoded('admin-token')}, x`};
    expect((await wire.as('', 'GET', ENDPOINTS, {headers})).status).toBe(403);
  });

  test('without credentials only pages of the server itself are let in', async () => {
    await using open = await startWire({authenticator: everyoneIsMaster});
    const from = async (origin: string): Promise<number> =>
      (await ask(open.url, WATCH, {authorization: null, origin}, close)).status;
    expect([await from(new URL(open.url).origin), await from('http://elsewhere.example')]).toEqual([101, 403]);
    // A page may offer any protocol, so also what looks like a token that nobody asked for.
    const offering = async (token: string): Promise<number> => {
      const protocols = `base64url.bearer.authorization.k8s.io.${token}, base64.binary.k8s.io`;
      const changes = {authorization: null, origin: 'http://elsewhere.example', 'sec-websocket-protocol': protocols};
      return (await ask(open.url, WATCH, changes, close)).status;
    };
    expect([await offering('eA'), await offering('!')]).toEqual([403, 403]);
  });
});

test.each([ENDPOINTS, `${ENDPOINTS}?watch=0`])('what is no watch is answered as ever: %s', async path => {
  const {status, text} = await ask(wire.url, path);
  expect([status, JSON.parse(text).kind]).toEqual([200, 'EndpointsList']);
});
