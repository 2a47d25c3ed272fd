// SPDX-License-Identifier: Apache-2.0
/** A side that fails leaves a line in the log, and the client an end. */
import {once} from 'node:events';
import {type IncomingMessage, request, type ServerResponse} from 'node:http';
import {connect, constants} from 'node:http2';
import {afterEach, describe, expect, test} from 'vitest';
import {type Listener, listenPlain} from './listeners.ts';
import {readText} from './read-text.ts';
import {route, type Side, type Sides} from './router.ts';

let listener: Listener | undefined;
const said: {path?: string; err?: Error}[] = [];
afterEach(async () => {
  listener?.force();
  await listener?.close();
  said.length = 0;
});

const NONE: Sides = {
  kubernetes: undefined,
  ids: undefined,
  grpc: undefined,
  token: undefined,
  metrics: undefined,
  health: undefined,
  console: undefined,
};
const listen = async (sides: Partial<Sides>): Promise<string> => {
  const log = {error: (fields: object) => void said.push(fields)};
  const handler = route({...NONE, ...sides}, log);
  listener = await listenPlain({host: '127.0.0.1', port: 0}, 'http', handler);
  return `http://127.0.0.1:${listener.address.port}`;
};
const rejects: Side = async () => {
  throw new Error('a fault of ours');
};
const throws: Side = () => {
  throw new Error('a fault of ours');
};
const begins: Side = async (_request, response) => {
  const plain = response as ServerResponse;
  plain.writeHead(200);
  plain.write('half');
  await new Promise(resolve => setImmediate(resolve));
  throw new Error('a fault of ours');
};
/** Its status; undefined for an answer that was cut off. */
const overHttp2 = (base: string, path: string): Promise<number | undefined> =>
  new Promise(resolve => {
    const session = connect(base);
    session.on('error', () => {});
    const stream = session.request({':path': path});
    let status: number | undefined;
    stream.on('response', headers => {
      status = headers[':status'];
    });
    stream.on('error', () => {});
    stream.once('close', () => {
      resolve(stream.rstCode === constants.NGHTTP2_NO_ERROR ? status : undefined);
      session.close();
    });
    stream.resume();
  });

describe('a side that fails', () => {
  test.each([
    ['rejects', rejects],
    ['throws', throws],
  ])('before anything was sent (%s): 500 in the form of its API, and a line without the query', async (_how, side) => {
    const base = await listen({kubernetes: side, ids: side, grpc: side});
    const kubernetes = await fetch(`${base}/api/v1/x?token=secret`);
    expect(kubernetes.status).toBe(500);
    expect(await kubernetes.json()).toMatchObject({kind: 'Status', reason: 'InternalError', code: 500});
    const ids = await fetch(`${base}/v1/projects`);
    expect([ids.status, await ids.json()]).toMatchObject([500, {error: {code: 500, status: 'INTERNAL'}}]);
    expect((await fetch(`${base}/google.x.Y/Z`, {method: 'POST'})).status).toBe(500);
    expect(await overHttp2(base, '/api')).toBe(500);
    expect(said.map(({path, err}) => [path, err?.message])).toEqual(
      ['/api/v1/x', '/v1/projects', '/google.x.Y/Z', '/api'].map(path => [path, 'a fault of ours']),
    );
  });

  test('in the middle of its answer: the answer is cut off, so that no client takes it for whole', async () => {
    const base = await listen({kubernetes: begins});
    await expect(fetch(`${base}/api`).then(answer => answer.text())).rejects.toThrow();
    expect(await overHttp2(base, '/api')).toBeUndefined();
    expect(said).toHaveLength(2);
  });
});

test('X-001 a side that is switched off answers 404 in the form of its API', async () => {
  const base = await listen({});
  expect(await (await fetch(`${base}/api`)).json()).toMatchObject({kind: 'Status', reason: 'NotFound', code: 404});
  const ids = await fetch(`${base}/v1/projects`);
  expect([ids.status, await ids.json()]).toMatchObject([404, {error: {code: 404, status: 'NOT_FOUND'}}]);
  await expect.poll(() => said).toEqual([]);
});

test.each([
  ['http://some.host:1/api/v1?limit=1', '/api/v1?limit=1'],
  ['HTTPS://some.host', '/'],
  ['http://some.host?pretty=1', '/?pretty=1'],
])('a target that is the whole URL %s is its path %s', async (target, path) => {
  const seen: (string | undefined)[] = [];
  const base = await listen({
    kubernetes: async (request, response) => {
      seen.push(request.url);
      (response as ServerResponse).end();
    },
  });
  const sent = request(base, {path: target, agent: false}).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  expect(seen).toEqual([path]);
});

test('a client that leaves before its request is complete is no failure of the side', async () => {
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<string>();
  const token: Side = asked => {
    begun.resolve();
    const read = readText(asked, {bytesMax: 100}).then(() => {});
    read.catch((error: Error) => left.resolve(error.name));
    return read;
  };
  const client = request(`${await listen({token})}/token`, {method: 'POST', headers: {'content-length': '10'}});
  client.on('error', () => {});
  client.write('half');
  await begun.promise;
  client.destroy();
  expect(await left.promise).toBe('ClientGoneError');
  await new Promise(resolve => setImmediate(resolve));
  expect(said).toEqual([]);
});
