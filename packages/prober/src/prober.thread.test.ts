// SPDX-License-Identifier: Apache-2.0
/** The prober with its real thread, and servers on loopback. */
import {createServer as createHttpServer} from 'node:http';
import {createServer, type Server, type Socket} from 'node:net';
import {afterEach, expect, test} from 'vitest';
import {refusedAddress} from './checks/address.ts';
import type {CheckMethod, CheckResult, CheckTarget} from './port.ts';
import {createProber, type ProberPorts, type ThreadProber} from './prober.ts';
import {HTTP, listen, realTimers, targetOf} from './testing/check-once.ts';
import {openLoopbackThread} from './testing/index.ts';
import type {CheckThread, OpenThread} from './thread/check-thread.ts';
import {openThread} from './thread/check-thread.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const serve = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => undefined)));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server);
};

const createLab = (open: OpenThread = openLoopbackThread) => {
  const said: string[] = [];
  const threads: CheckThread[] = [];
  const results: CheckResult[] = [];
  const note = (_fields: unknown, message: string): void => void said.push(message);
  const ports: ProberPorts = {
    clock: {now: () => performance.timeOrigin + performance.now()},
    ...{timers: realTimers, random: {next: () => 0.5}, log: {info: note, warn: note, error: note}},
    openThread: options => {
      const thread = open(options);
      threads.push(thread);
      return thread;
    },
  };
  const prober: ThreadProber = createProber(ports);
  prober.onResults(batch => void results.push(...batch));
  closers.push(() => prober.stop());
  return {prober, said, threads, results};
};

const often = (id: string, port: number, method: CheckMethod, more: Partial<CheckTarget> = {}): CheckTarget =>
  targetOf(port, method, {id, periodMs: 50, timeoutMs: 5_000, ...more});

test('46-2 without a target there is no thread; with one, results come until it is forgotten', async () => {
  const {prober, threads, results} = createLab();
  expect(threads).toHaveLength(0);
  const startMs = performance.timeOrigin + performance.now();
  const port = await serve(createHttpServer((_request, response) => void response.end()));
  prober.watch(often('a', port, HTTP));
  prober.watch(often('b', port, {type: 'tcp'}));
  await expect.poll(() => results.filter(({id}) => id === 'a').length).toBeGreaterThan(2);
  expect(results.every(({passed, message, durationMs}) => passed && message === '' && durationMs >= 0)).toBe(true);
  expect(
    results.every(({atMs}) => atMs >= Math.floor(startMs) && atMs <= performance.timeOrigin + performance.now() + 1),
  ).toBe(true);
  prober.forget('a');
  results.splice(0);
  await expect.poll(() => results.length).toBeGreaterThan(3);
  expect(results.every(({id}) => id === 'b')).toBe(true);
  expect(threads).toHaveLength(1);
  expect(prober.counts).toMatchObject({failed: 0, notMade: 0, targets: 1, threadStarts: 1});
});

test('46-2 a target takes the place of another with its id; the same again changes nothing', async () => {
  const {prober, results} = createLab();
  const [one, two] = [await serve(createServer()), await serve(createServer())];
  const first = often('a', one, HTTP, {timeoutMs: 600_000});
  prober.watch(first);
  await expect.poll(() => prober.counts.started).toBe(1);
  prober.watch({...first, method: {...HTTP}});
  prober.watch(often('a', two, {type: 'tcp'}));
  await expect.poll(() => results.length).toBeGreaterThan(2);
  expect(results.every(({passed}) => passed)).toBe(true);
});

test('46-2 a thread that ends is replaced with its targets, and that is logged', async () => {
  const {prober, said, threads, results} = createLab();
  prober.watch(often('a', await serve(createServer()), {type: 'tcp'}));
  await expect.poll(() => results.length).toBeGreaterThan(0);
  await threads[0]?.terminate();
  results.splice(0);
  await expect.poll(() => results.length).toBeGreaterThan(0);
  expect(said).toEqual([
    'thread of health checks ended, starting another one',
    'thread of health checks started again',
  ]);
  expect(prober.counts.threadStarts).toBe(2);
});

test('46-2 stop ends what is under way at once, and nothing is reported afterwards', async () => {
  const {prober, results} = createLab();
  const port = await serve(createServer());
  prober.watch(often('a', port, HTTP, {timeoutMs: 600_000}));
  await expect.poll(() => prober.counts.underWay).toBe(1);
  await prober.stop();
  await prober.stop();
  prober.watch(often('b', port, {type: 'tcp'}));
  expect([results, prober.counts.targets]).toEqual([[], 0]);
});

test('46-2 an error that no check takes is logged, and the thread goes on with all of them', async () => {
  const script = new URL('./testing/faulty-worker.ts', import.meta.url);
  const {prober, said, results} = createLab(options => openThread({...options, script}));
  const port = await serve(createServer());
  prober.watch(often('a', port, {type: 'tcp'}));
  prober.watch(often('b', port, {type: 'tcp'}));
  await expect.poll(() => new Set(results.map(({id}) => id)).size).toBe(2);
  await expect.poll(() => results.length).toBeGreaterThan(5);
  expect(new Set(said)).toEqual(new Set(['health check met an unexpected error, others continue']));
  expect([results.every(({passed}) => passed), prober.counts.threadStarts]).toEqual([true, 1]);
});

test('E-061 46-2 the thread of the product refuses loopback', async () => {
  const {prober, results} = createLab(openThread);
  prober.watch(often('a', await serve(createServer()), {type: 'tcp'}));
  await expect
    .poll(() => results[0])
    .toMatchObject({id: 'a', passed: false, message: `not checked: 127.0.0.1 is ${refusedAddress('127.0.0.1')}`});
});
