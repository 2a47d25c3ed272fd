// SPDX-License-Identifier: Apache-2.0
/** `palisade serve` as a subject of the suite, as a user runs it; its clients are in this process and keep the record. */
import {type ChildProcess, spawn} from 'node:child_process';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {PALISADE} from '../../support/palisade.ts';
import {AnswerCount} from '../suite/answer-count.ts';
import {DAMAGES, DISTURBANCES, ENDS} from '../suite/faults.ts';
import {inspectStore} from '../suite/kv/inspect-store.ts';
import {judgeKv} from '../suite/kv/judge.ts';
import {KvRecord, TORN} from '../suite/kv/record.ts';
import {between, type Random} from '../suite/random.ts';
import {
  type Ending,
  type Inspection,
  type Life,
  type Running,
  StartRefused,
  type Subject,
  type Surroundings,
} from '../suite/subject.ts';
import {EndpointsApi, idIn} from './endpoints-api.ts';
import {Connections} from './http.ts';
import {runTraffic, WRITERS} from './traffic.ts';
import {Watcher, type WatcherKind} from './watcher.ts';

const ANSWERS_MAX = 200;
const FOLDER = 'server';
const STORE_FILE = join(FOLDER, 'store.sqlite');
const KEY_PREFIX = '/kube/core/endpoints/default/';
const WATCHERS: readonly WatcherKind[] = [
  {client: 'informer', eventMs: 0, timeoutSeconds: 600},
  {client: 'bookmarks', eventMs: 0, timeoutSeconds: 3},
  {client: 'slow', eventMs: 10, timeoutSeconds: 600},
];

export const serverSubject = (): Subject => ({
  name: 'server',
  faults: [...ENDS, ...DISTURBANCES, ...DAMAGES],
  answersMax: ANSWERS_MAX,
  live: surroundings => new ServerLife(surroundings),
});

class ServerLife implements Life {
  readonly #of: Surroundings;
  readonly #record = new KvRecord();
  readonly #watchers = WATCHERS.map(kind => new Watcher(kind, this.#record));

  constructor(of: Surroundings) {
    this.#of = of;
  }

  start(round: number, random: Random): Running {
    const {folder, env, seed} = this.#of;
    const flags = ['--data', join(folder, FOLDER), '--http', '127.0.0.1:0', '--auth', 'none', '--log-level', 'error'];
    const child = spawn(PALISADE, ['serve', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {...process.env, ...env()},
    });
    const name = `${seed}.${round}`;
    return new ServerProcess(child, {
      record: this.#record,
      watchers: this.#watchers,
      round,
      name,
      seed: between(random, 0, 1e9),
    });
  }

  /** The objects; the records are another subject. */
  readonly isInspected = (path: string): boolean => path.startsWith(STORE_FILE);

  /** By the store that the server opens first. A start would write, and hide what is missing behind new revisions. */
  inspect(copy: string): Promise<Inspection> {
    return inspectStore({file: join(copy, STORE_FILE)}, this.#record, {
      ...{prefix: KEY_PREFIX, writers: WRITERS + 1, seesAll: false}, // one more: the mark
      idOf: value => idIn(Buffer.from(value).toString()) ?? TORN,
    });
  }

  powerLost(): void {
    this.#record.powerLost(code => code.startsWith('5'));
  }

  async judge() {
    return judgeKv(this.#record, {seesAll: false});
  }
}

type Clients = {
  readonly record: KvRecord;
  readonly watchers: readonly Watcher[];
  readonly round: number;
  readonly name: string;
  readonly seed: number;
};

class ServerProcess implements Running {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #clients: Clients;
  readonly #count = new AnswerCount();
  #stderr = '';
  /** Traffic: no new calls. Watches: the process is gone. */
  #noCalls = false;
  #isGone = false;
  #api: EndpointsApi | undefined;
  #traffic: Promise<void> = Promise.resolve();
  #watches: Promise<unknown> = Promise.resolve();

  constructor(child: ChildProcess, clients: Clients) {
    if (child.pid === undefined) throw new Error('no process');
    this.pid = child.pid;
    this.#child = child;
    this.#clients = clients;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    const gone = new Promise<Omit<Ending, 'stderr'>>(resolve =>
      child.once('close', (code, signal) => resolve({code, signal})),
    );
    void gone.then(() => {
      this.#noCalls = true;
      this.#isGone = true;
    });
    this.ready = Promise.race([this.#serve(), gone.then(ending => this.#refusal(ending))]);
    this.ready.catch(() => undefined);
    this.ended = gone.then(ending => this.#over(ending));
  }

  answers(count: number): Promise<void> {
    return this.#count.more(count);
  }

  async finish(): Promise<Ending> {
    this.#noCalls = true;
    await this.#traffic;
    const {name, watchers} = this.#clients;
    const marked = await this.#api?.update('mark', 'mark', {id: `${name}.mark`});
    if (marked?.answer?.kind === 'written') {
      const {revision = 0} = marked.answer;
      await Promise.race([Promise.all(watchers.map(watcher => watcher.catchUp(revision))), this.ended]);
    }
    this.#child.kill('SIGTERM');
    return this.ended;
  }

  /** From its ready line on: what is there, then watches and traffic. */
  async #serve(): Promise<void> {
    const line = await new Promise<string>(resolve => {
      if (this.#child.stdout !== null) createInterface({input: this.#child.stdout}).once('line', resolve);
    });
    const {record, watchers, round, name, seed} = this.#clients;
    const connections = new Connections((JSON.parse(line) as {http: string}).http);
    const api = new EndpointsApi(connections, record, () => this.#count.add());
    const found = await api.pages();
    if (found?.kind !== 'listed') {
      if (this.#isGone || found === undefined) return;
      throw new StartRefused('list', JSON.stringify(found));
    }
    record.audit({round, prefix: '', revision: found.revision, entries: found.entries});
    this.#api = api;
    const isGone = (): boolean => this.#isGone;
    this.#watches = Promise.all(
      watchers.map(each => each.run(connections, api, {from: found.revision, isOver: isGone})),
    );
    this.#traffic = runTraffic(api, {name, seed, isOver: () => this.#noCalls});
  }

  /** The process ended before it served: by a signal, or with a message. */
  #refusal({signal, code}: Omit<Ending, 'stderr'>): void {
    if (signal === null && code !== 0) throw new StartRefused(`exit ${code}`, this.#stderr);
  }

  async #over(ending: Omit<Ending, 'stderr'>): Promise<Ending> {
    for (const watcher of this.#clients.watchers) watcher.stop();
    this.#count.over();
    await Promise.all([this.#traffic, this.#watches]);
    this.#clients.record.processGone();
    return {...ending, stderr: this.#stderr};
  }
}
