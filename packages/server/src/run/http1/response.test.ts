// SPDX-License-Identifier: Apache-2.0
/** Answers: the bytes are those of node:http, short and long, in one piece or many; nothing that would end a line goes into a head. */
import type {WholeResponse} from '@palisade/apiserver';
import {afterEach, describe, expect, test, vi} from 'vitest';
import {LISTENER_LIMITS} from '../listeners.ts';
import {type Client, closePorts, nextTurn, openPort, withoutDate} from './testing/port.ts';

afterEach(closePorts);

const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: h\r\n\r\n`;
const until = (client: Client, text: string): Promise<void> =>
  expect.poll(client.received, {interval: 5}).toContain(text);
type Give = (response: WholeResponse) => unknown;

/** All that a client gets for `/first` and then, where the connection stays, for `/second`. */
const exchange = async (give: Give, wholes: boolean): Promise<{text: string; asked: readonly string[]}> => {
  const port = await openPort(({url}, response) => (url === '/first' ? give(response) : response.end('<second>')), {
    wholes,
    limits: {keepAliveMs: LISTENER_LIMITS.keepAliveMs},
  });
  const client = await port.connect();
  await client.send(get('/first'));
  await until(client, '\r\n\r\n');
  if (/\r\nconnection: close\r\n/i.test(client.received())) await client.closed;
  else {
    client.socket.write(get('/second'));
    await until(client, '<second>');
  }
  return {text: client.received(), asked: port.asked};
};
const bytesOf = async (give: Give): Promise<string> => withoutDate((await exchange(give, true)).text);

const LONG = Buffer.alloc(300_000, 'long ');

describe('the bytes of an answer are those of node:http', () => {
  test.each<[string, Give]>([
    ['a text', r => r.end('text')],
    ['a text beyond ASCII', r => r.end('größe ✓')],
    ['bytes', r => r.end(Buffer.of(0, 255, 10))],
    ['nothing', r => r.end()],
    ['an empty text', r => r.end('')],
    ['a long body', r => r.end(LONG)],
    ['a body of 64 KiB', r => r.end(LONG.subarray(0, 65_536))],
    ['a body of one byte more', r => r.end(LONG.subarray(0, 65_537))],
    ['a code of its own', r => [Object.assign(r, {statusCode: 404}), r.end('none')]],
    ['a code without words', r => [Object.assign(r, {statusCode: 499}), r.end('none')]],
    ['fields, one after the other', r => [r.setHeader('X-A', 'a'), r.setHeader('x-b', 1), r.end('text')]],
    ['a field of many values', r => [r.setHeader('Warning', ['1', '2']), r.end('text')]],
    ['a field of no values', r => [r.setHeader('Warning', []), r.end('text')]],
    ['a value beyond ASCII', r => [r.setHeader('X', '\xe4\xff'), r.end(Buffer.from('text'))]],
    ['an empty value', r => [r.setHeader('X', ''), r.end('text')]],
    ['a field set again in another case', r => [r.setHeader('X-A', 'a'), r.setHeader('x-a', 'b'), r.end('text')]],
    ['a head with a length', r => [r.writeHead(201, {'Content-Length': 4, 'Content-Type': 'a/b'}), r.end('text')]],
    ['a head over fields', r => [r.setHeader('X-A', 'a'), r.writeHead(200, {'Content-Length': 4}), r.end('text')]],
    [
      'a head instead of a field',
      r => [r.setHeader('X-A', 'a'), r.writeHead(200, {'x-a': 'b', 'Content-Length': 4}), r.end('text')],
    ],
    ['a body in chunks', r => [r.write('one'), r.write(Buffer.from('two')), r.end('three')]],
    ['chunks and nothing at the end', r => [r.writeHead(200), r.write('one'), r.end()]],
    ['an empty chunk, which does not end the body', r => [r.write('one'), r.write(''), r.end('two')]],
    ['chunks of nothing', r => [r.write(''), r.end()]],
    ['long chunks', r => [r.write(LONG), r.write(LONG), r.end(LONG)]],
    ['a head that leaves first', r => [r.writeHead(200, {}), r.flushHeaders(), r.flushHeaders(), r.end('text')]],
    [
      'a body in pieces of a known length',
      r => [r.writeHead(200, {'content-length': 6}), r.write('one'), r.end('two')],
    ],
    ['204', r => [Object.assign(r, {statusCode: 204}), r.end()]],
    ['204 with a body, which is not sent', r => [Object.assign(r, {statusCode: 204}), r.end('text')]],
    ['304 with a body, which is not sent', r => [r.writeHead(304, {ETag: '"a"'}), r.write('a'), r.end('b')]],
    ['304 with the length of the body that is not sent', r => [r.writeHead(304, {'Content-Length': 4}), r.end()]],
    ['the end of the connection', r => [r.setHeader('Connection', 'close'), r.end('text')]],
    ['the end of the connection, in small letters', r => [r.setHeader('connection', 'close'), r.end('text')]],
    [
      'the end of the connection after chunks',
      r => [r.writeHead(413, {Connection: 'close'}), r.write('a'), r.end('b')],
    ],
    ['the end of the connection after a long body', r => [r.setHeader('Connection', 'close'), r.end(LONG)]],
  ])('%s', async (_what, give) => {
    const [ours, node] = [await exchange(give, true), await exchange(give, false)];
    expect([ours.asked[0], node.asked[0]]).toEqual(['whole GET /first 0', 'node GET /first 0']);
    expect(withoutDate(ours.text)).toBe(withoutDate(node.text));
    expect(ours.text.match(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/gm)?.length).toBe(
      node.text.match(/^Date: /gm)?.length,
    );
  });

  test('but that the length of a short one is told also after writeHead', async () => {
    expect(await bytesOf(r => [r.writeHead(200, {}), r.end('text')])).toMatch(
      /^HTTP\/1\.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\nContent-Length: 4\r\n\r\ntextHTTP/,
    );
  });

  test('and that what is written after the end is passed over', async () => {
    const one = await bytesOf(r => r.end('text'));
    expect(await bytesOf(r => [r.end('text'), r.end('more'), r.write('more'), r.flushHeaders()])).toBe(one);
  });

  test('and nothing is asked any longer behind an answer that ends the connection', async () => {
    const port = await openPort((_asked, r) => [r.setHeader('Connection', 'close'), r.end(LONG)]);
    const [later, atOnce] = [await port.connect(), await port.connect()];
    await later.send(get('/first'));
    later.socket.write(get('/second'));
    await later.closed;
    expect(port.asked).toEqual(['whole GET /first 0']);
    atOnce.socket.write(get('/third') + get('/fourth').repeat(10_000));
    await atOnce.closed;
    expect(port.asked).toEqual(['whole GET /first 0', 'whole GET /third 0']);
  });
});

test('an answer that ends the connection leaves no request unread: that would be a reset, which may overtake the answer', async () => {
  const held: WholeResponse[] = [];
  const port = await openPort((_asked, r) => void held.push(r));
  const client = await port.connect();
  await client.send(get('/'));
  client.socket.write(get('/').repeat(100_000));
  await expect.poll(() => client.peer.isPaused(), {interval: 5}).toBe(true);
  const [response] = held as [WholeResponse];
  response.setHeader('Connection', 'close');
  response.end('text');
  expect([client.peer.isPaused(), client.peer.writableEnded]).toEqual([false, true]);
  await client.closed;
  expect([client.received().slice(-4), held.length]).toEqual(['text', 1]);
});

test.each([
  [65_536, 1],
  [65_537, 3],
])('an answer of %i bytes is %i writes: a short one with its head, a long one as it is', async (bytes, writes) => {
  const body = Buffer.alloc(bytes);
  const held: WholeResponse[] = [];
  const port = await openPort((_asked, r) => void held.push(r));
  const client = await port.connect();
  await client.send(get('/'));
  const write = vi.spyOn(client.peer, 'write');
  held[0]?.end(body);
  expect(write).toHaveBeenCalledTimes(writes);
  expect(write.mock.calls.some(([chunk]) => chunk === body)).toBe(writes > 1);
});

describe('a value that would end its line', () => {
  const VALUES = ['a\r\nX: y', 'a\nb', 'a\rb', 'a\0b', '\x7f', '✓'];

  test.each(VALUES)('%j is refused, and nothing was sent', async value => {
    const refusals: unknown[] = [];
    const refused = (action: () => unknown): void => {
      try {
        action();
        refusals.push('taken');
      } catch (error) {
        refusals.push((error as NodeJS.ErrnoException).code);
      }
    };
    const bytes = await bytesOf(r => {
      refused(() => r.setHeader('X', value));
      refused(() => r.setHeader('X', ['a', value]));
      refused(() => r.writeHead(200, {'X-A': 'a', X: value, Connection: 'close'}));
      refused(() => r.writeHead(200, {X: [value]}));
      expect(r.headersSent).toBe(false);
      r.writeHead(500, {'Content-Length': 4});
      r.end('oops');
    });
    expect(refusals).toEqual(Array(4).fill('ERR_INVALID_CHAR'));
    expect(bytes).toBe(
      await exchange(r => [r.writeHead(500, {'Content-Length': 4}), r.end('oops')], false).then(({text}) =>
        withoutDate(text),
      ),
    );
  });

  test.each(['a b', 'a:', 'a\r\nb', ''])('as a name, %j is refused', async name => {
    const codes: unknown[] = [];
    await bytesOf(r => {
      for (const set of [() => r.setHeader(name, 'a'), () => r.writeHead(200, {[name]: 'a'})]) {
        try {
          set();
        } catch (error) {
          codes.push((error as NodeJS.ErrnoException).code);
        }
      }
      r.end();
    });
    expect(codes).toEqual(Array(2).fill('ERR_INVALID_HTTP_TOKEN'));
  });
});

test('a head is given once', async () => {
  const refusals: unknown[] = [];
  await bytesOf(r => {
    r.writeHead(200, {});
    for (const again of [() => r.writeHead(500, {}), () => r.setHeader('X', 'a')]) {
      try {
        again();
      } catch (error) {
        refusals.push((error as Error).message);
      }
    }
    r.end('text');
  });
  expect(refusals).toEqual(Array(2).fill('an answer has one head, and this one has it already'));
});

test('a head that was flushed is with the client before there is a body', async () => {
  const held: WholeResponse[] = [];
  const port = await openPort((_asked, r) => void held.push(r));
  const client = await port.connect();
  await client.send(get('/'));
  const [response] = held as [WholeResponse];
  expect([response.headersSent, response.chunkedEncoding]).toEqual([false, false]);
  response.writeHead(200, {'Content-Type': 'a/b'});
  response.flushHeaders();
  expect([response.headersSent, response.chunkedEncoding]).toEqual([true, true]);
  await until(client, 'chunked\r\n\r\n');
  response.socket?.write('3\r\nabc\r\n'); // as a watch does
  response.end();
  await until(client, '\r\n\r\n3\r\nabc\r\n0\r\n\r\n');
});

test('an answer is finished, then closed, when its last bytes left', async () => {
  const events: string[] = [];
  const port = await openPort((_asked, r) => {
    for (const event of ['finish', 'close'] as const) r.once(event, () => events.push(`${event} ${r.destroyed}`));
    r.write('a', () => events.push('written'));
    r.end('b', () => events.push('sent'));
    events.push(`ended ${r.destroyed} ${r.writable}`);
  });
  const client = await port.connect();
  await client.send(get('/'));
  await until(client, '0\r\n\r\n');
  await expect.poll(() => events.length).toBe(5);
  expect(events).toEqual(['ended false false', 'written', 'sent', 'finish false', 'close true']);
});

test('an answer that is destroyed takes the connection with it', async () => {
  const port = await openPort(({url}, r) => {
    if (url === '/a') r.end('<a>');
    else r.destroy(new Error('of ours'));
  });
  const client = await port.connect();
  await client.send(get('/a') + get('/b') + get('/c'));
  await client.closed;
  expect([client.received().slice(-3), port.asked.length]).toEqual(['<a>', 2]);
});

test('an answer that was sent is destroyed without harm to the one that follows', async () => {
  const held: WholeResponse[] = [];
  const port = await openPort((_asked, r) => void held.push(r));
  const client = await port.connect();
  await client.send(get('/1') + get('/2'));
  held[0]?.end('<1>');
  await expect.poll(() => held[0]?.destroyed, {interval: 5}).toBe(true);
  held[0]?.destroy();
  held[1]?.end('<2>');
  await until(client, '<2>');
});

test('a long answer goes at the pace of its reader, one piece at a time', async () => {
  const [pieces, piece] = [200, Buffer.alloc(128 * 1024, 'x')];
  let [drains, heldMax] = [0, 0];
  const port = await openPort((_asked, response) => {
    response.writeHead(200, {'Content-Length': pieces * piece.length});
    let left = pieces;
    const goOn = (): void => {
      while (left > 0) {
        left--;
        const isRoom = response.write(piece);
        heldMax = Math.max(heldMax, response.writableLength);
        if (isRoom) continue;
        drains++;
        response.once('drain', goOn);
        return;
      }
      response.end();
    };
    goOn();
  });
  const client = await port.connect();
  client.socket.pause();
  await client.send(get('/'));
  await expect.poll(() => client.peer.writableNeedDrain, {interval: 5}).toBe(true);
  const drainsBefore = drains;
  for (let turns = 0; turns < 20; turns++) await nextTurn();
  expect(drains).toBe(drainsBefore);
  client.socket.write(get('/').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  client.socket.resume();
  await client.closed;
  const bodies = client.received().split(/HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)+\r\n/);
  expect(bodies.map(body => body.length)).toEqual([0, pieces * piece.length, pieces * piece.length]);
  expect(heldMax).toBeLessThan(3 * piece.length);
  expect(drains).toBeGreaterThan(drainsBefore);
});
