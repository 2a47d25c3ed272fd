// SPDX-License-Identifier: Apache-2.0
/** The store as a subject of the suite: child.ts runs it and its clients, and this side keeps the record. */
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {DAMAGES, DISTURBANCES, ENDS} from '../../suite/faults.ts';
import {inspectStore} from '../../suite/kv/inspect-store.ts';
import {judgeKv} from '../../suite/kv/judge.ts';
import {KvRecord, positionOf} from '../../suite/kv/record.ts';
import type {Ending, Inspection, Life, Running, Subject} from '../../suite/subject.ts';
import type {Broken, Plan, WatchPlan} from './lines.ts';
import {LineReader} from './reader.ts';
import {idOf} from './value.ts';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const UNSYNCED = fileURLToPath(new URL('./unsynced.ts', import.meta.url));
const WRITERS = 24;
const ANSWERS_MAX = 1_500;
const COMPACTS_EVERY = 3;

type Watcher = Pick<WatchPlan, 'client' | 'prefix' | 'batchMs'>;
const WATCHERS: readonly Watcher[] = [
  {client: 'fast', prefix: '', batchMs: 0},
  {client: 'slow', prefix: '', batchMs: 15},
  {client: 'part', prefix: '/t/', batchMs: 3},
];

/** `broken`: a store that is broken on purpose, to try the suite. */
export const storeSubject = (broken?: Broken): Subject => ({
  name: 'store',
  faults: [...ENDS.filter(end => end !== 'terminate'), ...DISTURBANCES, ...DAMAGES],
  answersMax: ANSWERS_MAX,
  live: ({folder, env, seed}) => new StoreLife(folder, {env, seed, broken}),
});

class StoreLife implements Life {
  readonly #dir: string;
  readonly #of: {env: () => Readonly<Record<string, string>>; seed: number; broken: Broken | undefined};
  readonly #record = new KvRecord();

  constructor(
    dir: string,
    of: {env: () => Readonly<Record<string, string>>; seed: number; broken: Broken | undefined},
  ) {
    this.#dir = dir;
    this.#of = of;
  }

  start(round: number): Running {
    const {env, seed, broken} = this.#of;
    const plan: Plan = {
      dir: this.#dir,
      seed,
      round,
      writers: WRITERS,
      watches: WATCHERS.map(watcher => ({...watcher, ...this.#position(watcher.client)})),
      audited: Math.max(0, ...this.#record.audits.map(({revision}) => revision)),
      compacts: round % COMPACTS_EVERY === COMPACTS_EVERY - 1,
      broken,
    };
    const options = broken === 'unsynced' ? ['--import', UNSYNCED] : [];
    return new StoreProcess([...options, CHILD, JSON.stringify(plan)], env(), {record: this.#record, round});
  }

  /** Where a watcher was. */
  #position(client: string): {from: number; resumes: boolean} {
    const last = this.#record.watches.findLast(watch => watch.client === client);
    return last === undefined ? {from: 0, resumes: false} : {from: positionOf(last), resumes: positionOf(last) > 0};
  }

  inspect(copy: string): Promise<Inspection> {
    return inspectStore({dir: copy}, this.#record, {prefix: '', idOf, writers: WRITERS, seesAll: true});
  }

  powerLost(): void {
    this.#record.powerLost(code => code === 'disk-failed');
  }

  async judge() {
    return judgeKv(this.#record, {seesAll: true});
  }
}

class StoreProcess implements Running {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  readonly #reader: LineReader;
  readonly #stdin: {write(text: string): unknown};

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, of: {record: KvRecord; round: number}) {
    const child = spawn(process.execPath, args, {stdio: ['pipe', 'pipe', 'pipe'], env: {...process.env, ...env}});
    if (child.pid === undefined) throw new Error('no process');
    this.pid = child.pid;
    child.stdin.on('error', () => undefined); // it is gone
    this.#stdin = child.stdin;
    this.#reader = new LineReader(of.record, of.round);
    this.ready = this.#reader.ready;
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const gone = new Promise<Omit<Ending, 'stderr'>>(resolve =>
      child.once('close', (code, signal) => resolve({code, signal})),
    );
    const read = this.#reader.read(createInterface({input: child.stdout}));
    this.ended = Promise.all([gone, read]).then(([ending]) => {
      of.record.processGone();
      this.#reader.over();
      return {...ending, stderr};
    });
  }

  answers(count: number): Promise<void> {
    return this.#reader.answers.more(count);
  }

  finish(): Promise<Ending> {
    this.#stdin.write('finish\n');
    return this.ended;
  }
}
