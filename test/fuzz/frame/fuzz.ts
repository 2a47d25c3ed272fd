// SPDX-License-Identifier: Apache-2.0
/**
 * Runs targets in a thread, and watches it: a thread that makes no progress is ended, and its input is a finding; so is one that
 * runs out of memory. Then a new thread continues.
 */
import {Worker} from 'node:worker_threads';
import type {Fault} from './execute.ts';
import {countOf, inputIn, type Job, type Report, SHARED_BYTES} from './messages.ts';

/** Far more than P2 allows: of wall time, on a machine that others use too. */
const HANG_MS = 60_000;
const LOOK_MS = 500;
const HEAP_MIB = 512;

export type Finding = {
  readonly target: string;
  readonly fault: Fault;
  readonly input: Buffer;
  readonly from: string;
};
export type Result = {
  readonly target: string;
  readonly executions: number;
  readonly kept: number;
  readonly findings: readonly Finding[];
};

type Ending = {readonly done: Extract<Report, {type: 'done'}>} | {readonly fault: Fault};

export class Fuzzer {
  readonly #shared = new SharedArrayBuffer(SHARED_BYTES);
  #worker: Worker | undefined;

  async run(job: Job): Promise<Result> {
    const findings: Finding[] = [];
    const ending = await this.#runOnce(job, findings);
    if ('done' in ending) return {...ending.done, findings};
    await this.close();
    findings.push({target: job.target, fault: ending.fault, input: inputIn(this.#shared), from: `seed ${job.seed}`});
    return {target: job.target, executions: countOf(this.#shared), kept: 0, findings};
  }

  async #runOnce(job: Job, findings: Finding[]): Promise<Ending> {
    this.#worker ??= new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#shared,
      resourceLimits: {maxOldGenerationSizeMb: HEAP_MIB},
    });
    const worker = this.#worker;
    const {promise, resolve} = Promise.withResolvers<Ending>();
    let count = countOf(this.#shared);
    let since = Date.now();
    const watchdog = setInterval(() => {
      const now = countOf(this.#shared);
      if (now !== count) [count, since] = [now, Date.now()];
      else if (Date.now() - since > HANG_MS) resolve({fault: {kind: 'hang', detail: `no end after ${HANG_MS} ms`}});
    }, LOOK_MS);
    const onMessage = (report: Report): void => {
      if (report.type === 'finding') findings.push({...report, input: Buffer.from(report.input)});
      else resolve({done: report});
    };
    const onError = (error: Error & {code?: string}): void =>
      resolve({
        fault: {
          kind: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'exception',
          detail: error.stack ?? error.message,
        },
      });
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(job);
    try {
      return await promise;
    } finally {
      clearInterval(watchdog);
      worker.off('message', onMessage);
      worker.off('error', onError);
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
