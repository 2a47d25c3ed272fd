// SPDX-License-Identifier: Apache-2.0
/**
 * Health checks: CPU of the thread that makes them, and how late they start. Half of the targets by TCP, half by HTTP, each once a
 * second (the shortest period), on addresses of 127.0.0.0/8 that another process serves; a part of the product but for the rule
 * that refuses loopback. CPU is of the thread alone: 1 core is 100 %. Lateness is the time between two starts beyond the period.
 *
 *   node bench/checks.bench.ts [targets, default 5,000] [seconds, default 30]
 *
 * Each check leaves a TIME-WAIT entry of the kernel for a minute: run it in a network namespace (unshare -n, lo up) to have them apart.
 */
import {type ChildProcess, fork} from 'node:child_process';
import {createServer as createHttpServer} from 'node:http';
import {type AddressInfo, createServer, type Server} from 'node:net';
import {loadavg} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import type {CheckMethod, CheckResult} from '../packages/prober/src/port.ts';
import {createProber} from '../packages/prober/src/prober.ts';
import {openLoopbackThread} from '../packages/prober/src/testing/index.ts';
import {percentile, printFigure} from './figures.ts';
import {threadCpuMs} from './processes.ts';

const PERIOD_MS = 1_000;
const ADDRESSES = 200;
const WARM_UP_MS = 5_000;

type Ports = {readonly tcp: number; readonly http: number};

const listen = (server: Server): Promise<number> =>
  new Promise(resolve => server.listen(0, '0.0.0.0', 4_096, () => resolve((server.address() as AddressInfo).port)));

const serve = async (): Promise<void> => {
  const tcp = await listen(createServer(socket => socket.on('error', () => undefined).resume()));
  const http = await listen(createHttpServer((_request, response) => response.end('ok')));
  process.send?.({tcp, http} satisfies Ports);
  process.on('disconnect', () => process.exit());
};

const measure = async (targets: number, seconds: number, {tcp, http}: Ports): Promise<void> => {
  const started = new Map<string, number>();
  const late: number[] = [];
  let [passed, failed, isMeasuring] = [0, 0, false];
  const say = (fields: unknown, message: string): void => console.error(message, fields);
  const prober = createProber({
    clock: {now: () => performance.timeOrigin + performance.now()},
    random: {next: Math.random},
    log: {info: say, warn: say, error: say},
    timers: {
      after: (delayMs, action) => {
        const timer = setTimeout(action, delayMs);
        return {cancel: () => clearTimeout(timer)};
      },
    },
    openThread: openLoopbackThread,
  });
  const reasons = new Map<string, number>();
  const take = ({id, atMs, durationMs, passed: isPassed, message}: CheckResult): void => {
    const startMs = atMs - durationMs;
    const before = started.get(id);
    started.set(id, startMs);
    if (!isMeasuring) return;
    if (isPassed) passed++;
    else {
      failed++;
      reasons.set(message, (reasons.get(message) ?? 0) + 1);
    }
    if (before !== undefined) late.push(Math.max(0, startMs - before - PERIOD_MS));
  };
  prober.onResults(results => results.forEach(take));
  const methods: readonly (readonly [port: number, method: CheckMethod])[] = [
    [tcp, {type: 'tcp'}],
    [
      http,
      {
        type: 'http',
        version: '1.1',
        tls: undefined,
        path: '/healthz',
        host: undefined,
        headers: [],
        expected: [[200, 399]],
      },
    ],
  ];
  for (let i = 0; i < targets; i++) {
    const [port, method] = methods[i % 2] ?? [0, {type: 'tcp'}];
    const ip = `127.0.1.${1 + (i % ADDRESSES)}`;
    prober.watch({
      id: `t${i}`,
      group: 'g',
      namespace: 'default',
      ip,
      port,
      method,
      periodMs: PERIOD_MS,
      timeoutMs: PERIOD_MS,
      delayMs: 0,
      jitter: 0,
    });
  }
  await delay(WARM_UP_MS);
  isMeasuring = true;
  const [cpuMs, beganMs] = [threadCpuMs('palisade-checks'), performance.now()];
  await delay(seconds * 1_000);
  const tookMs = performance.now() - beganMs;
  const usedMs = threadCpuMs('palisade-checks') - cpuMs;
  isMeasuring = false;
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  const figure = (name: string, unit: string, value: number): void =>
    printFigure({name: `checks.${name}`, unit, value: rounded(value), n: passed + failed});
  for (const [reason, count] of reasons) console.error(`${count} checks failed: ${reason}`);
  figure('rate', 'checks/s', ((passed + failed) * 1_000) / tookMs);
  figure('failed', 'checks', failed);
  figure('thread-cpu', '% of a core', (usedMs * 100) / tookMs);
  figure('cpu', 'us/check', (usedMs * 1_000) / (passed + failed));
  figure('late-p50', 'ms', percentile(late, 0.5));
  figure('late-p95', 'ms', percentile(late, 0.95));
  figure('late-p99', 'ms', percentile(late, 0.99));
  figure('rss', 'MiB', process.memoryUsage.rss() / 1024 ** 2);
  figure('load', 'of the machine, 1 min', loadavg()[0] ?? 0);
  await prober.stop();
};

if (process.send !== undefined) await serve();
else {
  const server: ChildProcess = fork(import.meta.filename);
  const ports = await new Promise<Ports>(resolve => server.once('message', message => resolve(message as Ports)));
  await measure(Number(process.argv[2] ?? 5_000), Number(process.argv[3] ?? 30), ports);
  server.disconnect();
}
