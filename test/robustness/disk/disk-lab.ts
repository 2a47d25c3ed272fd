// SPDX-License-Identifier: Apache-2.0
/** A faulty disk in a temporary folder, and processes on it. */
import {type ChildProcessByStdio, spawn} from 'node:child_process';
import {existsSync, statfsSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import type {Readable, Writable} from 'node:stream';
import {fileURLToPath} from 'node:url';
import {FaultyDisk} from './faulty-disk.ts';

const CHILD = fileURLToPath(new URL('./disk-child.ts', import.meta.url));

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 2 ** 30;

/** In memory where there is enough of it: states are opened by hundreds, and the syncs of that prove nothing. */
const roomFor = (): string => {
  if (!existsSync(MEMORY)) return tmpdir();
  const {bavail, bsize} = statfsSync(MEMORY);
  return bavail * bsize > MEMORY_BYTES_MIN ? MEMORY : tmpdir();
};

/** A process of disk-child.ts, or of another program that answers each line with one. */
export class DiskChild implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<void>;
  readonly #disk: FaultyDisk;

  constructor(disk: FaultyDisk, program = CHILD) {
    this.#disk = disk;
    const env = {...process.env, ...disk.env()};
    this.#process = spawn(process.execPath, ['--no-warnings', program], {stdio: ['pipe', 'pipe', 'inherit'], env});
    this.#ended = new Promise(resolve => this.#process.once('close', () => resolve()));
    this.#lines = createInterface({input: this.#process.stdout})[Symbol.asyncIterator]();
  }

  /** The answer, which ends before the message of a failure. */
  async ask(line: string): Promise<string> {
    this.#process.stdin.write(`${line}\n`);
    const {value} = await this.#lines.next();
    return String(value);
  }

  async kill(): Promise<void> {
    const {pid = 0, exitCode, signalCode} = this.#process;
    if (exitCode === null && signalCode === null) this.#disk.kill(pid);
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

export class DiskLab implements AsyncDisposable {
  readonly parent: string;
  readonly disk: FaultyDisk;

  static async make(): Promise<DiskLab> {
    const parent = await mkdtemp(join(roomFor(), 'palisade-faulty-'));
    return new DiskLab(parent, await FaultyDisk.make(join(parent, 'disk')));
  }

  private constructor(parent: string, disk: FaultyDisk) {
    this.parent = parent;
    this.disk = disk;
  }

  /** Of a file on the disk. */
  at(name: string): string {
    return join(this.disk.folder, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disk[Symbol.dispose]();
    await rm(this.parent, {recursive: true, force: true});
  }
}
