// SPDX-License-Identifier: Apache-2.0
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {connect, type Socket} from 'node:net';
import {ManualTime} from '@palisade/ids/testing';
import {afterEach, describe, expect, test} from 'vitest';
import {HandshakeRush, RUSH_LIMITS} from './handshake-rush.ts';
import {type Client, closePorts, HOST, nextTurn, opened, openPort, type Port} from './testing/port.ts';

const {handshakesMin, windowMs, vainWindowsMax} = RUSH_LIMITS;
const times = (count: number, action: () => void): void => {
  for (let i = 0; i < count; i++) action();
};

describe('a rush', () => {
  let done: string[] = [];
  const begin = (): {rush: HandshakeRush; time: ManualTime; defer: (name: string) => boolean} => {
    done = [];
    const time = new ManualTime(0);
    const rush = new HandshakeRush({timers: time, monotonicNow: () => time.now()});
    return {rush, time, defer: name => rush.defer(() => done.push(name))};
  };

  test('is none with few handshakes under way', () => {
    const {rush, defer} = begin();
    times(handshakesMin - 1, () => rush.began());
    expect(defer('a')).toBe(false);
  });

  test('is over when few are left, and what waited goes on in order', () => {
    const {rush, time, defer} = begin();
    times(handshakesMin, () => rush.began());
    expect([defer('a'), defer('b'), done]).toEqual([true, true, []]);
    rush.ended();
    expect(done).toEqual(['a', 'b']);
    expect([defer('c'), time.pending]).toEqual([false, 0]);
  });

  test('holds nothing up longer than its window, though no handshake ends', () => {
    const {rush, time, defer} = begin();
    times(handshakesMin, () => rush.began());
    time.advance(windowMs - 1);
    expect(defer('a')).toBe(true);
    time.advance(1);
    expect(done).toEqual(['a']);
    expect(defer('b')).toBe(false);
    times(handshakesMin - 1, () => rush.began());
    expect(defer('c')).toBe(false);
  });

  test('is over for the rest of a second in which too many windows ended before their handshakes', () => {
    const {rush, time, defer} = begin();
    const rushes = (): boolean => {
      times(handshakesMin, () => rush.began());
      const waits = defer('a');
      time.advance(windowMs);
      return waits;
    };
    const all = Array.from({length: vainWindowsMax + 3}, rushes);
    expect(all).toEqual([...Array(vainWindowsMax).fill(true), false, false, false]);
    time.advance(1_000);
    expect(rushes()).toBe(true);
  });

  test('counts no handshake below none when those of an earlier window end', () => {
    const {rush, time, defer} = begin();
    times(handshakesMin, () => rush.began());
    time.advance(windowMs);
    times(handshakesMin, () => rush.ended());
    times(handshakesMin, () => rush.began());
    expect(defer('a')).toBe(true);
  });
});

describe('over TLS', () => {
  afterEach(closePorts);

  /** Connections that say nothing, each accepted. */
  const connectSilently = async (port: Port, count: number): Promise<Socket[]> => {
    let accepted = 0;
    const note = (): void => void accepted++;
    subscribe('net.server.socket', note);
    const sockets = Array.from({length: count}, () => connect({port: port.listener.address.port, host: HOST}));
    for (const socket of sockets) {
      socket.on('error', () => {});
      opened.push(() => void socket.destroy());
    }
    await expect.poll(() => accepted, {interval: 5}).toBe(count);
    unsubscribe('net.server.socket', note);
    await nextTurn();
    return sockets;
  };
  const hold = async (): Promise<{port: Port; client: Client; silent: Socket[]}> => {
    const port = await openPort((_asked, response) => void response.end('ok'), {via: 'TLS'});
    const client = await port.connect();
    const silent = await connectSilently(port, handshakesMin);
    await client.send('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    for (let turns = 0; turns < 5; turns++) await nextTurn();
    expect(port.asked).toEqual([]);
    return {port, client, silent};
  };

  test('a request waits for the handshakes, and the rest of the window at most', async () => {
    const {port, client} = await hold();
    await client.send('GET /b HTTP/1.1\r\nHost: h\r\n\r\n');
    port.time.advance(windowMs);
    await expect.poll(() => port.asked, {interval: 5}).toEqual(['whole GET /a 0', 'whole GET /b 0']);
    await expect.poll(() => client.received().split('HTTP/1.1 200 OK'), {interval: 5}).toHaveLength(3);
  });

  test('a handshake that fails holds nothing up', async () => {
    const {port, silent} = await hold();
    silent[0]?.write('GET / HTTP/1.1\r\n\r\n');
    await expect.poll(() => port.asked, {interval: 5}).toEqual(['whole GET /a 0']);
  });

  test('a client that says it sends no more is answered at once', async () => {
    const {port, client} = await hold();
    client.socket.end();
    await expect.poll(() => client.received(), {interval: 5}).toContain('ok');
    expect(port.asked).toEqual(['whole GET /a 0']);
  });

  test('a drain waits for a request that waits', async () => {
    const {port, client} = await hold();
    void port.listener.close();
    await nextTurn();
    port.time.advance(windowMs);
    await client.closed;
    expect([port.asked, client.received()]).toEqual([['whole GET /a 0'], expect.stringMatching(/^HTTP\/1.1 200 OK/)]);
  });

  test('what is for node:http does not wait', async () => {
    const {port} = await hold();
    const other = await port.connect();
    await other.send('GET /node HTTP/1.1\r\nHost: h\r\n\r\n');
    other.socket.end();
    await expect.poll(() => other.received(), {interval: 5}).toContain('ok');
    expect(port.asked).toEqual(['node GET /node 0']);
  });

  test('behind a request that waits no more is read than behind one that is answered', async () => {
    const {port, client} = await hold();
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
    const {port, client} = await hold();
    const gone = new Promise(resolve => client.peer.once('close', resolve));
    client.reset();
    await gone;
    await nextTurn();
    port.time.advance(windowMs);
    for (let turns = 0; turns < 5; turns++) await nextTurn();
    expect(port.asked).toEqual([]);
  });
});
