// SPDX-License-Identifier: Apache-2.0
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {connect, type Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {ManualTime} from '@palisade/ids/testing';
import {afterEach, describe, expect, test} from 'vitest';
import {FIRST_MS, RequestTurns} from './request-turns.ts';
import {
  type Answer,
  type Client,
  closePorts,
  HeldTurns,
  HOST,
  LIMITS,
  nextTurn,
  opened,
  openPort,
  type Port,
} from './testing/port.ts';

describe('requests', () => {
  const begin = () => {
    const [begun, turns, time] = [[] as string[], new HeldTurns(), new ManualTime(0)];
    const requests = new RequestTurns({timers: turns, monotonicNow: () => time.now()});
    const defer = (...names: string[]): void => {
      for (const name of names) requests.defer(() => begun.push(name));
    };
    const workOnHandshake = (): void => requests.workedOnHandshake();
    /** Ends a turn in which handshakes were worked on. */
    const endBusyTurn = (): void => {
      workOnHandshake();
      turns.end();
    };
    return {turns, time, begun, defer, workOnHandshake, endBusyTurn};
  };

  test('are begun together and in order at the end of the turn in which they came', () => {
    const {defer, begun, turns} = begin();
    defer('a', 'b');
    expect(begun).toEqual([]);
    turns.end();
    expect([begun, turns.isAwaited]).toEqual([['a', 'b'], false]);
  });

  test('of which one has another come are begun a turn apart', () => {
    const {defer, begun, turns} = begin();
    defer('a');
    turns.end();
    defer('b');
    expect(begun).toEqual(['a']);
    turns.end();
    expect(begun).toEqual(['a', 'b']);
  });

  test('wait for a turn without work on handshakes', () => {
    const {defer, begun, turns, workOnHandshake, endBusyTurn} = begin();
    workOnHandshake();
    defer('a', 'b');
    endBusyTurn();
    defer('c');
    expect(begun).toEqual([]);
    turns.end();
    expect([begun, turns.isAwaited]).toEqual([['a', 'b', 'c'], false]);
  });

  test(`wait for ${FIRST_MS} ms of a second, however many handshakes there are`, () => {
    const {defer, begun, time, turns, workOnHandshake, endBusyTurn} = begin();
    workOnHandshake();
    defer('a', 'b', 'c');
    time.advance(FIRST_MS - 1);
    endBusyTurn();
    expect(begun).toEqual([]);
    time.advance(1);
    endBusyTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
    defer('d');
    endBusyTurn();
    expect([begun, turns.isAwaited]).toEqual([['a', 'b', 'c', 'd'], false]);
    time.advance(1_000 - FIRST_MS);
    defer('e');
    endBusyTurn();
    expect(begun).not.toContain('e');
  });

  test('wait no less because handshakes went first for a moment, again and again', () => {
    const {defer, begun, time, turns, workOnHandshake, endBusyTurn} = begin();
    for (let moment = 0; moment < 9; moment++) {
      workOnHandshake();
      time.advance(FIRST_MS / 10);
      turns.end();
      turns.end();
      time.advance(1);
    }
    defer('a');
    endBusyTurn();
    expect(begun).toEqual([]);
    time.advance(FIRST_MS / 10);
    turns.end();
    expect(begun).toEqual(['a']);
    defer('b');
    endBusyTurn();
    expect(begun).toEqual(['a', 'b']);
  });
});

describe('over TLS', () => {
  afterEach(closePorts);

  /** A connection that says nothing, accepted: with it the turn has worked on a handshake. */
  const connectSilently = async ({listener}: Port): Promise<Socket> => {
    const accepted = new Promise<void>(resolve => {
      const note = (): void => {
        unsubscribe('net.server.socket', note);
        resolve();
      };
      subscribe('net.server.socket', note);
    });
    const socket = connect({port: listener.address.port, host: HOST});
    socket.on('error', () => {});
    opened.push(() => void socket.destroy());
    await accepted;
    await nextTurn();
    return socket;
  };
  /** Two clients whose requests, `/a` before `/b`, wait in a turn that has worked on a handshake. */
  const hold = async (): Promise<{port: Port; turns: HeldTurns; first: Client; second: Client}> => {
    const turns = new HeldTurns();
    const port = await openPort((_asked, response) => void response.end('ok'), {via: 'TLS', turns});
    const [first, second] = [await port.connect(), await port.connect()];
    while (turns.isAwaited) turns.end();
    await connectSilently(port);
    await first.send('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    await second.send('GET /b HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(port.asked).toEqual([]);
    return {port, turns, first, second};
  };

  test('requests wait for a turn without work on handshakes, and are answered in order', async () => {
    const {port, turns, first, second} = await hold();
    turns.end();
    expect(port.asked).toEqual([]);
    turns.end();
    expect(port.asked).toEqual(['whole GET /a 0', 'whole GET /b 0']);
    await expect.poll(() => [first.received(), second.received()].join(), {interval: 5}).toMatch(/ok.*ok$/s);
  });

  test('each request of a client waits for the end of the turn in which it came', async () => {
    const turns = new HeldTurns();
    const port = await openPort((_asked, response) => void response.end('ok'), {via: 'TLS', turns});
    const client = await port.connect();
    while (turns.isAwaited) turns.end();
    for (const url of ['/a', '/b', '/c']) {
      await client.send(`GET ${url} HTTP/1.1\r\nHost: h\r\n\r\n`);
      expect(port.asked).not.toContain(`whole GET ${url} 0`);
      while (turns.isAwaited) turns.end();
      expect(port.asked).toContain(`whole GET ${url} 0`);
    }
  });

  test('requests that are sent at once do not wait', async () => {
    const turns = new HeldTurns();
    const port = await openPort((_asked, response) => void response.end('ok'), {via: 'TLS', turns});
    const client = await port.connect();
    while (turns.isAwaited) turns.end();
    await client.send(['/a', '/b', '/c'].map(url => `GET ${url} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''));
    expect(port.asked).toEqual(['whole GET /a 0', 'whole GET /b 0', 'whole GET /c 0']);
  });

  test.each(['GET /node HTTP/1.1\r\nHost: h\r\n\r\n', 'GET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'])(
    'a client that sends a request, then %j and its end, has the first answered',
    async second => {
      const turns = new HeldTurns();
      const port = await openPort((_asked, response) => void response.end('ok'), {via: 'TLS', turns});
      const client = await port.connect();
      while (turns.isAwaited) turns.end();
      await client.send('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
      await client.sendLast(second);
      const isClosed = (): boolean => {
        turns.end();
        return client.socket.closed;
      };
      await expect.poll(isClosed, {interval: 5}).toBe(true);
      expect([port.asked, client.received().match(/ok/g)]).toEqual([['whole GET /a 0'], ['ok']]);
    },
  );

  test('a client that is cut with its first request does not stay', async () => {
    const port = await openPort((_asked, response) => void response.end('ok'), {via: 'TLS'});
    const client = await port.connect();
    client.socket.write('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    client.reset();
    await expect.poll(() => port.asked, {interval: 5}).toHaveLength(1);
    const isGoneLater = (): boolean => {
      port.time.advance(LIMITS.keepAliveMs + 5 * LIMITS.checkMs);
      return client.peer.destroyed;
    };
    await expect.poll(isGoneLater, {interval: 5}).toBe(true);
  });

  test('a client that connects and says nothing holds nothing up', async () => {
    const {port, turns, first} = await hold();
    while (turns.isAwaited) turns.end();
    await expect.poll(() => first.received(), {interval: 5}).toContain('ok');
    await first.send('GET /c HTTP/1.1\r\nHost: h\r\n\r\n');
    turns.end();
    expect(port.asked).toContain('whole GET /c 0');
    expect(turns.isAwaited).toBe(false);
  });

  test.each<[string, (silent: Socket) => void]>([
    ['its success', silent => void connectTls({socket: silent, rejectUnauthorized: false}).on('error', () => {})],
    ['its failure', silent => void silent.write('GET / HTTP/1.1\r\n\r\n')],
  ])('the end of a handshake is work: %s', async (_end, end) => {
    const turns = new HeldTurns();
    const port = await openPort((_asked, response) => void response.end('ok'), {via: 'TLS', turns});
    const silent = await connectSilently(port);
    while (turns.isAwaited) turns.end();
    end(silent);
    await expect.poll(() => turns.isAwaited, {interval: 5}).toBe(true);
  });

  test.each([1, 2, 3])('a client that sends %d requests and ends is answered as without a wait', async count => {
    const turns = new HeldTurns();
    const answer: Answer = ({url}, response) => void Promise.resolve().then(() => response.end(`<${url}>`));
    const port = await openPort(answer, {via: 'TLS', turns});
    const client = await port.connect();
    while (turns.isAwaited) turns.end();
    await connectSilently(port);
    await client.sendLast(Array.from({length: count}, (_, i) => `GET /${i} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''));
    expect(port.asked).toHaveLength(count === 1 ? 0 : count);
    const isClosed = (): boolean => {
      turns.end();
      return client.socket.closed;
    };
    await expect.poll(isClosed, {interval: 5}).toBe(true);
    const all = Array.from({length: count}, (_, i) => `</${i}>`);
    expect(client.received().match(/<[^>]*>/g)).toEqual(all);
    expect(client.received()).not.toContain('400');
  });

  test('nothing is begun for a connection that was cut by the server', async () => {
    const {port, turns} = await hold();
    port.listener.force();
    while (turns.isAwaited) turns.end();
    expect(port.asked).toEqual([]);
  });

  test('a request that waits is not too late', async () => {
    const {port, turns, first} = await hold();
    port.time.advance(10 * (LIMITS.headersMs + LIMITS.requestMs));
    while (turns.isAwaited) turns.end();
    await expect.poll(() => first.received(), {interval: 5}).toContain('ok');
    expect(port.asked).toContain('whole GET /a 0');
  });

  test('a drain waits for requests that wait', async () => {
    const {port, turns, first, second} = await hold();
    void port.listener.close();
    await nextTurn();
    while (turns.isAwaited) turns.end();
    await Promise.all([first.closed, second.closed]);
    expect([first.received(), second.received()]).toEqual(Array(2).fill(expect.stringMatching(/^HTTP\/1.1 200 OK/)));
  });

  test('what is for node:http does not wait', async () => {
    const {port, second} = await hold();
    const other = await port.connect();
    await other.send('GET /node HTTP/1.1\r\nHost: h\r\n\r\n');
    other.socket.end();
    await expect.poll(() => other.received(), {interval: 5}).toContain('ok');
    expect([port.asked, second.received()]).toEqual([['node GET /node 0'], '']);
  });

  test('behind a request that waits no more is read than behind one that is answered', async () => {
    const {port, first: client} = await hold();
    client.socket.write(Buffer.alloc(4_000_000, 'GET /b HTTP/1.1\r\nHost: h\r\n\r\n'));
    let read = -1;
    while (client.peer.bytesRead > read) {
      read = client.peer.bytesRead;
      for (let turns = 0; turns < 50; turns++) await nextTurn();
    }
    expect(read).toBeLessThan(2_000_000);
    expect(port.asked).toEqual([]);
  });

  test('what a client that is gone had sent is forgotten', async () => {
    const {port, turns, first, second} = await hold();
    const gone = new Promise(resolve => first.peer.once('close', resolve));
    first.reset();
    await gone;
    await nextTurn();
    while (turns.isAwaited) turns.end();
    await expect.poll(() => second.received(), {interval: 5}).toContain('ok');
    expect(port.asked).toEqual(['whole GET /b 0']);
  });
});
