// SPDX-License-Identifier: Apache-2.0
/** HTTP/1.1 as a client sees it: order, bodies, bounds, a client that goes, and a drain. */
import {describe, expect, test} from 'vitest';
import {bodies, get, openHeldPort, post, until} from '../testing/held-port.ts';
import {nextTurn, VIAS} from '../testing/raw-client.ts';

describe.each(VIAS)('requests over %s', via => {
  test('that were sent at once begin one after the other, each when the answer before it is sent', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    await client.send(`${get('/wait')}${post('/wait', 3)}abc${get('/3')}`);
    for (const count of [1, 2]) {
      await port.untilHeld(count);
      await nextTurn();
      expect(port.asked).toEqual(['GET /wait 0', 'POST /wait 3'].slice(0, count));
      port.held[count - 1]?.end(`<${count}>`);
    }
    await until(client, '</3 0>');
    expect(bodies(client)).toEqual(['<1>', '<2>', '</3 0>']);
  });

  test('with a body in chunks, one that waits for 100-continue, and one after them', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    await client.send('POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n');
    await client.send('POST /b HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
    await until(client, 'HTTP/1.1 100 Continue\r\n\r\n');
    await client.send(`ab${get('/c')}`);
    await until(client, '</c 0>');
    expect(port.asked).toEqual(['POST /a 3', 'POST /b 2', 'GET /c 0']);
  });

  test('with `Connection: close` are answered, whatever follows them', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    await client.send(`GET /wait HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n${get('/2')}`);
    await port.untilHeld(1);
    port.held[0]?.end('<1>');
    await client.closed;
    expect([bodies(client), port.asked, client.received()]).toEqual([
      ['<1>'],
      ['GET /wait 0'],
      expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n/),
    ]);
  });
});

test('the body of a request that waits is read no further than fits into buffers, and whole in its turn', async () => {
  const bytes = 4_000_000;
  const port = await openHeldPort();
  const client = await port.connect();
  client.socket.write(get('/wait') + post('/b', bytes) + 'x'.repeat(bytes));
  await port.untilHeld(1);
  await expect.poll(() => client.peer.isPaused(), {interval: 5}).toBe(true);
  expect(client.peer.bytesRead).toBeLessThan(1_000_000);
  port.held[0]?.end('<1>');
  await until(client, `</b ${bytes}>`);
});

test('after an answer that ends the connection, no request begins', async () => {
  const port = await openHeldPort();
  const client = await port.connect();
  await client.send(get('/wait') + get('/b'));
  await port.untilHeld(1);
  port.held[0]?.setHeader('Connection', 'close').end('<1>');
  await client.closed;
  expect([bodies(client), port.asked]).toEqual([['<1>'], ['GET /wait 0']]);
});

describe('requests that a client sends ahead', () => {
  const MAX = 20;

  test('are answered up to requestsPerConnectionMax', async () => {
    const port = await openHeldPort('plain', {requestsPerConnectionMax: MAX});
    const client = await port.connect();
    await client.send(get('/wait').repeat(MAX));
    for (let count = 1; count <= MAX; count++) {
      await port.untilHeld(count);
      port.held[count - 1]?.end('<1>');
    }
    await expect.poll(() => bodies(client).length, {interval: 5}).toBe(MAX);
    await client.send(get('/next'));
    await until(client, '</next 0>');
  });

  test('beyond it end the connection, and are not begun', async () => {
    const port = await openHeldPort('plain', {requestsPerConnectionMax: MAX});
    const client = await port.connect();
    client.socket.write(get('/wait').repeat(10_000));
    await client.closed;
    expect(port.asked.length).toBeLessThanOrEqual(MAX);
  });

  test('end the connection when their heads exceed requestsAheadBytesMax', async () => {
    const port = await openHeldPort('plain', {requestsAheadBytesMax: 10_000});
    const client = await port.connect();
    await client.send(get('/wait') + get(`/${'x'.repeat(9_000)}`));
    await port.untilHeld(1);
    await client.send(get(`/${'y'.repeat(1_000)}`));
    await client.closed;
    expect(port.asked).toEqual(['GET /wait 0']);
  });
});

test('of a client that does not read, no more is read than fits into buffers; it is answered in full when it reads', async () => {
  const count = 4_000;
  const port = await openHeldPort('plain', {requestsPerConnectionMax: count, requestsAheadBytesMax: 5_000 * count});
  const client = await port.connect();
  client.socket.pause();
  client.socket.write(get(`/${'x'.repeat(4_000)}`).repeat(count));
  await expect.poll(() => client.peer.isPaused(), {interval: 5}).toBe(true);
  for (let turns = 0; turns < 20; turns++) await nextTurn();
  expect(port.asked.length).toBeLessThan(count);
  expect(client.peer.writableLength).toBeLessThan(1024 * 1024);
  client.socket.resume();
  await expect.poll(() => port.asked.length, {interval: 5}).toBe(count);
  client.socket.write('GET /end HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  await client.closed;
  expect(bodies(client).length).toBe(count + 1);
});

describe.each(VIAS)('a client that goes, over %s', via => {
  test('by a reset: the answer under way is closed and takes nothing', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    await client.send(get('/wait'));
    await port.untilHeld(1);
    const [response] = port.held;
    response?.write('half');
    await until(client, 'half');
    const closed = new Promise(resolve => response?.once('close', resolve));
    client.reset();
    await closed;
    expect([response?.destroyed, response?.writableFinished]).toEqual([true, false]);
  });

  test('by ending its side: what is answered at once is sent', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    client.socket.end(get('/a'));
    await client.closed;
    expect(bodies(client)).toEqual(['</a 0>']);
  });

  test('by ending its side: an answer that comes later has no taker, and what waits for it is not begun', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    client.socket.end(get('/wait') + get('/b'));
    await port.untilHeld(1);
    await client.closed;
    expect(port.asked).toEqual(['GET /wait 0']);
    await expect.poll(() => port.held[0]?.destroyed, {interval: 5}).toBe(true);
  });
});

describe.each(VIAS)('a drain over %s', via => {
  test('ends idle connections at once and busy ones after their answers, with the requests that wait behind', async () => {
    const port = await openHeldPort(via);
    const [idle, half, busy] = [await port.connect(), await port.connect(), await port.connect()];
    await idle.send(get('/a'));
    await until(idle, '</a 0>');
    await half.send('GET / HT');
    await busy.send(get('/wait') + get('/b'));
    await port.untilHeld(1);
    const drained = port.listener.close();
    await Promise.all([idle.closed, half.closed]);
    port.held[0]?.end('<1>');
    await drained;
    await busy.closed;
    expect(bodies(busy)).toEqual(['<1>', '</b 0>']);
  });

  test('48-5 the last answer of a connection says that it ends', async () => {
    const port = await openHeldPort(via);
    const busy = await port.connect();
    await busy.send(get('/wait') + get('/b'));
    await port.untilHeld(1);
    const drained = port.listener.close();
    port.held[0]?.end('<1>');
    await drained;
    await busy.closed;
    const [, first = '', last = ''] = busy.received().split('HTTP/1.1 ');
    expect([/^connection: close\r$/im.test(first), /^connection: close\r$/im.test(last)]).toEqual([false, true]);
  });

  test('waits for a request whose body is under way', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    await client.send(`${post('/a', 3)}ab`);
    const drained = port.listener.close();
    await nextTurn();
    expect(client.peer.writableEnded).toBe(false);
    await client.send('c');
    await drained;
    await client.closed;
    expect(bodies(client)).toEqual(['</a 3>']);
  });

  test('does not wait for a body that its client gave up', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    await client.send(`${post('/a', 3)}ab`);
    const drained = port.listener.close();
    client.reset();
    await drained;
    expect(port.asked).toEqual([]);
  });

  test('by force cuts what is under way', async () => {
    const port = await openHeldPort(via);
    const client = await port.connect();
    await client.send(get('/wait'));
    await port.untilHeld(1);
    const drained = port.listener.close();
    port.listener.force();
    await drained;
    await client.closed;
    await expect.poll(() => port.held[0]?.destroyed, {interval: 5}).toBe(true);
  });
});
