// SPDX-License-Identifier: Apache-2.0
/**
 * What it costs to check the rights of 19,000 open watches, as many as there may be, of 200 users, and how soon they end when a right goes.
 * HTTP/2 over loopback; watches come over twenty connections.
 *
 *   node bench/open-rights.bench.ts [watches] [users]
 *
 * Figures: the delay of the event loop (p99, max) and the processor time of the server for each round, first without any watch (`alone`),
 * then with all of them (`rounds`); the time from the delete of one RoleBinding to the end of the last watch of its user (`one`), and from
 * the delete of the Role to the end of the last watch of all (`all`), with the delay of the event loop meanwhile.
 */
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {type ClientHttp2Session, type ClientHttp2Stream, connect} from 'node:http2';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {RIGHTS} from '../packages/apiserver/src/index.ts';
import {printFigure} from './figures.ts';
import type {LoopDelay} from './loop-delay.ts';
import {cpuMs, until} from './processes.ts';
import {type Served, serveKube} from './serve-kube.ts';

const [WATCHES = 19_000, USERS = 200] = process.argv.slice(2).map(Number);
const CONNECTIONS = 20;
const IN_FLIGHT = 64;
const ROUND_MS = RIGHTS.roundMs;
const MEASURED_ROUNDS = 5;
const PATH = '/api/v1/namespaces/default/endpoints?watch=1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

const userAt = (i: number): string => `user-${i % USERS}`;

const figure = (name: string, value: number, n: number, unit = 'ms'): void =>
  printFigure({name: `open-rights.${name}`, unit, value: Math.round(value * 10) / 10, n});

const open = (
  session: ClientHttp2Session,
  user: string,
  method: string,
  path: string,
  body?: object,
): ClientHttp2Stream => {
  const headers = {':method': method, ':path': path, authorization: `Bearer ${user}-token`};
  const stream = session.request({...headers, 'content-type': 'application/json'});
  stream.end(body === undefined ? undefined : JSON.stringify(body));
  return stream;
};

const send = (session: ClientHttp2Session, method: string, path: string, body?: object): Promise<void> =>
  new Promise((done, fail) => {
    const stream = open(session, 'admin', method, path, body).on('error', fail).on('end', done).resume();
    stream.on('response', headers => {
      if (Number(headers[':status']) >= 300) fail(new Error(`${method} ${path}: ${headers[':status']}`));
    });
  });

const grantAll = async (session: ClientHttp2Session): Promise<void> => {
  const rules = [{verbs: ['list', 'watch'], apiGroups: [''], resources: ['endpoints']}];
  await send(session, 'POST', `${RBAC}/roles`, {metadata: {name: 'reader'}, rules});
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < USERS) {
      const name = userAt(next++);
      const roleRef = {apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader'};
      const subjects = [{apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name}];
      await send(session, 'POST', `${RBAC}/rolebindings`, {metadata: {name}, subjects, roleRef});
    }
  };
  await Promise.all(Array.from({length: IN_FLIGHT}, worker));
};

type Watch = {readonly user: string; readonly ended: Promise<number>; readonly reason: () => string};

const openWatch = (session: ClientHttp2Session, user: string): Promise<Watch> =>
  new Promise((done, fail) => {
    let text = '';
    const ended = Promise.withResolvers<number>();
    open(session, user, 'GET', PATH)
      .on('response', headers =>
        headers[':status'] === 200
          ? done({user, ended: ended.promise, reason: () => text})
          : fail(new Error(`watch: ${headers[':status']}`)),
      )
      .on('data', data => {
        text += String(data);
      })
      .on('end', () => ended.resolve(performance.now()))
      .on('error', fail);
  });

/** The figures of one phase, over the time that `work` takes. */
const phase = async (
  served: Served,
  delayOf: () => Promise<LoopDelay>,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> => {
  await delayOf();
  const began = performance.now();
  const before = cpuMs(served.pid);
  await work();
  const rounds = (performance.now() - began) / ROUND_MS;
  figure(`${name}.cpu-per-round`, (cpuMs(served.pid) - before) / rounds, USERS);
  const {p99, max} = await delayOf();
  figure(`${name}.p99`, p99, WATCHES);
  figure(`${name}.max`, max, WATCHES);
};

const measure = async (served: Served, delayOf: () => Promise<LoopDelay>): Promise<void> => {
  const first = connect(served.url);
  const sessions = Array.from({length: CONNECTIONS}, () => connect(served.url));
  const rounds = (): Promise<void> => delay(MEASURED_ROUNDS * ROUND_MS);
  /** Until the last of these watches has ended; prints the time, and how many said why. */
  const endOf = async (name: string, watches: readonly Watch[], path: string): Promise<void> => {
    const admin = connect(served.url); // one that was idle for so long is closed
    const began = performance.now();
    await send(admin, 'DELETE', path);
    admin.close();
    const times = await Promise.all(watches.map(({ended}) => ended));
    figure(`${name}.last-ended`, Math.max(...times) - began, watches.length);
    const heard = watches.filter(({reason}) => /"type":"ERROR".*"code":403/.test(reason())).length;
    figure(`${name}.with-reason`, heard, watches.length, 'watches');
  };
  try {
    await grantAll(first);
    await phase(served, delayOf, 'alone', rounds);
    const watches: Watch[] = [];
    for (let i = 0; i < WATCHES; i += CONNECTIONS)
      watches.push(...(await Promise.all(sessions.map((session, j) => openWatch(session, userAt(i + j))))));
    await phase(served, delayOf, 'rounds', rounds);
    const [own, others] = [
      watches.filter(({user}) => user === userAt(0)),
      watches.filter(({user}) => user !== userAt(0)),
    ];
    await phase(served, delayOf, 'one', () => endOf('one', own, `${RBAC}/rolebindings/${userAt(0)}`));
    await phase(served, delayOf, 'all', () => endOf('all', others, `${RBAC}/roles/reader`));
  } finally {
    for (const session of [first, ...sessions]) session.destroy();
  }
};

const scratch = mkdtempSync(join(tmpdir(), 'palisade-open-rights-'));
try {
  const file = join(scratch, 'delays');
  writeFileSync(file, '');
  const tokens = join(scratch, 'tokens.csv');
  const users = Array.from({length: USERS}, (_, i) => `${userAt(i)}-token,${userAt(i)},u${i}\n`);
  writeFileSync(tokens, `admin-token,admin,a,"system:masters"\n${users.join('')}`);
  process.env['LOOP_DELAY_FILE'] = file;
  process.env['NODE_OPTIONS'] = `--import=${resolve('bench/loop-delay.ts')}`;
  const served = await serveKube(scratch, [], ['--token-auth-file', tokens]);
  const lines = (): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const delayOf = async (): Promise<LoopDelay> => {
    const before = lines().length;
    process.kill(served.pid, 'SIGUSR2');
    await until('the delay', async () => lines().length > before, 30_000);
    return JSON.parse(lines().at(-1) ?? '') as LoopDelay;
  };
  try {
    await measure(served, delayOf);
  } finally {
    await served.stop();
  }
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
