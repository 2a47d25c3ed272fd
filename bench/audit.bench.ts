// SPDX-License-Identifier: Apache-2.0
/**
 * What the audit log costs: processor time of the server for each request, over HTTP/2 with 32 at a time, with the log (default policy and
 * mode) and without it. A server for each, side by side; rounds alternate.
 *
 *   node bench/audit.bench.ts [requests, default 20000] [rounds, default 5]
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {connect} from 'node:http2';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {median, printFigure} from './figures.ts';
import {cpuMs} from './processes.ts';
import {type Served, serveKube} from './serve-kube.ts';

const [REQUESTS = 20_000, ROUNDS = 5] = process.argv.slice(2).map(Number);
const AT_A_TIME = 32;
const LIST = '/api/v1/namespaces/default/endpoints';
const KINDS = {
  read: {method: 'GET', body: undefined},
  write: {method: 'PATCH', body: (i: number) => JSON.stringify({metadata: {labels: {i: String(i)}}})},
} as const;

type Session = {ask(method: string, path: string, body?: string): Promise<number>; close(): void};

const openSession = (url: string): Session => {
  const session = connect(url);
  return {
    ask: (method, path, body) =>
      new Promise((done, fail) => {
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        const stream = session.request({':method': method, ':path': path, 'content-type': type});
        let status = 0;
        stream.on('response', head => {
          status = Number(head[':status']);
        });
        stream.on('error', fail);
        stream.on('end', () => done(status));
        stream.resume();
        stream.end(body);
      }),
    close: () => session.close(),
  };
};

/** Microseconds of the server's processor time for each request. */
const cost = async ({pid}: Served, session: Session, kind: keyof typeof KINDS): Promise<number> => {
  const {method, body} = KINDS[kind];
  const startedMs = cpuMs(pid);
  let next = 0;
  const work = async (worker: number): Promise<void> => {
    for (let i = next++; i < REQUESTS; i = next++) {
      const status = await session.ask(method, `${LIST}/e${worker}`, body?.(i));
      if (status !== 200) throw new Error(`${method} was answered ${status}`);
    }
  };
  await Promise.all(Array.from({length: AT_A_TIME}, (_, worker) => work(worker)));
  return ((cpuMs(pid) - startedMs) * 1_000) / REQUESTS;
};

const folder = mkdtempSync(join(tmpdir(), 'palisade-audit-bench-'));
const servers = {
  with: await serveKube(join(folder, 'with')),
  without: await serveKube(join(folder, 'without'), ['--audit-log-path', 'off']),
};
try {
  const figures = new Map<string, number[]>();
  const sessions = {with: openSession(servers.with.url), without: openSession(servers.without.url)};
  for (const session of Object.values(sessions))
    for (let i = 0; i < AT_A_TIME; i++) await session.ask('POST', LIST, JSON.stringify({metadata: {name: `e${i}`}}));
  for (let round = 0; round <= ROUNDS; round++)
    for (const kind of ['read', 'write'] as const)
      for (const log of ['with', 'without'] as const) {
        const value = await cost(servers[log], sessions[log], kind);
        const name = `audit.${kind}.${log}`;
        if (round > 0) figures.set(name, [...(figures.get(name) ?? []), value]); // round 0 warms up
      }
  for (const [name, values] of figures)
    printFigure({name, unit: 'us cpu', value: Math.round(median(values) * 10) / 10, n: REQUESTS});
  for (const session of Object.values(sessions)) session.close();
} finally {
  await Promise.all(Object.values(servers).map(server => server.stop()));
  rmSync(folder, {recursive: true});
}
