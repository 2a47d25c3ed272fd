// SPDX-License-Identifier: Apache-2.0
/**
 * A backup of a running server with 100,000 objects of about 1 KB, while 1,000 objects a second are changed: how long `POST /backup`
 * takes to its last byte, how long writes take meanwhile and without it, and how long the whole command takes, which verifies the file.
 *
 *   node bench/backup.bench.ts [objects] [writes a second] [rounds]
 */
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {request} from 'node:http';
import {type ClientHttp2Session, connect} from 'node:http2';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {median, percentile, printFigure} from './figures.ts';
import {cpuMs, rssMiB} from './processes.ts';
import {serveKube} from './serve-kube.ts';

const [OBJECTS = 100_000, RATE = 1_000, ROUNDS = 3] = process.argv.slice(2).map(Number);
const IN_FLIGHT = 64;
/** Of a machine that does not make RATE. */
const PENDING_MAX = 64;
const TICK_MS = 10;

const QUIET_MS = 2_000;
const FILLER = 'x'.repeat(750);
const PATH = '/api/v1/namespaces/default/endpoints';

const send = (session: ClientHttp2Session, method: string, path: string, body: object): Promise<void> =>
  new Promise((done, fail) => {
    const stream = session.request({':method': method, ':path': path, 'content-type': 'application/json'});
    let status = 0;
    stream.on('response', headers => {
      status = Number(headers[':status']);
    });
    stream.on('error', fail).on('end', () => (status < 300 ? done() : fail(new Error(`${method} ${path}: ${status}`))));
    stream.resume().end(JSON.stringify(body));
  });

const object = (name: string, turn: number): object => ({
  metadata: {name, annotations: {filler: FILLER, turn: String(turn)}},
});

const load = async (session: ClientHttp2Session): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < OBJECTS) await send(session, 'POST', PATH, object(`o-${next++}`, 0));
  };
  await Promise.all(Array.from({length: IN_FLIGHT}, worker));
};

/** Changes objects at RATE until `end`; the milliseconds that each took. */
const writing = (session: ClientHttp2Session) => {
  const took: number[] = [];
  let [isOver, sent] = [false, 0];
  const pending = new Set<Promise<void>>();
  const began = performance.now();
  const run = async (): Promise<void> => {
    while (!isOver) {
      for (; sent < ((performance.now() - began) * RATE) / 1_000 && pending.size < PENDING_MAX; sent++) {
        const at = performance.now();
        const name = `o-${(sent * 7_919) % OBJECTS}`;
        const write = send(session, 'PUT', `${PATH}/${name}`, object(name, sent)).then(() => {
          took.push(performance.now() - at);
          pending.delete(write);
        });
        pending.add(write);
      }
      await delay(TICK_MS);
    }
    await Promise.all(pending);
  };
  const running = run();
  return {
    end: async (): Promise<{readonly took: readonly number[]; readonly rate: number}> => {
      isOver = true;
      const ms = performance.now() - began;
      await running;
      return {took, rate: (took.length / ms) * 1_000};
    },
  };
};

const backUp = (url: string): Promise<{readonly ms: number; readonly bytes: number}> =>
  new Promise((done, fail) => {
    const began = performance.now();
    let bytes = 0;
    const sent = request(`${url}/backup`, {method: 'POST'}, answer => {
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => done({ms: performance.now() - began, bytes})).on('error', fail);
    });
    sent.on('error', fail).end();
  });

const figure = (name: string, value: number, n: number, unit = 'ms'): void =>
  printFigure({name: `backup.${name}`, unit, value: Math.round(value * 10) / 10, n});

const writeFigures = (name: string, {took, rate}: {readonly took: readonly number[]; readonly rate: number}): void => {
  figure(`${name}.rate`, rate, took.length, 'writes/s');
  for (const share of [0.5, 0.99, 1]) figure(`${name}.p${share * 100}`, percentile(took, share), took.length);
};

const scratch = mkdtempSync(join(tmpdir(), 'palisade-backup-'));
try {
  const served = await serveKube(scratch);
  const session = connect(served.url);
  try {
    await load(session);
    const times: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const alone = writing(session);
      await delay(QUIET_MS);
      writeFigures('writes.without', await alone.end());
      const [before, cpuBefore] = [rssMiB(served.pid), cpuMs(served.pid)];
      const writers = writing(session);
      const {ms, bytes} = await backUp(served.url);
      const during = await writers.end();
      figure('route', ms, round);
      figure('server-cpu', cpuMs(served.pid) - cpuBefore, round);
      figure('memory-growth', rssMiB(served.pid) - before, round, 'MiB');
      figure('bytes', bytes / 1e6, round, 'MB');
      writeFigures('writes.during', during);
      times.push(ms);
      const file = join(scratch, 'file');
      const began = performance.now();
      const words = ['backup', file, '--force', '--data', join(scratch, 'data')];
      execFileSync(resolve('node_modules/.bin/palisade'), words, {stdio: 'ignore'});
      figure('command', performance.now() - began, round);
      figure('file', statSync(file).size / 1e6, round, 'MB');
    }
    figure('route.median', median(times), ROUNDS);
  } finally {
    session.destroy();
    await served.stop();
  }
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
