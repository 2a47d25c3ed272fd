// SPDX-License-Identifier: Apache-2.0
/**
 * Watchers that do not read, 10,000 of them: what they cost, and what one that reads notices of them.
 *
 *   node bench/kube-watchers.bench.ts [watchers]
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {get, request} from 'node:http';
import {connect, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {percentile, printFigure} from './figures.ts';
import {rssMiB} from './processes.ts';
import {serveKube} from './serve-kube.ts';

const WATCHERS = Number(process.argv[2] ?? 10_000);
/** Sockets opened at the same time, below the usual backlog of 511. */
const OPENING_MAX = 200;
const UPDATES = 200;
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

/** Resolves when the head of the answer came; nothing is read after it. */
const stopped = (url: URL): Promise<Socket> =>
  new Promise((done, fail) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.once('error', fail);
    socket.once('data', () => {
      socket.pause();
      done(socket);
    });
    socket.write(`GET ${PATH}?watch=1 HTTP/1.1\r\nHost: ${url.host}\r\nAccept: application/json\r\n\r\n`);
  });

/** Times between the sending of an update and its event at a watcher that reads, in ms. */
const hear = async (url: string): Promise<number[]> => {
  const sent = new Map<string, number>();
  const times: number[] = [];
  const opened = Promise.withResolvers<void>();
  const heard = new Promise<void>((done, fail) => {
    get(`${url}${PATH}?watch=1`, response => {
      let rest = '';
      response.on('data', chunk => {
        rest += String(chunk);
        opened.resolve(); // the object as it is: from here on every change is heard
        for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
          const mark = /"v":"(t\d+)"/.exec(rest.slice(0, at))?.[1] ?? '';
          const began = sent.get(mark);
          if (began !== undefined) times.push(performance.now() - began);
          rest = rest.slice(at + 1);
        }
        if (times.length < UPDATES) return;
        response.destroy();
        done();
      });
    }).on('error', fail);
  });
  await opened.promise;
  for (let i = 0; i < UPDATES; i++) {
    sent.set(`t${i}`, performance.now());
    await post(`${url}${PATH}/one`, 'PATCH', 'application/merge-patch+json', {metadata: {labels: {v: `t${i}`}}});
  }
  await heard;
  return times;
};

const latency = (name: string, times: readonly number[]): void => {
  for (const p of [0.5, 0.99]) {
    const value = Math.round(percentile(times, p) * 100) / 100;
    printFigure({name: `kube-watchers.delivery.p${p * 100}.${name}`, unit: 'ms', value, n: times.length});
  }
};

const scratch = mkdtempSync(join(tmpdir(), 'palisade-watchers-'));
const sockets: Socket[] = [];
try {
  const served = await serveKube(scratch);
  try {
    await post(served.url + PATH, 'POST', 'application/json', {
      metadata: {name: 'one', annotations: {filler: 'x'.repeat(2_000)}},
    });
    latency('alone', await hear(served.url));
    const before = rssMiB(served.pid);
    const url = new URL(served.url);
    while (sockets.length < WATCHERS) {
      const more = Math.min(OPENING_MAX, WATCHERS - sockets.length);
      sockets.push(...(await Promise.all(Array.from({length: more}, () => stopped(url)))));
    }
    const each = ((rssMiB(served.pid) - before) * 1_024) / WATCHERS;
    printFigure({name: 'kube-watchers.memory-per-watcher', unit: 'KiB', value: Math.round(each), n: WATCHERS});
    latency('beside', await hear(served.url));
    printFigure({name: 'kube-watchers.rss', unit: 'MiB', value: Math.round(rssMiB(served.pid)), n: WATCHERS});
  } finally {
    for (const socket of sockets) socket.destroy();
    await served.stop();
  }
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
