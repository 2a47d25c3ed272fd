// SPDX-License-Identifier: Apache-2.0
/**
 * 10,000 registrations whose Leases are renewed every ten seconds, 1,000 renewals a second over HTTP/2: what they cost the server,
 * and what they add to its store. A watcher of registrations is to hear nothing of them.
 *
 *   node bench/registrations.bench.ts [registrations, default 10000] [seconds of renewals, default 60]
 *
 * The store keeps each renewal until history is compacted, every five minutes: `store-growth` is what the file would grow by in an
 * hour without that. `store-used.most` is what it holds at most in this run, so with more than 600 seconds what it levels off at.
 */
import {fork} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {get} from 'node:http';
import {cpus, loadavg, tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {type Figure, printFigure} from './figures.ts';
import {cpuMs, rssMiB} from './processes.ts';
import type {LoadMessage} from './registrations-load.ts';
import {type Served, serveKube} from './serve-kube.ts';

const MACHINES = Number(process.argv[2] ?? 10_000);
const SECONDS = Number(process.argv[3] ?? 60);
const REGISTRATIONS = '/apis/platform.io/v1alpha1/endpointregistrations';
const SAMPLE_MS = 5_000;
const MIB = 1_048_576;
const HOUR_S = 3_600;

const figure = (name: string, unit: string, value: number, n = MACHINES): void => {
  const rounded: Figure = {name: `registrations.${name}`, unit, value: Math.round(value * 100) / 100, n};
  printFigure(rounded);
};

/** What the store holds, from the metrics, and its write-ahead log. */
const storeBytes = async ({url}: Served, dir: string): Promise<{used: number; wal: number}> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const used = Number(/^palisade_store_file_bytes\{state="used"\} (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
  return {used, wal: statSync(join(dir, 'data', 'store.sqlite-wal'), {throwIfNoEntry: false})?.size ?? 0};
};

type Watched = {events: number; close(): void};

/** Counts events of registrations from now on. */
const watch = async ({url}: Served): Promise<Watched> => {
  const list = (await (await fetch(`${url}${REGISTRATIONS}?limit=1`)).json()) as {metadata: {resourceVersion: string}};
  const watched: Watched = {events: 0, close: () => {}};
  await new Promise<void>((done, fail) => {
    const query = `watch=1&resourceVersion=${list.metadata.resourceVersion}`;
    const sent = get(`${url}${REGISTRATIONS}?${query}`, response => {
      response.on('data', (data: Buffer) => {
        for (const byte of data) if (byte === 10) watched.events++;
      });
      done();
    });
    watched.close = () => sent.destroy();
    sent.on('error', fail);
  });
  return watched;
};

const report = (
  served: Served,
  renewed: Extract<LoadMessage, {type: 'renewed'}>,
  cpu: number,
  watched: Watched,
): void => {
  figure('renewals', '1/s', renewed.sent / (renewed.ms / 1_000));
  figure('renewals.failed', 'renewals', renewed.failed);
  figure('renewal.p50', 'ms', renewed.p50);
  figure('renewal.p99', 'ms', renewed.p99);
  figure('server.cpu', '% of one core', (cpu / renewed.ms) * 100);
  figure('server.cpu-per-renewal', 'µs', (cpu * 1_000) / renewed.sent);
  figure('server.rss', 'MiB', rssMiB(served.pid));
  figure('watcher-of-registrations', 'events', watched.events);
  figure('load-average', `of ${cpus().length} cores`, loadavg()[0] ?? Number.NaN);
};

const run = async (served: Served, dir: string): Promise<void> => {
  const {https = ''} = served;
  const args = [https, join(dir, 'data', 'pki', 'ca.crt'), String(MACHINES), String(SECONDS)];
  const load = fork(resolve('bench', 'registrations-load.ts'), args, {stdio: ['ignore', 'inherit', 'inherit', 'ipc']});
  const message = <T extends LoadMessage['type']>(): Promise<Extract<LoadMessage, {type: T}>> =>
    new Promise((done, fail) => {
      load.once('message', received => done(received as Extract<LoadMessage, {type: T}>));
      load.once('exit', code => fail(new Error(`the load ended with exit code ${code}`)));
    });
  try {
    const {ms} = await message<'registered'>();
    figure('register', '1/s', MACHINES / (ms / 1_000));
    const watched = await watch(served);
    const before = await storeBytes(served, dir);
    const cpuBefore = cpuMs(served.pid);
    let most = before.used;
    const sampling = setInterval(async () => {
      most = Math.max(most, (await storeBytes(served, dir).catch(() => before)).used);
    }, SAMPLE_MS);
    load.send('begin');
    const renewed = await message<'renewed'>();
    clearInterval(sampling);
    report(served, renewed, cpuMs(served.pid) - cpuBefore, watched);
    const after = await storeBytes(served, dir);
    const grown = after.used + after.wal - before.used - before.wal;
    figure('store-used.before', 'MiB', before.used / MIB);
    figure('store-used.most', 'MiB', Math.max(most, after.used) / MIB);
    figure('store-growth', 'MiB/h', ((grown / MIB) * HOUR_S) / (renewed.ms / 1_000));
    figure('store-growth-per-renewal', 'bytes', grown / renewed.sent);
    watched.close();
  } finally {
    load.kill();
  }
};

const dir = mkdtempSync(join(tmpdir(), 'palisade-registrations-'));
try {
  const served = await serveKube(dir, ['--https', '127.0.0.1:0']);
  try {
    await run(served, dir);
  } finally {
    await served.stop();
  }
} finally {
  rmSync(dir, {recursive: true, force: true});
}
