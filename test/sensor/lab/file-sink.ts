// SPDX-License-Identifier: Apache-2.0
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import type {ThreatRecord, TrafficRecord} from '@palisade/ids-wire';
import type {RecordBatch, SinkState} from '@palisade/sensor';
import {MemorySink} from '@palisade/sensor/testing';

export type SinkImage = {
  readonly threats: [string, ThreatRecord][];
  readonly traffic: [string, TrafficRecord][];
  readonly states: [string, SinkState][];
};

/** Kills this very process at a commit: before it takes, or after it took and before the caller hears of it. */
export type CrashPlan = {readonly when: 'before' | 'after'; readonly commit: number};

/** The memory sink on a file that is replaced in one step at each commit, so that it survives the process. */
export class FileSink extends MemorySink {
  readonly #path: string;
  readonly #plan: CrashPlan | undefined;
  #count = 0;

  constructor(path: string, plan: CrashPlan | undefined) {
    super();
    this.#path = path;
    this.#plan = plan;
    const image = FileSink.read(path);
    for (const [id, record] of image?.threats ?? []) this.threats.set(id, record);
    for (const [id, record] of image?.traffic ?? []) this.traffic.set(id, record);
    for (const [endpoint, state] of image?.states ?? []) this.states.set(endpoint, state);
  }

  static read(path: string): SinkImage | undefined {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as SinkImage;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  override async commit(batch: RecordBatch): Promise<void> {
    this.#count++;
    this.#crash('before');
    await super.commit(batch);
    this.#save();
    this.#crash('after');
  }

  override async forget(endpoint: string): Promise<void> {
    await super.forget(endpoint);
    this.#save();
  }

  #crash(when: 'before' | 'after'): void {
    if (this.#plan?.when === when && this.#plan.commit === this.#count) process.kill(process.pid, 'SIGKILL');
  }

  #save(): void {
    const image: SinkImage = {threats: [...this.threats], traffic: [...this.traffic], states: [...this.states]};
    writeFileSync(`${this.#path}.new`, JSON.stringify(image));
    renameSync(`${this.#path}.new`, this.#path);
  }
}
