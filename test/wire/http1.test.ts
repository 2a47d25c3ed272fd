// SPDX-License-Identifier: Apache-2.0
/** Answers of the Kubernetes API over one connection of HTTP/1.1: short, long and endless. */
import {everyoneIsMaster, mastersOnly} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {connectRaw, type RawClient} from '../../packages/server/src/testing/raw-client.ts';
import {serveKubeApi, type TestKubeApi} from './serve.ts';

const NAMESPACES = '/api/v1/namespaces';
const ENDPOINTS = `${NAMESPACES}/one/endpoints`;

let served: TestKubeApi;
let client: RawClient;
beforeEach(async () => {
  served = await serveKubeApi({
    store: await openMemoryStore(),
    ...kubeModule,
    compat: 'spec',
    authenticator: everyoneIsMaster,
    authorizer: mastersOnly,
    limits: {requestBodyBytesMax: 10_000},
  });
  client = await connect();
  await answer('POST', NAMESPACES, {metadata: {name: 'one'}});
});
afterEach(() => served[Symbol.asyncDispose]());

const connect = (): Promise<RawClient> => connectRaw(Number(new URL(served.url).port));

/** What came since `from`. */
const since = (from: number): string => client.received().slice(from);
const until = (from: number, text: string): Promise<void> =>
  expect.poll(() => since(from), {interval: 5}).toContain(text);

const ask = async (method: string, path: string, body?: object): Promise<number> => {
  const from = client.received().length;
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`;
  await client.send(`${method} ${path} HTTP/1.1\r\nHost: h\r\n${length}\r\n${text}`);
  return from;
};

/** Its head and its body, which has a length. */
const answer = async (method: string, path: string, body?: object): Promise<[string, string]> => {
  const from = await ask(method, path, body);
  await until(from, '\r\n\r\n');
  const [head = ''] = since(from).split('\r\n\r\n', 1);
  const bytes = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1]);
  await expect.poll(() => since(from).length, {interval: 5}).toBe(head.length + 4 + bytes);
  return [head, since(from).slice(head.length + 4)];
};
const create = (name: string, filler = ''): Promise<[string, string]> =>
  answer('POST', ENDPOINTS, {metadata: {name, annotations: {filler}}});

test('objects are written, read and refused over one connection', async () => {
  const [created] = await create('a');
  expect(created).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  const [read, object] = await answer('GET', `${ENDPOINTS}/a`);
  expect(read).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(JSON.parse(object)).toMatchObject({kind: 'Endpoints', metadata: {name: 'a'}});
  const [missing, status] = await answer('GET', `${ENDPOINTS}/b`);
  expect([missing.split('\r\n')[0], JSON.parse(status).reason]).toEqual(['HTTP/1.1 404 Not Found', 'NotFound']);
  expect((await answer('DELETE', `${ENDPOINTS}/a`))[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

const LAST_CHUNK = '\r\n0\r\n\r\n';
const unchunked = (body: string): string => {
  let text = '';
  for (let at = 0; ; ) {
    const dataAt = body.indexOf('\r\n', at) + 2;
    const bytes = Number.parseInt(body.slice(at, dataAt), 16);
    if (!(bytes > 0)) return text;
    text += body.slice(dataAt, dataAt + bytes);
    at = dataAt + bytes + 2;
  }
};

test('a list of many pieces comes whole, and the connection stays', async () => {
  for (let i = 0; i < 40; i++) await create(`a${i}`, 'x'.repeat(9_000));
  const from = await ask('GET', ENDPOINTS);
  await until(from, LAST_CHUNK);
  const [head = ''] = since(from).split('\r\n\r\n', 1);
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\nTransfer-Encoding: chunked$/s);
  const list = unchunked(since(from).slice(head.length + 4));
  expect(list.length).toBeGreaterThan(256 * 1024);
  expect(JSON.parse(list).items.length).toBe(40);
  expect((await answer('GET', '/version'))[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a body that is too large ends the connection', async () => {
  const [head] = await create('a', 'x'.repeat(10_000));
  expect(head).toMatch(/^HTTP\/1\.1 413 Request Entity Too Large\r\n(?:.*\r\n)?Connection: close(\r\n|$)/s);
  await client.closed;
});

test('a document that the client has already is answered without a body', async () => {
  const [head] = await answer('GET', '/openapi/v2');
  const tag = /\r\nETag: (.*)\r\n/i.exec(head)?.[1];
  const from = client.received().length;
  await client.send(`GET /openapi/v2 HTTP/1.1\r\nHost: h\r\nIf-None-Match: ${tag}\r\n\r\n`);
  await until(from, '\r\n\r\n');
  expect(since(from)).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n.*\r\n\r\n$/s);
  expect((await answer('GET', '/version'))[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a watch is one chunk for each event, ends whole, and the connection goes on', async () => {
  const from = await ask('GET', `${ENDPOINTS}?watch=1`);
  await until(from, 'Transfer-Encoding: chunked\r\n\r\n');
  const other = await connect();
  const body = JSON.stringify({metadata: {name: 'a'}});
  await other.send(
    `POST ${ENDPOINTS} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(from, '"ADDED"');
  served.api.services.watchers.stopAll();
  await until(from, '\r\n0\r\n\r\n');
  const chunks = since(from).split('\r\n\r\n')[1] ?? '';
  const [size = '', event = ''] = chunks.split('\r\n');
  expect([Number.parseInt(size, 16), event.endsWith('}\n')]).toEqual([event.length, true]);
  expect((await answer('GET', '/version'))[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a watch whose client goes is a watch no longer', async () => {
  await ask('GET', `${ENDPOINTS}?watch=1`);
  await expect.poll(() => served.api.services.watchers.count, {interval: 5}).toBe(1);
  client.reset();
  await expect.poll(() => served.api.services.watchers.count, {interval: 5}).toBe(0);
});

test('a watch whose client ends its side is a watch no longer', async () => {
  await ask('GET', `${ENDPOINTS}?watch=1`);
  await expect.poll(() => served.api.services.watchers.count, {interval: 5}).toBe(1);
  client.socket.end();
  await client.closed;
  await expect.poll(() => served.api.services.watchers.count, {interval: 5}).toBe(0);
});

const WATCH = `GET ${ENDPOINTS}?watch=1&timeoutSeconds=100000 HTTP/1.1\r\nHost: h\r\n\r\n`;
const CONNECT = 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n';
const UPGRADE = `GET ${ENDPOINTS}?watch=1 HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
const watches = (count: number): Promise<void> =>
  expect.poll(() => served.api.services.watchers.count, {interval: 5}).toBe(count);

test('a request that is sent behind a write sees it', async () => {
  const body = JSON.stringify({metadata: {name: 'p1'}});
  await client.send(
    `POST ${ENDPOINTS} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}GET ${ENDPOINTS}/p1 HTTP/1.1\r\nHost: h\r\n\r\n`,
  );
  await expect
    .poll(
      () =>
        client
          .received()
          .match(/HTTP\/1\.1 \d+/g)
          ?.slice(1),
      {interval: 5},
    )
    .toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
});

test.each([
  ['900 watches', WATCH.repeat(900)],
  ['a watch and CONNECT', WATCH + CONNECT],
  ['two watches and CONNECT', WATCH.repeat(2) + CONNECT],
  ['two watches and an upgrade', WATCH.repeat(2) + UPGRADE],
  ['a watch and what is no request', `${WATCH}\0\0`],
])('%s that were sent at once: one is open, and none when the client is gone', async (_what, requests) => {
  for (const leave of [() => client.reset(), () => void client.socket.end()]) {
    client = await connect();
    await client.send(requests);
    await watches(1);
    leave();
    await client.closed;
    await watches(0);
  }
});

test('answers before CONNECT and before an upgrade come whole, the upgrade as a plain watch', async () => {
  for (let i = 0; i < 40; i++) await create(`a${i}`, 'x'.repeat(9_000));
  const list = `GET ${ENDPOINTS} HTTP/1.1\r\nHost: h\r\n\r\n`;
  for (const [last, status] of [
    [CONNECT, 405],
    [UPGRADE, 200],
  ] as const) {
    client = await connect();
    client.socket.pause();
    client.socket.write(list.repeat(40) + last);
    await expect.poll(() => client.peer.writableLength, {interval: 5}).toBeGreaterThan(0);
    client.socket.resume();
    await expect.poll(() => client.received().split('HTTP/1.1 ').length - 1, {interval: 5}).toBe(41);
    expect(client.received().split(LAST_CHUNK).length - 1).toBe(40);
    expect(client.received()).toMatch(new RegExp(`${LAST_CHUNK}HTTP/1.1 ${status} `));
    client.reset();
  }
});
