// SPDX-License-Identifier: Apache-2.0
/** The webhook exporter against receivers of Node. */
import {createHmac} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse} from 'node:http';
import {createServer as createSecureServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import type {TlsOptions} from 'node:tls';
import {afterEach, expect, test, vi} from 'vitest';
import {
  ENDPOINT,
  ManualTime,
  makeStore,
  openExporter,
  passMinutes,
  passUntil,
  runnerOf,
  settingsOf,
} from './export-lab.ts';
import {makeCertificates} from './test-certificates.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Posted = {readonly headers: IncomingHttpHeaders; readonly body: string; readonly path: string};
type Receiver = {
  readonly port: number;
  readonly posted: Posted[];
  /** The ids of those that were answered with 2xx. */
  readonly ids: Set<string>;
  answer: (posted: Posted, response: ServerResponse) => number;
  stop(): Promise<void>;
};

const receive = async (tls?: TlsOptions, port = 0): Promise<Receiver> => {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const posted = {headers: request.headers, body: await text(request), path: request.url ?? ''};
    receiver.posted.push(posted);
    const status = receiver.answer(posted, response);
    if (status >= 200 && status < 300) for (const {id} of JSON.parse(posted.body)) receiver.ids.add(id);
    if (status !== 0) response.writeHead(status).end('thanks');
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    void serve(request, response).catch(() => response.destroy());
  const server = tls === undefined ? createServer(handle) : createSecureServer(tls, handle);
  server.on('tlsClientError', () => {});
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    posted: [],
    ids: new Set(),
    answer: () => 204,
    stop: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  closers.push(() => receiver.stop().catch(() => undefined));
  return receiver;
};

const setUp = async (receiver: Receiver, files = {}, path = '/hook?team=7') => {
  const settings = settingsOf(`http://127.0.0.1:${receiver.port}${path}`);
  const store = makeStore();
  const time = new ManualTime();
  const runner = runnerOf(store.records, await openExporter(settings, files), settings, time);
  return {...store, time, runner};
};

test('44-5 webhook: a receiver that is away for ten minutes gets every record as JSON arrays', async () => {
  const first = await receive();
  const {runner, write, ids, time} = await setUp(first);
  await write(700);
  runner.start();
  await expect.poll(() => first.ids.size).toBe(700);
  expect(first.posted[0]).toMatchObject({
    path: '/hook?team=7',
    headers: {'content-type': 'application/json', 'user-agent': 'palisade/0.1.0'},
  });
  expect(JSON.parse(first.posted[0]?.body ?? '')[0]).toMatchObject({kind: 'threats', endpoint: ENDPOINT});
  await first.stop();
  await write(700);
  await passMinutes(time, 10);
  expect((await runner.health()).state).toBe('RETRYING');
  const second = await receive(undefined, first.port);
  await passUntil(time, async () => (await runner.health()).lagRecords === 0);
  await runner.stop();
  expect([...first.ids, ...second.ids].sort()).toEqual(await ids());
});

test('44-5 webhook: a repeated message has the same id, a new time, and a signature that the receiver can check', async () => {
  const receiver = await receive();
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const old = 'a key of text that is long enough';
  const {runner, write, time} = await setUp(receiver, {secret: `${key}\n${old}\n`});
  receiver.answer = () => (receiver.posted.length === 1 ? 503 : 200);
  await write(3);
  runner.start();
  await passUntil(time, () => receiver.posted.length === 2);
  await runner.stop();
  const [one, two] = receiver.posted;
  expect(one?.headers['webhook-id']).toMatch(/^msg_[\w-]{43}$/);
  expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  for (const {headers, body} of receiver.posted) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const keys = [Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'), Buffer.from(old)];
    const expected = keys.map(each => `v1,${createHmac('sha256', each).update(signed).digest('base64')}`);
    expect(headers['webhook-signature']).toBe(expected.join(' '));
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
  }
});

test('44-5 webhook: headers of the settings are sent, and those of the message are not replaced by them', async () => {
  const receiver = await receive();
  const {runner, write} = await setUp(receiver, {headers: {Authorization: 'Splunk 123', 'content-type': 'text/plain'}});
  await write(1);
  runner.start();
  await expect.poll(() => receiver.posted.length).toBe(1);
  await runner.stop();
  expect(receiver.posted[0]?.headers).toMatchObject({
    authorization: 'Splunk 123',
    'content-type': 'application/json',
  });
});

test('44-5 webhook: Retry-After of 429 and 503 is kept', async () => {
  const receiver = await receive();
  const {runner, write, time} = await setUp(receiver);
  receiver.answer = (_, response) => {
    if (receiver.posted.length > 1) return 200;
    response.setHeader('retry-after', '300');
    return 429;
  };
  await write(1);
  runner.start();
  await expect.poll(async () => (await runner.health()).lastError).toBe('the receiver answered 429');
  const asked = time.now();
  await passUntil(time, () => receiver.posted.length === 2);
  expect(time.now() - asked).toBeGreaterThanOrEqual(299_000);
  await runner.stop();
});

test.each([401, 403, 404, 408, 410, 500])(
  '44-5 webhook: an answer of %i loses nothing: it is tried until the receiver takes the records',
  async status => {
    const receiver = await receive();
    const {runner, write, time} = await setUp(receiver);
    receiver.answer = () => status;
    await write(2);
    runner.start();
    await passMinutes(time, 5);
    expect(await runner.health()).toMatchObject({refused: 0, state: 'RETRYING'});
    receiver.answer = () => 200;
    await passUntil(time, () => receiver.ids.size === 2);
    await runner.stop();
  },
);

test.each([400, 413, 422])(
  '44-5 webhook: an answer of %i to one record alone is counted, the others arrive',
  async status => {
    const receiver = await receive();
    const {runner, write, time} = await setUp(receiver);
    receiver.answer = ({body}) => (body.includes('"source_port":"13"') ? status : 200);
    await write(30);
    runner.start();
    await passUntil(time, async () => (await runner.health()).refused === 1);
    await expect.poll(() => receiver.ids.size).toBe(29);
    await runner.stop();
  },
);

test('44-5 webhook: a redirect is not followed', async () => {
  const other = await receive();
  const receiver = await receive();
  const {runner, write} = await setUp(receiver);
  receiver.answer = (_, response) => {
    response.setHeader('location', `http://127.0.0.1:${other.port}/`);
    return 307;
  };
  await write(1);
  runner.start();
  await expect
    .poll(async () => (await runner.health()).lastError)
    .toBe('the receiver answered 307; redirects are not followed');
  await runner.stop();
  expect(other.posted).toEqual([]);
});

test('44-5 webhook: large records go in several bodies, and an endless answer is cut off', async () => {
  const receiver = await receive();
  const {runner, write, ids} = await setUp(receiver);
  receiver.answer = (_, response) => {
    response.writeHead(200);
    const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more));
    more();
    return 0;
  };
  await write(400, 'd'.repeat(6_000));
  runner.start();
  await expect.poll(async () => (await runner.health()).sent).toBe(400);
  await runner.stop();
  expect(receiver.posted.length).toBeGreaterThan(2);
  for (const {body} of receiver.posted) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_048_576);
  const sent = receiver.posted.flatMap(({body}) => JSON.parse(body).map(({id}: {id: string}) => id));
  expect(sent.sort()).toEqual(await ids());
});

test('44-5 webhook: an answer in the middle of which the receiver is gone is no answer', async () => {
  const receiver = await receive();
  const {runner, write, time} = await setUp(receiver);
  receiver.answer = (_, response) => {
    if (receiver.posted.length > 1) return 200;
    response.destroy();
    return 0;
  };
  await write(5);
  runner.start();
  await passUntil(time, () => receiver.ids.size === 5);
  await expect.poll(async () => (await runner.health()).sent).toBe(5);
  await runner.stop();
});

test('44-5 webhook over TLS: the CA, the name and the certificate of the client are checked', async () => {
  const {ca, server, client} = await makeCertificates('localhost');
  const receiver = await receive({...server, ca, requestCert: true, rejectUnauthorized: true});
  const attempt = async (host: string, files: object): Promise<string> => {
    const settings = settingsOf(`https://${host}:${receiver.port}/`);
    const {records, write} = makeStore();
    await write(3);
    const runner = runnerOf(records, await openExporter(settings, files), settings, new ManualTime());
    runner.start();
    await expect
      .poll(async () => {
        const {sent, lastError} = await runner.health();
        return sent === 3 || lastError !== '';
      })
      .toBe(true);
    const {lastError} = await runner.health();
    await runner.stop();
    return lastError;
  };
  const {cert, key} = client;
  expect(await attempt('localhost', {cert, key})).toContain('certificate');
  expect(await attempt('127.0.0.1', {ca, cert, key})).toContain('IP: 127.0.0.1');
  expect(await attempt('localhost', {ca})).not.toBe('');
  expect(receiver.posted).toEqual([]);
  expect(await attempt('localhost', {ca, cert, key})).toBe('');
  expect(receiver.posted).toHaveLength(1);
});

test('44-5 webhook over TLS: certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
  const {server} = await makeCertificates('localhost');
  const receiver = await receive({...server});
  const exporter = await openExporter(settingsOf(`https://localhost:${receiver.port}/`));
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  closers.push(() => vi.unstubAllEnvs());
  const item = {kind: 'threats', endpoint: ENDPOINT, id: '1', record: {}, event: undefined} as never;
  await expect(exporter.send([item], new AbortController().signal)).rejects.toThrow('certificate');
  expect(receiver.posted).toEqual([]);
  await exporter.close();
});

test.each(['http', 'otlp+http', 'syslog+udp', 'syslog+tcp'])(
  '44-5 %s: a record that cannot be written in its form is a fault of the record, which does not quote it',
  async scheme => {
    const exporter = await openExporter(settingsOf(`${scheme}://127.0.0.1:1/`));
    const record = {
      get source_port() {
        throw new TypeError('SECRET');
      },
    };
    const item = {kind: 'threats', endpoint: ENDPOINT, id: '1', record, event: undefined} as never;
    await expect(exporter.send([item], new AbortController().signal)).rejects.toMatchObject({
      code: 'unwritable',
      message: 'cannot be written in the form of this exporter (TypeError)',
    });
    await exporter.close();
  },
);

test('44-5 webhook: a key that is too short is refused with its line', async () => {
  await expect(openExporter(settingsOf('http://127.0.0.1:1/'), {secret: 'short\n'})).rejects.toThrow(
    'secretFile line 1 has a key of 5 bytes',
  );
  await expect(openExporter(settingsOf('http://127.0.0.1:1/'), {secret: '\n'})).rejects.toThrow('secretFile is empty');
});
