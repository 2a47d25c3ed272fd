// SPDX-License-Identifier: Apache-2.0
/** Watchers that do not read, or vanish: bounded, ended with a reason, and nobody else waits for them. */
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {expect, test} from 'vitest';
import {ENDPOINTS, endpoints, MERGE, startWire, type Wire} from './support.ts';

/** A watch whose bytes nobody takes. Resolves once the answer's head came. */
const openUnread = (url: string, path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const {hostname, port} = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n`);
    socket.once('data', () => {
      socket.pause();
      resolve(socket);
    });
  });

const rewrite = (wire: Wire, i: number, bytes: number) =>
  wire.send('PATCH', `${ENDPOINTS}/a`, {
    body: {metadata: {annotations: {i: String(i), fill: 'x'.repeat(bytes)}}},
    headers: {'content-type': MERGE},
  });

test('E-275 500 watchers that do not read delay nobody', async () => {
  await using wire = await startWire();
  await wire.send('POST', ENDPOINTS, {body: endpoints('a')});
  const unread = await Promise.all(Array.from({length: 500}, () => openUnread(wire.url, `${ENDPOINTS}?watch=1`)));
  const healthy = await wire.watch(ENDPOINTS);
  await healthy.next();
  for (let i = 0; i < 20; i++) {
    await rewrite(wire, i, 20_000);
    expect((await healthy.next()).object.metadata.annotations.i).toBe(String(i));
  }
  for (const socket of unread) socket.destroy();
  healthy.close();
});

test('E-275 a slow reader that catches up in time misses nothing', async () => {
  await using wire = await startWire({limits: {watchSocketBytesMax: 64 * 1024}});
  await wire.send('POST', ENDPOINTS, {body: endpoints('a')});
  const slow = await wire.watch(ENDPOINTS);
  slow.response.pause();
  const count = 60;
  for (let i = 0; i < count; i++) await rewrite(wire, i, 200_000);
  const seen: string[] = [];
  while (seen.length < count) {
    const event = await slow.next();
    if (event.type === 'MODIFIED') seen.push(event.object.metadata.annotations.i);
  }
  expect(seen).toEqual(Array.from({length: count}, (_, i) => String(i)));
  slow.close();
});

/** Status of a watch that is opened and left at once. */
const openAndLeave = async (url: string): Promise<number> => {
  const left = new AbortController();
  const response = await fetch(`${url}${ENDPOINTS}?watch=1`, {signal: left.signal});
  left.abort();
  return response.status;
};

test('E-253 clients that vanish leave nothing behind: their places are free again', async () => {
  await using wire = await startWire({limits: {watchersMax: 50}});
  for (let round = 0; round < 4; round++) {
    const open = await Promise.all(Array.from({length: 50}, () => openUnread(wire.url, `${ENDPOINTS}?watch=1`)));
    expect((await wire.send('GET', ENDPOINTS, {query: {watch: '1'}})).status).toBe(429);
    for (const socket of open) socket.resetAndDestroy();
    await expect.poll(() => openAndLeave(wire.url), {timeout: 10_000}).toBe(200);
  }
});

test('E-253 a client that goes in the middle of its request does no harm', async () => {
  await using wire = await startWire();
  const {hostname, port} = new URL(wire.url);
  for (let i = 0; i < 20; i++) {
    await new Promise<void>(resolve => {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${ENDPOINTS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"metadata":`,
        () => {
          socket.resetAndDestroy();
          resolve();
        },
      );
      socket.on('error', () => {});
    });
  }
  expect((await wire.send('GET', '/livez')).text).toBe('ok');
  expect((await wire.send('GET', ENDPOINTS)).body.items).toEqual([]);
});

test('E-275 a watch over a connection that is cut by a proxy is resumed without a gap', async () => {
  await using wire = await startWire();
  const target = new URL(wire.url);
  const sockets = new Set<Socket>();
  const proxy = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const {WireClient} = await import('./support.ts');
  const through = new WireClient(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  let {resourceVersion} = (await wire.send('GET', ENDPOINTS)).body.metadata;
  const seen: string[] = [];
  for (let i = 0; i < 30; i++) {
    await wire.send('POST', ENDPOINTS, {body: endpoints(`o${i}`)});
    if (i % 3 !== 0) continue;
    const watch = await through.watch(ENDPOINTS, {resourceVersion});
    while (seen.length <= i) {
      const event = await watch.next();
      seen.push(event.object.metadata.name);
      resourceVersion = event.object.metadata.resourceVersion;
    }
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  }
  expect(seen).toEqual(Array.from({length: 28}, (_, i) => `o${i}`));
  proxy.close();
});
