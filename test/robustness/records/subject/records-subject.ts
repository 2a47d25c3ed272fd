// SPDX-License-Identifier: Apache-2.0
/** The record store as a subject of the robustness suite. */
import {type ChildProcess, spawn} from 'node:child_process';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {RecordStoreError} from '../../../../packages/ids/src/records/record-store.ts';
import {AnswerCount} from '../../suite/answer-count.ts';
import {FAULT_KINDS} from '../../suite/faults.ts';
import {
  type Ending,
  type Inspection,
  type Life,
  type Running,
  StartRefused,
  type Subject,
  type Surroundings,
  type Verdict,
} from '../../suite/subject.ts';
import type {Break, Line, Plan} from './lines.ts';
import {lookAt} from './look.ts';
import {ClientRecord} from './record.ts';
import {uncounted, validateCopy, validateDecisions, validateFolder, validateStream} from './validate.ts';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const FOLDER = 'records';

export const recordsSubject = ({broken}: {readonly broken?: Break} = {}): Subject => ({
  name: 'records',
  faults: FAULT_KINDS,
  answersMax: 60,
  live: surroundings => new RecordsLife(surroundings, broken),
});

class RecordsLife implements Life {
  readonly #surroundings: Surroundings;
  readonly #broken: Break | undefined;
  readonly #record = new ClientRecord();
  readonly #copies: string;

  constructor(surroundings: Surroundings, broken: Break | undefined) {
    this.#surroundings = surroundings;
    this.#broken = broken;
    this.#copies = `${surroundings.folder}-copies`;
  }

  start(round: number): Running {
    const {folder, env, seed} = this.#surroundings;
    const record = this.#record;
    record.begin(round);
    const plan: Plan = {
      folder: join(folder, FOLDER),
      copies: this.#copies,
      ...{seed, round, broken: this.#broken, cursor: record.cursor},
      firstDecision: Math.max(-1, ...record.decisions.keys()) + 1,
      firstCopy: record.nextCopy,
    };
    const child = spawn(process.execPath, [CHILD, JSON.stringify(plan)], {env: {...process.env, ...env()}});
    return new RecordsRun(child, record);
  }

  /** No page has a checksum: content that is other than written is not judged. What is counted as lost is no fault. */
  async inspect(copy: string): Promise<Inspection> {
    try {
      const {endpoints} = await lookAt(join(copy, FOLDER));
      const behind = endpoints.map(({position}, i) => (this.#record.answered[i] ?? 0) - position);
      const most = Math.max(0, ...behind);
      const lost = most === 0 ? 'nothing' : most === 1 ? 'last-commit' : 'end';
      return {lost, faults: uncounted(this.#surroundings.seed, endpoints)};
    } catch (error) {
      if (!(error instanceof RecordStoreError)) throw error;
      return {refused: error.code, message: error.message};
    }
  }

  async judge(): Promise<Verdict> {
    const {seed, folder} = this.#surroundings;
    const {decisions, exported, followed, copies, violations, counts} = this.#record;
    const look = await lookAt(join(folder, FOLDER));
    const copied: string[] = [];
    for (const [number, copy] of copies) {
      const faults = validateCopy(seed, copy, await lookAt(join(this.#copies, String(number))));
      copied.push(...faults.map(fault => `copy ${number}: ${fault}`));
    }
    const isTraffic = (recordClass: string): boolean => recordClass === 'TRAFFIC';
    const positions = look.endpoints.flatMap(({position}, i) =>
      position === this.#record.answered[i]
        ? []
        : [`endpoint ${i} is at ${position} in the end, and ${this.#record.answered[i]} was answered`],
    );
    const verdict = {
      violations: {
        ...validateFolder(seed, look),
        positions: [...violations.positions, ...positions],
        resumable: violations.resumable,
        decisions: validateDecisions(seed, decisions, look),
        exporter: validateStream({seed, deliveries: exported, isOfKind: name => !isTraffic(name), counts: true}, look),
        follower: validateStream({seed, deliveries: followed, isOfKind: isTraffic, counts: false}, look),
        copies: copied,
      },
      counts: {...counts, ...droppedOf(look)},
    };
    if (copied.length === 0) rmSync(this.#copies, {recursive: true, force: true});
    return verdict;
  }
}

const droppedOf = ({
  endpoints,
}: Awaited<ReturnType<typeof lookAt>>): {readonly evicted: number; readonly records: number} => ({
  evicted: endpoints.flatMap(({evicted}) => Object.values(evicted)).reduce((sum, count) => sum + count, 0),
  records: endpoints.reduce((sum, {rows}) => sum + rows.length, 0),
});

class RecordsRun implements Running {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #answers = new AnswerCount();
  #stderr = '';

  constructor(child: ChildProcess, record: ClientRecord) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    const {promise, resolve, reject} = Promise.withResolvers<void>();
    this.ready = promise;
    promise.catch(() => undefined);
    child.stdin?.on('error', () => undefined); // it was killed
    child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    const closed = new Promise<void>(done => child.once('close', () => done()));
    this.ended = (async (): Promise<Ending> => {
      for await (const text of createInterface({input: child.stdout ?? process.stdin})) {
        const line = JSON.parse(text) as Line;
        if (line[0] === 'ready') resolve();
        else if (line[0] === 'refused') reject(new StartRefused(line[1], line[2]));
        else if (record.add(line)) this.#answers.add();
      }
      await closed;
      this.#answers.over();
      resolve();
      return {signal: child.signalCode, code: child.exitCode, stderr: this.#stderr};
    })();
  }

  answers(count: number): Promise<void> {
    return this.#answers.more(count);
  }

  finish(): Promise<Ending> {
    this.#child.stdin?.write('finish\n');
    return this.ended;
  }
}
