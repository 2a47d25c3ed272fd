// SPDX-License-Identifier: Apache-2.0
/**
 * 100,000 Endpoints of 10 addresses: load, list in pages, watch, whole lists and how long others wait meanwhile, restart;
 * memory after each.
 *
 *   node bench/kube-scale.bench.ts [objects]
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {Agent, type IncomingMessage, request} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {median, printFigure} from './figures.ts';
import {rssMiB} from './processes.ts';
import {type Served, serveKube} from './serve-kube.ts';

const OBJECTS = Number(process.argv[2] ?? 100_000);
const ADDRESSES = 10;
const IN_FLIGHT = 64;
const PAGE_ITEMS = 500;
const UPDATES = 1_000;
const PATH = '/api/v1/namespaces/scale/endpoints';
const agent = new Agent({keepAlive: true, maxSockets: IN_FLIGHT + 1});

const open = (url: string, method: string, body?: object, type = 'application/json'): Promise<IncomingMessage> =>
  new Promise((done, fail) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : {'content-type': type, 'content-length': String(Buffer.byteLength(text))};
    request(url, {method, agent, headers}, done).on('error', fail).end(text);
  });

const send = async (url: string, method: string, body?: object, type?: string): Promise<string> => {
  const response = await open(url, method, body, type);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if ((response.statusCode ?? 0) >= 300)
    throw new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 200)}`);
  return text;
};

const nameOf = (i: number): string => `e-${String(i).padStart(7, '0')}`;
const object = (i: number): object => ({
  metadata: {name: nameOf(i), labels: {app: 'scale', mod: `m${i % 100}`}},
  subsets: [
    {
      addresses: Array.from({length: ADDRESSES}, (_, j) => ({ip: `10.${(i >> 8) & 255}.${i & 255}.${j + 1}`})),
      ports: [{name: 'http', port: 8080}],
    },
  ],
});

/** Runs `work` for 0 … n-1, a bounded number at a time; the value is the time in ms. */
const each = async (n: number, work: (i: number) => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < n) await work(next++);
  };
  await Promise.all(Array.from({length: IN_FLIGHT}, worker));
  return performance.now() - began;
};

const memory = (when: string, {pid}: Served): void =>
  printFigure({name: `kube-scale.rss.${when}`, unit: 'MiB', value: Math.round(rssMiB(pid)), n: OBJECTS});

const load = async (served: Served): Promise<void> => {
  await send(`${served.url}/api/v1/namespaces`, 'POST', {metadata: {name: 'scale'}});
  memory('empty', served);
  const ms = await each(OBJECTS, i => send(served.url + PATH, 'POST', object(i)));
  printFigure({name: 'kube-scale.load', unit: 'creates/s', value: Math.round((OBJECTS / ms) * 1_000), n: OBJECTS});
  memory('loaded', served);
};

const listPages = async (served: Served): Promise<void> => {
  const times: number[] = [];
  let found = 0;
  for (let token: string | undefined = ''; token !== undefined; ) {
    const began = performance.now();
    const text = await send(`${served.url}${PATH}?limit=${PAGE_ITEMS}&continue=${encodeURIComponent(token)}`, 'GET');
    times.push(performance.now() - began);
    const page = JSON.parse(text) as {metadata: {continue?: string}; items: unknown[]};
    found += page.items.length;
    token = page.metadata.continue;
  }
  if (found !== OBJECTS) throw new Error(`pages had ${found} objects, not ${OBJECTS}`);
  const value = Math.round(median(times) * 100) / 100;
  printFigure({name: `kube-scale.list.page-of-${PAGE_ITEMS}`, unit: 'ms', value, n: times.length});
};

/** One watch of everything hears every update. */
const watch = async (served: Served): Promise<void> => {
  const first = JSON.parse(await send(`${served.url}${PATH}?limit=1`, 'GET')) as {metadata: {resourceVersion: string}};
  const response = await open(`${served.url}${PATH}?watch=1&resourceVersion=${first.metadata.resourceVersion}`, 'GET');
  const began = performance.now();
  const updates = each(UPDATES, i =>
    send(`${served.url}${PATH}/${nameOf(i)}`, 'PATCH', {metadata: {labels: {v: '1'}}}, 'application/merge-patch+json'),
  );
  let events = 0;
  for await (const chunk of response) {
    for (const byte of chunk as Buffer) if (byte === 0x0a) events++;
    if (events >= UPDATES) break;
  }
  await updates;
  const rate = Math.round((UPDATES / (performance.now() - began)) * 1_000);
  printFigure({name: 'kube-scale.watch', unit: 'updates heard/s', value: rate, n: UPDATES});
};

const FORMS = {
  json: 'application/json',
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  protobuf: 'application/vnd.kubernetes.protobuf',
  yaml: 'application/yaml',
};
/** Between two requests of who waits. */
const PROBE_PAUSE_MS = 5;

/** The whole list in each form, while somebody else gets one object again and again: the time, and the longest wait of the other. */
const wholeLists = async (served: Served): Promise<void> => {
  for (const [form, accept] of Object.entries(FORMS)) {
    const began = performance.now();
    const list = new Promise<number>((done, fail) => {
      const ended = (response: IncomingMessage): void => {
        response.on('end', () => done(performance.now() - began)).resume();
      };
      request(served.url + PATH, {agent, headers: {accept}}, ended)
        .on('error', fail)
        .end();
    });
    let isDone = false;
    void list.finally(() => {
      isDone = true;
    });
    let longest = 0;
    while (!isDone) {
      const asked = performance.now();
      await send(`${served.url}${PATH}/${nameOf(0)}`, 'GET');
      longest = Math.max(longest, performance.now() - asked);
      await sleep(PROBE_PAUSE_MS);
    }
    const round = (ms: number): number => Math.round(ms);
    printFigure({name: `kube-scale.list.whole.${form}`, unit: 'ms', value: round(await list), n: OBJECTS});
    printFigure({name: `kube-scale.list.whole.${form}.longest-wait`, unit: 'ms', value: round(longest), n: OBJECTS});
  }
};

const scratch = mkdtempSync(join(tmpdir(), 'palisade-scale-'));
try {
  const served = await serveKube(scratch);
  try {
    await load(served);
    await listPages(served);
    await watch(served);
    await wholeLists(served);
    memory('used', served);
  } finally {
    await served.stop();
  }
  const again = await serveKube(scratch);
  try {
    printFigure({name: 'kube-scale.restart', unit: 'ms', value: Math.round(again.readyMs), n: OBJECTS});
    memory('restarted', again);
    await listPages(again);
  } finally {
    await again.stop();
  }
} finally {
  agent.destroy();
  rmSync(scratch, {recursive: true, force: true});
}
