// SPDX-License-Identifier: Apache-2.0
/** A drain ends what is idle, whatever it waits for, without force; an HTTP/2 session is bounded in its idleness. */
import {type ClientHttp2Session, connect as connectHttp2, type ServerHttp2Session} from 'node:http2';
import {connect, Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {systemTimers} from '@palisade/apiserver';
import {afterEach, beforeAll, beforeEach, describe, expect, test, vi} from 'vitest';
import {makeCertificate} from '../testing/certificate.ts';
import {Connections} from './connections.ts';
import {type AnyResponse, type Listener, listenPlain, listenTls} from './listeners.ts';

const HOST = '127.0.0.1';
/** Told apart by their length. */
const limits = {headersMs: 11_000, keepAliveMs: 22_000, lingerMs: 33_000};
let pem = {cert: '', key: ''};
beforeAll(async () => {
  pem = await makeCertificate(HOST);
});

type Due = {readonly delayMs: number; readonly action: () => void};
let due: Due[] = [];
const timers = {
  ...systemTimers,
  after: (delayMs: number, action: () => void) => {
    const one = {delayMs, action};
    due.push(one);
    return {
      cancel: () => {
        due = due.filter(other => other !== one);
      },
    };
  },
};
const pending = (delayMs: number): number => due.filter(d => d.delayMs === delayMs).length;
/** Runs what is due after `delayMs`. */
const pass = (delayMs: number): void => {
  const now = due.filter(d => d.delayMs === delayMs);
  due = due.filter(d => d.delayMs !== delayMs);
  for (const {action} of now) action();
};

/** Requests that are not answered yet. */
let waiting: AnyResponse[] = [];
let listener: Listener;
let clean: (() => void)[] = [];
beforeEach(() => {
  [due, waiting, clean] = [[], [], []];
});
afterEach(async () => {
  for (const end of clean) end();
  listener.force();
  await listener.close();
});

const handler = (request: {url?: string | undefined}, response: AnyResponse): void => {
  if (request.url === '/wait') waiting.push(response);
  else response.end('ok');
};
const hear: Record<string, () => Promise<Listener>> = {
  plain: () => listenPlain({host: HOST, port: 0}, 'http', handler, {timers, limits}),
  TLS: () => listenTls({host: HOST, port: 0}, 'https', pem, handler, {timers, limits}),
};
const listen = async (name: string): Promise<void> => {
  listener = await (hear[name] as () => Promise<Listener>)();
};

/** A TCP connection that never ends its side by itself. */
const stubborn = async (...writes: (string | Buffer)[]): Promise<{received: () => Buffer}> => {
  const socket = connect({port: listener.address.port, host: HOST, allowHalfOpen: true});
  clean.push(() => socket.destroy());
  let bytes = Buffer.alloc(0);
  socket.on('data', chunk => {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
  });
  socket.on('error', () => {});
  await new Promise<void>(resolve => socket.once('connect', () => resolve()));
  for (const text of writes) socket.write(text);
  return {received: () => bytes};
};
const session = (name: string): ClientHttp2Session => {
  const scheme = name === 'TLS' ? 'https' : 'http';
  const client = connectHttp2(`${scheme}://${HOST}:${listener.address.port}`, {
    ca: pem.cert,
    rejectUnauthorized: false,
  });
  client.on('error', () => {});
  clean.push(() => client.destroy());
  return client;
};
const closeOf = (client: ClientHttp2Session): Promise<void> => new Promise(done => client.once('close', done));
const status = (client: ClientHttp2Session, path: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const stream = client.request({':path': path});
    stream.once('response', headers => resolve(headers[':status']));
    stream.once('error', reject);
    stream.resume();
  });
const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0)]);
const REQUEST = 'GET / HTTP/1.1\r\nHost: t\r\n\r\n';

describe('a drain ends at once', () => {
  test.each([
    ['plain', 'nothing', []],
    ['plain', 'half a head', ['GET / HT']],
    ['TLS', 'nothing, before its handshake', []],
    ['TLS', 'half a handshake', [Buffer.of(22, 3, 1, 0, 200, 1)]],
  ])('%s: a connection that sent %s', async (name, _what, writes) => {
    await listen(name);
    await stubborn(...writes);
    const usual = session(name); // a whole exchange later, the server has surely seen the first connection
    expect(await status(usual, '/')).toBe(200);
    await listener.close();
  });

  test('a kept-alive connection and an HTTP/2 session whose clients never end theirs', async () => {
    await listen('plain');
    const [kept, spoken] = [await stubborn(REQUEST), await stubborn(PREFACE)];
    await expect.poll(() => String(kept.received())).toContain('200 OK');
    await expect.poll(() => spoken.received().length).toBeGreaterThan(9);
    await listener.close();
  });

  test.each(['plain', 'TLS'])('%s: what has a request under way, when that is answered', async name => {
    await listen(name);
    const h2 = session(name);
    const answered = status(h2, '/wait');
    const options = {port: listener.address.port, host: HOST};
    const h1 =
      name === 'TLS'
        ? connectTls({...options, rejectUnauthorized: false, ALPNProtocols: ['http/1.1']})
        : connect(options);
    clean.push(() => h1.destroy());
    let text = '';
    h1.on('data', chunk => {
      text += String(chunk);
    });
    h1.write('GET /wait HTTP/1.1\r\nHost: t\r\n\r\n');
    await expect.poll(() => waiting.length).toBe(2);
    const closed = listener.close();
    for (const response of waiting) response.end('late');
    expect(await answered).toBe(200);
    await closed;
    expect(text).toContain('late');
  });

  test('what comes up after it began', () => {
    listener = {address: {host: HOST, port: 0}, close: async () => {}, force: () => {}};
    const connections = new Connections({timers, requestsMax: 1, aheadBytesMax: 1, lingerMs: 1});
    connections.drain();
    const [shaking, kept] = [new Socket(), new Socket()];
    connections.openedTls(shaking);
    const ended = vi.spyOn(kept, 'destroySoon');
    connections.carriesRequests(kept);
    const late = {once: vi.fn(), close: vi.fn()};
    connections.session(late as unknown as ServerHttp2Session);
    expect([shaking.destroyed, ended.mock.calls.length, late.close.mock.calls.length]).toEqual([true, 1, 1]);
  });

  test('48-5 what is idle: a request that comes while its connection ends is not done without an answer', () => {
    listener = {address: {host: HOST, port: 0}, close: async () => {}, force: () => {}};
    const connections = new Connections({timers, requestsMax: 1, aheadBytesMax: 1, lingerMs: 1});
    const [idle, begun] = [new Socket(), vi.fn()];
    const send = (): void => {
      const response = {once: vi.fn((_event: 'close', close: () => void) => close()), emit: vi.fn()};
      connections.counted(begun)({httpVersionMajor: 1, socket: idle, rawHeaders: []}, response);
    };
    connections.openedPlain(idle);
    send();
    expect(begun).toHaveBeenCalledTimes(1);
    connections.drain();
    send();
    expect(begun).toHaveBeenCalledTimes(1);
  });
});

describe.each(['plain', 'TLS'])('an HTTP/2 session without streams (%s)', name => {
  test('is closed with GOAWAY after keepAliveMs, from its start or from the end of its last stream', async () => {
    await listen(name);
    const unused = session(name);
    const ended = closeOf(unused);
    await expect.poll(() => pending(limits.keepAliveMs)).toBe(1);
    pass(limits.keepAliveMs);
    await ended;
    await expect.poll(() => due).toEqual([]);
    const used = session(name);
    const goaway = new Promise<number>(resolve => used.once('goaway', resolve));
    expect(await status(used, '/')).toBe(200);
    await expect.poll(() => pending(limits.keepAliveMs)).toBe(1);
    pass(limits.keepAliveMs);
    expect(await goaway).toBe(0);
    await closeOf(used);
    await expect.poll(() => due).toEqual([]);
  });

  test('is not, with an open one', async () => {
    await listen(name);
    const client = session(name);
    const watch = status(client, '/wait');
    await expect.poll(() => waiting.length).toBe(1);
    expect(await status(client, '/')).toBe(200);
    expect(pending(limits.keepAliveMs)).toBe(0);
    waiting[0]?.end();
    expect(await watch).toBe(200);
    await expect.poll(() => pending(limits.keepAliveMs)).toBe(1);
  });
});

test('a client that does not end the connection of a closed session is cut off after lingerMs', async () => {
  await listen('plain');
  const client = await stubborn(PREFACE);
  await expect.poll(() => pending(limits.keepAliveMs)).toBe(1);
  pass(limits.keepAliveMs);
  await expect.poll(() => pending(limits.lingerMs)).toBe(1);
  await expect.poll(() => client.received().at(-14)).toBe(7); // the type of a GOAWAY frame of 17 bytes
  pass(limits.lingerMs);
  await expect.poll(() => due).toEqual([]);
});
