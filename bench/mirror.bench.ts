// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints mirrored to EndpointSlices: how long a start takes over sets that have no slices yet, how long one change of a large
 * set takes, and the memory of a server with many addresses and their slices.
 *
 *   node bench/mirror.bench.ts [sets of 100 addresses in the memory part, default 10000]
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {Agent, request} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {median, printFigure} from './figures.ts';
import {cpuMs, rssMiB} from './processes.ts';
import {type Served, serveKube} from './serve-kube.ts';

const SETS_AT_START = 1_000;
const SETS_IN_MEMORY = Number(process.argv[2] ?? 10_000);
const ADDRESSES = 100;
const LARGE = 20_000;
const CHANGES = 20;
const IN_FLIGHT = 32;
const PAUSE_MS = 50;
const ENDPOINTS = '/api/v1/namespaces/mirror/endpoints';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/mirror/endpointslices';
const agent = new Agent({keepAlive: true, maxSockets: IN_FLIGHT + 1});

const send = (url: string, method: string, body?: object): Promise<string> =>
  new Promise((done, fail) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text))};
    const sent = request(url, {method, agent, headers}, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString();
        if ((response.statusCode ?? 0) < 300) done(answer);
        else fail(new Error(`${method} ${url}: ${response.statusCode} ${answer.slice(0, 200)}`));
      });
    });
    sent.on('error', fail).end(text);
  });

const ip = (i: number): string => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
const set = (name: string, first: number, count: number): object => ({
  metadata: {name},
  subsets: [
    {addresses: Array.from({length: count}, (_, i) => ({ip: ip(first + i)})), ports: [{name: 'http', port: 8080}]},
  ],
});

const load = async ({url}: Served, sets: number): Promise<void> => {
  await send(`${url}/api/v1/namespaces`, 'POST', {metadata: {name: 'mirror'}});
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < sets) {
      const i = next++;
      await send(url + ENDPOINTS, 'POST', set(`e-${i}`, i * ADDRESSES, ADDRESSES));
    }
  };
  await Promise.all(Array.from({length: IN_FLIGHT}, worker));
};

const countSlices = async ({url}: Served): Promise<number> => {
  const {metadata, items} = JSON.parse(await send(`${url}${SLICES}?limit=1`, 'GET')) as {
    metadata: {remainingItemCount?: number};
    items: unknown[];
  };
  return items.length + (metadata.remainingItemCount ?? 0);
};

const untilMirrored = async (served: Served, sets: number): Promise<void> => {
  while ((await countSlices(served)) < sets) await sleep(PAUSE_MS);
};

const inScratch = async (work: (dir: string) => Promise<void>): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-mirror-'));
  try {
    await work(dir);
  } finally {
    rmSync(dir, {recursive: true, force: true});
  }
};

/** Without Services nothing is mirrored by the first server, so the second one finds everything to do. */
const atStart = (dir: string): Promise<void> =>
  withServer(dir, ['--mirror', 'services'], served => load(served, SETS_AT_START)).then(() =>
    withServer(dir, [], async served => {
      const [began, used] = [performance.now(), cpuMs(served.pid)];
      await untilMirrored(served, SETS_AT_START);
      const figures = {wall: performance.now() - began, cpu: cpuMs(served.pid) - used};
      for (const [name, ms] of Object.entries(figures))
        printFigure({name: `mirror.start.${name}`, unit: 'ms', value: Math.round(ms), n: SETS_AT_START});
      await oneChange(served);
    }),
  );

/** From the request to the slice with the new address. */
const oneChange = async (served: Served): Promise<void> => {
  await send(served.url + ENDPOINTS, 'POST', set('large', 1 << 22, LARGE));
  await untilMirrored(served, SETS_AT_START + LARGE / 1_000);
  const times: number[] = [];
  for (let i = 0; i < CHANGES; i++) {
    const {metadata} = JSON.parse(await send(`${served.url}${SLICES}?limit=1`, 'GET')) as {
      metadata: {resourceVersion: string};
    };
    const heard = firstEvent(`${served.url}${SLICES}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    const began = performance.now();
    await send(`${served.url}${ENDPOINTS}/large`, 'PUT', set('large', (1 << 22) + i + 1, LARGE));
    await heard;
    times.push(performance.now() - began);
  }
  printFigure({name: 'mirror.one-change-of-20000', unit: 'ms', value: Math.round(median(times)), n: CHANGES});
};

const firstEvent = (url: string): Promise<void> =>
  new Promise((done, fail) => {
    request(url, {agent: false}, response => {
      response.once('data', () => {
        response.destroy();
        done();
      });
    })
      .on('error', fail)
      .end();
  });

const memory = (dir: string): Promise<void> =>
  withServer(dir, [], async served => {
    await load(served, SETS_IN_MEMORY);
    await untilMirrored(served, SETS_IN_MEMORY);
    printRss('loaded', served);
  }).then(() =>
    withServer(dir, [], async served => {
      await untilMirrored(served, SETS_IN_MEMORY);
      printRss('restarted', served);
    }),
  );

const printRss = (when: string, {pid}: Served): void =>
  printFigure({
    name: `mirror.rss.${when}`,
    unit: 'MiB',
    value: Math.round(rssMiB(pid)),
    n: SETS_IN_MEMORY * ADDRESSES,
  });

const withServer = async (
  dir: string,
  flags: readonly string[],
  work: (served: Served) => Promise<void>,
): Promise<void> => {
  const served = await serveKube(dir, flags);
  try {
    await work(served);
  } finally {
    await served.stop();
  }
};

try {
  await inScratch(atStart);
  await inScratch(memory);
} finally {
  agent.destroy();
}
