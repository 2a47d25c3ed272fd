// SPDX-License-Identifier: Apache-2.0
/**
 * Watchers that do not read, 10,000 of them: what they cost, what those that read notice of them, and how they are ended.
 *
 *   node bench/kube-watchers.bench.ts [watchers]
 *
 * Phases of one run, each with the times of a delivery and of a write: `alone`; `filling`, while the buffers of the connections
 * still take for those that stand still; `full`, when nothing fits any longer; `ending`, while they are ended; `cutting`, while
 * their connections are. Three readers are told apart: `first` came before the others, `between` after half of them, `last` last.
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {request} from 'node:http';
import {connect, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {percentile, printFigure} from './figures.ts';
import {openFiles, rssMiB, until} from './processes.ts';
import {type Served, serveKube} from './serve-kube.ts';
import {WatchReader} from './watch-reader.ts';

/** Updates: their size, how many may not have been heard by all, and their pace. */
type Load = {readonly bytes: number; readonly unheardMax: number; readonly everyMs: number};
type Done = (updates: number) => boolean | Promise<boolean>;

const WATCHERS = Number(process.argv[2] ?? 10_000);
/** Sockets opened at the same time, below the usual backlog of 511. */
const OPENING_MAX = 200;
const UPDATES = 200;
/** The pace of updates, in ms: with 10,000 watchers of one resource 200,000 deliveries a second. */
const EVERY_MS = 50;
/** After so many updates it is looked whether a phase is over. */
const CHECKED_EVERY = 10;
/** Of the phases that are measured: all updates may be unheard at the same time. */
const LOAD: Load = {bytes: 2_000, unheardMax: UPDATES, everyMs: EVERY_MS};
/** Updates that fill the buffers of those that stand still; the slowest reader bounds their pace. */
const FILL = {updatesMax: 1_000, bytes: 48_000, unheardMax: 4, everyMs: 0};
/** Of those that were ended, how many then read to the end, for the reason. */
const SAMPLE = 100;
/** A connection that gave nothing for so long gives nothing any more: the kernel may have dropped its end. */
const SILENT_MS = 5_000;
const ENDED_MS_MAX = 180_000;
const PATH = '/api/v1/namespaces/default/endpoints';

const post = (url: string, method: string, type: string, body: object): Promise<void> =>
  new Promise((done, fail) => {
    const text = JSON.stringify(body);
    const headers = {'content-type': type, 'content-length': String(Buffer.byteLength(text))};
    request(url, {method, headers}, response => {
      response.resume();
      response.once('end', () =>
        (response.statusCode ?? 0) < 300 ? done() : fail(new Error(`${response.statusCode}`)),
      );
    })
      .on('error', fail)
      .end(text);
  });

/** Watches of the server, from its metrics. */
const watches = async ({url}: Served): Promise<{open: number; blocked: number; ended: Record<string, number>}> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const reasons = [...text.matchAll(/^palisade_watches_ended_total\{reason="([a-z-]+)"\} (\d+)$/gm)];
  return {
    open: of('palisade_watches\\{state="open"\\}'),
    blocked: of('palisade_watches\\{state="blocked"\\}'),
    ended: Object.fromEntries(reasons.map(([, reason, count]) => [reason, Number(count)])),
  };
};

/** Resolves when the head of the answer came; nothing is read after it. */
const stopped = (url: URL): Promise<Socket> =>
  new Promise((done, fail) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.once('error', fail);
    socket.once('data', () => {
      socket.pause();
      socket.off('error', fail).on('error', () => {}); // cut by the server some time after it was ended
      done(socket);
    });
    socket.write(`GET ${PATH}?watch=1 HTTP/1.1\r\nHost: ${url.host}\r\nAccept: application/json\r\n\r\n`);
  });

/** What a socket still holds, to its end: whether the last event tells the reason. */
const tellsReason = (socket: Socket): Promise<boolean> =>
  new Promise(done => {
    let tail = '';
    const tells = (): boolean => /"type":"ERROR".*"reason":"Expired","code":410\}\}\n\r\n0\r\n\r\n$/.test(tail);
    socket.on('data', data => {
      tail = (tail + data.toString('latin1')).slice(-2_000);
      if (tells()) done(true);
    });
    socket.once('close', () => done(false));
    socket.setTimeout(SILENT_MS, () => done(false));
    socket.resume();
  });

class Bench {
  readonly sockets: Socket[] = [];
  readonly readers = new Map<string, WatchReader>();
  readonly #served: Served;
  readonly #sent = new Map<string, number>();
  #updates = 0;

  constructor(served: Served) {
    this.#served = served;
  }

  async open(name: string): Promise<void> {
    this.readers.set(name, await WatchReader.open(`${this.#served.url}${PATH}?watch=1`, this.#sent));
  }

  async stand(count: number): Promise<void> {
    const url = new URL(this.#served.url);
    for (let left = count; left > 0; left -= OPENING_MAX) {
      const more = Array.from({length: Math.min(OPENING_MAX, left)}, () => stopped(url));
      this.sockets.push(...(await Promise.all(more)));
    }
  }

  /** Updates until `done`, sent one after the other while at most `unheardMax` were not heard by all; prints times under a name. */
  async phase(name: string | undefined, {bytes, unheardMax, everyMs}: Load, done: Done): Promise<void> {
    const whats = ['write', ...[...this.readers.keys()].map(reader => `delivery.${reader}`)];
    const times = new Map(whats.map(what => [what, [] as number[]]));
    const unheard: Promise<unknown>[] = [];
    for (let updates = 0; updates % CHECKED_EVERY !== 0 || !(await done(updates)); updates++) {
      const mark = `t${this.#updates++}`;
      const pace = delay(everyMs);
      times.get('write')?.push(await this.#update(mark, bytes));
      await pace;
      const heard = [...this.readers].map(async ([reader, {heard}]) =>
        times.get(`delivery.${reader}`)?.push(await heard(mark)),
      );
      unheard.push(Promise.all(heard));
      if (unheard.length >= unheardMax) await unheard.shift();
    }
    await Promise.all(unheard);
    if (name !== undefined) for (const [what, list] of times) printTimes(`${name}.${what}`, list);
  }

  async #update(mark: string, bytes: number): Promise<number> {
    const began = performance.now();
    this.#sent.set(mark, began);
    const metadata = {labels: {v: mark}, annotations: {filler: 'x'.repeat(bytes)}};
    await post(`${this.#served.url}${PATH}/one`, 'PATCH', 'application/merge-patch+json', {metadata});
    return performance.now() - began;
  }
}

const printTimes = (name: string, times: readonly number[]): void => {
  for (const p of [0.5, 0.99]) {
    const value = Math.round(percentile(times, p) * 100) / 100;
    printFigure({name: `kube-watchers.${name}.p${p * 100}`, unit: 'ms', value, n: times.length});
  }
};

const count = (name: string, value: number, n: number): void =>
  printFigure({name: `kube-watchers.${name}`, unit: 'watches', value, n});

const run = async (served: Served, bench: Bench): Promise<void> => {
  const after = (updates: number) => (sent: number) => sent >= updates;
  const memory = (name: string): void =>
    printFigure({name: `kube-watchers.rss.${name}`, unit: 'MiB', value: Math.round(rssMiB(served.pid)), n: WATCHERS});
  await post(served.url + PATH, 'POST', 'application/json', {metadata: {name: 'one'}});
  await bench.open('first');
  await bench.phase('alone', LOAD, after(UPDATES));
  const before = rssMiB(served.pid);
  await bench.stand(WATCHERS / 2);
  await bench.open('between');
  await bench.stand(WATCHERS / 2);
  await bench.open('last');
  const each = Math.round(((rssMiB(served.pid) - before) * 1_024) / WATCHERS);
  printFigure({name: 'kube-watchers.memory-per-watcher', unit: 'KiB', value: each, n: WATCHERS});
  await bench.phase('filling', LOAD, after(UPDATES));
  await bench.phase(
    undefined,
    FILL,
    async sent => sent >= FILL.updatesMax || (await watches(served)).blocked >= WATCHERS,
  );
  count('blocked', (await watches(served)).blocked, WATCHERS);
  memory('full');
  await bench.phase('full', LOAD, after(UPDATES));
  const ended = async (): Promise<number> => (await watches(served)).ended['too-slow'] ?? 0;
  await until('the first end', async () => (await ended()) > 0, ENDED_MS_MAX);
  await bench.phase('ending', LOAD, async () => (await ended()) >= WATCHERS);
  const sample = bench.sockets.filter((_, i) => i % Math.ceil(WATCHERS / SAMPLE) === 0);
  const reasons = Promise.all(sample.map(tellsReason));
  await bench.phase('cutting', LOAD, () => openFiles(served.pid) < WATCHERS / 10);
  for (const [reason, number] of Object.entries((await watches(served)).ended))
    count(`ended.${reason}`, number, WATCHERS);
  count('reason-received', (await reasons).filter(hasReason => hasReason).length, sample.length);
  memory('after');
};

const scratch = mkdtempSync(join(tmpdir(), 'palisade-watchers-'));
try {
  const served = await serveKube(scratch);
  const bench = new Bench(served);
  try {
    await run(served, bench);
  } finally {
    for (const reader of bench.readers.values()) reader.close();
    for (const socket of bench.sockets) socket.destroy();
    await served.stop();
  }
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
