// SPDX-License-Identifier: Apache-2.0
/**
 * One life of a subject: rounds of traffic and faults on one folder, a last round without faults, and the verdict over the
 * record of all clients. What the frame itself finds:
 *   starts    a start was refused though nothing armed explains it
 *   alive     the process ended by itself
 *   damaged   a damaged copy was served with less than what was answered
 * The seed gives faults, moments and traffic, up to the scheduling of the machine.
 */
import {cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {FaultyDisk, whyNoDisk} from '../disk/faulty-disk.ts';
import {damageOne} from './damage.ts';
import {
  clockStep,
  type Damage,
  DISK_FAULTS,
  type Disturbance,
  drawRound,
  type FaultKind,
  needsDisk,
  type Round,
} from './faults.ts';
import {between, type Random, seededRandom} from './random.ts';
import {type Ending, type Life, type Running, StartRefused, type Subject} from './subject.ts';

export type LifeOptions = {
  /** Rounds with faults; one without follows. */
  readonly rounds: number;
  /** Before those that the seed draws. */
  readonly script?: readonly Round[] | undefined;
  /** Instead of the subject's own. */
  readonly answersMax?: number | undefined;
  /** No further round with faults begins from then on, by Date.now(). The first is always there. */
  readonly endMs?: number | undefined;
};

export type LifeResult = {
  readonly subject: string;
  readonly seed: number;
  readonly violations: Readonly<Record<string, readonly string[]>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly starts: number;
  /** With faults, and how many were planned. */
  readonly rounds: {readonly done: number; readonly planned: number};
  /** By kind: how often it was tried, and how often it really struck: calls that failed, transactions lost, copies refused. */
  readonly faults: ReadonlyMap<FaultKind, {readonly tried: number; readonly struck: number}>;
  /** What was done, a line each. */
  readonly story: readonly string[];
  /** The data folder, kept when there are violations. */
  readonly kept: string | undefined;
};

const PAUSE_MS_MAX = 300;
const FOLDER_CHANGES_MAX = 8;

/** How long the program may take for the next answer, a start or an end, before it counts as hanging. */
const PATIENCE_MS = 60_000;
/** What a copy may lack without saying so: that a log was longer once cannot be seen when its end is cut off. */
const MAY_LOSE: Readonly<Record<Damage, readonly string[]>> = {
  'corrupt-page': ['nothing'],
  'wal-zero': ['nothing', 'last-commit'],
  'wal-cut': ['nothing', 'last-commit', 'end'],
};

/** Rejects only with a fault of the suite itself. */
export async function runLife(subject: Subject, seed: number, options: LifeOptions): Promise<LifeResult> {
  const folder = mkdtempSync(join(tmpdir(), `palisade-${subject.name}-${seed}-`));
  const one = new OneLife(subject, seed, folder);
  try {
    return await one.run(options);
  } finally {
    one.end();
  }
}

class OneLife {
  readonly #subject: Subject;
  readonly #seed: number;
  readonly #folder: string;
  readonly #data: string;
  readonly #random: Random;
  #disk: FaultyDisk | undefined;
  readonly #faults = new Map<FaultKind, {tried: number; struck: number}>();
  readonly #violations: Record<string, string[]> = {starts: [], alive: [], damaged: []};
  readonly #story: string[] = [];
  #starts = 0;
  #answersMax = 0;
  #isKept = true;

  constructor(subject: Subject, seed: number, folder: string) {
    this.#subject = subject;
    this.#seed = seed;
    this.#folder = folder;
    this.#data = join(folder, 'data');
    this.#random = seededRandom(seed);
    mkdirSync(this.#data);
  }

  async run({
    rounds,
    script = [],
    answersMax = this.#subject.answersMax,
    endMs = Infinity,
  }: LifeOptions): Promise<LifeResult> {
    if (whyNoDisk() === undefined) this.#disk = await FaultyDisk.make(this.#data);
    const can = this.#subject.faults.filter(kind => this.#disk !== undefined || !needsDisk(kind));
    const env = (): Record<string, string> => this.#disk?.env() ?? {};
    const life = this.#subject.live({folder: this.#data, env, seed: this.#seed});
    this.#answersMax = answersMax;
    const planned = [...script, ...Array.from({length: rounds}, () => drawRound(this.#random, can))];
    let round = 0;
    for (const each of planned) {
      if (round > 0 && Date.now() >= endMs) break;
      await this.#round(life, round++, each);
    }
    await this.#round(life, round, {during: [], end: 'finish', damage: undefined});
    const {violations, counts} = await life.judge();
    const all = {...this.#violations, ...violations};
    this.#isKept = Object.values(all).some(list => list.length > 0);
    return {
      subject: this.#subject.name,
      seed: this.#seed,
      violations: all,
      counts,
      starts: this.#starts,
      rounds: {done: round, planned: planned.length},
      faults: this.#faults,
      story: this.#story,
      kept: this.#isKept ? this.#folder : undefined,
    };
  }

  end(): void {
    this.#disk?.[Symbol.dispose]();
    if (!this.#isKept) rmSync(this.#folder, {recursive: true, force: true});
  }

  async #round(life: Life, round: number, {during, end, damage}: Round): Promise<void> {
    this.#tell(`round ${round}: ${[...during, end, damage].filter(Boolean).join(', ')}`);
    const running = life.start(round, seededRandom(this.#seed * 1_000 + round));
    this.#starts++;
    if (end === 'kill-at-start') {
      await this.#folderChanges(between(this.#random, 0, FOLDER_CHANGES_MAX), running);
      this.#kill(running);
    }
    try {
      await this.#patiently(running, 'the start', running.ready);
    } catch (error) {
      if (!(error instanceof StartRefused)) throw error;
      this.#violations['starts']?.push(`round ${round}: ${error.code}: ${error.message}`);
      await running.ended;
      return;
    }
    if (end !== 'kill-at-start') {
      await this.#answers(running, this.#some());
      for (const kind of during) await this.#disturb(running, kind);
    }
    await this.#end({life, running}, round, end);
    this.#disk?.disarm();
    if (damage !== undefined && life.inspect !== undefined) await this.#damage(life, damage);
  }

  #answers(running: Running, count: number): Promise<void> {
    return this.#patiently(running, `${count} answers`, running.answers(count));
  }

  /** A program that hangs is a violation; it is killed, which ends all waiting for it. */
  async #patiently<T>(running: Running, what: string, done: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#violations['alive']?.push(`waited ${PATIENCE_MS / 1000} s for ${what}; ${this.#story.at(-1)}`);
      this.#signal(running, 'SIGKILL');
    }, PATIENCE_MS);
    try {
      return await done;
    } finally {
      clearTimeout(timer);
    }
  }

  #some(): number {
    return between(this.#random, 1, this.#answersMax);
  }

  /** Strikes, and waits for answers; one time in two the fault is still there when the process ends. */
  async #disturb(running: Running, kind: Disturbance): Promise<void> {
    if (kind === 'pause') {
      this.#signal(running, 'SIGSTOP');
      await new Promise(resolve => setTimeout(resolve, between(this.#random, 1, PAUSE_MS_MAX)));
      this.#signal(running, 'SIGCONT');
      this.#note(kind, 1);
      return await this.#answers(running, this.#some());
    }
    if (kind === 'clock-forward' || kind === 'clock-back') {
      this.#disk?.stepClock(clockStep(this.#random, kind));
      this.#note(kind, 1);
      return await this.#answers(running, this.#some());
    }
    const before = this.#struck();
    const {after, times, files, ...fault} = DISK_FAULTS[kind](this.#random);
    this.#disk?.arm({...fault, after, times, ...(files === undefined ? {} : {files})});
    const lifts = this.#random() < 0.5;
    await this.#answers(running, this.#some());
    this.#tell(`${kind} on ${files ?? 'all files'} after ${after} calls, ${times} times${lifts ? ', then none' : ''}`);
    if (lifts) {
      this.#disk?.disarm();
      await this.#answers(running, this.#some());
    }
    this.#note(kind, this.#struck() - before);
  }

  async #end({life, running}: {life: Life; running: Running}, round: number, end: Round['end']): Promise<void> {
    let ending: Ending;
    if (end === 'finish') {
      this.#disk?.disarm();
      ending = await this.#patiently(running, 'the end', running.finish());
    } else if (end === 'terminate') {
      this.#disk?.disarm();
      this.#signal(running, 'SIGTERM');
      ending = await this.#patiently(running, 'the end', running.ended);
    } else {
      const wasGone = await isGone(running);
      this.#kill(running);
      ending = await running.ended;
      if (wasGone && end !== 'kill-at-start') this.#violations['alive']?.push(`round ${round}: ${shown(ending)}`);
    }
    if ((end === 'finish' || end === 'terminate') && ending.code !== 0)
      this.#violations['alive']?.push(`round ${round}: ${shown(ending)}`);
    let struck = 1;
    if (end === 'power-loss' && this.#disk !== undefined) {
      this.#disk.disarm();
      const loss = this.#disk.losePower(this.#random);
      life.powerLost?.();
      struck = loss.lost + loss.torn + loss.names.lost;
      this.#tell(`power loss: ${JSON.stringify(loss)}`);
    }
    this.#note(end, struck);
  }

  async #damage(life: Life, damage: NonNullable<Round['damage']>): Promise<void> {
    const copy = join(this.#folder, 'copy');
    cpSync(this.#data, copy, {recursive: true});
    const done = damageOne(copy, damage, this.#random, life.isInspected);
    if (done === undefined || life.inspect === undefined) return rmSync(copy, {recursive: true});
    const found = await life.inspect(copy);
    const where = `${done.damage} of ${done.file.slice(copy.length + 1)}, ${done.where}`;
    if (found.refused !== undefined) this.#tell(`${where}: refused, ${found.refused}`);
    else {
      this.#tell(`${where}: served; lost: ${found.lost}`);
      const faults = MAY_LOSE[damage].includes(found.lost) ? found.faults : [`served, lost: ${found.lost}`];
      this.#violations['damaged']?.push(...faults.map(fault => `${where}: ${fault}`));
    }
    this.#note(damage, found.refused !== undefined || found.lost !== 'nothing' ? 1 : 0);
    rmSync(copy, {recursive: true, force: true});
  }

  /** Names and sizes below the folder have changed so often, or the process ended. */
  async #folderChanges(count: number, running: Running): Promise<void> {
    let over = false;
    void running.ready.catch(() => undefined).then(() => (over = true));
    const look = (): string =>
      readdirSync(this.#data, {recursive: true, encoding: 'utf8'})
        .map(name => `${name} ${statSync(join(this.#data, name), {throwIfNoEntry: false})?.size}`)
        .join();
    for (let changes = 0, before = look(); changes < count && !over; ) {
      await new Promise(resolve => setTimeout(resolve, 1));
      const now = look();
      if (now !== before) changes++;
      before = now;
    }
  }

  #kill(running: Running): void {
    if (this.#disk === undefined) this.#signal(running, 'SIGKILL');
    else this.#disk.kill(running.pid);
  }

  #signal({pid}: Running, signal: NodeJS.Signals): void {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  #struck(): number {
    return this.#disk?.hits().reduce((sum, {struck}) => sum + struck, 0) ?? 0;
  }

  #note(kind: FaultKind, struck: number): void {
    const count = this.#faults.get(kind) ?? {tried: 0, struck: 0};
    this.#faults.set(kind, {tried: count.tried + 1, struck: count.struck + struck});
  }

  #tell(line: string): void {
    this.#story.push(line);
    if (process.env['PALISADE_STORY']) process.stderr.write(`${line}\n`);
  }
}

const isGone = ({ended}: Running): Promise<boolean> =>
  Promise.race([ended.then(() => true), new Promise<boolean>(resolve => setImmediate(() => resolve(false)))]);
const shown = ({code, signal, stderr}: Ending): string => `ended with ${signal ?? code}: ${stderr.slice(-2_000)}`;
