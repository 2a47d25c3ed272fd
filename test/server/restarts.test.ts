// SPDX-License-Identifier: Apache-2.0
/**
 * Restarts under load: what was answered is kept, what was done was answered, watches end cleanly, an informer misses nothing, and the
 * first answer of a new server is as right as the last of the old one. PALISADE_SOAK=1: 20 restarts.
 */
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {Agent, type ClientRequest, request} from 'node:http';
import {type ClientHttp2Session, connect as connectHttp2, constants} from 'node:http2';
import {join} from 'node:path';
import {CoreV1Api, KubeConfig, makeInformer, type V1Endpoints} from '@kubernetes/client-node';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {quiet, type RunningServer, type Scratch, scratch, serve} from '../support/palisade.ts';

const RESTARTS = process.env['PALISADE_SOAK'] === undefined ? 3 : 20;
/** From the end of the last open request to that of the process: generous for a busy machine, and less than the bound of a drain. */
const STOPS_WITHIN_MS = 8_000;
const LIMIT_MS = 90_000 + RESTARTS * 15_000;
const PATH = '/api/v1/namespaces/default/endpoints';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const WRITERS = ['http1-a', 'http1-b', 'http2-a', 'http2-b'];
/** Between the writes of one writer. */
const PACE_MS = 10;

let folder: Scratch;
let server: RunningServer;
let at: URL;
const start = async (http = '127.0.0.1:0'): Promise<void> => {
  const args = quiet(folder.dir).filter(
    word => !['--auth', 'none', '--log-level', 'warn', '127.0.0.1:0'].includes(word),
  );
  const access = ['--token-auth-file', join(folder.dir, 'tokens.csv'), '--apis', 'kubernetes', '--log-level', 'info'];
  server = await serve([...args.map(word => (word === '--http' ? `--http=${http}` : word)), ...access]);
  at = new URL(server.ready.http);
};
const restart = async (): Promise<void> => {
  expect(await server.stop('SIGTERM')).toBe(0);
  await start(at.host);
};

type Answer = {readonly status: number; readonly body: string; readonly isLast: boolean};
const headersOf = (user: string) => ({authorization: `Bearer ${user}-token`, 'content-type': 'application/json'});

/** Throws what the connection throws. */
const answerTo = async (sent: ClientRequest): Promise<Answer> => {
  const [response] = await once(sent, 'response');
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return {status: response.statusCode, body, isLast: response.headers.connection === 'close'};
};
const ask = (agent: Agent | undefined, user: string, method: string, path: string, body?: object): Promise<Answer> => {
  const sent = request(new URL(path, at), {method, headers: headersOf(user), ...(agent && {agent})});
  sent.end(body && JSON.stringify(body));
  return answerTo(sent);
};
/** Over one session, which is opened again when the server has ended it. */
class Http2Agent {
  #session: ClientHttp2Session | undefined;

  async ask(user: string, method: string, path: string, body?: object): Promise<Answer> {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed)
      this.#session = connectHttp2(at).on('error', () => undefined); // its stream has the error too
    const stream = this.#session.request({':method': method, ':path': path, ...headersOf(user)});
    stream.end(body && JSON.stringify(body));
    const [headers] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return {status: headers[':status'], body: text, isLast: false};
  }

  destroy(): void {
    this.#session?.destroy();
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

beforeEach(async () => {
  folder = scratch();
  const users = ['admin-token,admin,u0,"system:masters"', 'writer-token,writer,u1', ''];
  writeFileSync(join(folder.dir, 'tokens.csv'), users.join('\n'), {mode: 0o600});
  await start();
  const rules = [{verbs: ['*'], apiGroups: [''], resources: ['endpoints']}];
  await ask(undefined, 'admin', 'POST', `${RBAC}/roles`, {metadata: {name: 'writer'}, rules});
  const [subjects, roleRef] = [[{kind: 'User', name: 'writer'}], {kind: 'Role', name: 'writer'}];
  const {status} = await ask(undefined, 'admin', 'POST', `${RBAC}/rolebindings`, {
    ...{metadata: {name: 'writer'}, subjects, roleRef},
  });
  expect(status).toBe(201);
});
afterEach(async () => {
  await server.stop('SIGKILL');
  folder[Symbol.dispose]();
});

const object = (name: string, count: number) => ({metadata: {name, annotations: {count: String(count)}}});
const countOf = ({metadata}: {metadata?: {annotations?: Record<string, string>}}): number =>
  Number(metadata?.annotations?.['count']);

type Asking = {ask(user: string, method: string, path: string, body?: object): Promise<Answer>; destroy(): void};
const http1Agent = (): Asking => {
  const agent = new Agent({keepAlive: true, maxSockets: 1});
  return {ask: (...words) => ask(agent, ...words), destroy: () => agent.destroy()};
};

/** Counts in an object of its own, over a connection that it keeps, and reads what it has written. */
class Writer {
  readonly #agent: Asking;
  readonly #name: string;
  readonly faults: string[] = [];
  readonly versions: string[] = [];
  /** Attempts whose answer was lost though they were made. */
  lost = 0;
  answered = 0;
  readonly #done: Promise<void>;
  #ending = false;

  constructor(name: string) {
    this.#name = name;
    this.#agent = name.startsWith('http2') ? new Http2Agent() : http1Agent();
    this.#done = this.#run();
  }

  async #run(): Promise<void> {
    let isUnknown = false;
    while (!this.#ending) {
      const next = this.answered + 1;
      try {
        isUnknown = !(await this.#write(next, isUnknown));
        await pause(PACE_MS);
      } catch {
        isUnknown = true; // no answer: the server stops, or is not up yet
        await pause(PACE_MS);
      }
    }
  }

  async #write(next: number, isUnknown: boolean): Promise<boolean> {
    const mine = `${PATH}/${this.#name}`;
    const before = await this.#agent.ask('writer', 'GET', mine);
    if (before.status === 503) return false;
    const expected = this.answered === 0 ? [404, 0] : [200, this.answered];
    const found = before.status === 200 ? countOf(JSON.parse(before.body)) : 0;
    if (isUnknown && found === next) this.lost += 1;
    else if (before.status !== expected[0] || found !== expected[1])
      this.faults.push(`answered ${this.answered}, then read ${before.status} ${found}: ${before.body}`);
    const [method, path] = before.status === 404 ? ['POST', PATH] : ['PUT', mine];
    const {status, body} = await this.#agent.ask('writer', method as string, path as string, object(this.#name, next));
    if (status === 503) return true;
    if (status > 201) this.faults.push(`${method} is ${status}: ${body}`);
    this.answered = next;
    this.versions.push(JSON.parse(body).metadata.resourceVersion);
    return true;
  }

  async stop(): Promise<void> {
    this.#ending = true;
    await this.#done;
    this.#agent.destroy();
  }
}

/** The informer of the Kubernetes client for JavaScript; a restart is all that it is helped with, as its users do. */
const informerOf = () => {
  const config = new KubeConfig();
  const user = {name: 'writer', token: 'writer-token'};
  config.loadFromClusterAndUser({name: 'c', server: at.origin, skipTLSVerify: true}, user);
  const seen = {lists: 0, versions: new Set<string>(), errors: [] as string[]};
  let isEnding = false;
  const client = config.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1Endpoints>(config, PATH, () => {
    seen.lists++;
    return client.listNamespacedEndpoints({namespace: 'default'});
  });
  const note = ({metadata}: V1Endpoints): void => void seen.versions.add(metadata?.resourceVersion ?? '');
  informer.on('add', note);
  informer.on('update', note);
  informer.on('error', error => {
    if (isEnding) return;
    seen.errors.push(String(error?.cause?.code ?? error?.code ?? error));
    setTimeout(() => void informer.start(), PACE_MS);
  });
  const stop = (): Promise<void> => {
    isEnding = true; // it reports its own end as an error
    return informer.stop();
  };
  return {informer, seen, stop};
};

/** Resolves to how a watch ended; rejects where its connection was cut. */
const watchHttp1 = async (): Promise<() => Promise<string>> => {
  const sent = request(new URL(`${PATH}?watch=1`, at), {headers: headersOf('writer')});
  sent.end();
  const [response] = await once(sent, 'response');
  const ended = once(response.resume(), 'end');
  ended.catch(() => undefined);
  return async () => {
    await ended;
    return response.complete ? 'whole' : 'cut';
  };
};
const watchHttp2 = async (): Promise<() => Promise<string>> => {
  const session = connectHttp2(at);
  const bye = once(session, 'goaway');
  const stream = session.request({':path': `${PATH}?watch=1`, ...headersOf('writer')}).resume();
  await once(stream, 'response');
  const ended = Promise.all([once(stream, 'end'), bye, once(session, 'close')]);
  ended.catch(() => undefined);
  return async () => {
    const [, [code]] = await ended;
    return code === constants.NGHTTP2_NO_ERROR && stream.rstCode === constants.NGHTTP2_NO_ERROR ? 'whole' : 'cut';
  };
};

test(
  `48-5 ${RESTARTS} restarts under load: no answered write is lost, none is made without an answer, an informer sees each`,
  async () => {
    const writers = WRITERS.map(name => new Writer(name));
    const {informer, seen, stop} = informerOf();
    await informer.start();
    const last = (): (string | undefined)[] => writers.map(({versions}) => versions.at(-1));
    const seesNews = async (): Promise<void> => {
      const before = last();
      await expect.poll(() => last().every((version, i) => version !== before[i])).toBe(true);
      const wanted = last() as string[];
      await expect.poll(() => wanted.every(version => seen.versions.has(version))).toBe(true);
    };
    for (let i = 0; i < RESTARTS; i++) {
      await seesNews();
      const ends = await Promise.all([watchHttp1(), watchHttp2()]);
      await restart();
      expect(await Promise.all(ends.map(end => end()))).toEqual(['whole', 'whole']);
    }
    await seesNews();
    await Promise.all(writers.map(writer => writer.stop()));
    expect(writers.map(({faults, lost}) => ({faults, lost}))).toEqual(writers.map(() => ({faults: [], lost: 0})));
    const all = writers.flatMap(({versions}) => versions);
    await expect.poll(() => all.filter(version => !seen.versions.has(version))).toEqual([]);
    await stop();
    const {items} = JSON.parse((await ask(undefined, 'writer', 'GET', PATH)).body) as {items: V1Endpoints[]};
    const named = (objects: readonly V1Endpoints[]) =>
      objects.map(({metadata}) => [metadata?.name, metadata?.resourceVersion]).sort();
    expect(named(informer.list())).toEqual(named(items));
    expect(items.filter(({metadata}) => WRITERS.includes(metadata?.name ?? '')).map(countOf)).toEqual(
      writers.map(({answered}) => answered),
    );
    expect([seen.lists, [...new Set(seen.errors)]]).toEqual([1, ['ECONNREFUSED']]);
  },
  LIMIT_MS,
);

test('48-5 a stop lasts as long as the slowest request, which gets its whole answer, and no longer', async () => {
  const body = JSON.stringify(object('slow', 1));
  const headers = {...headersOf('writer'), 'content-length': body.length, expect: '100-continue'};
  const slow = request(new URL(PATH, at), {method: 'POST', headers});
  const answer = answerTo(slow);
  slow.flushHeaders();
  await once(slow, 'continue');
  slow.write(body.slice(0, 5));
  server.child.kill('SIGTERM');
  await expect.poll(server.stderr).toContain('"msg":"draining"');
  expect(await ask(undefined, 'writer', 'GET', PATH).catch(error => error.code)).toBe('ECONNREFUSED');
  expect(server.child.exitCode).toBe(null);
  slow.end(body.slice(5));
  expect(await answer).toMatchObject({status: 201, isLast: true});
  const answeredMs = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - answeredMs).toBeLessThan(STOPS_WITHIN_MS);
  await start();
  expect((await ask(undefined, 'writer', 'GET', `${PATH}/slow`)).status).toBe(200);
});
