// SPDX-License-Identifier: Apache-2.0
/** The thread that runs decoders: one job after the other, each input announced before it is run. */
import {parentPort, workerData} from 'node:worker_threads';
import {targets} from '../targets/index.ts';
import {seedsOf} from './corpus.ts';
import {execute, type Fault, keyOf} from './execute.ts';
import {growth} from './growth.ts';
import {announce, type Job, type Report} from './messages.ts';
import {inputsOf} from './mutate.ts';
import {Random, seedOf} from './random.ts';
import {Reach} from './reach.ts';
import type {Target} from './target.ts';

const shared = workerData as SharedArrayBuffer;
const KEPT_MAX = 2_000;
const BATCH = 16;
const FINDINGS_MAX = 10;
const TRIES_TO_SHORTEN = 400;
const SHORTEN_MS = 2_000;

const say = (report: Report): void => parentPort?.postMessage(report);

const run = (of: Target, input: Buffer): Promise<Fault | undefined> => {
  announce(shared, input);
  return execute(of, input);
};

/** A shorter input with the same finding. */
async function shortened(of: Target, input: Buffer, key: string): Promise<Buffer> {
  let best = input;
  let tries = 0;
  const until = performance.now() + SHORTEN_MS;
  for (let size = Math.floor(best.length / 2); size > 0; size = Math.floor(size / 2))
    for (let at = 0; at < best.length && tries < TRIES_TO_SHORTEN && performance.now() < until; tries++) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      const fault = await run(of, shorter);
      if (fault !== undefined && keyOf(fault) === key) best = shorter;
      else at += size;
    }
  return best;
}

class Findings {
  readonly #of: Target;
  readonly #keys = new Set<string>();

  constructor(of: Target) {
    this.#of = of;
  }

  get isFull(): boolean {
    return this.#keys.size >= FINDINGS_MAX;
  }

  async note(fault: Fault, input: Buffer, from: string): Promise<void> {
    const key = keyOf(fault);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    const isOfLength = fault.kind === 'slow' || fault.kind === 'growth' || fault.kind === 'memory';
    const short = isOfLength ? input : await shortened(this.#of, input, key);
    say({type: 'finding', target: this.#of.name, fault: (await run(this.#of, short)) ?? fault, input: short, from});
  }
}

async function work({target, seed, executions, untilMs, cpuMs, growing, guided, withoutSeeds}: Job): Promise<void> {
  const of = targets.find(each => each.name === target) as Target;
  const seeds = seedsOf(of);
  const pool = seeds.map(({bytes}) => bytes);
  const findings = new Findings(of);
  let count = 0;
  for (const {name, bytes} of withoutSeeds ? [] : seeds) {
    const fault = await run(of, bytes);
    if (fault !== undefined) await findings.note(fault, bytes, name);
    count++;
  }
  const own = pool.length;
  const reach = guided ? new Reach() : undefined;
  reach?.grew();
  let batch: Buffer[] = [];
  const random = new Random(seedOf(seed, target));
  const inputs = inputsOf(of, pool, random);
  const start = process.threadCpuUsage();
  const isSpent = (): boolean => {
    const {user, system} = process.threadCpuUsage(start);
    return (user + system) / 1000 > cpuMs || Date.now() > untilMs;
  };
  for (let done = 0; done < executions && !isSpent() && !findings.isFull; done++) {
    const input = Buffer.from(inputs.next().value);
    const fault = await run(of, input);
    count++;
    if (fault !== undefined) await findings.note(fault, input, `seed ${seed}, input ${done}`);
    if (reach === undefined) continue;
    batch.push(input);
    if (batch.length < BATCH) continue;
    if (reach.grew() && pool.length < own + KEPT_MAX) pool.push(...batch);
    batch = [];
  }
  reach?.close();
  if (growing) {
    const grown = await growth(of, random, input => announce(shared, input), isSpent);
    if (grown !== undefined) await findings.note(grown.fault, grown.input, `seed ${seed}, growing`);
  }
  say({type: 'done', target, executions: count, kept: pool.length - own});
}

parentPort?.on('message', (job: Job) => void work(job));
