// SPDX-License-Identifier: Apache-2.0
/** Connections: what is read here and what by node:http, how much, for how long, and their end. */
import type {WholeResponse} from '@palisade/apiserver';
import {afterEach, describe, expect, test, vi} from 'vitest';
import {BODY_BYTES_MAX} from './connection.ts';
import {type Answer, type Client, closePorts, LIMITS, nextTurn, openPort, type Port, VIAS} from './testing/port.ts';

afterEach(closePorts);

/** The requests that are not answered yet. */
let held: WholeResponse[] = [];
const hold: Answer = (_asked, response) => void held.push(response);
const echo: Answer = ({url, body}, response) => void response.end(`<${url} ${body.length}>`);
/** Requests to `/wait` are held. */
const some: Answer = (asked, response) => (asked.url === '/wait' ? hold : echo)(asked, response);
afterEach(() => {
  held = [];
});

const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: h\r\n\r\n`;
const post = (url: string, bytes: number): string =>
  `POST ${url} HTTP/1.1\r\nHost: h\r\nContent-Length: ${bytes}\r\n\r\n`;
const CLOSE = 'GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';
/** A client is told `keepAliveMs`: its request at the last moment is still in time. */
const LEFT_MS = LIMITS.keepAliveMs + 1_000;
const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
const CUT_SHORT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/** What `echo` told, in order. */
const echoes = ({received}: Client): string[] => received().match(/<[^>]*>/g) ?? [];
const until = (client: Client, text: string): Promise<void> =>
  expect.poll(client.received, {interval: 5}).toContain(text);
const untilHeld = (count: number): Promise<void> => expect.poll(() => held.length, {interval: 5}).toBe(count);
const open = async (answer: Answer, options?: Parameters<typeof openPort>[1]): Promise<[Port, Client]> => {
  const port = await openPort(answer, options);
  return [port, await port.connect()];
};

describe.each(VIAS)('requests over %s', via => {
  test('an answer that goes on is over as soon as its client ends its side, also if it does not read', async () => {
    const [port, client] = await open(hold, {via});
    await client.send(`${get('/1')}${get('/2')}`);
    await untilHeld(1);
    const closed = new Promise<void>(resolve => held[0]?.once('close', () => resolve()));
    client.socket.pause();
    held[0]?.write(Buffer.alloc(16_000_000)); // more than the buffers of a connection hold
    client.socket.end();
    await closed;
    expect(held[0]?.writable).toBe(false);
    port.time.advance(LEFT_MS);
    expect(client.peer.destroyed).toBe(false); // the client may still read what was sent before
    port.time.advance(3 * LIMITS.checkMs);
    expect(client.peer.destroyed).toBe(true);
    expect(port.asked).toEqual(['whole GET /1 0']);
  });

  test('that were sent at once are answered in order, each when the one before it was', async () => {
    const [port, client] = await open(hold, {via});
    await client.send(`${get('/1')}${post('/2', 3)}abc${get('/3')}`);
    await untilHeld(1);
    for (let i = 1; i <= 3; i++) {
      expect(port.asked.length).toBe(i);
      held[i - 1]?.end(`<${i}>`);
    }
    expect(port.asked).toEqual(['whole GET /1 0', 'whole POST /2 3', 'whole GET /3 0']);
    await until(client, '<3>');
    expect(echoes(client)).toEqual(['<1>', '<2>', '<3>']);
  });

  test('come byte by byte', async () => {
    const [port, client] = await open(echo, {via});
    for (const byte of post('/a', 300) + 'z'.repeat(300) + get('/b')) await client.send(byte);
    await until(client, '</b 0>');
    expect(port.asked).toEqual(['whole POST /a 300', 'whole GET /b 0']);
  });

  test('with a body of 64 KiB are read whole; above, node:http has them and all that follow', async () => {
    const [port, client] = await open(echo, {via});
    const body = 'z'.repeat(BODY_BYTES_MAX);
    await client.send(post('/a', BODY_BYTES_MAX) + body);
    await client.send(post('/b', BODY_BYTES_MAX + 1) + body);
    await client.send(`z${get('/c')}`);
    await until(client, '</c 0>');
    expect(port.asked).toEqual(['whole POST /a 65536', 'node POST /b 65537', 'node GET /c 0']);
    expect(echoes(client)).toEqual(['</a 65536>', '</b 65537>', '</c 0>']);
  });

  test.each([
    ['another method', 'OPTIONS /x HTTP/1.1\r\nHost: h\r\n\r\n', 'node OPTIONS /x 0'],
    ['a path that is for others', get('/node'), 'node GET /node 0'],
    ['an absolute target', get('http://h/x'), 'node GET http://h/x 0'],
    ['a header twice', 'GET /x HTTP/1.1\r\nHost: h\r\nA: b\r\nA: c\r\n\r\n', 'node GET /x 0'],
    [
      'a body in chunks',
      'POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      'node POST /x 3',
    ],
    ['a line end before it', `\r\n${get('/x')}`, 'node GET /x 0'],
  ])('of which one is unusual by %s: node:http has it and all that follow', async (_what, unusual, asked) => {
    const [port, client] = await open(echo, {via});
    await client.send(get('/1') + unusual + get('/2'));
    await until(client, '</2 0>');
    expect(port.asked).toEqual(['whole GET /1 0', asked, 'node GET /2 0']);
    await client.send(CLOSE);
    await client.closed;
    expect(echoes(client)).toEqual(['</1 0>', `<${asked.split(' ').slice(2).join(' ')}>`, '</2 0>', '</last 0>']);
  });

  test('that are unusual wait for the answers before them', async () => {
    const [port, client] = await open(some, {via});
    await client.send(get('/wait') + CLOSE);
    await untilHeld(1);
    expect(port.asked).toEqual(['whole GET /wait 0']);
    held[0]?.end('<1>');
    await client.closed;
    expect(echoes(client)).toEqual(['<1>', '</last 0>']);
  });

  test('that are unusual come in pieces', async () => {
    const [port, client] = await open(echo, {via});
    await client.send(get('/1'));
    for (const byte of 'PUT /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n')
      await client.send(byte);
    await until(client, '</x 1>');
    expect(port.asked).toEqual(['whole GET /1 0', 'node PUT /x 1']);
  });

  test('that wait for 100-continue are told so', async () => {
    const [, client] = await open(echo, {via});
    await client.send('POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n');
    await until(client, 'HTTP/1.1 100 Continue\r\n\r\n');
    await client.send('abc');
    await until(client, '</x 3>');
  });

  test('for another protocol are answered as if they had not asked', async () => {
    const [port, client] = await open(echo, {via});
    await client.send(get('/1'));
    await client.send('GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    await until(client, '</x 0>');
    await client.send(get('/2'));
    await until(client, '</2 0>');
    expect(port.asked).toEqual(['whole GET /1 0', 'node GET /x 0', 'node GET /2 0']);
  });

  test('that are no HTTP at all are refused at once', async () => {
    const [port, client] = await open(echo, {via});
    await client.send(get('/1'));
    await until(client, '</1 0>');
    await client.send('HELO h\r\n');
    await client.closed;
    expect(client.received()).toMatch(/<\/1 0>HTTP\/1\.1 400 Bad Request\r\n/);
    expect(port.asked).toEqual(['whole GET /1 0']);
  });
});

describe('a connection that was left to node:http', () => {
  const OPTIONS = 'OPTIONS /wait HTTP/1.1\r\nHost: h\r\n\r\n';

  test('has nothing of ours on its socket', async () => {
    const listeners = async (wholes: boolean): Promise<number[]> => {
      const [, client] = await open(some, {wholes});
      await client.send(get('/1') + OPTIONS);
      await untilHeld(1);
      held = [];
      return ['data', 'end', 'drain', 'close'].map(event => client.peer.listenerCount(event));
    };
    expect(await listeners(true)).toEqual(await listeners(false));
  });

  test('is not ended by our limits', async () => {
    const [port, client] = await open(some);
    await client.send(OPTIONS);
    await untilHeld(1);
    port.time.advance(LIMITS.keepAliveMs * 10);
    expect(client.peer.writableEnded).toBe(false);
    held[0]?.end('<late>');
    await until(client, '<late>');
  });
});

describe('a client that does not read', () => {
  const ANSWER = Buffer.alloc(4 * 1024, 'z');
  /** What the server may hold of one connection, in either direction. */
  const HELD_BYTES_MAX = 256 * 1024;

  test('is not read from, however much it asks, and is answered in full when it reads', async () => {
    const count = 10_000;
    const [port, client] = await open((_asked, response) => void response.end(ANSWER));
    client.socket.pause();
    client.socket.write(get('/a').repeat(count));
    await expect.poll(() => port.asked.length > 0 && client.peer.isPaused(), {interval: 5}).toBe(true);
    const asked = port.asked.length;
    expect(asked).toBeLessThan(count);
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    expect(port.asked.length).toBe(asked);
    expect(client.peer.writableLength + client.peer.readableLength).toBeLessThan(HELD_BYTES_MAX);
    client.socket.resume();
    await expect.poll(() => port.asked.length, {interval: 5}).toBe(count);
    client.socket.write(CLOSE);
    await client.closed;
    expect(client.received().split('HTTP/1.1 200 OK\r\n').length).toBe(count + 2);
  });

  test('is not read from while its first answer is awaited, beyond 64 KiB', async () => {
    const [port, client] = await open(some);
    await client.send(get('/wait'));
    const count = 400_000;
    client.socket.write(get('/a').repeat(count));
    await expect.poll(() => client.peer.isPaused(), {interval: 5}).toBe(true);
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    expect(client.peer.bytesRead).toBeLessThan(HELD_BYTES_MAX); // what was on its way when the socket was paused counts too
    expect(port.asked.length).toBe(1);
    held[0]?.end('<1>');
    await expect.poll(() => port.asked.length, {interval: 5}).toBeGreaterThan(10_000);
  });

  test('what it sends in the smallest pieces meanwhile is kept as few', async () => {
    const [, client] = await open(some);
    await client.send(get('/wait'));
    const joined = vi.spyOn(Buffer, 'concat');
    const text = get('/a').repeat(40);
    for (const byte of text) await client.send(byte);
    const pieces = Math.max(...joined.mock.calls.map(([list]) => list.length));
    joined.mockRestore();
    expect(pieces).toBeLessThan(300);
    expect(pieces).toBeGreaterThan(2);
    held[0]?.end('<1>');
    await expect.poll(() => echoes(client).length).toBe(41);
  });
});

describe('a client that goes', () => {
  /** How an answer under way learns of it. */
  const events: string[] = [];
  const holdAndTell: Answer = (asked, response) => {
    events.length = 0;
    for (const event of ['close', 'finish', 'drain'] as const) response.once(event, () => events.push(event));
    hold(asked, response);
  };

  test.each(VIAS)('over %s, by a reset: the answer under way is closed and takes nothing', async via => {
    const [, client] = await open(holdAndTell, {via});
    await client.send(get('/a') + get('/b'));
    await untilHeld(1);
    const [response] = held as [WholeResponse];
    response.writeHead(200, {});
    response.write('half');
    await until(client, 'half');
    expect([response.destroyed, response.writable]).toEqual([false, true]);
    client.reset();
    await expect.poll(() => events, {interval: 5}).toEqual(['close']);
    expect([response.destroyed, response.writable, response.write('more')]).toEqual([true, false, false]);
    response.end('end');
    response.destroy();
    await nextTurn();
    expect([events, held.length]).toEqual([['close'], 1]);
  });

  test('while much of an answer waits for it: the answer is closed, not finished', async () => {
    const [, client] = await open(holdAndTell);
    client.socket.pause();
    await client.send(get('/a'));
    const [response] = held as [WholeResponse];
    let sent: unknown = 'never';
    response.end(Buffer.alloc(16 * 1024 * 1024), ((error?: Error) => {
      sent = error?.name ?? 'sent';
    }) as () => void);
    client.reset();
    await expect.poll(() => events, {interval: 5}).toEqual(['close']);
    expect(sent).toBe('Error');
  });

  test('after its request, by ending its side: what was answered before is sent', async () => {
    const [port, client] = await open(echo);
    client.socket.end(get('/a') + get('/b'));
    await client.closed;
    expect(echoes(client)).toEqual(['</a 0>', '</b 0>']);
    expect(port.asked.length).toBe(2);
  });

  test.each(VIAS)(
    'over %s, after its request, by ending its side: an answer that comes later has no taker',
    async via => {
      const [port, client] = await open(holdAndTell, {via});
      client.socket.end(get('/a') + get('/b'));
      await untilHeld(1);
      const [response] = held as [WholeResponse];
      await client.closed;
      await expect.poll(() => events, {interval: 5}).toEqual(['close']);
      response.flushHeaders();
      response.end('late');
      expect(response.headersSent).toBe(false);
      expect([client.received(), port.asked]).toEqual(['', ['whole GET /a 0']]);
    },
  );

  test.each([
    ['a head', 'GET / HTTP/1.1\r\nHost'],
    ['a body', `${post('/a', 3)}ab`],
  ])('inside %s is told that it was cut short', async (_what, text) => {
    const [port, client] = await open(echo);
    client.socket.end(get('/1') + text);
    await client.closed;
    expect(client.received()).toMatch(/<\/1 0>HTTP\/1\.1 400/);
    expect([client.received().endsWith(CUT_SHORT), port.asked.length]).toEqual([true, 1]);
  });
});

describe.each(VIAS)('time over %s', via => {
  const waiting = async (texts: readonly string[], answer: Answer = some): Promise<[Port, Client]> => {
    const [port, client] = await open(answer, {via});
    for (const text of texts) {
      const before = echoes(client).length;
      await client.send(text);
      if (text.includes('GET /1 ')) await expect.poll(() => echoes(client).length, {interval: 5}).toBe(before + 1);
      port.time.advance(1_000);
    }
    return [port, client];
  };
  const HALF = 'GET / HTTP/1.1\r\nHo';

  test.each([
    ['half a head', [HALF], LIMITS.headersMs],
    ['half a head, bit by bit', ['GET', ' / H', 'TTP/'], LIMITS.headersMs],
    ['half a head after a request', [get('/1'), HALF], LIMITS.headersMs + 1_000],
    ['half a head together with a request', [get('/1') + HALF], LIMITS.headersMs],
    ['half a body', [`${post('/a', 9)}half`], LIMITS.requestMs],
    ['half a body, bit by bit', [post('/a', 9), 'h', 'a', 'lf'], LIMITS.requestMs],
    ['half a body after a request', [get('/1'), `${post('/a', 9)}half`], LIMITS.requestMs + 1_000],
  ])('a client that sent %s is told to come again after its limit', async (_what, texts, limitMs) => {
    const [port, client] = await waiting(texts);
    port.time.advance(limitMs - port.time.now());
    await nextTurn();
    expect(client.peer.writableEnded).toBe(false);
    port.time.advance(LIMITS.checkMs);
    await client.closed;
    expect(client.received().replace(/^.*<\/1 0>/s, '')).toBe(TIMED_OUT);
  });

  test('a client without another request is left after keepAliveMs, without a word', async () => {
    const [port, client] = await waiting([get('/1'), get('/1')]);
    port.time.advance(LEFT_MS + 1_000 - port.time.now());
    await nextTurn();
    expect(client.peer.destroyed).toBe(false);
    port.time.advance(LIMITS.checkMs);
    await client.closed;
    expect(client.received()).toMatch(/<\/1 0>$/);
  });

  test('an answer takes as long as it takes, and is followed by keepAliveMs', async () => {
    const [port, client] = await open(some, {via, limits: {keepAliveMs: LIMITS.keepAliveMs + 500}});
    await client.send(get('/wait'));
    await untilHeld(1);
    port.time.advance(1_000_900);
    held[0]?.end('<1>');
    await until(client, '<1>');
    port.time.advance(LEFT_MS + 500);
    await nextTurn();
    expect(client.peer.destroyed).toBe(false);
    port.time.advance(LIMITS.checkMs);
    await client.closed;
  });

  test('half a head behind an answer has headersMs from the answer', async () => {
    const [port, client] = await waiting([get('/wait') + HALF]);
    await untilHeld(1);
    port.time.advance(1_000_000);
    held[0]?.end('<1>');
    port.time.advance(LIMITS.headersMs);
    await client.send('st: h\r\n\r\n');
    await until(client, '</ 0>');
  });
});

describe('time', () => {
  test('a connection over TLS that sends nothing is told to come again after headersMs', async () => {
    const [port, client] = await open(echo, {via: 'TLS'});
    const second = await port.connect();
    await second.send(get('/1')); // a whole exchange later, the server has surely seen the first connection
    await until(second, '</1 0>');
    port.time.advance(LIMITS.headersMs);
    await nextTurn();
    expect(client.peer.destroyed).toBe(false);
    port.time.advance(LIMITS.checkMs);
    await client.closed;
    expect(client.received()).toBe(TIMED_OUT);
  });

  test('a client that is slow to read its answer is not idle', async () => {
    const bytes = 16 * 1024 * 1024;
    const [port, client] = await open((_asked, response) => void response.end(Buffer.alloc(bytes)));
    client.socket.pause();
    await client.send(get('/a'));
    await expect.poll(() => client.peer.writableLength, {interval: 5}).toBeGreaterThan(0);
    port.time.advance(LIMITS.keepAliveMs * 10);
    expect(client.peer.writableEnded).toBe(false);
    client.socket.resume();
    await expect.poll(() => client.socket.bytesRead, {interval: 5}).toBeGreaterThan(bytes);
    port.time.advance(LEFT_MS);
    await nextTurn();
    expect(client.peer.writableEnded).toBe(false);
    port.time.advance(LIMITS.checkMs);
    await client.closed;
  });

  test('a connection that does not end when its time is up is cut at the next look', async () => {
    const [port, client] = await open(echo);
    await client.send('GET');
    const soon = vi.spyOn(client.peer, 'destroySoon').mockReturnValue();
    port.time.advance(LIMITS.headersMs + LIMITS.checkMs);
    expect([soon.mock.calls.length, client.peer.destroyed]).toEqual([1, false]);
    port.time.advance(LIMITS.checkMs);
    expect([soon.mock.calls.length, client.peer.destroyed]).toEqual([1, true]);
  });

  test('is not looked at without connections', async () => {
    const [port, client] = await open(echo);
    await client.send(get('/a'));
    client.socket.destroy();
    await expect.poll(() => client.peer.destroyed).toBe(true);
    const after = vi.spyOn(port.time, 'after');
    port.time.advance(LIMITS.checkMs * 10);
    expect(after).not.toHaveBeenCalled();
    await port.connect().then(second => second.send('GET'));
    expect(after).toHaveBeenCalledWith(LIMITS.checkMs, expect.anything());
  });
});

describe.each(VIAS)('a drain over %s', via => {
  test('ends idle connections at once and busy ones after their answers, with the requests that wait behind', async () => {
    const [port, idle] = await open(some, {via});
    await idle.send(get('/a'));
    await until(idle, '</a 0>');
    const half = await port.connect();
    await half.send('GET / HT');
    const busy = await port.connect();
    await busy.send(get('/wait') + get('/b'));
    await untilHeld(1);
    const drained = port.listener.close();
    await Promise.all([idle.closed, half.closed]);
    expect(port.asked.length).toBe(2);
    held[0]?.end('<1>');
    await drained;
    await busy.closed;
    expect(echoes(busy)).toEqual(['<1>', '</b 0>']);
  });

  test('waits for a request whose body is under way', async () => {
    const [port, client] = await open(some, {via});
    await client.send(`${post('/a', 3)}ab`);
    const drained = port.listener.close();
    await nextTurn();
    expect(client.peer.writableEnded).toBe(false);
    await client.send('c');
    await drained;
    await client.closed;
    expect(echoes(client)).toEqual(['</a 3>']);
  });

  test('does not wait for a body that its client gave up', async () => {
    const [port, client] = await open(some, {via});
    await client.send(`${post('/a', 3)}ab`);
    const drained = port.listener.close();
    client.reset();
    await drained;
    expect(port.asked).toEqual([]);
  });

  test('by force cuts what is under way', async () => {
    const [port, client] = await open(hold, {via});
    await client.send(get('/a'));
    await untilHeld(1);
    const drained = port.listener.close();
    port.listener.force();
    await drained;
    await client.closed;
    await expect.poll(() => held[0]?.destroyed, {interval: 5}).toBe(true);
  });
});
