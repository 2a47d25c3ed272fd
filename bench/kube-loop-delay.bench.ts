// SPDX-License-Identifier: Apache-2.0
/**
 * How long the server's event loop is held up while 10,000 idle watchers, one LIST of 100,000 objects of about 1 KB and one
 * create share it. HTTP/2 over loopback; watchers come over twenty connections. Each round prints the delay of the event loop
 * (max, p99), the time of the list, of the create, and until the last watcher got the event.
 *
 *   node bench/kube-loop-delay.bench.ts [objects] [watchers] [rounds]
 */
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {type ClientHttp2Session, type ClientHttp2Stream, connect} from 'node:http2';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {percentile, printFigure} from './figures.ts';
import type {LoopDelay} from './loop-delay.ts';
import {until} from './processes.ts';
import {serveKube} from './serve-kube.ts';

const [OBJECTS = 100_000, WATCHERS = 10_000, ROUNDS = 3] = process.argv.slice(2).map(Number);
const CONNECTIONS = 20;
const IN_FLIGHT = 64;
const FILLER_BYTES = 750;
const PATH = '/api/v1/namespaces/default/endpoints';

const open = (session: ClientHttp2Session, method: string, path: string, body?: object): ClientHttp2Stream => {
  const stream = session.request({':method': method, ':path': path, 'content-type': 'application/json'});
  stream.end(body === undefined ? undefined : JSON.stringify(body));
  return stream;
};

/** Resolves to the length of the answer and its first bytes. */
const ask = (
  session: ClientHttp2Session,
  method: string,
  path: string,
  body?: object,
): Promise<{bytes: number; head: string}> =>
  new Promise((done, fail) => {
    let [bytes, head, status] = [0, '', 0];
    open(session, method, path, body)
      .on('response', headers => {
        status = Number(headers[':status']);
      })
      .on('data', (data: Buffer) => {
        if (bytes === 0) head = data.toString('latin1', 0, 500);
        bytes += data.length;
      })
      .on('end', () => (status < 300 ? done({bytes, head}) : fail(new Error(`${method} ${path}: ${status} ${head}`))))
      .on('error', fail);
  });

const object = (name: string): object => ({metadata: {name, annotations: {filler: 'x'.repeat(FILLER_BYTES)}}});

const load = async (session: ClientHttp2Session): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < OBJECTS) await ask(session, 'POST', PATH, object(`o-${next++}`));
  };
  await Promise.all(Array.from({length: IN_FLIGHT}, worker));
};

/** Watchers that got an event since the last reset. */
class Watchers {
  readonly #path: string;
  #heard = 0;
  #onHeard: () => void = () => {};

  constructor(path: string) {
    this.#path = path;
  }

  open(session: ClientHttp2Session): Promise<void> {
    return new Promise((done, fail) => {
      open(session, 'GET', this.#path)
        .on('response', () => done())
        .on('data', () => {
          this.#heard++;
          this.#onHeard();
        })
        .on('error', fail);
    });
  }

  /** Resolves when all have heard one event. */
  allHeard(): Promise<void> {
    this.#heard = 0;
    return new Promise(done => {
      this.#onHeard = () => {
        if (this.#heard === WATCHERS) done();
      };
    });
  }
}

const figure = (name: string, value: number, n: number, unit = 'ms'): void =>
  printFigure({name: `kube-loop-delay.${name}`, unit, value: Math.round(value * 10) / 10, n});

const measure = async (url: string, delayOf: () => Promise<LoopDelay>): Promise<void> => {
  const sessions: ClientHttp2Session[] = [];
  const openSession = (): ClientHttp2Session => {
    const session = connect(url);
    sessions.push(session);
    return session;
  };
  try {
    const writer = openSession();
    await load(writer);
    const reader = openSession();
    const watching = Array.from({length: CONNECTIONS}, openSession);
    const {head} = await ask(writer, 'GET', `${PATH}?limit=1`);
    const version = /"resourceVersion":"(\d+)"/.exec(head)?.[1];
    const watchers = new Watchers(`${PATH}?watch=1&resourceVersion=${version}`);
    for (let i = 0; i < WATCHERS; i += CONNECTIONS) await Promise.all(watching.map(session => watchers.open(session)));
    const delays: LoopDelay[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const heard = watchers.allHeard();
      await delayOf();
      const began = performance.now();
      const since = (): number => performance.now() - began;
      const list = ask(reader, 'GET', PATH).then(({bytes}) => ({bytes, ms: since()}));
      const created = ask(writer, 'POST', PATH, object(`round-${round}`)).then(since);
      const lastHeard = heard.then(since);
      figure('create', await created, round);
      figure('last-watcher', await lastHeard, round);
      const {bytes, ms} = await list;
      figure('list', ms, round);
      figure('list.bytes', bytes / 1e6, round, 'MB');
      const delay = await delayOf();
      delays.push(delay);
      figure('max', delay.max, round);
      figure('p99', delay.p99, round);
    }
    for (const what of ['max', 'p99'] as const)
      figure(
        `${what}.median`,
        percentile(
          delays.map(delay => delay[what]),
          0.5,
        ),
        ROUNDS,
      );
  } finally {
    for (const session of sessions) session.destroy();
  }
};

const scratch = mkdtempSync(join(tmpdir(), 'palisade-loop-delay-'));
try {
  const file = join(scratch, 'delays');
  writeFileSync(file, '');
  process.env['LOOP_DELAY_FILE'] = file;
  process.env['NODE_OPTIONS'] = `--import=${resolve('bench/loop-delay.ts')}`;
  const served = await serveKube(scratch);
  const lines = (): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const delayOf = async (): Promise<LoopDelay> => {
    const before = lines().length;
    process.kill(served.pid, 'SIGUSR2');
    await until('the delay', async () => lines().length > before, 30_000);
    return JSON.parse(lines().at(-1) ?? '') as LoopDelay;
  };
  try {
    await measure(served.url, delayOf);
  } finally {
    await served.stop();
  }
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
